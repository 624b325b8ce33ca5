"""Tables of Word documents in all shapes, with captions, notes and what stands in their cells."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from made_docx import add, fill, save
from parse_files import parsed, png, said

from tabrag.documents.office.docx import parse_docx
from tabrag.tables.grid import left_paths, path_texts

docx = pytest.importorskip("docx")


def test_captions_notes_and_titles_of_tables(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Results", level=1)
    for number, word in enumerate(("Sales", "Costs"), start=1):
        document.add_paragraph(f"Table {number}: {word} by region", style="Caption")
        fill(document.add_table(2, 2), [["Region", "2020"], ["North", f"{number}0"]])
        document.add_paragraph("Source: own figures")
        document.add_paragraph("Table 9 shows nothing of this.")
    document.add_paragraph("Staff by year:")
    fill(document.add_table(2, 2), [["Year", "Staff"], ["2020", "7"]])
    found = parsed(parse_docx, save(document, tmp_path))
    assert [table.caption for table in found.tables] == [
        "Table 1: Sales by region",
        "Table 2: Costs by region",
        "",
    ]
    assert found.tables[0].metadata["notes"] == "Source: own figures"
    assert found.tables[2].title == "Staff by year" and found.tables[2].section == "Results"
    assert [table.id for table in found.tables] == ["doc#t1", "doc#t2", "doc#t3"]
    assert (
        {table.document for table in found.tables} == {table.source.file for table in found.tables} == {"doc"}
    )
    kinds = [kind for kind, _ in said(found)]
    assert kinds == ["heading", *["caption", "table", "note", "text"] * 2, "text", "table"]


def test_captions_below(tmp_path: Path) -> None:
    document = docx.Document()
    for number in (1, 2, 3):
        fill(document.add_table(2, 2), [["Region", "2020"], ["North", f"{number}0"]])
        document.add_paragraph(f"Table {number}: that above", style="Caption")
    found = parsed(parse_docx, save(document, tmp_path))
    assert [table.caption for table in found.tables] == [
        f"Table {number}: that above" for number in (1, 2, 3)
    ]


def test_nested_tables_lists_and_pictures_in_cells(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(3, 2)
    fill(table, [["Column A", "Column B"], ["left", ""], ["more", "end"]])
    cell = table.cell(1, 1)
    cell.text = "first"
    cell.add_paragraph("point", style="List Bullet")
    cell.paragraphs[0].add_run().add_picture(io.BytesIO(png()))
    fill(cell.add_table(2, 2), [["E", "F"], ["1", "2"]])
    document.add_paragraph("after")
    found = parsed(parse_docx, save(document, tmp_path))
    outer, inner = found.tables
    assert outer.grid.cells == [["Column A", "Column B"], ["left", "first\npoint"], ["more", "end"]]
    assert inner.grid.cells == [["E", "F"], ["1", "2"]] and inner.metadata["outer_table"] == outer.id
    assert [kind for kind, _ in said(found)] == ["table", "table", "picture", "text"]
    image = found.document.blocks[2].image
    assert image == "images/doc/1.png" and (tmp_path / "out" / image).is_file()


def test_frames_and_columns_are_text(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_table(1, 1).cell(0, 0).text = "A framed remark"
    fill(document.add_table(1, 2), [["long text " * 40, "other column"]])
    assert [kind for kind, _ in said(parsed(parse_docx, save(document, tmp_path)))] == ["text"] * 3


def test_rows_of_other_lengths(tmp_path: Path) -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"

    document = docx.Document()
    wide = cell("wide", "<w:gridSpan w:val='99999999'/>")
    late = "<w:trPr><w:gridBefore w:val='1'/></w:trPr>"
    add(
        document,
        f"<w:tbl><w:tr>{cell('h0')}{cell('h1')}{cell('h2')}</w:tr><w:tr>{late}{cell('b1')}</w:tr>"
        f"<w:tr>{cell('c0')}{wide}</w:tr>"
        f"<w:tr><w:trPr><w:del/></w:trPr>{cell('gone')}</w:tr></w:tbl>",
    )
    (table,) = parsed(parse_docx, save(document, tmp_path)).tables
    assert table.grid.cells == [["h0", "h1", "h2"], ["", "b1", ""], ["c0", "wide", ""]]
    assert table.grid.merged == [(2, 2, 1, 2)]


def test_overlapping_merges(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    for first, last, text in (((0, 0), (1, 0), "a"), ((0, 1), (0, 2), "b"), ((1, 2), (2, 2), "d")):
        table.cell(*first).merge(table.cell(*last)).text = text
    table.cell(1, 1).text = "c"
    table.cell(2, 0).merge(table.cell(2, 1)).text = "e"
    (found,) = parsed(parse_docx, save(document, tmp_path)).tables
    assert found.grid.cells == [["a", "b", ""], ["", "c", "d"], ["e", "", ""]]
    assert sorted(found.grid.merged) == [(0, 0, 1, 2), (0, 1, 0, 0), (1, 2, 2, 2), (2, 2, 0, 1)]


def test_stacked_lines_are_rows(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(2, 3)
    fill(
        table,
        [
            ["", "2006", "2007"],
            [
                "\nGross income\nTax\nNet income\n\nGain\n(per month)\n\nTotal",
                "€\n10\n2\n8",
                "€\n12\n3\n9\n\n\n5\n\n1",
            ],
        ],
    )
    (found,) = parsed(parse_docx, save(document, tmp_path)).tables
    assert found.grid.cells == [
        ["", "2006", "2007"],
        ["", "€", "€"],
        ["Gross income", "10", "12"],
        ["Tax", "2", "3"],
        ["Net income", "8", "9"],
        ["Gain\n(per month)", "", "5"],
        ["Total", "", "1"],
    ]


def test_indented_labels_are_levels(tmp_path: Path) -> None:
    from docx.shared import Pt

    document = docx.Document()
    table = document.add_table(4, 2)
    fill(table, [["", "2020"], ["Assets", "9"], ["Cash", "4"], ["Stock", "5"]])
    for row in (2, 3):
        table.cell(row, 0).paragraphs[0].paragraph_format.left_indent = Pt(18)
    (found,) = parsed(parse_docx, save(document, tmp_path)).tables
    assert path_texts(found.grid, left_paths(found.grid)[2]) == ["Assets", "Cash"]
    assert found.grid.cells[2][0] == "Cash"
