"""Tables of Excel workbooks: what is seen on the visible sheets, with the results that formulas last had."""

from __future__ import annotations

import datetime
import logging
import warnings
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError

from tabrag.errors import UserError
from tabrag.tables.headers import infer_table
from tabrag.tables.package_guard import check_workbook
from tabrag.tables.sheet_blocks import Block, Region, find_blocks
from tabrag.types import Cell, Source, Table

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

logger = logging.getLogger(__name__)

_MAX_POSITIONS = 5_000_000
"""Cells of one table, empty ones included: a diagonal of filled cells spans many more than it has."""


def read_xlsx(path: str | Path, *, fill_right: bool = False) -> list[Table]:
    """Read the tables of the visible sheets; hidden sheets, rows and columns are left out.

    A sheet may hold several tables. Texts right above a table become its caption, those below it
    ``metadata["notes"]``; ``metadata["range"]`` names its cells as Excel does. Numbers are printed in full
    without their display format (28.1% is ``0.281``), dates as ``2017-03-18``.

    Raises:
        UserError: The file cannot be read, is encrypted, broken, too large, or holds no text.
    """
    path = Path(path)
    num_bare = check_workbook(path)
    if num_bare:
        logger.warning(
            "%s: %d formulas have no stored result and read as empty: open and save it in Excel",
            path,
            num_bare,
        )
    from lxml.etree import XMLSyntaxError
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with open(path, "rb") as file, warnings.catch_warnings():
            # openpyxl warns of extensions that it does not keep when it writes; nothing is written here.
            warnings.simplefilter("ignore")
            workbook = load_workbook(file, data_only=True, keep_links=False)
    except (
        InvalidFileException,
        ParseError,
        XMLSyntaxError,
        zipfile.BadZipFile,
        zlib.error,
        OSError,
        EOFError,
        KeyError,
        ValueError,
        TypeError,
        IndexError,
        AttributeError,
    ) as error:
        raise UserError(f"{path}: is no readable workbook ({error}); open and save it again") from error
    tables: list[Table] = []
    for number, sheet in enumerate(workbook.worksheets, start=1):
        if sheet.sheet_state != "visible":
            continue
        for table in _sheet_tables(sheet, path, fill_right=fill_right):
            table.id = f"{path.stem}#t{len(tables) + 1}"
            table.source = Source(file=str(path), page=number, sheet=sheet.title)
            table.title = table.caption or sheet.title
            tables.append(table)
    if not tables:
        raise UserError(f"{path}: no visible sheet holds a text; drop the file or unhide its sheets")
    return tables


