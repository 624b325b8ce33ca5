"""Grids: making them, merged regions, and the header paths of rows and columns.

By rule, the top path of a column lists the header cells above it from the outermost row down, a spanning
header once; the left path of a row lists its section label, then the header cells left of it. Where the
source annotates paths (``Grid.top_paths``, ``Grid.left_paths``) these are used instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tabrag.errors import UserError
from tabrag.tables.left_tree import left_paths as left_paths
from tabrag.tables.left_tree import section_rows as section_rows
from tabrag.tables.left_tree import unit_rows as unit_rows
from tabrag.tables.spans import Region as Region
from tabrag.tables.spans import owner_map as owner_map
from tabrag.tables.spans import path_of
from tabrag.types import Cell, Grid, HeaderPath


def make_grid(
    cells: Sequence[Sequence[str]],
    *,
    merged: Iterable[Sequence[int]] = (),
    num_header_rows: int = 0,
    num_header_cols: int = 0,
    top_paths: Sequence[HeaderPath] | None = None,
    left_paths: Sequence[HeaderPath] | None = None,
) -> Grid:
    """Check the parts of a grid and put them together.

    Args:
        cells: Texts, row by row, all rows of one length.
        merged: Regions ``(first_row, last_row, first_col, last_col)``, inclusive, disjoint; regions of one
            cell are dropped. Text that a source repeats in the other cells of a region is blanked; where
            only another cell has text, it moves to the first one.
        num_header_rows: Header rows at the top, 0..rows.
        num_header_cols: Header columns at the left, 0..columns.
        top_paths: One path a column, where the source annotates them.
        left_paths: One path a row, where the source annotates them.

    Raises:
        UserError: Empty or ragged input, a region or path outside the grid, regions that overlap, a header
            size out of range.
    """
    rows = [list(row) for row in cells]
    if not rows or not rows[0]:
        raise UserError("a grid needs at least one row and one column; drop this table or read it again")
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise UserError(
                f"row {number} has {len(row)} cells, but row 0 has {len(rows[0])}: pad it with empty texts"
            )
        for col, text in enumerate(row):
            if not isinstance(text, str):
                raise UserError(
                    f"cell ({number}, {col}) is {text!r}, not a text: give texts, '' for an empty cell"
                )
    regions = _checked_regions(merged, num_rows=len(rows), num_cols=len(rows[0]))
    for region in regions:
        _gather_text(rows, region)
    for name, value, limit in (
        ("num_header_rows", num_header_rows, len(rows)),
        ("num_header_cols", num_header_cols, len(rows[0])),
    ):
        if not 0 <= value <= limit:
            raise UserError(f"{name} is {value}: it must lie in 0..{limit} for this grid")
    for name, paths, expected in (
        ("top_paths", top_paths, len(rows[0])),
        ("left_paths", left_paths, len(rows)),
    ):
        if paths is not None:
            _check_paths(name, paths, expected=expected, num_rows=len(rows), num_cols=len(rows[0]))
    return Grid(
        cells=rows,
        merged=regions,
        num_header_rows=num_header_rows,
        num_header_cols=num_header_cols,
        top_paths=None if top_paths is None else [_as_path(path) for path in top_paths],
        left_paths=None if left_paths is None else [_as_path(path) for path in left_paths],
    )


def owner(grid: Grid, row: int, col: int) -> Cell:
    """The first cell of the merged region that covers ``(row, col)``, or the cell itself."""
    for first_row, last_row, first_col, last_col in grid.merged:
        if first_row <= row <= last_row and first_col <= col <= last_col:
            return first_row, first_col
    return row, col


def cell_text(grid: Grid, row: int, col: int) -> str:
    """The text that is seen at ``(row, col)``: that of its owner."""
    if text := grid.cells[row][col]:  # only the first cell of a region has one
        return text
    owner_row, owner_col = owner(grid, row, col)
    return grid.cells[owner_row][owner_col]


def top_paths(grid: Grid) -> list[HeaderPath]:
    """One header path a column, outermost level first; empty for the header columns."""
    if grid.top_paths is not None:
        return list(grid.top_paths)
    owners = owner_map(grid)
    empty: list[HeaderPath] = [() for _ in range(grid.num_header_cols)]
    return empty + [
        path_of(grid, owners, ((row, col) for row in range(grid.num_header_rows)))
        for col in range(grid.num_header_cols, grid.num_cols)
    ]


def corner_paths(grid: Grid) -> list[HeaderPath]:
    """One header path for each header column: the texts above the row labels (the stub headers)."""
    owners = owner_map(grid)
    return [
        path_of(grid, owners, ((row, col) for row in range(grid.num_header_rows)))
        for col in range(grid.num_header_cols)
    ]


def path_texts(grid: Grid, path: HeaderPath) -> list[str]:
    """The texts of the cells of a path, blank ones dropped."""
    texts = (cell_text(grid, row, col) for row, col in path)
    return [text for text in texts if text.strip()]


def _checked_regions(merged: Iterable[Sequence[int]], *, num_rows: int, num_cols: int) -> list[Region]:
    regions: list[Region] = []
    taken: dict[Cell, Region] = {}
    for first_row, last_row, first_col, last_col in merged:
        region = (first_row, last_row, first_col, last_col)
        if not (0 <= first_row <= last_row < num_rows and 0 <= first_col <= last_col < num_cols):
            raise UserError(
                f"merged region {region} does not lie inside the grid of {num_rows} x {num_cols} cells: "
                "give (first_row, last_row, first_col, last_col), from 0, inclusive"
            )
        if first_row == last_row and first_col == last_col:
            continue
        for row in range(first_row, last_row + 1):
            for col in range(first_col, last_col + 1):
                if (row, col) in taken:
                    raise UserError(
                        f"merged regions {taken[row, col]} and {region} overlap: a cell belongs to one region"
                    )
                taken[row, col] = region
        regions.append(region)
    return regions


def _gather_text(rows: list[list[str]], region: Region) -> None:
    first_row, last_row, first_col, last_col = region
    text = ""
    for row in range(first_row, last_row + 1):
        for col in range(first_col, last_col + 1):
            if not text.strip():
                text = rows[row][col]
            rows[row][col] = ""
    rows[first_row][first_col] = text


def _as_path(path: HeaderPath) -> HeaderPath:
    return tuple((row, col) for row, col in path)


def _check_paths(
    name: str, paths: Sequence[HeaderPath], *, expected: int, num_rows: int, num_cols: int
) -> None:
    if len(paths) != expected:
        raise UserError(f"{name} has {len(paths)} paths, but the grid needs {expected}")
    for number, path in enumerate(paths):
        for row, col in path:
            if not (0 <= row < num_rows and 0 <= col < num_cols):
                raise UserError(f"{name}[{number}] names cell ({row}, {col}), which is outside the grid")
