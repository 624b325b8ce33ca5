"""Which part of a table a report tints: the rows and columns that were chosen for a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tabrag.tables.grid import owner_map
from tabrag.types import Box, Cell, Evidence, Grid, Word

Block = tuple[Sequence[int], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Tint:
    """The chosen rows and columns of a grid.

    Attributes:
        blocks: Rows and columns that cross in what is tinted: those of a refined table, or else the row and
            the column of the answer, each in full length.
        text: What the tint means.
    """

    blocks: tuple[Block, ...]
    text: str


def tint_of(grid: Grid, evidence: Evidence) -> Tint:
    """The tint of a question's table; without blocks where nothing was chosen."""
    if evidence.shown_rows is not None and evidence.shown_columns is not None:
        text = (
            f"Tinted: the refined table, {len(evidence.shown_rows)} of {grid.num_rows} rows and "
            f"{len(evidence.shown_columns)} of {grid.num_cols} columns, headers included."
        )
        return Tint(((evidence.shown_rows, evidence.shown_columns),), text)
    every_row, every_col = range(grid.num_rows), range(grid.num_cols)
    blocks = ((evidence.rows, every_col), (every_row, evidence.columns))
    kept = tuple(block for block in blocks if len(block[0]) and len(block[1]))
    return Tint(kept, "Tinted: the rows and columns of the answer." if kept else "")


def tinted_cells(grid: Grid, tint: Tint) -> set[Cell]:
    """First cells of what is tinted."""
    owners = owner_map(grid)
    found = set()
    for rows, cols in tint.blocks:
        for row in rows:
            for col in cols:
                region = owners.get((row, col))
                found.add((row, col) if region is None else (region[0], region[2]))
    return found


def tinted_boxes(grid: Grid, words: Sequence[Word], tint: Tint) -> list[Box]:
    """Boxes over a picture, 0..1000, around the chosen rows and columns that stand side by side.

    Rows and columns reach as far as their words do; one without words of its own is left out.
    """
    extents = _extents(grid, words)
    boxes = {
        (left[0], top[0], left[1], top[1])
        for rows, cols in tint.blocks
        for top in _runs(rows, extents[0])
        for left in _runs(cols, extents[1])
    }
    return sorted(boxes)


def _extents(grid: Grid, words: Sequence[Word]) -> tuple[dict[int, tuple[int, int]], ...]:
    """Where rows stand from top to bottom and columns from left to right, by words of one row or column."""
    owners = owner_map(grid)
    rows: dict[int, tuple[int, int]] = {}
    cols: dict[int, tuple[int, int]] = {}
    for word in words:
        if word.cell is None:
            continue
        region = owners.get(word.cell, (word.cell[0], word.cell[0], word.cell[1], word.cell[1]))
        x0, y0, x1, y1 = word.box
        for extent, low, high, first, last in ((rows, y0, y1, *region[:2]), (cols, x0, x1, *region[2:])):
            if first == last:
                before = extent.get(first, (low, high))
                extent[first] = (min(before[0], low), max(before[1], high))
    return rows, cols


def _runs(positions: Sequence[int], extent: dict[int, tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The reach of each run of neighbours among the positions; those without words interrupt none."""
    known = sorted(extent)
    wanted = {position for position in positions if position in extent}
    run: tuple[int, int] | None = None
    for position in known:
        if position in wanted:
            low, high = extent[position]
            run = (low, high) if run is None else (min(run[0], low), max(run[1], high))
        elif run is not None:
            yield run
            run = None
    if run is not None:
        yield run
