"""The rows and columns of a table as a refiner sees them: each with the texts of its header path.

One entry is one physical row or column of the body. Rows that only label a section are no entry of their own:
they stand in the paths of the rows below them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal

from tabrag.tables.grid import left_paths, owner_map, section_rows, top_paths
from tabrag.tables.spans import Region, first_cell
from tabrag.types import Cell, Grid, HeaderPath

Axis = Literal["row", "col"]
AXES: tuple[Axis, Axis] = ("row", "col")
_MAX_CELLS = 4
"""Cells that stand for a row or column without a header: enough to tell it from the others."""


@dataclass(frozen=True, slots=True)
class AxisHeader:
    """One body row or body column.

    Attributes:
        position: Its place in the grid, from 0.
        path: The filled cells of its header path, outermost level first; empty where it has no header.
        texts: Their texts; those of its first filled cells where it has no header. Empty for a row or column
            without any text.
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
    owners = owner_map(grid)
    return [_header(grid, owners, axis, position, paths[position]) for position in positions]


def named_cells(grid: Grid, question: str) -> list[Cell]:
    """The body cells whose text stands in the question word for word, numbers without their separators.

    "in which year did he run for 149 yards" names the cells 149 of a table. Texts of one character are left
    out: they stand in any question.
    """
    asked = f" {_plain(question)} "
    return [
        (row, col)
        for row in range(grid.num_header_rows, grid.num_rows)
        for col in range(grid.num_header_cols, grid.num_cols)
        if len(text := _plain(grid.cells[row][col])) > 1 and f" {text} " in asked
    ]


@lru_cache(maxsize=100_000)
def _plain(text: str) -> str:
    """Words and numbers in lower case, one blank between them; 1,234.0 becomes 1234."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.casefold())
    text = re.sub(r"(?<=\d)\.0+(?!\d)", "", text)
    return " ".join(re.findall(r"\d+(?:\.\d+)?|[^\W\d_]+", text))


def _header(
    grid: Grid, owners: dict[Cell, Region], axis: Axis, position: int, path: HeaderPath
) -> AxisHeader:
    def text(cell: Cell) -> str:
        row, col = first_cell(owners, *cell)
        return grid.cells[row][col]

    filled = tuple(cell for cell in path if text(cell).strip())
    shown = filled
    if not filled:
        others = range(grid.num_cols) if axis == "row" else range(grid.num_rows)
        own = ((position, other) if axis == "row" else (other, position) for other in others)
        shown = tuple(islice((cell for cell in own if text(cell).strip()), _MAX_CELLS))
    return AxisHeader(position, filled, tuple(map(text, shown)))
