"""Cells from lines: the regions between horizontal and vertical lines, merged where no line parts them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tabrag.documents.page_content import PageBox, PageWord
from tabrag.documents.page_tables.strokes import SNAP, Stroke

Region = tuple[int, int, int, int]
"""``(first_row, last_row, first_col, last_col)``, inclusive."""

_COVERED = 0.6
"""A line parts two cells when it runs along this share of their common side."""
MAX_CELLS = 20_000
"""More cells than this on one page are a drawing."""


@dataclass(slots=True)
class Lattice:
    """Lines that make rows and columns, and which of them part neighbours.

    Attributes:
        xs: Left edges of the columns and the right edge of the last one, ascending, points.
        ys: Upper edges of the rows and the lower edge of the last one.
        below: ``[rows - 1, columns]``: whether a line parts the cell from the one below it.
        right: ``[rows, columns - 1]``: whether a line parts the cell from the one right of it.
    """

    xs: list[float]
    ys: list[float]
    below: npt.NDArray[np.bool_]
    right: npt.NDArray[np.bool_]

    @property
    def num_rows(self) -> int:
        return len(self.ys) - 1

    @property
    def num_cols(self) -> int:
        return len(self.xs) - 1

    @property
    def box(self) -> PageBox:
        return (self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def row_at(self, y: float) -> int:
        return min(max(bisect_right(self.ys, y) - 1, 0), self.num_rows - 1)

    def col_at(self, x: float) -> int:
        return min(max(bisect_right(self.xs, x) - 1, 0), self.num_cols - 1)


def make_lattice(box: PageBox, horizontal: Sequence[Stroke], vertical: Sequence[Stroke]) -> Lattice | None:
    """Rows and columns of the lines inside a box, whose sides are lines too; None where they are too many."""
    x0, y0, x1, y1 = box
    xs = levels([x0, x1, *(stroke.at for stroke in vertical if x0 < stroke.at < x1)])
    ys = levels([y0, y1, *(stroke.at for stroke in horizontal if y0 < stroke.at < y1)])
    if len(xs) < 2 or len(ys) < 2 or (len(xs) - 1) * (len(ys) - 1) > MAX_CELLS:
        return None
    return Lattice(xs, ys, _covered(ys, xs, horizontal), _covered(xs, ys, vertical).T)


def levels(values: Iterable[float]) -> list[float]:
    """Values with those that lie close together made one."""
    found: list[list[float]] = []
    for value in sorted(values):
        if found and value - found[-1][0] <= SNAP:
            found[-1].append(value)
        else:
            found.append([value])
    return [sum(group) / len(group) for group in found]


def _covered(ats: list[float], edges: list[float], strokes: Sequence[Stroke]) -> npt.NDArray[np.bool_]:
    """``[len(ats) - 2, len(edges) - 1]``: which stretches between edges have a line, at each inner place."""
    starts, ends = np.array(edges[:-1]), np.array(edges[1:])
    lengths = np.zeros((len(ats), len(edges) - 1))
    places = np.array(ats)
    for stroke in strokes:
        nearest = int(np.abs(places - stroke.at).argmin())
        if abs(ats[nearest] - stroke.at) <= SNAP:
            overlap = np.minimum(ends, stroke.end) - np.maximum(starts, stroke.start)
            lengths[nearest] = np.maximum(lengths[nearest], overlap.clip(min=0))
    return (lengths[1:-1] >= _COVERED * (ends - starts)).astype(bool)


def regions(lattice: Lattice) -> list[Region]:
    """The cells, merged ones as one region, in order of rows; what is no rectangle is cut into rectangles."""
    rows, cols = lattice.num_rows, lattice.num_cols
    parent = list(range(rows * cols))

    def root(cell: int) -> int:
        while parent[cell] != cell:
            parent[cell] = parent[parent[cell]]
            cell = parent[cell]
        return cell

    for row in range(rows):
        for col in range(cols):
            cell = row * cols + col
            if col + 1 < cols and not lattice.right[row, col]:
                parent[root(cell + 1)] = root(cell)
            if row + 1 < rows and not lattice.below[row, col]:
                parent[root(cell + cols)] = root(cell)
    members: dict[int, list[int]] = {}
    for cell in range(rows * cols):
        members.setdefault(root(cell), []).append(cell)
    found: list[Region] = []
    for cells in members.values():
        found.extend(_rectangles(cells, cols))
    return sorted(found, key=lambda region: (region[0], region[2]))


def _rectangles(cells: list[int], cols: int) -> list[Region]:
    """Cut a region into runs of cells in one row; equal runs below each other are one rectangle."""
    runs: list[tuple[int, int, int]] = []
    for cell in cells:
        row, col = divmod(cell, cols)
        if runs and runs[-1][0] == row and runs[-1][2] == col - 1:
            runs[-1] = (row, runs[-1][1], col)
        else:
            runs.append((row, col, col))
    open_runs: dict[tuple[int, int], list[int]] = {}
    found: list[list[int]] = []
    for row, first, last in runs:
        rectangle = open_runs.get((first, last))
        if rectangle is not None and rectangle[1] == row - 1:
            rectangle[1] = row
        else:
            rectangle = [row, row, first, last]
            open_runs[first, last] = rectangle
            found.append(rectangle)
    return [(first_row, last_row, first, last) for first_row, last_row, first, last in found]


def place(words: Sequence[PageWord], lattice: Lattice) -> list[tuple[Region, list[PageWord]]]:
    """The regions with the words whose middles stand in them; a raised mark stands where its foot does."""
    cells = [(region, list[PageWord]()) for region in regions(lattice)]
    owner: dict[tuple[int, int], int] = {}
    for index, (region, _) in enumerate(cells):
        for row in range(region[0], region[1] + 1):
            for col in range(region[2], region[3] + 1):
                owner[row, col] = index
    for word in words:
        x0, y0, x1, y1 = word.box
        y = y1 if word.raised else (y0 + y1) / 2
        cells[owner[lattice.row_at(y), lattice.col_at((x0 + x1) / 2)]][1].append(word)
    return cells
