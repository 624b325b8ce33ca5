"""The cells of a table of a ``DoclingDocument``: texts, merged regions, and which it marks as headers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tabrag.documents.docling.tree import list_of, objects_or_none, text_of, whole_of
from tabrag.documents.page_content import PageBox
from tabrag.documents.stacked_rows import split_stacked
from tabrag.errors import UserError
from tabrag.tables.crop import drop_blank, shown
from tabrag.tables.grid import make_grid
from tabrag.tables.headers import InferredTable, infer_headers, infer_table
from tabrag.types import Cell

_MAX_CELLS = 1_000_000
_TRIES = 4
"""Times the number of positions that are looked at to place regions: overlapping ones could take for ever."""


@dataclass(slots=True, kw_only=True)
class CellTable:
    """A table before its headers are settled.

    Attributes:
        cells: Texts, row by row, all rows of one length.
        merged: Regions ``(first_row, last_row, first_col, last_col)``, inclusive.
        num_header_rows: Rows at the top that are marked as headers of columns; None where none is.
        num_header_cols: Columns at the left that are marked as headers of rows; None where none is.
        col_edges: Left edges of the columns and the right edge of the last one in points; empty where they
            are not known.
        num_lost: Cells with a text that stand outside the table or nowhere.
    """

    cells: list[list[str]]
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    num_header_rows: int | None = None
    num_header_cols: int | None = None
    col_edges: list[float] = field(default_factory=list)
    num_lost: int = 0


@dataclass(slots=True)
class _Cell:
    region: tuple[int, int, int, int]
    text: str
    entry: dict[str, Any]


def read_cells(
    data: dict[str, Any], bounds: Callable[[dict[str, Any]], PageBox | None] = lambda _: None
) -> CellTable | None:
    """The cells in ``data`` of a table (docling-core's ``TableData``).

    Args:
        data: ``table_cells`` with ``num_rows`` and ``num_cols``; where there are none, the cells of ``grid``.
        bounds: Where a cell stands, in points.

    Returns:
        The table; None where no cell has a text.

    Raises:
        UserError: It has more than a million positions, or all its texts stand nowhere.
    """
    entries = _entries(data)
    cells = [cell for cell in map(_cell, entries) if cell is not None]
    num_said = sum(bool(text_of(entry, "text").strip()) for entry in entries)
    num_rows, num_cols = whole_of(data, "num_rows") or 0, whole_of(data, "num_cols") or 0
    if num_rows <= 0 or num_cols <= 0:
        num_rows = max((cell.region[1] for cell in cells), default=-1) + 1
        num_cols = max((cell.region[3] for cell in cells), default=-1) + 1
    if not num_said:
        return None
    if num_rows <= 0 or num_cols <= 0:
        raise UserError("a table whose cells have no place in it is left out")
    if num_rows * num_cols > _MAX_CELLS:
        raise UserError(f"a table of {num_rows} x {num_cols} cells is left out: it is too large")
    board = _Board(num_rows, num_cols)
    board.num_lost = num_said - sum(bool(cell.text.strip()) for cell in cells)
    for cell in sorted(cells, key=lambda cell: (cell.region[0], cell.region[2])):
        board.put(cell)
    table = CellTable(cells=board.cells, merged=board.merged, num_lost=board.num_lost)
    _mark_sections(table, board.owners)
    table.num_header_rows, table.num_header_cols = _header_sizes(table, board.owners)
    table.col_edges = _edges(board.owners, num_cols, bounds)
    return table


def settle_headers(table: CellTable, *, marked: bool) -> InferredTable:
    """The table with its headers.

    Args:
        table: As it was read; parts on later pages may have been appended.
        marked: Whether its marks of headers tell something. Rules find them where they do not, and where
            there are none.

    Raises:
        UserError: It is no grid.
    """
    if not marked or table.num_header_rows is None:
        return infer_table(table.cells, table.merged)
    grid = drop_blank(make_grid(table.cells, merged=table.merged))
    if table.num_header_rows >= grid.num_rows:
        return infer_table(table.cells, table.merged)
    num_cols = table.num_header_cols
    if num_cols is not None and num_cols >= grid.num_cols:  # headers of nothing
        num_cols = None
    return InferredTable(
        grid=infer_headers(grid, num_header_rows=table.num_header_rows, num_header_cols=num_cols)
    )


def split_rows(table: CellTable) -> bool:
    """Split rows that stand as lines of one cell, see :func:`tabrag.documents.stacked_rows.split_stacked`;
    returns whether there were any."""
    lines = [[text.split("\n") for text in row] for row in table.cells]
    split, merged, is_split = split_stacked(lines, table.merged)
    if is_split:
        table.cells, table.merged = [["\n".join(text) for text in row] for row in split], merged
    return is_split


def _entries(data: dict[str, Any]) -> list[dict[str, Any]]:
    entries = list_of(data, "table_cells")
    if not entries:  # the grid repeats a cell at each of its positions
        entries = [cell for row in list_of(data, "grid") if isinstance(row, list) for cell in row]
    return [entry for entry in map(objects_or_none, entries) if entry is not None]


def _cell(entry: dict[str, Any]) -> _Cell | None:
    row, col = whole_of(entry, "start_row_offset_idx"), whole_of(entry, "start_col_offset_idx")
    if row is None or col is None:
        return None
    last_row = max((whole_of(entry, "end_row_offset_idx") or 0) - 1, row)
    last_col = max((whole_of(entry, "end_col_offset_idx") or 0) - 1, col)
    return _Cell((row, last_row, col, last_col), text_of(entry, "text"), entry)


class _Board:
    """Positions of a table, each taken by one cell at most."""

    def __init__(self, num_rows: int, num_cols: int) -> None:
        self.cells = [[""] * num_cols for _ in range(num_rows)]
        self.merged: list[tuple[int, int, int, int]] = []
        self.owners: dict[Cell, _Cell] = {}
        self.num_lost = 0
        self._tries = _TRIES * num_rows * num_cols

    def put(self, cell: _Cell) -> None:
        """Place a cell. One upon another adds its text to that; a region that meets another is one cell."""
        num_rows, num_cols = len(self.cells), len(self.cells[0])
        row, last_row, col, last_col = cell.region
        if not (0 <= row < num_rows and 0 <= col < num_cols):
            self.num_lost += bool(cell.text.strip())
            return
        other = self.owners.get((row, col))
        if other is not None:
            if cell.text.strip() and cell.text.strip() not in other.text:
                other.text = f"{other.text} {cell.text}".strip()
                self.cells[other.region[0]][other.region[2]] = other.text
            return
        last_row, last_col = min(last_row, num_rows - 1), min(last_col, num_cols - 1)
        self._tries -= (last_row - row + 1) * (last_col - col + 1)
        spots = [(row, col)]
        if self._tries >= 0:
            region = [(r, c) for r in range(row, last_row + 1) for c in range(col, last_col + 1)]
            spots = spots if any(spot in self.owners for spot in region) else region
        last_row, last_col = spots[-1]
        cell.region = (row, last_row, col, last_col)
        self.owners.update(dict.fromkeys(spots, cell))
        self.cells[row][col] = cell.text
        if len(spots) > 1:
            self.merged.append(cell.region)


def _mark_sections(table: CellTable, owners: dict[Cell, _Cell]) -> None:
    """Let the text of a row that is marked as a section, and is alone in it, cover the whole row."""
    num_cols = len(table.cells[0])
    for row, texts in enumerate(table.cells):
        there = {id(cell): cell for col in range(num_cols) if (cell := owners.get((row, col))) is not None}
        said = [cell for cell in there.values() if cell.text.strip()]
        if len(said) != 1 or said[0].entry.get("row_section") is not True or num_cols == 1:
            continue
        if any(cell.region[0] != cell.region[1] for cell in there.values()):
            continue
        table.merged = [region for region in table.merged if region[0] != row]
        table.merged.append((row, row, 0, num_cols - 1))
        texts[:] = [said[0].text, *[""] * (num_cols - 1)]


def _header_sizes(table: CellTable, owners: dict[Cell, _Cell]) -> tuple[int | None, int | None]:
    """Numbers of marked rows and columns among those that show a text."""
    rows, cols = shown(make_grid(table.cells, merged=table.merged))

    def says(spots: list[Cell], *names: str) -> bool:
        """Whether all texts at the positions have one of the marks, the first of them at least once."""
        said = [cell for spot in spots if (cell := owners.get(spot)) is not None and cell.text.strip()]
        return any(cell.entry.get(names[0]) is True for cell in said) and all(
            any(cell.entry.get(name) is True for name in names) for cell in said
        )

    num_rows = 0
    while num_rows < len(rows) and says(
        [(rows[num_rows], col) for col in cols], "column_header", "row_header"
    ):
        num_rows += 1
    body = rows[num_rows:]
    num_cols = 0
    while num_cols < len(cols) and says([(row, cols[num_cols]) for row in body], "row_header", "row_section"):
        num_cols += 1
    return num_rows or None, num_cols or None


def _edges(
    owners: dict[Cell, _Cell], num_cols: int, bounds: Callable[[dict[str, Any]], PageBox | None]
) -> list[float]:
    """Where columns begin, by the cells that stand in one column alone."""
    lefts: list[float | None] = [None] * num_cols
    right: float | None = None
    for cell in {id(cell): cell for cell in owners.values()}.values():
        first, last = cell.region[2:]
        box = bounds(cell.entry) if first == last else None
        if box is None:
            continue
        left = lefts[first]
        lefts[first] = box[0] if left is None else min(left, box[0])
        if last == num_cols - 1:
            right = box[2] if right is None else max(right, box[2])
    edges = [edge for edge in (*lefts, right) if edge is not None]
    if len(edges) != num_cols + 1 or any(a >= b for a, b in pairwise(edges)):
        return []
    return edges