def cell_display(value: Any) -> str:
    """Print a value: dates in ISO form, numbers with up to 15 significant digits, booleans in capitals."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime.datetime):
        is_date = value.time() == datetime.time()
        return value.date().isoformat() if is_date else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value).strip()


def _sheet_tables(sheet: Worksheet, path: Path, *, fill_right: bool) -> Iterator[Table]:
    rows = _Axis(number for number, row in sheet.row_dimensions.items() if row.hidden)
    cols = _Axis(
        number
        for column in sheet.column_dimensions.values()
        if column.hidden and column.min and column.max
        for number in range(column.min, column.max + 1)
    )
    regions = []
    texts: dict[Cell, str] = {}
    indents: dict[Cell, int] = {}
    for region in sheet.merged_cells.ranges:
        place = rows.span(region.min_row, region.max_row), cols.span(region.min_col, region.max_col)
        text = cell_display(sheet.cell(region.min_row, region.min_col).value)
        if place[0] and place[1]:
            regions.append((*place[0], *place[1]))
            if text:
                texts[place[0][0], place[1][0]] = text
    # The sheet's own store, since its iterators walk every position up to the last row and column.
    for (row, col), cell in sheet._cells.items():
        text = cell_display(cell.value)
        if text and row not in rows.hidden and col not in cols.hidden:
            place = rows.place(row), cols.place(col)
            texts[place] = text
            if isinstance(cell.value, str) and (width := _indent(cell)):
                indents[place] = width
    frames = []
    for declared in sheet.tables.values():
        min_col, min_row, max_col, max_row = _bounds(declared.ref)
        place = rows.span(min_row, max_row), cols.span(min_col, max_col)
        if place[0] and place[1]:
            frames.append((*place[0], *place[1]))
    blocks = find_blocks(texts, regions, frames)
    for block, above, below in _with_remarks(blocks):
        num_positions = (block.last_row - block.first_row + 1) * (block.last_col - block.first_col + 1)
        if num_positions > _MAX_POSITIONS:
            raise UserError(
                f"{path}: sheet {sheet.title!r} spreads a table over {num_positions} cells; split it"
            )
        inferred = infer_table(*_cells(block, regions, indents), fill_right=fill_right)
        captions = [line for remark in above for line in remark.lines()]
        notes = [line for remark in below for line in remark.lines()]
        first = f"{_letters(cols.number(block.first_col))}{rows.number(block.first_row)}"
        last = f"{_letters(cols.number(block.last_col))}{rows.number(block.last_row)}"
        metadata = {"range": f"{first}:{last}"}
        if notes := "\n".join(filter(None, [inferred.notes, *notes])):
            metadata["notes"] = notes
        yield Table(
            id="",
            caption=" ".join(filter(None, [*captions, inferred.caption.replace("\n", " ")])),
            grid=inferred.grid,
            metadata=metadata,
        )


def _indent(cell: Any) -> int:
    """Blanks before the text of a cell: those in it, and two for each step of its alignment."""
    in_text = len(cell.value) - len(cell.value.lstrip())
    alignment = cell.alignment if cell.has_style else None
    if alignment is None or alignment.horizontal not in (None, "general", "left"):
        return in_text
    return in_text + 2 * int(alignment.indent or 0)


def _cells(
    block: Block, regions: Iterable[Region], indents: dict[Cell, int]
) -> tuple[list[list[str]], list[Region]]:
    """Texts and regions of a block; the labels in its first column keep the blanks before them."""
    num_rows = block.last_row - block.first_row + 1
    num_cols = block.last_col - block.first_col + 1
    cells = [[""] * num_cols for _ in range(num_rows)]
    for (row, col), text in block.texts.items():
        blanks = indents.get((row, col), 0) if col == block.first_col else 0
        cells[row - block.first_row][col - block.first_col] = " " * blanks + text
    inside = [
        (
            region[0] - block.first_row,
            region[1] - block.first_row,
            region[2] - block.first_col,
            region[3] - block.first_col,
        )
        for region in regions
        if block.first_row <= region[0] <= region[1] <= block.last_row
        and block.first_col <= region[2] <= region[3] <= block.last_col
    ]
    return cells, inside


def _with_remarks(blocks: list[Block]) -> Iterator[tuple[Block, list[Block], list[Block]]]:
    """Tables with the text blocks above and below them; a sheet of texts alone is one table a block."""
    tables = [block for block in blocks if not block.is_text and (block.has_numbers or not block.is_sparse)]
    tables = tables or blocks
    above: dict[int, list[Block]] = {}
    below: dict[int, list[Block]] = {}
    for remark in blocks:
        if any(remark is table for table in tables):
            continue
        beside = [
            number
            for number, table in enumerate(tables)
            if table.first_row <= remark.last_row and remark.first_row <= table.last_row
        ]
        if beside:
            below.setdefault(beside[0], []).append(remark)
            continue
        later = [
            number
            for number, table in enumerate(tables)
            if table.first_row > remark.last_row and _overlap(table, remark)
        ]
        if not later:
            later = [number for number, table in enumerate(tables) if table.first_row > remark.last_row]
        earlier = [number for number, table in enumerate(tables) if table.first_row <= remark.last_row]
        if later:
            above.setdefault(min(later, key=lambda number: tables[number].first_row), []).append(remark)
        else:
            below.setdefault(max(earlier, key=lambda number: tables[number].last_row), []).append(remark)
    for number, table in enumerate(tables):
        yield table, above.get(number, []), below.get(number, [])


def _overlap(block: Block, other: Block) -> bool:
    return block.first_col <= other.last_col and other.first_col <= block.last_col


class _Axis:
    """Row or column numbers of a sheet (from 1) and their places among the visible ones (from 0)."""

    def __init__(self, hidden: Iterable[int]) -> None:
        self.hidden = set(hidden)
        self._ordered = sorted(self.hidden)

    def place(self, number: int) -> int:
        """The place of a visible row or column."""
        return number - 1 - bisect_left(self._ordered, number)

    def span(self, first: int, last: int) -> tuple[int, int] | None:
        """The places of the visible part of a range, or None where all of it is hidden."""
        while first <= last and first in self.hidden:
            first += 1
        while last >= first and last in self.hidden:
            last -= 1
        return (self.place(first), self.place(last)) if first <= last else None

    def number(self, place: int) -> int:
        """The number of the visible row or column at a place."""
        number = place + 1
        for hidden in self._ordered:
            if hidden > number:
                break
            number += 1
        return number


def _bounds(reference: str) -> tuple[int, int, int, int]:
    from openpyxl.utils import range_boundaries

    return range_boundaries(reference)


def _letters(number: int) -> str:
    from openpyxl.utils import get_column_letter

    return get_column_letter(number)
