"""Workbooks and delimited text as documents."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.drawing.image import Image
from parse_files import parsed, png, said

from tabrag.documents.sheets import parse_sheets
from tabrag.errors import UserError
from tabrag.tables.grid import path_texts, top_paths
from tabrag.tables.text import headers_text, markdown


def _workbook(folder: Path) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Sales"
    for row in (
        ["Sales by region"],
        [],
        ["Region", 2019, 2020],
        ["North", 1, 2],
        ["South", 3, "=B5+1"],
        ["Hidden", 8, 9],
        [],
        ["Note: without taxes"],
    ):
        sheet.append(row)
    sheet.row_dimensions[6].hidden = True
    sheet.add_image(Image(io.BytesIO(png())), "F2")
    book.create_sheet("Secret").append(["x", 1])
    book["Secret"].sheet_state = "hidden"
    last = book.create_sheet("Two")
    for col, name in ((1, "a"), (5, "b")):
        for row in range(1, 4):
            last.cell(row, col, f"{name}{row}" if row > 1 else "Name")
            last.cell(row, col + 1, row if row > 1 else "Value")
    path = folder / "book.xlsx"
    book.save(path)
    return path


def test_workbook(tmp_path: Path) -> None:
    found = parsed(parse_sheets, _workbook(tmp_path))
    assert said(found) == [
        ("heading", "Sales"),
        ("caption", "Sales by region"),
        ("table", "doc#t1"),
        ("note", "Note: without taxes"),
        ("picture", "images/doc/1.png"),
        ("heading", "Two"),
        ("table", "doc#t2"),
        ("table", "doc#t3"),
    ]
    first, second, third = found.tables
    assert first.grid.cells == [["Region", "2019", "2020"], ["North", "1", "2"], ["South", "3", ""]]
    assert (first.title, first.section, first.source.sheet, first.source.page) == (
        "Sales by region",
        "Sales",
        "Sales",
        1,
    )
    assert (second.title, second.source.page, third.source.page) == ("Two", 3, 3)
    assert (second.metadata["range"], third.metadata["range"]) == ("A1:B3", "E1:F3")
    assert [page.number for page in found.document.pages] == [1, 2, 3]
    assert [block.page for block in found.document.blocks] == [1, 1, 1, 1, 1, 3, 3, 3]
    # A formula that nobody has calculated leaves a hole.
    assert found.partial and "1 formulas" in found.notes[0]
    assert "hidden sheets are left out: Secret" in found.notes


def _edit(path: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {member: archive.read(member) for member in archive.namelist()}
    parts[name] = change(parts[name])
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in parts.items():
            archive.writestr(member, data)


def test_text_boxes_on_sheets(tmp_path: Path) -> None:
    path = _workbook(tmp_path)
    text = "<a:p xmlns:a='a'><a:r><a:t>Read me</a:t></a:r></a:p>"
    box = f"<x:sp xmlns:x='x'><x:txBody>{text}</x:txBody></x:sp></wsDr>".encode()
    _edit(path, "xl/drawings/drawing1.xml", lambda data: data.replace(b"</wsDr>", box))
    assert ("text", "Read me") in said(parsed(parse_sheets, path))


def test_damaged_picture(tmp_path: Path) -> None:
    path = _workbook(tmp_path)
    _edit(path, "xl/media/image1.png", lambda data: data[:50])
    found = parsed(parse_sheets, path)
    assert len(found.tables) == 3 and any("image1.png" in note for note in found.notes)


def test_delimited_text(tmp_path: Path) -> None:
    path = tmp_path / "cups.csv"
    path.write_bytes(
        "Cups by team\r\nTeam,Cups\r\nLeafs,13\r\nHabs,24,x\r\nNote: all years\r\n".encode("utf-16")
    )
    found = parsed(parse_sheets, path)
    assert said(found) == [("caption", "Cups by team"), ("table", "doc#t1"), ("note", "Note: all years")]
    assert found.document.title == found.tables[0].title == "Cups by team"
    assert found.document.metadata == {"encoding": "utf-16"} and found.document.pages == []
    assert "record 4 has 3 fields" in found.notes[0]


def test_headers_over_empty_cells_without_merged_cells(tmp_path: Path) -> None:
    """Report H09: literal by default, filled to the right on demand; nothing stands for an empty cell."""
    rows = [["", "Sales", "", "Costs", ""], ["Shop", "2019", "2020", "2019", "2020"]]
    rows += [["A", 1, 2, 3, 4], ["B", 5, 6, 7, 8]]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([cell or None for cell in row])
    book.save(tmp_path / "b.xlsx")
    (tmp_path / "b.csv").write_text("\n".join(",".join(map(str, row)) for row in rows))
    for name in ("b.xlsx", "b.csv"):
        (literal,) = parsed(parse_sheets, tmp_path / name).tables
        (filled,) = parsed(parse_sheets, tmp_path / name, fill_right=True).tables
        texts = [
            [path_texts(table.grid, path) for path in top_paths(table.grid)] for table in (literal, filled)
        ]
        assert texts[0][1:3] == [["Sales", "2019"], ["2020"]]
        assert texts[1][1:] == [[top, year] for top in ("Sales", "Costs") for year in ("2019", "2020")]
        assert literal.grid.cells == filled.grid.cells
        assert not any(word in headers_text(filled) + markdown(literal) for word in ("nan", "None"))


def test_faults(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(",,\n,,\n", encoding="utf-8")
    with pytest.raises(UserError, match="holds no text"):
        parsed(parse_sheets, path)
    with pytest.raises(UserError, match="cannot be read"):
        parsed(parse_sheets, tmp_path / "none.csv")
    path.write_bytes(_workbook(tmp_path).read_bytes()[:3000])
    with pytest.raises(UserError, match="cut off"):
        parsed(parse_sheets, path)


def test_real_files(files_root: Path, tmp_path: Path) -> None:
    book = parsed(parse_sheets, files_root / "xlsx" / "xlsx_01.xlsx", out=tmp_path)
    assert len(book.document.pages) == 4 and book.notes == ["hidden sheets are left out: Sheet4"]
    assert {table.source.sheet for table in book.tables} == {"Sheet1", "Sheet2", "Sheet3"}
    assert sum(block.image is not None for block in book.document.blocks) == 1
    bad = parsed(parse_sheets, files_root / "csv" / "bad.csv", out=tmp_path)
    assert "record 2 has 4 fields" in bad.notes[0]
