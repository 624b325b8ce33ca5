"""The rows and columns of a table as a refiner sees them: each with the texts of its header path.

One entry is one physical row or column of the body. Rows that only label a section are no entry of their own:
they stand in the paths of the rows below them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tabrag.tables.grid import cell_text, left_paths, section_rows, top_paths
from tabrag.types import Grid, HeaderPath

Axis = Literal["row", "col"]
AXES: tuple[Axis, Axis] = ("row", "col")
_MAX_CELLS = 4
"""Cells that stand for a row or column without a header: enough to tell it from the others."""


@dataclass(frozen=True, slots=True)
class AxisHeader:
    """One body row or body column.

    Attributes:
        position: Its place in the grid, from 0.
        path: The cells of its header path, outermost level first; empty where it has no header.
        texts: Their texts, blank ones dropped; of its first filled cells where it has no header. Empty for a
            row or column without any text.
    """

    position: int
    path: HeaderPath
    texts: tuple[str, ...]


def axis_headers(grid: Grid, axis: Axis) -> list[AxisHeader]:
    """The body rows (without section rows) or body columns of a grid, in order.

    A body of section rows alone keeps them, so that no table with a body row is without rows.
    """
    if axis == "col":
        paths = top_paths(grid)
        positions = list(range(grid.num_header_cols, grid.num_cols))
    else:
        paths = left_paths(grid)
        body = range(grid.num_header_rows, grid.num_rows)
        sections = set(section_rows(grid))
        positions = [row for row in body if row not in sections] or list(body)
    return [_header(grid, axis, position, paths[position]) for position in positions]


def _header(grid: Grid, axis: Axis, position: int, path: HeaderPath) -> AxisHeader:
    texts = [text for row, col in path if (text := cell_text(grid, row, col)).strip()]
    if not texts:
        others = range(grid.num_cols) if axis == "row" else range(grid.num_rows)
        cells = ((position, other) if axis == "row" else (other, position) for other in others)
        filled = (text for row, col in cells if (text := cell_text(grid, row, col)).strip())
        texts = [text for _, text in zip(range(_MAX_CELLS), filled, strict=False)]
    return AxisHeader(position, path, tuple(texts))
