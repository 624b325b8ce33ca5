"""Tables of workbooks, made here with openpyxl, and workbooks that must be refused."""

from __future__ import annotations

import datetime
import logging
import zipfile
from pathlib import Path
from typing import Any

import pytest
from effort import within
from openpyxl import Workbook

from tabrag.errors import UserError
from tabrag.tables.grid import left_paths, path_texts, top_paths
from tabrag.tables.read_xlsx import cell_display, read_xlsx
from tabrag.types import Table


def save(tmp_path: Path, rows: dict[str, Any], *, merged: tuple[str, ...] = ()) -> Path:
    """A workbook of one sheet with values by cell name."""
    workbook = Workbook()
    sheet = workbook.active
    for name, value in rows.items():
        sheet[name] = value
    for region in merged:
        sheet.merge_cells(region)
    workbook.save(tmp_path / "w.xlsx")
    return tmp_path / "w.xlsx"


def block(corner: str, rows: list[list[Any]]) -> dict[str, Any]:
    column, row = ord(corner[0]), int(corner[1:])
    return {
        f"{chr(column + right)}{row + down}": value
        for down, values in enumerate(rows)
        for right, value in enumerate(values)
        if value is not None
    }


PRICES = [["Item", "2020", "2021"], ["Tea", 1.5, 2], ["Milk", 3, 4.25]]


def cells(table: Table) -> list[list[str]]:
    assert table.grid is not None
    return table.grid.cells


def test_title_table_and_notes(tmp_path: Path) -> None:
    path = save(tmp_path, {"A1": "Prices"} | block("B3", PRICES) | {"B7": "Source: a shop"})
    (table,) = read_xlsx(path)
    assert cells(table) == [["Item", "2020", "2021"], ["Tea", "1.5", "2"], ["Milk", "3", "4.25"]]
    assert (table.grid.num_header_rows, table.grid.num_header_cols) == (1, 1)
    assert table.caption == table.title == "Prices" and table.metadata["notes"] == "Source: a shop"
    assert table.metadata["range"] == "B3:D5" and table.source.sheet == "Sheet" and table.id == "w#t1"


def test_several_tables_of_one_sheet(tmp_path: Path) -> None:
    path = save(tmp_path, block("A1", PRICES) | block("F2", PRICES) | block("A8", PRICES))
    assert [table.metadata["range"] for table in read_xlsx(path)] == ["A1:C3", "F2:H4", "A8:C10"]


def test_header_above_an_empty_row_and_numbers_beside_an_empty_column(tmp_path: Path) -> None:
    values = block("A1", [["Item", "a"]]) | block("D1", [["b", "c"]])
    values |= block("A3", [["Tea", 1], ["Milk", 2]]) | block("D3", [[3, 4], [5, 6]])
    (table,) = read_xlsx(save(tmp_path, values))
    assert cells(table) == [["Item", "a", "b", "c"], ["Tea", "1", "3", "4"], ["Milk", "2", "5", "6"]]


def test_merged_header(tmp_path: Path) -> None:
    values = block("A1", [["Region", "Sales"], [None, "2020", "2021"], ["North", 1, 2], ["South", 3, 4]])
    (table,) = read_xlsx(save(tmp_path, values, merged=("A1:A2", "B1:C1")))
    assert sorted(table.grid.merged) == [(0, 0, 1, 2), (0, 1, 0, 0)] and table.grid.num_header_rows == 2
    assert path_texts(table.grid, top_paths(table.grid)[2]) == ["Sales", "2021"]
    assert path_texts(table.grid, left_paths(table.grid)[3]) == ["South"]


def test_hidden_parts_are_left_out(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = workbook.active
    for row in [["Item", "secret", "2020", "2021"], ["Tea", 9, 1, 2], ["old", 9, 9, 9], ["Milk", 9, 3, 4]]:
        sheet.append(row)
    sheet.merge_cells("B3:C3")
    sheet.column_dimensions["B"].hidden = True
    sheet.row_dimensions[3].hidden = True
    workbook.create_sheet("Hidden")["A1"] = "x"
    workbook["Hidden"].sheet_state = "hidden"
    workbook.save(tmp_path / "w.xlsx")
    (table,) = read_xlsx(tmp_path / "w.xlsx")
    assert cells(table) == [["Item", "2020", "2021"], ["Tea", "1", "2"], ["Milk", "3", "4"]]
    assert table.metadata["range"] == "A1:D4"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (" x ", "x"),
        (True, "TRUE"),
        (60, "60"),
        (16060000.0, "16060000"),
        (0.281, "0.281"),
        (0.1 + 0.2, "0.3"),
        (-79.4, "-79.4"),
        (datetime.datetime(2017, 3, 18), "2017-03-18"),
        (datetime.datetime(2017, 3, 18, 9, 5), "2017-03-18 09:05:00"),
        (datetime.date(2017, 3, 18), "2017-03-18"),
        (datetime.time(9, 5), "09:05:00"),
        ("#DIV/0!", "#DIV/0!"),
    ],
)
def test_display(value: Any, text: str) -> None:
    assert cell_display(value) == text


