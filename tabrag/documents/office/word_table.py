"""The cells of a Word table laid out as a grid (ECMA-376 part 1, section 17.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import _Element

from tabrag.documents.office.xml import find, is_on, local, number, value

_MAX_SPAN = 10_000
_SAME_EDGE = 60
"""Twentieths of a point: edges that are nearer to each other were meant to be one (1 mm)."""
_WRAPPERS = frozenset({"sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo"})


@dataclass(slots=True)
class WordCell:
    """A cell with the rows and columns that it covers, inclusive; ``elements`` are its ``w:tc``."""

    element: _Element
    row: int
    last_row: int
    col: int
    last_col: int


@dataclass(slots=True)
class WordTable:
    """The cells of a table in order."""

    cells: list[WordCell]
    num_rows: int
    num_cols: int

    def merged(self) -> list[tuple[int, int, int, int]]:
        """Cells that cover more than one position."""
        return [
            (cell.row, cell.last_row, cell.col, cell.last_col)
            for cell in self.cells
            if cell.row < cell.last_row or cell.col < cell.last_col
        ]


def place_cells(table: _Element) -> WordTable:
    """Lay out a ``w:tbl``.

    Rows and cells that tracked changes delete are left out. A cell that goes on a vertical merge belongs to
    the cell above it where both cover the same columns; else it is a cell of its own. Grid columns in which
    no cell begins are none: their number is bounded by that of the cells, whatever spans a file states.
    """
    placed: list[WordCell] = []
    above: dict[int, WordCell] = {}
    num_rows = 0
    for row_element in _rows(table):
        properties = find(row_element, "trPr")
        col = 0 if properties is None else _span(find(properties, "gridBefore"), 0)
        row: dict[int, WordCell] = {}
        last: WordCell | None = None
        for element in _cells(row_element):
            own = find(element, "tcPr")
            first, col = col, col + (1 if own is None else _span(find(own, "gridSpan"), 1))
            across = None if own is None else find(own, "hMerge")
            if across is not None and value(across) != "restart" and last is not None:
                last.last_col = col - 1
                continue
            down = None if own is None else find(own, "vMerge")
            upper = above.get(first)
            if (
                down is not None
                and value(down) != "restart"
                and upper is not None
                and upper.last_col == col - 1
            ):
                upper.last_row = num_rows
                row[first] = last = upper
                continue
            last = WordCell(element, num_rows, num_rows, first, col - 1)
            row[first] = last
            placed.append(last)
        above = row
        num_rows += bool(row)
    _join_edges(placed, table)
    starts = sorted({cell.col for cell in placed})
    places = {start: place for place, start in enumerate(starts)}
    ends = {last: place for place, last in _last_columns(placed, starts)}
    for cell in placed:
        cell.col, cell.last_col = places[cell.col], ends[cell.last_col]
    return WordTable(placed, num_rows, len(starts))


def _last_columns(placed: list[WordCell], starts: list[int]) -> Iterator[tuple[int, int]]:
    """For each last grid column: the place of the last start that is not behind it."""
    place = 0
    for last in sorted({cell.last_col for cell in placed}):
        while place + 1 < len(starts) and starts[place + 1] <= last:
            place += 1
        yield place, last


def _join_edges(placed: list[WordCell], table: _Element) -> None:
    """Take edges of columns that lie within a millimetre for one, unless a cell would vanish."""
    grid = find(table, "tblGrid")
    widths = [] if grid is None else [number(value(col, "w")) for col in grid if local(col) == "gridCol"]
    num_cols = max((cell.last_col + 1 for cell in placed), default=0)
    if not widths or len(widths) < num_cols or min(widths) <= 0:
        return
    same = list(range(len(widths) + 1))
    for edge, width in enumerate(widths, start=1):
        if width < _SAME_EDGE:
            same[edge] = same[edge - 1]
    spans = [(same[cell.col], same[cell.last_col + 1]) for cell in placed]
    if all(first < end for first, end in spans):
        for cell, (first, end) in zip(placed, spans, strict=True):
            cell.col, cell.last_col = first, end - 1


def _rows(element: _Element) -> Iterator[_Element]:
    for child in element:
        name = local(child)
        if name == "tr":
            properties = find(child, "trPr")
            hidden = properties is not None and is_on(find(properties, "hidden"))
            deleted = properties is not None and find(properties, "del") is not None
            if not hidden and not deleted:
                yield child
        elif name in _WRAPPERS:
            yield from _rows(child)


def _cells(element: _Element) -> Iterator[_Element]:
    for child in element:
        name = local(child)
        if name == "tc":
            if find(child, "tcPr", "cellDel") is None:
                yield child
        elif name in _WRAPPERS:
            yield from _cells(child)


def _span(element: _Element | None, default: int) -> int:
    if element is None:
        return default
    return min(max(number(value(element), default), default), _MAX_SPAN)
