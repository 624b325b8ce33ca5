"""Rows of a table beyond the lines and shades that bound it: a last row without its shade, a header above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from tabrag.documents.page_content import PageWord
from tabrag.documents.page_tables.area import Area
from tabrag.documents.page_tables.build import Built
from tabrag.documents.page_tables.columns import column_of, crosses
from tabrag.documents.page_tables.strokes import Stroke
from tabrag.documents.page_tables.text_lines import TextLine, text_lines, type_size

_BLANK = 1.0
"""Widest blank before a row beyond the area, heights of type, unless its own rows stand farther apart."""
_MOST_ROWS = 12
_MOST_LABELS = 3
"""Headings of rows that may follow each other above the area."""


def extended(area: Area, built: Built, words: Sequence[PageWord], horizontal: Sequence[Stroke]) -> Area:
    """The area with lines of text above and below it that fill its columns as its rows do.

    Args:
        area: An area without lines between columns.
        built: What was built from it.
        words: Words of the page that belong to no table yet.
        horizontal: Lines drawn across the page; those between the lines of text come along.
    """
    x0, y0, x1, y1 = area.box
    edges = built.table.col_edges
    if len(edges) < 3 or not area.words:
        return area
    size = median(type_size(word) for word in area.words)
    height = (y1 - y0) / len(built.table.cells)
    reach = _MOST_ROWS * 2 * max(height, size)
    near = [
        word
        for word in words
        if word.turn == 0
        and x0 - size <= word.box[0]
        and word.box[2] <= x1 + size
        and y0 - reach <= (word.box[1] + word.box[3]) / 2 <= y1 + reach
    ]
    inside = {id(word) for word in area.words}
    lines = text_lines([word for word in near if id(word) not in inside])
    blank = max(_BLANK * size, height - size)
    bottom, top = y1, y0
    labels = 0
    for line in (line for line in lines if line.middle > y1):
        if line.y0 - bottom > blank or not _is_row(line, edges):
            break
        bottom = line.y1 + 1
    end = top
    for line in reversed([line for line in lines if line.middle < y0]):
        if end - line.y1 > blank:
            break
        end = line.y0 - 1
        if _is_row(line, edges):
            top, labels = end, 0
        elif top < y0 and labels == 0 and _is_over_values(line, edges):
            top = end
            break
        elif labels < _MOST_LABELS and _is_label(line, edges):
            labels += 1
        else:
            break
    if (top, bottom) == (y0, y1):
        return area
    more = [
        stroke
        for stroke in horizontal
        if (top < stroke.at < y0 or y1 < stroke.at < bottom) and stroke.start < x1 and stroke.end > x0
    ]
    return replace(area, box=(x0, top, x1, bottom), horizontal=[*area.horizontal, *more])


def _is_row(line: TextLine, edges: Sequence[float]) -> bool:
    """Whether a line has texts in many columns and none across two."""
    cols = {column_of(piece, edges) for piece in line.pieces}
    is_crossed = any(crosses(piece, x) for piece in line.pieces for x in edges[1:-1])
    return not is_crossed and len(cols) >= 2 and 2 * len(cols) >= len(edges) - 1


def _is_label(line: TextLine, edges: Sequence[float]) -> bool:
    """Whether a line is nothing but a text of the first column: the heading of the rows below it."""
    return len(line.pieces) == 1 and line.x1 <= edges[1] and not line.pieces[0].is_value


def _is_over_values(line: TextLine, edges: Sequence[float]) -> bool:
    """Whether a line is one header over several columns, none of them that of the labels."""
    middle = (edges[0] + edges[1]) / 2
    return len(line.pieces) == 1 and line.x0 >= middle and edges[1] < line.x1 <= edges[-1]
