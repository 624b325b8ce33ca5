"""Merged regions of a grid: which cell's text is seen where, and paths of such cells."""

from __future__ import annotations

from collections.abc import Iterable

from tabrag.types import Cell, Grid, HeaderPath

Region = tuple[int, int, int, int]
"""First row, last row, first column, last column, inclusive."""


def owner_map(grid: Grid) -> dict[Cell, Region]:
    """The merged region of every cell that lies in one."""
    return {
        (row, col): region
        for region in grid.merged
        for row in range(region[0], region[1] + 1)
        for col in range(region[2], region[3] + 1)
    }


def first_cell(owners: dict[Cell, Region], row: int, col: int) -> Cell:
    """The first cell of the region that covers ``(row, col)``, or the cell itself."""
    region = owners.get((row, col))
    return (row, col) if region is None else (region[0], region[2])


def path_of(grid: Grid, owners: dict[Cell, Region], positions: Iterable[Cell]) -> HeaderPath:
    """The filled cells that are seen at ``positions``, each run of one region once."""
    path: list[Cell] = []
    for row, col in positions:
        cell = first_cell(owners, row, col)
        if grid.cells[cell[0]][cell[1]].strip() and (not path or path[-1] != cell):
            path.append(cell)
    return tuple(path)
