"""Parts of grids: without blank rows and columns, or some rows and columns alone."""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.errors import UserError
from tabrag.tables.grid import make_grid
from tabrag.types import Grid


def drop_blank(grid: Grid) -> Grid:
    """The grid without the rows and columns that show no text.

    Raises:
        UserError: No text at all.
    """
    rows, cols = shown(grid)
    if not rows:
        raise UserError("the table has no text in any cell; drop it")
    return keep_rows(grid, rows, cols=cols)


def shown(grid: Grid) -> tuple[list[int], list[int]]:
    """Rows and columns that show a text."""
    rows = {row for row, texts in enumerate(grid.cells) if any(text.strip() for text in texts)}
    cols = {col for col in range(grid.num_cols) if any(texts[col].strip() for texts in grid.cells)}
    for first_row, last_row, first_col, last_col in grid.merged:
        if grid.cells[first_row][first_col].strip():
            rows.update(range(first_row, last_row + 1))
            cols.update(range(first_col, last_col + 1))
    return sorted(rows), sorted(cols)


def keep_rows(grid: Grid, rows: Sequence[int], *, cols: Sequence[int] | None = None) -> Grid:
    """A grid of the given rows and columns, with what is left of the merged regions and no header sizes."""
    cols = range(grid.num_cols) if cols is None else cols
    new_rows = {row: number for number, row in enumerate(rows)}
    new_cols = {col: number for number, col in enumerate(cols)}
    cells = [[grid.cells[row][col] for col in cols] for row in rows]
    merged = []
    first, last = min(rows, default=0), max(rows, default=0)
    for region in grid.merged:
        if region[1] < first or region[0] > last:  # most, where a long table is cut into many parts
            continue
        inside_rows = [new_rows[row] for row in range(region[0], region[1] + 1) if row in new_rows]
        inside_cols = [new_cols[col] for col in range(region[2], region[3] + 1) if col in new_cols]
        if inside_rows and inside_cols:
            cells[inside_rows[0]][inside_cols[0]] = grid.cells[region[0]][region[2]]
            merged.append((inside_rows[0], inside_rows[-1], inside_cols[0], inside_cols[-1]))
    return make_grid(cells, merged=merged)