def test_remarks_right_above_and_below_are_no_part_of_the_table(tmp_path: Path) -> None:
    values = block("A1", [["Lots", None, None, None, "of"], ["words", "stand", "up", None, "here"]])
    values |= block("A3", [["merging", None, None, None, "cells"]])
    people = [["Name", "Job", "Age", "Kids", "Born"]] + [
        [f"P{number}", "x", 50 + number, 2, 1950] for number in range(9)
    ]
    values |= block("A4", people) | block("A14", [["Some"], [None, "like"], [None, None, None, None, "too!"]])
    (table,) = read_xlsx(save(tmp_path, values))
    assert cells(table)[0] == people[0] and cells(table)[-1][0] == "P8"
    assert table.metadata["notes"] == "Some\nlike\ntoo!"


def test_far_cell_costs_nothing(tmp_path: Path) -> None:
    path = save(tmp_path, block("A1", PRICES) | {"XFD1048576": "far"})
    with within(2):
        tables = read_xlsx(path)
    assert len(tables) == 1


def test_diagonal_of_cells_is_refused(tmp_path: Path) -> None:
    workbook = Workbook()
    for number in range(1, 3000):
        workbook.active.cell(number, number, "x")
    workbook.active.cell(1, 2, "y")
    workbook.save(tmp_path / "w.xlsx")
    with pytest.raises(UserError, match=r"w\.xlsx: sheet 'Sheet' spreads a table"):
        read_xlsx(tmp_path / "w.xlsx")


def test_formula_without_result_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        (table,) = read_xlsx(save(tmp_path, block("A1", PRICES) | {"C4": "=B2+B3"}))
    assert "1 formulas have no stored result" in caplog.text and cells(table)[-1][0] == "Milk"


def replace_part(path: Path, name: str, content: bytes) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {member: archive.read(member) for member in archive.namelist()}
    parts[name] = content
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in parts.items():
            archive.writestr(member, data)


SHEET = "xl/worksheets/sheet1.xml"
_SPACE = b'<?xml version="1.0"?><worksheet>' + b" " * (120 << 20)
_ENTITY = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x [<!ENTITY a "b">]><worksheet>&a;</worksheet>'
_MERGED = b'<worksheet><sheetData/><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_SPACE, "unpacks to more than"),
        (_ENTITY.encode("utf-16"), "XML entities"),
        (_MERGED, "merges over"),
        (b"<worksheet><sheetData><row", "no readable workbook"),
    ],
    ids=["size", "entity", "merge", "broken"],
)
def test_harmful_parts_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = save(tmp_path, block("A1", PRICES))
    replace_part(path, SHEET, content)
    with within(2), pytest.raises(UserError, match=message) as caught:
        read_xlsx(path)
    assert str(path) in str(caught.value)


def test_files_that_are_no_workbooks(tmp_path: Path) -> None:
    path = save(tmp_path, block("A1", PRICES))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match=r"w\.xlsx: is cut off or broken"):
        read_xlsx(path)
    path.write_bytes(whole[:200] + bytes(200) + whole[400:])
    with pytest.raises(UserError, match=r"w\.xlsx"):
        read_xlsx(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<x/>")
    with pytest.raises(UserError, match="is no workbook"):
        read_xlsx(path)
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500))
    with pytest.raises(UserError, match="old binary format"):
        read_xlsx(path)
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(UserError, match="password"):
        read_xlsx(path)
    with pytest.raises(UserError, match=r"none\.xlsx"):
        read_xlsx(tmp_path / "none.xlsx")


def test_workbook_without_text(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no visible sheet holds a text"):
        read_xlsx(save(tmp_path, {}))
