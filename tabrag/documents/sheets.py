"""Workbooks and delimited text (.xlsx, .csv, .tsv) into documents: a page a sheet, a block a table."""

from __future__ import annotations

import re
from pathlib import Path

from tabrag.documents.builder import DocumentBuilder
from tabrag.documents.office.package import OfficePackage
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.documents.sheet_parts import SheetPart, sheet_parts
from tabrag.errors import UserError
from tabrag.tables.package_guard import check_workbook
from tabrag.tables.read_csv import read_csv
from tabrag.tables.read_xlsx import read_xlsx
from tabrag.types import Page, Table

_ZIP = b"PK"


def parse_sheets(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Read a workbook or a file of delimited text.

    Tables are found by :func:`tabrag.tables.read_xlsx.read_xlsx` and
    :func:`tabrag.tables.read_csv.read_csv`. Texts above a table are its caption, those below it notes; both
    are blocks too. The name of a sheet is a heading. Hidden sheets, rows and columns are left out.

    Args:
        path: The file.
        document_id: Id of the document.
        pictures: Takes up the pictures on its sheets.
        options: How to read it; only ``fill_right`` is of concern.

    Raises:
        UserError: Damaged, encrypted, too large, or no text in it.
    """
    try:
        with path.open("rb") as file:
            is_workbook = file.read(2) in (_ZIP, b"\xd0\xcf")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    builder = DocumentBuilder(path, document_id, pictures)
    if not is_workbook:
        _records(builder, read_csv(path, fill_right=options.fill_right))
        return builder.finish()
    if num_bare := check_workbook(path):
        builder.lose(f"{num_bare} formulas have no stored result and read as empty: save the file in Excel")
    tables = read_xlsx(path, fill_right=options.fill_right)
    with OfficePackage(path, main="workbook.xml") as package:
        parts = sheet_parts(package)
        _workbook(builder, tables, parts)
    return builder.finish(pages=[Page(number=number) for number in range(1, len(parts) + 1)])


def _records(builder: DocumentBuilder, tables: list[Table]) -> None:
    for table in tables:
        warning = table.metadata.get("warning", "")
        if warning:
            builder.remark(warning)
        builder.metadata.setdefault("encoding", table.metadata.get("encoding", ""))
        _put(builder, table)
    # A title above the only table is that of the file.
    builder.title = tables[0].caption if len(tables) == 1 else ""


def _workbook(builder: DocumentBuilder, tables: list[Table], parts: list[SheetPart]) -> None:
    hidden = [part.name for part in parts if part.is_hidden]
    if hidden:
        builder.remark(f"hidden sheets are left out: {', '.join(hidden)}")
    for number, part in enumerate(parts, start=1):
        if part.is_hidden:
            continue
        on_sheet = [table for table in tables if table.source.page == number]
        builder.page = number
        images, texts = list(part.pictures()), list(part.texts())
        if on_sheet or images or any(texts):
            builder.add("heading", part.name, level=1)
        for table in on_sheet:
            _put(builder, table)
        for text in texts:
            builder.add("text", text)
        for image, text in images:
            try:
                builder.add_picture(image.data, f"sheet {part.name!r}, {image.name}", text=text)
            except ValueError as error:
                builder.lose(f"sheet {part.name!r}: {error}")
    builder.page = None


def _put(builder: DocumentBuilder, table: Table) -> None:
    """Add a table with the texts above and below it."""
    if table.caption:
        builder.add("caption", table.caption)
    table.title = table.caption
    builder.add_table(table)
    for note in re.split(r"\n+", table.metadata.get("notes", "")):
        builder.add("note", note)
