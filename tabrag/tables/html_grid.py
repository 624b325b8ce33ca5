"""The cells of an HTML table laid out as a grid, after the table model of the HTML standard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml.etree import _Element

from tabrag.errors import UserError
from tabrag.tables.html_text import element_text, is_hidden

_MAX_COLSPAN = 1000
"""As in the HTML standard."""
_MAX_ROWSPAN = 65534
_MAX_CELLS = 1_000_000


@dataclass(slots=True, kw_only=True)
class PlacedCell:
    """A cell with its place: rows and columns that it covers, inclusive."""

    element: _Element
    is_header: bool
    row: int
    last_row: int
    col: int
    last_col: int


@dataclass(slots=True, kw_only=True)
class PlacedTable:
    """The cells of a table in document order, and what the markup says about its rows."""

    cells: list[PlacedCell] = field(default_factory=list)
    num_rows: int = 0
    num_cols: int = 0
    num_head_rows: int = 0
    """Rows of the leading ``thead``."""

    def texts(self) -> list[list[str]]:
        """Texts, row by row."""
        rows = [[""] * self.num_cols for _ in range(self.num_rows)]
        for cell in self.cells:
            rows[cell.row][cell.col] = element_text(cell.element)
        return rows

    def merged(self) -> list[tuple[int, int, int, int]]:
        """Cells that cover more than one position."""
        return [
            (cell.row, cell.last_row, cell.col, cell.last_col)
            for cell in self.cells
            if cell.row < cell.last_row or cell.col < cell.last_col
        ]


def place(table: _Element) -> PlacedTable:
    """Lay out a ``table`` element; cells of tables inside it are not its own.

    Rows of a ``tfoot`` come last wherever it stands: before HTML 5 it had to stand above the body.
    ``rowspan=0`` reaches to the end of its row group. A cell that reaches past its row group does so where
    the first row of the next group leaves room for it; otherwise it ends with its group. Spans are cut where
    they would cover another cell.

    Raises:
        UserError: The spans make more than a million positions.
    """
    rows = sorted(_rows(table), key=lambda row: row[0].tag == "tfoot")
    groups = [group for group, _ in rows]
    placed = PlacedTable(num_rows=len(rows))
    while placed.num_head_rows < len(rows) and groups[placed.num_head_rows].tag == "thead":
        placed.num_head_rows += 1
    ends = {id(group): row for row, group in enumerate(groups)}
    taken: dict[tuple[int, int], PlacedCell] = {}
    for row, (group, elements) in enumerate(rows):
        group_end = ends[id(group)]
        col = 0
        for element in elements:
            while (row, col) in taken:
                col += 1
            rowspan = _span(element, "rowspan", _MAX_ROWSPAN)
            last_row = group_end if rowspan == 0 else min(row + rowspan - 1, len(rows) - 1)
            if last_row > group_end and not _leaves_room(rows[group_end + 1][1], elements, rows, row):
                last_row = group_end
            last_col = col
            while last_col - col + 1 < max(1, _span(element, "colspan", _MAX_COLSPAN)):
                if (row, last_col + 1) in taken:
                    break
                last_col += 1
            while last_row > row and any(
                (lower, covered) in taken
                for lower in range(row + 1, last_row + 1)
                for covered in (col, last_col)
            ):
                last_row -= 1
            cell = PlacedCell(
                element=element,
                is_header=element.tag == "th",
                row=row,
                last_row=last_row,
                col=col,
                last_col=last_col,
            )
            if len(taken) + (last_row - row + 1) * (last_col - col + 1) > _MAX_CELLS:
                raise UserError(
                    f"a table of {len(rows)} rows has spans that cover more than {_MAX_CELLS} positions: "
                    "lower its rowspan and colspan values"
                )
            for covered_row in range(row, last_row + 1):
                for covered_col in range(col, last_col + 1):
                    taken[covered_row, covered_col] = cell
            placed.cells.append(cell)
            col = last_col + 1
    placed.num_cols = max((cell.last_col + 1 for cell in placed.cells), default=0)
    _drop_unused_columns(placed)
    return placed


def _rows(table: _Element) -> Iterator[tuple[_Element, list[_Element]]]:
    """Rows with their row group; a cell outside any row makes a row with its neighbours."""
    loose: list[_Element] = []
    loose_group = table
    stack: list[tuple[_Element, _Element]] = [(child, table) for child in reversed(table)]
    while stack:
        node, group = stack.pop()
        if node.tag in ("td", "th") and not is_hidden(node):
            loose.append(node)
            loose_group = group
            continue
        if loose and node.tag in ("tr", "thead", "tbody", "tfoot"):
            yield loose_group, loose
            loose = []
        if is_hidden(node) or node.tag in ("table", "caption", "colgroup"):
            continue
        if node.tag == "tr":
            yield group, list(_row_cells(node))
        else:
            inner = node if node.tag in ("thead", "tbody", "tfoot") else group
            stack.extend((child, inner) for child in reversed(node))
    if loose:
        yield loose_group, loose


def _row_cells(row: _Element) -> Iterator[_Element]:
    stack = list(reversed(row))
    while stack:
        node = stack.pop()
        if is_hidden(node) or node.tag == "table":
            continue
        if node.tag in ("td", "th"):
            yield node
        else:
            stack.extend(reversed(node))


def _span(element: _Element, name: str, limit: int) -> int:
    value = (element.get(name) or "1").strip()
    digits = value[: len(value) - len(value.lstrip("0123456789"))]
    # A long run of digits would be slow to convert; it is over any limit.
    return min(int(digits[:9]), limit) if digits else 1


def _width(elements: list[_Element]) -> int:
    return sum(max(1, _span(element, "colspan", _MAX_COLSPAN)) for element in elements)


def _leaves_room(
    next_row: list[_Element], elements: list[_Element], rows: list[tuple[_Element, list[_Element]]], row: int
) -> bool:
    widest = max((_width(cells) for _, cells in rows[: row + 1]), default=_width(elements))
    return bool(next_row) and _width(next_row) < widest


def _drop_unused_columns(placed: PlacedTable) -> None:
    """Columns that exist only through absurd spans are dropped: no cell begins there."""
    starts = sorted({cell.col for cell in placed.cells})
    if placed.num_cols <= 100 or placed.num_cols <= 4 * len(starts):
        return
    numbers = {col: number for number, col in enumerate(starts)}
    for cell in placed.cells:
        covered = [numbers[col] for col in starts if cell.col <= col <= cell.last_col]
        cell.col, cell.last_col = covered[0], covered[-1]
    placed.num_cols = len(starts)
