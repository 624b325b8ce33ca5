"""Windows of a Markdown table: some rows and columns under their headers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tabrag.tables.crop import keep_rows
from tabrag.tables.grid_cutter import GridCutter
from tabrag.tables.text import markdown, markdown_row, one_line, title_text
from tabrag.tables.windows import Meter, Window, pack, repeated_title
from tabrag.types import Cell, Grid, Table

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
    windows = [*pack(pieces, meter), *cutter.windows(cutter.parts(cutter.all_costs))]
    seen = {cell for window in windows for cell in window.cells or ()}
    lost = [
        ((row, col), one_line(text))
        for row, texts in enumerate(table.grid.cells)
        for col, text in enumerate(texts)
        if (row, col) not in seen and text.strip()
    ]
    return [*windows, *pack(lost, meter, title=shown)]


class _Cutter(GridCutter[Window]):
    """One grid that is too long.

    Attributes:
        total: About the tokens of the whole table.
    """

    def __init__(self, grid: Grid, meter: Meter, *, title: str, spans: str) -> None:
        super().__init__(grid, limit=meter.limit)
        self.meter = meter
        self.title = title
        self.spans = spans
        self.all_costs = self.costs(self.body_rows, self.body_cols)
        self.total = self.all_costs[0] + sum(self.all_costs[1])

    def costs(self, rows: Sequence[int], cols: Sequence[int]) -> tuple[int, list[int]]:
        """Tokens of title and header rows together, special ones included, and of each body row."""
        head, body = self._lines(rows, cols)
        empty, fixed, *counts = self.meter.count(
            ["", self._under_title(head), *("\n" + line for line in body)]
        )
        return fixed, [count - empty for count in counts]

    def costs_above(self, cells: Sequence[Cell]) -> list[int]:
        """Each as a line of its own."""
        return self.meter.parts(["\n" + markdown_row([self.grid.cells[row][col]]) for row, col in cells])

    def counts(self, windows: Sequence[Window]) -> Sequence[int]:
        return self.meter.count([window.text for window in windows])

    def window(self, rows: Sequence[int], cols: Sequence[int]) -> Window:
        shown_cols = [*self.head_cols, *cols]
        shown, missing = self.cells(rows, cols)
        head, body = self._lines(rows, cols)
        context: dict[int, list[str]] = {}
        for row, col in sorted(missing):
            line = context.setdefault(row, [])
            place = shown_cols.index(col) if col in shown_cols else 0
            line += [""] * (place + 1 - len(line))
            line[place] = f"{line[place]} {self.grid.cells[row][col]}".strip()
        lines = [*head, *map(markdown_row, context.values()), *body]
        return Window(self._under_title(lines), frozenset(shown | missing))

    def _lines(self, rows: Sequence[int], cols: Sequence[int]) -> tuple[list[str], list[str]]:
        """The Markdown lines of the header rows and the rule, and those of the body rows."""
        grid = self.grid
        if len(rows) < len(self.body_rows) or len(cols) < len(self.body_cols):
            part = keep_rows(grid, [*self.head_rows, *rows], cols=[*self.head_cols, *cols])
            grid = replace(part, num_header_rows=len(self.head_rows))
        lines = markdown(Table(id="", grid=grid), self.spans).split("\n")
        num_head = max(1, len(self.head_rows)) + 1
        return lines[:num_head], lines[num_head:]

    def _under_title(self, lines: Sequence[str]) -> str:
        return "\n".join([self.title, *lines] if self.title else lines)
