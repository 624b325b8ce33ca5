"""Financial statements drawn into PDF files: lines above totals, indented labels, signs of currencies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

Values = tuple[str, ...]
"""A label's note and the amounts of its years; empty for a heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """How a statement is drawn.

    Attributes:
        size: Of its type, points.
        pitch: From row to row, heights of type.
        indent: Of each level, points.
        rules: Above totals: ``column`` for one line over each column of amounts, ``whole`` for one line over
            all of them, ``none``.
        head: Below the header: ``full``, ``columns``, ``none``.
        top: Whether lines over the whole width stand above and below all.
        double: Whether two lines stand below the last total.
        sign: Where the sign of the currency stands: ``glued``, ``blank``, ``left`` of the column, ``none``.
        colon: Whether headings end with a colon.
        bold: Whether headings and totals are bold.
        notes: Whether a column of notes stands behind the labels.
        width: Of a column of amounts, points.
        over: A header over both years.
        wrap: Points beyond which labels are wrapped, 0 for never.
        prose: Whether paragraphs stand above and below.
        unlabelled: Whether subtotals have no label.
        fill: What is shaded: ``stripes`` for every second row, ``totals``, ``none``.
    """

    size: float = 9.0
    pitch: float = 1.5
    indent: float = 10.0
    rules: str = "column"
    head: str = "full"
    top: bool = False
    double: bool = False
    sign: str = "none"
    colon: bool = True
    bold: bool = False
    notes: bool = False
    width: float = 70.0
    over: str = ""
    wrap: float = 0.0
    prose: bool = False
    unlabelled: bool = False
    fill: str = "none"


@dataclass(frozen=True, slots=True)
class Line:
    """A row: level of its label, label, note, amounts, and whether it is a total."""

    level: int
    label: str
    note: str = ""
    amounts: Values = ()
    total: bool = False
    signed: bool = False


INCOME = [
    Line(0, "Revenue"),
    Line(1, "Products", "3", ("1,200", "1,100"), signed=True),
    Line(1, "Services", "", ("300", "(250)")),
    Line(2, "of which cloud", "4", ("100", "90")),
    Line(0, "Total revenue", "", ("1,500", "850"), total=True),
    Line(0, "Operating expenses"),
    Line(1, "Cost of products sold", "", ("640", "601")),
    Line(1, "Research and development", "5", ("(210)", "(188)")),
    Line(1, "Selling, general and administrative expenses of all segments", "", ("95", "—")),
    Line(0, "Total operating expenses", "", ("945", "789"), total=True),
    Line(0, "Operating income", "", ("555", "61")),
    Line(0, "Net income", "", ("411", "45"), total=True, signed=True),
]
BALANCE = [
    Line(0, "Assets"),
    Line(1, "Current assets"),
    Line(2, "Cash and cash equivalents", "6", ("12,304", "9,871"), signed=True),
    Line(2, "Trade receivables, less allowances of 12 and 14", "7", ("3,310", "3,298")),
    Line(2, "Inventories", "", ("1,204", "1,377")),
    Line(1, "Total current assets", "", ("16,818", "14,546"), total=True),
    Line(1, "Property, plant and equipment", "8", ("8,250", "8,011")),
    Line(1, "Goodwill", "", ("—", "455")),
    Line(0, "Total assets", "", ("25,068", "23,012"), total=True, signed=True),
    Line(0, "Liabilities and equity"),
    Line(1, "Current liabilities"),
    Line(2, "Trade payables", "", ("2,144", "2,010"), signed=True),
    Line(2, "Borrowings", "9", ("4,000", "4,500")),
    Line(1, "Total liabilities", "", ("6,144", "6,510"), total=True),
    Line(1, "Share capital", "10", ("1,000", "1,000")),
    Line(1, "Retained earnings", "", ("17,924", "15,502")),
    Line(0, "Total liabilities and equity", "", ("25,068", "23,012"), total=True, signed=True),
]
CASH = [
    Line(0, "Cash flows from operating activities"),
    Line(1, "Net income", "", ("411", "45"), signed=True),
    Line(1, "Adjustments to reconcile net income"),
    Line(2, "Depreciation and amortization", "8", ("120", "118")),
    Line(2, "Deferred taxes", "", ("(14)", "9")),
    Line(1, "Net cash provided by operating activities", "", ("517", "172"), total=True),
    Line(0, "Cash flows from investing activities"),
    Line(1, "Purchases of property and equipment", "", ("(230)", "(198)")),
    Line(1, "Proceeds from sales of businesses, net of cash disposed", "", ("—", "75")),
    Line(1, "Net cash used in investing activities", "", ("(230)", "(123)"), total=True),
    Line(0, "Net increase in cash", "", ("287", "49")),
    Line(0, "Cash at end of year", "", ("1,012", "725"), total=True, signed=True),
]
STATEMENTS = {"income": INCOME, "balance": BALANCE, "cash": CASH}

_LEFT, _TOP, _LABELS, _NOTES = 60.0, 700.0, 260.0, 40.0
_PROSE = (
    "The statements below were drawn up as the law says and were looked through by the auditors",
    "of the group, who have found nothing in them that the board of directors must set right.",
)


def expected(lines: list[Line], look: Look) -> list[list[str]]:
    """The rows as they are drawn; signs of the currency left out."""
    note = ["Note"] if look.notes else []
    rows = [["", *note, "2023", "2022"]]
    if look.over:  # the header of the notes stands beside both
        rows = [["", *note, look.over, ""], ["", *([""] if note else []), "2023", "2022"]]
    for line in lines:
        amounts = line.amounts or ("", "")
        rows.append([_label(line, look), *([line.note] if look.notes else []), *amounts])
    return rows


def draw_statement(lines: list[Line], look: Look, path: Path) -> None:
    """Draw a statement on one page."""
    canvas = Canvas(str(path), pagesize=(612, 792), invariant=1)
    y = _TOP
    rights = [_LEFT + _LABELS + _NOTES * look.notes + look.width * (col + 1) for col in range(2)]
    if look.prose:
        y = _draw_prose(canvas, y + 3 * look.size, look) - 2 * look.size
    canvas.setLineWidth(0.6)
    if look.top:
        canvas.line(_LEFT, y + 1.3 * look.size, rights[-1], y + 1.3 * look.size)
    y = _draw_header(canvas, y, rights, look)
    for number, line in enumerate(lines):
        if look.fill == "stripes" and number % 2 or look.fill == "totals" and line.total:
            _shade(canvas, line, y, rights, look)
        y = _draw_line(canvas, line, y, rights, look)
    last = y + look.pitch * look.size - 0.4 * look.size
    if look.double:
        for shift in (0.0, 1.8):
            for right in rights:
                canvas.line(right - look.width + 12, last - shift, right, last - shift)
    if look.top:
        canvas.line(_LEFT, last - 4, rights[-1], last - 4)
    if look.prose:
        _draw_prose(canvas, y - 2 * look.size, look)
    canvas.save()


def _label(line: Line, look: Look) -> str:
    if not line.amounts:
        return line.label + (":" if look.colon else "")
    is_sub = line.total and line.label.startswith("Total") and not line.signed
    return "" if look.unlabelled and is_sub else line.label


def _draw_prose(canvas: Canvas, y: float, look: Look) -> float:
    canvas.setFont("Helvetica", look.size)
    for text in _PROSE:
        canvas.drawString(_LEFT, y, text)
        y -= 1.2 * look.size
    return y


def _draw_header(canvas: Canvas, y: float, rights: list[float], look: Look) -> float:
    canvas.setFont("Helvetica-Bold" if look.bold else "Helvetica", look.size)
    first = rights[0] - look.width + 12
    if look.over:
        canvas.drawCentredString((first + rights[-1]) / 2, y, look.over)
        canvas.line(first, y - 0.35 * look.size, rights[-1], y - 0.35 * look.size)
        y -= look.pitch * look.size
    if look.notes:
        canvas.drawCentredString(_LEFT + _LABELS + _NOTES / 2, y, "Note")
    for right, year in zip(rights, ("2023", "2022"), strict=True):
        canvas.drawRightString(right, y, year)
        if look.head == "columns":
            canvas.line(right - look.width + 12, y - 0.4 * look.size, right, y - 0.4 * look.size)
    if look.head == "full":
        canvas.line(_LEFT, y - 0.4 * look.size, rights[-1], y - 0.4 * look.size)
    return y - look.pitch * look.size


def _shade(canvas: Canvas, line: Line, y: float, rights: list[float], look: Look) -> None:
    rest = 1.12 * look.size * (len(_wrapped(_label(line, look), _font(line, look), look)) - 1)
    bottom = y - rest - 0.25 * look.size - 0.5 * (look.pitch - 1.15) * look.size
    canvas.setFillGray(0.85)
    canvas.rect(_LEFT, bottom, rights[-1] + 4 - _LEFT, look.pitch * look.size + rest, stroke=0, fill=1)
    canvas.setFillGray(0)


def _font(line: Line, look: Look) -> str:
    return "Helvetica-Bold" if look.bold and (line.total or not line.amounts) else "Helvetica"


def _draw_line(canvas: Canvas, line: Line, y: float, rights: list[float], look: Look) -> float:
    font = _font(line, look)
    canvas.setFont(font, look.size)
    rule = y + 0.95 * look.size
    if line.total and look.rules == "whole":
        canvas.line(rights[0] - look.width + 12, rule, rights[-1], rule)
    texts = _wrapped(_label(line, look), font, look)
    x = _LEFT + look.indent * line.level
    for number, text in enumerate(texts):
        canvas.drawString(x + (look.indent * 0.6 if number else 0), y, text)
        y -= 1.12 * look.size if number + 1 < len(texts) else 0
    if look.notes and line.note:
        canvas.drawCentredString(_LEFT + _LABELS + _NOTES / 2, y, line.note)
    for right, amount in zip(rights, line.amounts, strict=False):
        if line.total and look.rules == "column":
            canvas.line(right - look.width + 12, rule, right, rule)
        shift = stringWidth(")", font, look.size) if amount.endswith(")") else 0
        text = amount
        if line.signed and look.sign in ("glued", "blank"):
            text = ("$" if look.sign == "glued" else "$ ") + amount
        elif line.signed and look.sign == "left":
            canvas.drawString(right - look.width + 14, y, "$")
        canvas.drawRightString(right + shift, y, text)
    return y - look.pitch * look.size


def _wrapped(text: str, font: str, look: Look) -> list[str]:
    if not look.wrap or stringWidth(text, font, look.size) <= look.wrap:
        return [text]
    words, first = text.split(), ""
    while words and stringWidth(f"{first} {words[0]}", font, look.size) <= look.wrap:
        first = f"{first} {words.pop(0)}".strip()
    return [first, " ".join(words)]
