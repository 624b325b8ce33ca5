"""Small PDF files of known content, drawn with reportlab."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table

WIDTH, HEIGHT = A4
GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
BOLD_HEADER = [*GRID, ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]


def draw(path: Path, *pages: Callable[[Canvas], None], encrypt: str | None = None) -> Path:
    """A file of pages that functions draw on a canvas; its origin is at the lower left."""
    canvas = Canvas(str(path), pagesize=A4, encrypt=encrypt)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return path


def lines(
    canvas: Canvas, texts: Sequence[str], x: float, top: float, size: float = 10, font: str = "Helvetica"
):
    """Lines of text below each other, the first with its top at ``top`` points from the upper edge."""
    canvas.setFont(font, size)
    for number, text in enumerate(texts):
        canvas.drawString(x, HEIGHT - top - size - number * 1.2 * size, text)


def flow(path: Path, story: Sequence[Flowable], on_page: Callable[..., None] | None = None) -> Path:
    """A file of flowables, with a function that draws on each page."""
    nothing = on_page or (lambda canvas, document: None)
    SimpleDocTemplate(str(path), pagesize=A4).build(list(story), onFirstPage=nothing, onLaterPages=nothing)
    return path


def table(cells: Sequence[Sequence[str]], *, repeat: int = 0, bold: bool = False, width: float = 90) -> Table:
    """A ruled table; its header is repeated on each page where ``repeat`` says so."""
    return Table(
        [list(row) for row in cells],
        colWidths=[width] * len(cells[0]),
        repeatRows=repeat,
        style=BOLD_HEADER if bold else GRID,
    )


def rows(count: int, columns: int = 3, first: int = 0) -> list[list[str]]:
    """Rows with a name and numbers."""
    return [
        [f"Item {number}", *(f"{number * 10 + column}.5" for column in range(columns - 1))]
        for number in range(first, first + count)
    ]


def paragraph(text: str, style: str = "BodyText") -> Paragraph:
    """A paragraph in one of reportlab's styles."""
    return Paragraph(text, getSampleStyleSheet()[style])


def space(height: float = 12) -> Spacer:
    """A gap of so many points."""
    return Spacer(1, height)


def new_page() -> PageBreak:
    """The next flowable begins a page."""
    return PageBreak()
