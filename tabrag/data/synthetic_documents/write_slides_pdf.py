"""Decks as PDF, one page a slide, made by reportlab."""

from __future__ import annotations

import io
from typing import Any

from tabrag.data.synthetic_documents.drawn import draw_logo
from tabrag.data.synthetic_documents.packages import require
from tabrag.data.synthetic_documents.pdf_flow import INCH, Flow
from tabrag.data.synthetic_documents.story import Figure, Sheet, Slide, Story

_MARGIN = 0.55 * INCH
_GAP = 16.0


def write_slides_pdf(story: Story) -> bytes:
    """The bytes of the file."""
    width, height = (side * INCH for side in story.size)
    file = io.BytesIO()
    canvas = require("reportlab.pdfgen.canvas").Canvas(file, pagesize=(width, height), invariant=1)
    canvas.setTitle(f"{story.company.name}: {story.title}")
    canvas.setAuthor(story.company.name)
    logo = require("reportlab.lib.utils").ImageReader(io.BytesIO(draw_logo(story.company)))
    for number, slide in enumerate(story.slides, start=1):
        _frame(canvas, story, number, logo)
        _slide(canvas, story, slide)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _frame(canvas: Any, story: Story, number: int, logo: Any) -> None:
    """Band, logo and number of a slide."""
    width, height = (side * INCH for side in story.size)
    accent = require("reportlab.lib.colors").HexColor(f"#{story.company.accent}")
    canvas.setFillColor(accent)
    canvas.rect(0, height - 10, width, 10, stroke=0, fill=1)
    canvas.drawImage(logo, width - 120, 10, width=90, height=34, mask="auto")
    canvas.setFillColor(require("reportlab.lib.colors").grey)
    canvas.setFont("Helvetica", 9)
    canvas.drawString(_MARGIN, 18, f"{story.company.alias} | {story.title} | {number}")


def _slide(canvas: Any, story: Story, slide: Slide) -> None:
    width, height = (side * INCH for side in story.size)
    flow = Flow(story, scale=1.0)
    title = flow.text(slide.title, flow.style("SlideTitle", 24, bold=True, textColor=flow.accent))
    inner = width - 2 * _MARGIN
    _, used = title.wrap(inner, height)
    title.drawOn(canvas, _MARGIN, height - 34 - used)
    top = height - 34 - used - 14
    # A slide is set as large as it fits: few points in large letters, many in small ones.
    for scale in (2.1, 1.9, 1.7, 1.55, 1.4, 1.25, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6):
        columns = _columns(Flow(story, scale=scale), slide, inner, is_wide=width > height)
        if all(_fits(column, size, top - 56) for column, _, size in columns):
            break
    for column, left, size in columns:
        y = top
        for element in column:
            _, used = element.wrap(size, top)
            y -= used
            element.drawOn(canvas, _MARGIN + left, y)
            y -= 4


def _columns(
    flow: Flow, slide: Slide, width: float, *, is_wide: bool
) -> list[tuple[list[Any], float, float]]:
    """Elements, left edge and width of each column: a table or chart stands beside the text."""
    large = [part for part in slide.parts if isinstance(part, Sheet | Figure)]
    rest = [part for part in slide.parts if not isinstance(part, Sheet | Figure)]
    if not large or not rest or not is_wide:
        return [(_elements(flow, slide.parts, width), 0.0, width)]
    first = width * 0.62
    second = width - first - _GAP
    return [
        (_elements(flow, large, first), 0.0, first),
        (_elements(flow, rest, second), first + _GAP, second),
    ]


def _elements(flow: Flow, parts: Any, width: float) -> list[Any]:
    found: list[Any] = []
    for part in parts:
        if isinstance(part, Figure):
            drawn = flow.chart(part, width)
            found += drawn._content
        else:
            found += flow.part(part, width)
    return found


def _fits(elements: list[Any], width: float, height: float) -> bool:
    """Whether elements below each other fit: a table may be wider than it should."""
    sizes = [element.wrap(width, height) for element in elements]
    return all(wide <= width + 1 for wide, _ in sizes) and sum(high + 4 for _, high in sizes) < height
