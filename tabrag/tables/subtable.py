"""A part of a table that can still be read: chosen rows and columns under their full header paths."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tabrag.tables.crop import keep_rows
from tabrag.tables.grid import Region, left_paths, owner, owner_map, section_rows, top_paths
from tabrag.types import Cell, Grid, HeaderPath


@dataclass(frozen=True, slots=True)
class Subtable:
    """Some rows and columns of a grid, in its order.

    Attributes:
        grid: The part; it carries its header paths, since by rule a row that lost its values would look like
            the label of a section.
        whole: The grid that it is a part of.
        rows: Row of ``whole`` of each row of the part, rising.
        cols: Column of ``whole`` of each column of the part, rising.
    """

    grid: Grid
    whole: Grid
    rows: tuple[int, ...]
    cols: tuple[int, ...]

    def original(self, cell: Cell) -> Cell:
        """The cell of ``whole`` whose text a cell of the part shows."""
        return owner(self.whole, self.rows[cell[0]], self.cols[cell[1]])


@dataclass(frozen=True, slots=True)
class Requirements:
    """Which body rows and columns come along with others, since header paths run through them.

    Where the labels of a table are indented, the parent of a row is a row with values of its own.

    Attributes:
        rows: Body row -> the other body rows that its left path runs through; rows that only label a section
            are no body rows.
        cols: Body column -> the other body columns that its top path runs through.
        fixed_rows: Body rows that column headers stand in.
        fixed_cols: Body columns that row headers, labels of sections or units stand in; none of those that
            are merged over all of them.
    """

    rows: Mapping[int, frozenset[int]] = field(default_factory=dict)
    cols: Mapping[int, frozenset[int]] = field(default_factory=dict)
    fixed_rows: frozenset[int] = frozenset()
    fixed_cols: frozenset[int] = frozenset()


def requirements(grid: Grid) -> Requirements:
    """What the header paths of a grid ask for."""
    region_of = _regions(grid)
    sections = set(section_rows(grid))
    body_rows = set(range(grid.num_header_rows, grid.num_rows)) - sections
    body_cols = set(range(grid.num_header_cols, grid.num_cols))
    rows: dict[int, frozenset[int]] = {}
    cols: dict[int, frozenset[int]] = {}
    fixed_rows: set[int] = set()
    fixed_cols: set[int] = set()
    for row, path in enumerate(left_paths(grid)):
        regions = [region_of(cell) for cell in path] if row in body_rows else []
        others = frozenset(region[0] for region in regions if not region[0] <= row <= region[1]) & body_rows
        if others:
            rows[row] = others
        # A region over all body columns, as units and labels of sections have, is seen in any of them.
        fixed_cols |= {
            first for _, _, first, last in regions if first > grid.num_header_cols or last < grid.num_cols - 1
        } & body_cols
    for col, path in enumerate(top_paths(grid)):
        regions = [region_of(cell) for cell in path] if col in body_cols else []
        others = frozenset(region[2] for region in regions if not region[2] <= col <= region[3]) & body_cols
        if others:
            cols[col] = others
        fixed_rows |= {region[0] for region in regions} & body_rows
    return Requirements(rows, cols, frozenset(fixed_rows), frozenset(fixed_cols))


def subtable(grid: Grid, rows: Collection[int], cols: Collection[int]) -> Subtable:
    """The part of a grid that holds the given body rows and body columns.

    Header rows and header columns stay, and so does every cell on the header path of a row or column that
    stays: the labels of sections and parents of indented rows come along. Of a merged region the kept cells
    stay merged, and its text stands in the first of them.

    Args:
        grid: A grid.
        rows: Rows to keep, in any order; where no body row is among them, all rows stay.
        cols: Columns to keep, likewise.

    Returns:
        The part; the grid itself where nothing is left out.
    """
    lefts, tops = left_paths(grid), top_paths(grid)
    if not any(row >= grid.num_header_rows for row in rows):
        rows = range(grid.num_rows)
    if not any(col >= grid.num_header_cols for col in cols):
        cols = range(grid.num_cols)
    region_of = _regions(grid)
    kept_rows = set(rows) | set(range(grid.num_header_rows))
    kept_cols = set(cols) | set(range(grid.num_header_cols))
    new_rows, new_cols = set(kept_rows), set(kept_cols)
    while new_rows or new_cols:
        named = [cell for row in new_rows for cell in lefts[row]]
        named += [cell for col in new_cols for cell in tops[col]]
        new_rows, new_cols = set(), set()
        for region in dict.fromkeys(map(region_of, named)):
            if kept_rows.isdisjoint(range(region[0], region[1] + 1)):
                new_rows.add(region[0])
            if kept_cols.isdisjoint(range(region[2], region[3] + 1)):
                new_cols.add(region[2])
        kept_rows |= new_rows
        kept_cols |= new_cols
    row_list, col_list = sorted(kept_rows), sorted(kept_cols)
    if (len(row_list), len(col_list)) == (grid.num_rows, grid.num_cols):
        return Subtable(grid, grid, tuple(row_list), tuple(col_list))
    row_places = {row: place for place, row in enumerate(row_list)}
    col_places = {col: place for place, col in enumerate(col_list)}

    def moved(path: HeaderPath) -> HeaderPath:
        return tuple(_first_kept(region_of(cell), row_places, col_places) for cell in path)

    part = replace(
        keep_rows(grid, row_list, cols=col_list),
        num_header_rows=grid.num_header_rows,
        num_header_cols=grid.num_header_cols,
        left_paths=[moved(lefts[row]) for row in row_list],
        top_paths=[moved(tops[col]) for col in col_list],
    )
    return Subtable(part, grid, tuple(row_list), tuple(col_list))


def _regions(grid: Grid) -> Callable[[Cell], Region]:
    owners = owner_map(grid)
    return lambda cell: owners.get(cell, (cell[0], cell[0], cell[1], cell[1]))


def _first_kept(region: Region, row_places: Mapping[int, int], col_places: Mapping[int, int]) -> Cell:
    return (
        _first(row_places, range(region[0], region[1] + 1)),
        _first(col_places, range(region[2], region[3] + 1)),
    )


def _first(places: Mapping[int, int], positions: Sequence[int]) -> int:
    return next(places[position] for position in positions if position in places)
