"""Which rows and columns of a grid go together into one window, whatever a window looks like."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Generic, TypeVar

from tabrag.tables.grid import Region, left_paths, owner_map, top_paths
from tabrag.tables.windows import even_parts
from tabrag.types import Cell, Grid

Part = tuple[Sequence[int], Sequence[int]]
"""Body rows and body columns of a window."""

WindowT = TypeVar("WindowT")


class GridCutter(ABC, Generic[WindowT]):
    """Cuts a grid that is too long into windows: header rows and row headers, with as many rows as fit.

    Windows are planned by the costs of their lines, then made and measured as a whole.

    Attributes:
        limit: Most tokens of a window.
    """

    def __init__(self, grid: Grid, *, limit: int) -> None:
        self.grid = grid
        self.limit = limit
        self.head_rows = range(grid.num_header_rows)
        self.head_cols = range(grid.num_header_cols)
        self.body_rows = range(grid.num_header_rows, grid.num_rows)
        self.body_cols = range(grid.num_header_cols, grid.num_cols)

    @abstractmethod
    def costs(self, rows: Sequence[int], cols: Sequence[int]) -> tuple[int, list[int]]:
        """Tokens of all that each window over these body columns repeats, and of each body row."""

    @abstractmethod
    def costs_above(self, cells: Sequence[Cell]) -> list[int]:
        """Tokens of each cell where it stands above rows that it belongs to."""

    @abstractmethod
    def window(self, rows: Sequence[int], cols: Sequence[int]) -> WindowT:
        """The window of some body rows and body columns."""

    @abstractmethod
    def counts(self, windows: Sequence[WindowT]) -> Sequence[int]:
        """Tokens of whole windows."""

    def parts(self, costs: tuple[int, list[int]] | None = None) -> list[Part]:
        """Windows by estimate; ``costs`` are those of the whole body, where they are known."""
        grid = self.grid
        self.owners = owner_map(grid)
        self.left = [[self.owner(cell) for cell in path] for path in left_paths(grid)]
        self.top = [[self.owner(cell) for cell in path] for path in top_paths(grid)]
        self.reaching: dict[int, list[Region]] = {}
        """By row the merged regions that reach it from above."""
        for region in grid.merged:
            for row in range(max(region[0] + 1, grid.num_header_rows), region[1] + 1):
                self.reaching.setdefault(row, []).append(region)
        above = sorted({cell for row in self.body_rows for cell in self._above(row, self.body_cols)})
        self._above_costs = dict(zip(above, self.costs_above(above), strict=True))
        return self._cover(self.body_rows, self.body_cols, costs)

    def windows(self, parts: Sequence[Part]) -> list[WindowT]:
        """The parts as windows; one that does not fit after all is parted again.

        What cannot be parted is left out.
        """
        made = [self.window(rows, cols) for rows, cols in parts]
        counts = self.counts(made) if made else []
        windows: list[WindowT] = []
        for (rows, cols), window, count in zip(parts, made, counts, strict=True):
            if count <= self.limit:
                windows.append(window)
            elif len(rows) > 1:
                windows += self.windows([(half, cols) for half in even_parts(rows, 2)])
            elif len(cols) > 1:
                windows += self.windows([(rows, half) for half in even_parts(cols, 2)])
        return windows

    def cells(self, rows: Sequence[int], cols: Sequence[int]) -> tuple[set[Cell], set[Cell]]:
        """The cells of a window's rows and columns with those that reach into them, and the filled header
        cells of these rows and columns that are not among them.
        """
        shown = {(row, col) for row in (*self.head_rows, *rows) for col in (*self.head_cols, *cols)}
        shown |= {self.owner(cell) for cell in shown}
        named = [cell for row in rows for cell in self.left[row]]
        named += [cell for col in cols for cell in self.top[col]]
        return shown, {
            cell for cell in named if cell not in shown and self.grid.cells[cell[0]][cell[1]].strip()
        }

    def owner(self, cell: Cell) -> Cell:
        """The cell that holds the text at this place."""
        region = self.owners.get(cell)
        return cell if region is None else (region[0], region[2])

    def _cover(
        self, rows: Sequence[int], cols: Sequence[int], costs: tuple[int, list[int]] | None = None
    ) -> list[Part]:
        """Windows of a rectangle of the body."""
        fixed, row_costs = costs or self.costs(rows, cols)
        typical = median(row_costs) if row_costs else 0
        if len(cols) > 1 and (fixed > self.limit // 2 or fixed + typical > self.limit):
            return [part for half in even_parts(cols, 2) for part in self._cover(rows, half)]
        if not rows:
            return [(rows, cols)]
        parts: list[Part] = []
        taken: list[int] = []
        above: set[Cell] = set()
        used = fixed
        for row, cost in zip(rows, row_costs, strict=True):
            needed = self._above(row, cols)
            new = {cell for cell in needed if cell not in above and cell[0] not in taken}
            if taken and used + cost + self._sum(new) > self.limit:
                parts.append((taken, cols))
                taken, above, used, new = [], set(), fixed, set(needed)
            if not taken and used + cost + self._sum(new) > self.limit:
                if len(cols) > 1:
                    parts += [part for half in even_parts(cols, 2) for part in self._cover([row], half)]
                continue
            taken.append(row)
            above |= new
            used += cost + self._sum(new)
        if taken:
            parts.append((taken, cols))
        return parts

    def _above(self, row: int, cols: Sequence[int]) -> list[Cell]:
        """Cells above a row that a window beginning there shows too: its headers, texts of merged regions."""
        cells = [cell for cell in self.left[row] if len(self.head_rows) <= cell[0] < row]
        for region in self.reaching.get(row, ()):
            if region[2] < len(self.head_cols) or any(region[2] <= col <= region[3] for col in cols):
                cells.append((region[0], region[2]))
        return list(dict.fromkeys(cells))

    def _sum(self, cells: Iterable[Cell]) -> int:
        return sum(self._above_costs[cell] for cell in cells)
