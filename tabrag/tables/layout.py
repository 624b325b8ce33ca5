"""The size of every column and row of a printed table. Lengths are pixels.

Columns are as wide as their words need and no wider than reads well; long texts wrap. A merged region widens
its columns, and makes its last row taller, when its text needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tabrag.tables.fonts import Face, get_face
from tabrag.tables.styles import Look
from tabrag.tables.text_block import Block, MeasuredText, measure, wrap
from tabrag.types import Grid

# Widths in font sizes (em): a column of text, a header over narrow figures, all columns together.
_MAX_COLUMN, _MAX_HEADER, _MAX_TABLE = 22.0, 9.0, 76.0
_NUMBER = re.compile(r"[^\w\n]*\d[\d.,\s'’]*[^\w\n]*|[-–—−.…*]+|n/?a|nan", re.IGNORECASE)
_MAX_NUMBER_LENGTH = 30


@dataclass(slots=True)
class CellBox:
    """A printed cell (the whole merged region) and its text; `last_row` and `last_col` belong to it."""

    row: int
    col: int
    last_row: int
    last_col: int
    face: Face
    text: MeasuredText
    align: str = "left"


@dataclass(slots=True)
class Layout:
    """Edges of the columns and rows (one more than there are), the cells and their lines of text."""

    x_edges: list[int]
    y_edges: list[int]
    cells: list[tuple[CellBox, Block]]


def lay_out(grid: Grid, look: Look) -> Layout:
    """Find the size of every row and column and break every text into lines."""
    cells = list(_cell_boxes(grid, look))
    _align(grid, cells)
    padding = 2 * look.pad_x
    x_edges = _edges(_column_widths(cells, grid, look, padding))
    blocks = [
        (cell, wrap(cell.text, cell.face, x_edges[cell.last_col + 1] - x_edges[cell.col] - padding))
        for cell in cells
    ]
    return Layout(x_edges, _edges(_row_heights(blocks, grid.num_rows, look)), blocks)


def is_number(text: str) -> bool:
    """Whether a cell prints a figure (or a mark for a missing one), so that it stands at the right."""
    text = text.strip()
    return len(text) <= _MAX_NUMBER_LENGTH and _NUMBER.fullmatch(text) is not None


def _cell_boxes(grid: Grid, look: Look) -> Iterator[CellBox]:
    style = look.style
    plain, bold = (get_face(style.family, look.font_size, bold=heavy) for heavy in (False, True))
    last = {(top, left): (bottom, right) for top, bottom, left, right in grid.merged}
    covered = {
        (row, col)
        for top, bottom, left, right in grid.merged
        for row in range(top, bottom + 1)
        for col in range(left, right + 1)
    } - last.keys()
    for row, texts in enumerate(grid.cells):
        top = row < grid.num_header_rows
        for col, text in enumerate(texts):
            if (row, col) in covered:
                continue
            last_row, last_col = last.get((row, col), (row, col))
            heavy = style.header_bold if top else style.side_bold and col < grid.num_header_cols
            face = bold if heavy else plain
            yield CellBox(row, col, last_row, last_col, face, measure(text, face))


def _align(grid: Grid, cells: list[CellBox]) -> None:
    """Figures stand at the right, in columns that are mostly figures; so do the headers over them."""
    balance = [0] * grid.num_cols
    numbers: list[bool] = []
    for cell in cells:
        numbers.append(is_number(grid.cells[cell.row][cell.col]))
        if cell.row >= grid.num_header_rows and cell.text.paragraphs and cell.col == cell.last_col:
            balance[cell.col] += 1 if numbers[-1] else -1
    for cell, number in zip(cells, numbers, strict=True):
        top, side = cell.row < grid.num_header_rows, cell.col < grid.num_header_cols
        if cell.last_col > cell.col:
            cell.align = "centre" if top or not side else "left"
        elif balance[cell.col] > 0 and not side:
            cell.align = "right" if top or number else "left"


def _column_widths(cells: list[CellBox], grid: Grid, look: Look, padding: int) -> list[int]:
    em = look.font_size
    longest_allowed, header_limit = round(_MAX_COLUMN * em), round(_MAX_HEADER * em)
    narrow, wide = [em] * grid.num_cols, [em] * grid.num_cols
    spanning: list[tuple[CellBox, int, int]] = []
    for cell in cells:
        if not cell.text.paragraphs:
            continue
        over_figures = cell.row < grid.num_header_rows and cell.col >= grid.num_header_cols
        longest = min(cell.text.longest, longest_allowed)
        natural = max(longest, min(cell.text.total, header_limit if over_figures else longest_allowed))
        if cell.last_col > cell.col:
            spanning.append((cell, longest, natural))
            continue
        narrow[cell.col] = max(narrow[cell.col], longest)
        wide[cell.col] = max(wide[cell.col], natural)
    for cell, longest, natural in spanning:
        columns = range(cell.col, cell.last_col + 1)
        between = padding * (len(columns) - 1)
        _widen(narrow, columns, longest - between)
        _widen(wide, columns, natural - between)
    return [width + padding for width in _fit(narrow, wide, round(_MAX_TABLE * em))]


def _widen(widths: list[int], columns: range, needed: int) -> None:
    """Share what is lacking evenly among the columns of a merged region."""
    lack, count = needed - sum(widths[col] for col in columns), len(columns)
    if lack > 0:
        for index, col in enumerate(columns):
            widths[col] += lack * (index + 1) // count - lack * index // count


def _fit(narrow: list[int], wide: list[int], limit: int) -> list[int]:
    """Natural widths where they fit; otherwise the slack above the narrowest widths is shared out."""
    wide = [max(pair) for pair in zip(narrow, wide, strict=True)]
    slack, room = sum(wide) - sum(narrow), limit - sum(narrow)
    if slack <= room or slack == 0:
        return wide
    share = max(room, 0) / slack
    return [low + int((high - low) * share) for low, high in zip(narrow, wide, strict=True)]


def _row_heights(blocks: list[tuple[CellBox, Block]], num_rows: int, look: Look) -> list[int]:
    padding = 2 * look.pad_y
    heights = [get_face(look.style.family, look.font_size).line_height + padding] * num_rows
    spanning: list[tuple[CellBox, int]] = []
    for cell, block in blocks:
        needed = block.height + padding
        if cell.last_row > cell.row:
            spanning.append((cell, needed))
        elif needed > heights[cell.row]:
            heights[cell.row] = needed
    for cell, needed in spanning:
        heights[cell.last_row] += max(0, needed - sum(heights[cell.row : cell.last_row + 1]))
    return heights


def _edges(sizes: list[int]) -> list[int]:
    edges = [0]
    for size in sizes:
        edges.append(edges[-1] + size)
    return edges
