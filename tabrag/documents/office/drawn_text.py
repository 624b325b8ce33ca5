"""Text of drawings: shapes of slides, titles of charts, boxes of diagrams."""

from __future__ import annotations

from lxml.etree import _Element

from tabrag.documents.office.formulas import formula_text
from tabrag.documents.office.xml import children, local, preferred


def text_lines(element: _Element) -> list[str]:
    """Paragraphs (``a:p``) below an element, each one text; line breaks in them are line ends."""
    return [drawn_text(part) for part in element.iter() if local(part) == "p"]


def drawn_text(paragraph: _Element) -> str:
    """Text of a paragraph, fields' results and formulas included."""
    return typed_text(paragraph).strip()


def typed_text(paragraph: _Element) -> str:
    """Text of a paragraph with the blanks around it."""
    pieces = []
    for run in paragraph:
        name = local(run)
        if name in ("r", "fld"):
            pieces.append("".join(part.text or "" for part in children(run, "t")))
        elif name == "br":
            pieces.append("\n")
        elif name == "AlternateContent":
            pieces += [formula_text(part) for part in preferred(run)]
        elif name in ("m", "oMath", "oMathPara"):
            pieces.append(formula_text(run))
    return "".join(pieces).replace("\v", "\n")


def diagram_lines(root: _Element) -> list[str]:
    """Texts of the boxes of a diagram (SmartArt), in the order of its data."""
    lines = []
    for point in root.iter():
        if local(point) == "pt" and point.get("type") in (None, "node", "asst"):
            lines += [" ".join(text.split()) for text in text_lines(point)]
    return [line for line in lines if line]
