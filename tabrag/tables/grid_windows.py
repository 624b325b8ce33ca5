"""Windows of a Markdown table: some rows and columns under their headers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

from tabrag.tables.crop import keep_rows
from tabrag.tables.grid import Region, left_paths, owner_map, top_paths
from tabrag.tables.text import markdown, markdown_row, one_line, title_text
from tabrag.tables.windows import Meter, Window, even_parts, pack, repeated_title
from tabrag.types import Cell, Grid, Table

Part = tuple[Sequence[int], Sequence[int]]
"""Body rows and body columns of a window."""

_SURELY_LONG = 3
"""A text of so many letters a token is not worth measuring as a whole before its rows are measured."""


def markdown_windows(table: Table, meter: Meter, *, title: bool = True, spans: str = "first") -> list[Window]:
    """A table with a grid in windows, each under the title and the headers of its rows and columns.

    A window has the title's line, the header rows, and as many body rows as fit, with their row headers.
    Headers of a row that stand above the window (sections, parents of an indented label) are lines of their
    own below the header rows. A merged region that reaches into a window shows its text there. The columns
    are parted where the headers would take over half of a window, or where half of the rows would not fit;
    a single row that is too long is parted between its cells. A cell that finds no room beside its headers
    stands with other such cells in a window that has the title alone.

    Args:
        table: A table with a grid.
        meter: What fits.
        title: Whether the title's line comes first.
        spans: See :func:`tabrag.tables.text.markdown`.

    Returns:
        Windows in the order of columns, then rows; the one text of the whole where it fits.
    """
    assert table.grid is not None
    titles = [title_text(table)] if title and title_text(table) else []
    whole = "\n".join([*titles, markdown(table, spans)])
    if len(whole) <= _SURELY_LONG * meter.limit and meter.fits(whole):
        return [Window(whole)]
    shown, pieces = repeated_title(table, meter, wanted=title)
    cutter = _Cutter(table.grid, meter, title=shown, spans=spans)
    if cutter.total <= meter.limit * 5 // 4 and meter.fits(whole):
        return [Window(whole)]
    windows = [*pack(pieces, meter), *cutter.windows(cutter.parts())]
    seen = {cell for window in windows for cell in window.cells or ()}
    lost = [
        ((row, col), one_line(text))
        for row, texts in enumerate(table.grid.cells)
        for col, text in enumerate(texts)
        if (row, col) not in seen and text.strip()
    ]
    return [*windows, *pack(lost, meter, title=shown)]


class _Cutter:
    """One grid that is too long.

    Attributes:
        total: About the tokens of the whole table.
    """

    def __init__(self, grid: Grid, meter: Meter, *, title: str, spans: str) -> None:
        self.grid = grid
        self.meter = meter
        self.title = title
        self.spans = spans
        self.head_rows = range(grid.num_header_rows)
        self.head_cols = range(grid.num_header_cols)
        self.body_rows = range(grid.num_header_rows, grid.num_rows)
        self.body_cols = range(grid.num_header_cols, grid.num_cols)
        self.all_costs = self._costs(self.body_rows, self.body_cols)
        self.total = self.all_costs[0] + sum(self.all_costs[1])

    def parts(self) -> list[Part]:
        """Windows by estimate: the tokens of their lines added up."""
        grid = self.grid
        self.owners = owner_map(grid)
        self.left = [[self._owner(cell) for cell in path] for path in left_paths(grid)]
        self.top = [[self._owner(cell) for cell in path] for path in top_paths(grid)]
        self.reaching: dict[int, list[Region]] = {}
        """By row the merged regions that reach it from above."""
        for region in grid.merged:
            for row in range(max(region[0] + 1, grid.num_header_rows), region[1] + 1):
                self.reaching.setdefault(row, []).append(region)
        above = sorted({cell for row in self.body_rows for cell in self._above(row, self.body_cols)})
        lines = ["\n" + markdown_row([grid.cells[row][col]]) for row, col in above]
        self.above_costs = dict(zip(above, self.meter.parts(lines), strict=True))
        return self._cover(self.body_rows, self.body_cols, self.all_costs)

    def windows(self, parts: Sequence[Part]) -> list[Window]:
        """The parts as they are printed; one that does not fit after all is parted again.

        What cannot be parted is left out.
        """
        printed = [self._window(rows, cols) for rows, cols in parts]
        counts = self.meter.count([window.text for window in printed]) if printed else []
        windows: list[Window] = []
        for (rows, cols), window, count in zip(parts, printed, counts, strict=True):
            if count <= self.meter.limit:
                windows.append(window)
            elif len(rows) > 1:
                windows += self.windows([(half, cols) for half in even_parts(rows, 2)])
            elif len(cols) > 1:
                windows += self.windows([(rows, half) for half in even_parts(cols, 2)])
        return windows

    def _cover(
        self, rows: Sequence[int], cols: Sequence[int], costs: tuple[int, list[int]] | None = None
    ) -> list[Part]:
        """Windows of a rectangle of the body."""
        limit = self.meter.limit
        fixed, row_costs = costs or self._costs(rows, cols)
        typical = median(row_costs) if row_costs else 0
        if len(cols) > 1 and (fixed > limit // 2 or fixed + typical > limit):
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
            if taken and used + cost + self._sum(new) > limit:
                parts.append((taken, cols))
                taken, above, used, new = [], set(), fixed, set(needed)
            if not taken and used + cost + self._sum(new) > limit:
                if len(cols) > 1:
                    parts += [part for half in even_parts(cols, 2) for part in self._cover([row], half)]
                continue
            taken.append(row)
            above |= new
            used += cost + self._sum(new)
        if taken:
            parts.append((taken, cols))
        return parts

    def _costs(self, rows: Sequence[int], cols: Sequence[int]) -> tuple[int, list[int]]:
        """Tokens of title and header rows together, special ones included, and of each body row."""
        head, body = self._lines(rows, cols)
        empty, fixed, *counts = self.meter.count(
            ["", self._under_title(head), *("\n" + line for line in body)]
        )
        return fixed, [count - empty for count in counts]

    def _lines(self, rows: Sequence[int], cols: Sequence[int]) -> tuple[list[str], list[str]]:
        """The Markdown lines of the header rows and the rule, and those of the body rows."""
        grid = self.grid
        if len(rows) < len(self.body_rows) or len(cols) < len(self.body_cols):
            part = keep_rows(grid, [*self.head_rows, *rows], cols=[*self.head_cols, *cols])
            grid = replace(part, num_header_rows=len(self.head_rows))
        lines = markdown(Table(id="", grid=grid), self.spans).split("\n")
        num_head = max(1, len(self.head_rows)) + 1
        return lines[:num_head], lines[num_head:]

    def _window(self, rows: Sequence[int], cols: Sequence[int]) -> Window:
        shown_cols = [*self.head_cols, *cols]
        shown = {(row, col) for row in (*self.head_rows, *rows) for col in shown_cols}
        shown |= {self._owner(cell) for cell in shown}
        named = [cell for row in rows for cell in self.left[row]]
        named += [cell for col in cols for cell in self.top[col]]
        missing = {cell for cell in named if cell not in shown and self.grid.cells[cell[0]][cell[1]].strip()}
        head, body = self._lines(rows, cols)
        context: dict[int, list[str]] = {}
        for row, col in sorted(missing):
            line = context.setdefault(row, [])
            place = shown_cols.index(col) if col in shown_cols else 0
            line += [""] * (place + 1 - len(line))
            line[place] = f"{line[place]} {self.grid.cells[row][col]}".strip()
        lines = [*head, *map(markdown_row, context.values()), *body]
        return Window(self._under_title(lines), frozenset(shown | missing))

    def _above(self, row: int, cols: Sequence[int]) -> list[Cell]:
        """Cells above a row that a window beginning there shows too: its headers, texts of merged regions."""
        cells = [cell for cell in self.left[row] if len(self.head_rows) <= cell[0] < row]
        for region in self.reaching.get(row, ()):
            if region[2] < len(self.head_cols) or any(region[2] <= col <= region[3] for col in cols):
                cells.append((region[0], region[2]))
        return list(dict.fromkeys(cells))

    def _sum(self, cells: Iterable[Cell]) -> int:
        return sum(self.above_costs[cell] for cell in cells)

    def _owner(self, cell: Cell) -> Cell:
        region = self.owners.get(cell)
        return cell if region is None else (region[0], region[2])

    def _under_title(self, lines: Sequence[str]) -> str:
        return "\n".join([self.title, *lines] if self.title else lines)
