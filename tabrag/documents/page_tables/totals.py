"""Lines above and below totals: over columns of numbers alone, they part no labels and bound no table."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from tabrag.documents.page_content import PageBox, PageWord
from tabrag.documents.page_tables.strokes import Stroke
from tabrag.documents.page_tables.text_lines import Piece, TextLine, text_lines
from tabrag.tables.kinds import Kind, cell_kind

_LABELLED = 0.6
"""Share of the lines of numbers that have a label before them; else a label stands for several rows."""
_NUMBERS = 0.7
"""Share of the lines between two lines of one width that hold nothing but numbers."""


def without_total_rules(
    horizontal: Sequence[Stroke], words: Sequence[PageWord], x0: float, x1: float
) -> list[Stroke]:
    """Lines but those that stand for a sum: between two numbers of a column, with labels left of them.

    Args:
        horizontal: Lines drawn across an area.
        words: Its upright words.
        x0: Its left side, points.
        x1: Its right side.
    """
    if not any(_is_partial(stroke, x0, x1) for stroke in horizontal):
        return list(horizontal)
    lines = text_lines(words)
    middles = [line.middle for line in lines]
    return [
        stroke
        for stroke in horizontal
        if not (
            _is_partial(stroke, x0, x1)
            and _has_labels(lines, stroke)
            and _is_between_numbers(lines, bisect_left(middles, stroke.at), stroke)
        )
    ]


def bounds_numbers_alone(box: PageBox, words: Sequence[PageWord]) -> bool:
    """Whether what lines of one width bound are columns of numbers whose labels stand left of them.

    Args:
        box: From the first of these lines to the last.
        words: Upright words at this height of the page.
    """
    x0, y0, x1, y1 = box
    lines = [
        line for line in text_lines([word for word in words if word.turn == 0]) if y0 <= line.middle <= y1
    ]
    inside = [line for line in lines if _over(line, x0, x1)]
    numbers = [line for line in inside if _are_numbers(_over(line, x0, x1))]
    labelled = [line for line in numbers if _label(line, x0)]
    return len(numbers) >= _NUMBERS * len(inside) and len(labelled) >= max(_LABELLED * len(numbers), 1)


def _is_partial(stroke: Stroke, x0: float, x1: float) -> bool:
    return stroke.start > x0 + 0.1 * (x1 - x0)


def _over(line: TextLine, start: float, end: float) -> list[Piece]:
    """The pieces of a line over or under a stretch; a long label that reaches into it is none of them."""
    return [
        piece
        for piece in line.pieces
        if min(piece.box[2], end) - max(piece.box[0], start) > 1
        and (piece.is_value or piece.box[0] >= start - piece.size)
    ]


def _are_numbers(pieces: Sequence[Piece]) -> bool:
    return any(piece.is_value for piece in pieces) and all(
        piece.is_value or piece.is_sign for piece in pieces
    )


def _label(line: TextLine, x: float) -> bool:
    """Whether a text that is no number stands left of a place."""
    first = line.pieces[0]
    return first.box[0] < x - first.size and not first.is_value


def _has_labels(lines: Sequence[TextLine], stroke: Stroke) -> bool:
    numbers = [line for line in lines if _are_numbers(_over(line, stroke.start, stroke.end))]
    return sum(_label(line, stroke.start) for line in numbers) >= max(_LABELLED * len(numbers), 2)


def _is_between_numbers(lines: Sequence[TextLine], index: int, stroke: Stroke) -> bool:
    """Whether the next texts above and below a line are numbers, and no years of a header above it."""
    above = [pieces for line in lines[:index] if (pieces := _over(line, stroke.start, stroke.end))]
    below = [pieces for line in lines[index:] if (pieces := _over(line, stroke.start, stroke.end))]
    if not above or not _are_numbers(above[-1]) or (below and not _are_numbers(below[0])):
        return False
    is_first = not any(_are_numbers(pieces) for pieces in above[:-1])
    return not (is_first and all(cell_kind(piece.text) is Kind.PERIOD for piece in above[-1]))
