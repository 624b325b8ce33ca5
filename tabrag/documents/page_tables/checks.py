"""What looks like a table and is none: text in columns, lists, contents, frames, axes of charts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from tabrag.documents.page_content import PageWord
from tabrag.documents.page_tables.build import Built
from tabrag.documents.page_tables.text_lines import are_values, bounds, is_leader, text_lines, type_size

_MARKER = re.compile(
    r"(?:[\u2022\u25aa\u25cf\u25cb\u25e6\u2023\u2043\uf0b7•·*○●■□▪–—-]|\(?(?:\d{1,3}|[A-Za-z]|[ivxlc]{1,5})[.)]"
    r"|[①-⑳]|\(\d{1,2}\))"
)
_ALIGNED = 0.7
_TEXT_WORDS = 6.0
_OF_PAGE = 0.82
"""An area of this share of the width and of the height of the page may be a frame around it."""
_WHOLE_PAGE = 0.95
_FRAMED = 0.4
"""Share of the characters that stand in the largest cell of a frame, at least."""
_FRAMED_LINES = 3


def is_table(built: Built, *, drawn: bool) -> bool:
    """Whether what was built is a table.

    Args:
        built: Rows and columns of an area.
        drawn: Whether lines bound the area.
    """
    table = built.table
    filled = [(region, words) for region, words in zip(built.regions, built.words, strict=True) if words]
    rows = {region[0] for region, _ in filled}
    cols = {region[2] for region, _ in filled}
    if len(rows) < 2 or len(cols) < 2 or len(filled) < 4:
        return False
    if drawn and built.drawn_cols >= 1 and built.drawn_rows >= 1:
        full = sum(sum(1 for region, _ in filled if region[0] == row) > 1 for row in rows)
        return 5 * len(filled) >= len(table.cells) * len(table.cells[0]) and 2 * full >= len(rows)
    return not _is_list(table.cells) and not _is_contents(built) and _has_columns(built, drawn=drawn)


def is_page_frame(built: Built, width: float, height: float) -> bool:
    """Whether lines around a whole page and its bars bound an area, not those of a table.

    They do where one cell holds a large part of all text in several lines, or where lines that reach to the
    sides of the page leave half of the cells without a text.

    Args:
        built: Rows and columns of an area that lines bound.
        width: Width of the page, points.
        height: Height of the page, points.
    """
    x0, y0, x1, y1 = built.table.box
    share = min((x1 - x0) / max(width, 1.0), (y1 - y0) / max(height, 1.0))
    if share < _OF_PAGE:
        return False
    filled = [words for words in built.words if words]
    if share >= _WHOLE_PAGE and 2 * len(filled) <= len(built.regions):
        return True
    sizes = [sum(len(word.text) for word in words) for words in filled]
    largest = max(zip(sizes, filled, strict=True), key=lambda one: one[0], default=(0, []))
    upright = [word for word in largest[1] if word.turn == 0]
    return largest[0] >= _FRAMED * sum(sizes) and len(text_lines(upright)) >= _FRAMED_LINES


def _is_list(cells: Sequence[Sequence[str]]) -> bool:
    """Whether the first column has nothing but marks of list points and the second one text."""
    labels = [row[0] for row in cells if row[0]]
    marks = sum(_MARKER.fullmatch(label) is not None for label in labels)
    return bool(labels) and 4 * marks >= 3 * len(labels) and len(cells[0]) <= 3


def _is_contents(built: Built) -> bool:
    """Whether titles stand before rising numbers of pages."""
    cells = built.table.cells
    numbers = [int(row[-1]) for row in cells if row[-1].isdigit()]
    if len(cells[0]) > 3 or len(numbers) < 3 or 3 * len(numbers) < 2 * len(cells):
        return False
    rising = all(low <= high for low, high in zip(numbers, numbers[1:], strict=False))
    has_leaders = any(
        is_leader(word.text) or word.text.endswith("....") for words in built.words for word in words
    )
    return rising and (has_leaders or len(numbers) == len(cells)) and numbers[-1] < 3000


def _has_columns(built: Built, *, drawn: bool) -> bool:
    cells = built.table.cells
    num_rows, num_cols = len(cells), len(cells[0])
    data = [
        (region, words)
        for region, words in zip(built.regions, built.words, strict=True)
        if words and region[2] > 0 and region[2] == region[3]
    ]
    if not data:
        return False
    values = [are_values(words) for _, words in data]
    share = sum(values) / len(values)
    fill = len(data) / ((num_cols - 1) * num_rows)
    lengths = [len(words) for _, words in data]
    if not _is_aligned(data, num_cols):
        return False
    if drawn:
        return fill >= 0.2 and (share >= 0.3 or (fill >= 0.5 and median(lengths) <= 12))
    if fill < 0.3 or num_rows < 3 and num_cols < 3:
        return False
    if share >= 0.4:
        return num_cols >= 3 or num_rows >= 4
    return num_cols >= 3 and num_rows >= 3 and fill >= 0.6 and sum(lengths) / len(lengths) <= _TEXT_WORDS / 2


def _is_aligned(data: Sequence[tuple[tuple[int, int, int, int], list[PageWord]]], num_cols: int) -> bool:
    """Whether most cells of most columns begin, end or have their middle at one place."""
    good = total = 0
    for col in range(1, num_cols):
        boxes = [bounds(words) for region, words in data if region[2] == col]
        if len(boxes) < 2:
            continue
        size = median(type_size(word) for region, words in data if region[2] == col for word in words)
        best = 0
        for places in (
            [box[0] for box in boxes],
            [box[2] for box in boxes],
            [(box[0] + box[2]) / 2 for box in boxes],
        ):
            middle = median(places)
            best = max(best, sum(abs(place - middle) <= 0.8 * size for place in places))
        good += best
        total += len(boxes)
    return total == 0 or good >= _ALIGNED * total
