"""Word documents: headings, lists, notes, boxes, tracked changes, fields, tables in all shapes, pictures."""

from __future__ import annotations

import io
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from parse_files import parsed, png, said

from tabrag.documents.office.docx import parse_docx
from tabrag.errors import UserError
from tabrag.tables.grid import left_paths, path_texts

docx = pytest.importorskip("docx")
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DECLARED = (
    f'xmlns:w="{W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


def _add(document: Any, xml: str) -> None:
    """Add an element to the body, before the settings of its last section."""
    from docx.oxml import parse_xml

    first, _, rest = xml.partition(">")
    closed = first.endswith("/")
    first = first.rstrip("/")
    element = parse_xml(f"{first} {DECLARED}{'/' if closed else ''}>{rest}")
    document.element.body.insert(len(document.element.body) - 1, element)


def _save(document: Any, folder: Path) -> Path:
    path = folder / "file.docx"
    document.save(path)
    return path


def _fill(table: Any, rows: list[list[str]]) -> None:
    for row, texts in enumerate(rows):
        for col, text in enumerate(texts):
            table.cell(row, col).text = text


def test_text_in_order(tmp_path: Path) -> None:
    document = docx.Document()
    document.core_properties.title = "Microsoft Word - draft"
    document.add_heading("Annual report", level=0)
    document.add_heading("Results", level=1)
    document.add_paragraph("Sales grew.")
    document.add_paragraph("first point", style="List Bullet")
    document.add_heading("Outlook", level=2)
    document.add_paragraph("All went\twell.")
    document.sections[0].header.paragraphs[0].text = "CONFIDENTIAL"
    document.sections[0].footer.paragraphs[0].text = "page 1"
    found = parsed(parse_docx, _save(document, tmp_path))
    assert said(found) == [
        ("heading", "Annual report"),
        ("heading", "Results"),
        ("text", "Sales grew."),
        ("list", "first point"),
        ("heading", "Outlook"),
        ("text", "All went well."),
    ]
    assert [block.level for block in found.document.blocks] == [1, 1, 0, 0, 2, 0]
    assert found.document.title == "Annual report" and not found.partial and not found.notes


def test_bold_lines_are_headings_unless_all_is_bold(tmp_path: Path) -> None:
    kinds = []
    for others_are_bold in (False, True):
        document = docx.Document()
        for text, is_bold in (("Patrick", True), ("He is single and works as a waiter.", others_are_bold)):
            document.add_paragraph().add_run(text).bold = is_bold
        table = document.add_table(2, 2)
        _fill(table, [["", "2006"], ["Gross income", "17,542"]])
        found = parsed(parse_docx, _save(document, tmp_path))
        kinds.append([kind for kind, _ in said(found)])
        assert found.tables[0].section == ("" if others_are_bold else "Patrick")
    assert kinds == [["heading", "text", "table"], ["text", "text", "table"]]


def test_numbers_of_lists_and_headings(tmp_path: Path) -> None:
    document = docx.Document()
    for text in ("one", "two", "three"):
        document.add_paragraph(text, style="List Number")
    found = parsed(parse_docx, _save(document, tmp_path))
    assert said(found) == [("list", "1. one"), ("list", "2. two"), ("list", "3. three")]


def test_changes_fields_comments_and_hidden_text(tmp_path: Path) -> None:
    document = docx.Document()
    _add(
        document,
        "<w:p><w:r><w:t xml:space='preserve'>The fox </w:t></w:r>"
        "<w:ins><w:r><w:t>jumps</w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>sleeps</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
        "<w:r><w:commentReference w:id='1'/></w:r>"
        "<w:r><w:t xml:space='preserve'> over </w:t></w:r>"
        "<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>REF x</w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>3</w:t></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r>"
        "<w:fldSimple w:instr='PAGE'><w:r><w:t xml:space='preserve'> dogs</w:t></w:r></w:fldSimple>"
        "<w:r><w:t xml:space='preserve'> on 5 m</w:t></w:r>"
        "<w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>2</w:t></w:r></w:p>",
    )
    _add(document, "<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r></w:p>")
    _add(document, "<w:p><w:r><w:t>A field that never ends hides nothing.</w:t></w:r></w:p>")
    _add(
        document,
        "<w:p><m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den>"
        "</m:f></m:oMath></w:p>",
    )
    assert said(parsed(parse_docx, _save(document, tmp_path))) == [
        ("text", "The fox jumps over 3 dogs on 5 m²"),
        ("text", "A field that never ends hides nothing."),
        ("text", "(a+b)/2"),
    ]


def test_text_box_stands_once(tmp_path: Path) -> None:
    document = docx.Document()
    inside = "<w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p></w:txbxContent>"
    _add(
        document,
        "<w:p><w:r><w:t>Beside it</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>"
        f"<wps:wsp><wps:txbx>{inside}</wps:txbx></wps:wsp></w:drawing></mc:Choice><mc:Fallback><w:pict>"
        f"<v:rect><v:textbox>{inside}</v:textbox></v:rect></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        "</w:p>",
    )
    assert said(parsed(parse_docx, _save(document, tmp_path))) == [
        ("text", "Beside it"),
        ("text", "In the box"),
    ]


def test_footnotes(tmp_path: Path) -> None:
    document = docx.Document()
    _add(document, "<w:p><w:r><w:t>Sales</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>")
    document.add_paragraph("Next")
    path = _save(document, tmp_path)
    notes = (
        f"<w:footnotes xmlns:w='{W}'><w:footnote w:type='separator' w:id='0'><w:p/></w:footnote>"
        "<w:footnote w:id='2'><w:p><w:r><w:t>Without taxes</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    _edit(
        path,
        added={"word/footnotes.xml": notes.encode()},
        relation='<Relationship Id="rIdF" Type="x/footnotes" Target="footnotes.xml"/>',
    )
    assert said(parsed(parse_docx, path)) == [("text", "Sales"), ("note", "Without taxes"), ("text", "Next")]


def test_captions_notes_and_titles_of_tables(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Results", level=1)
    for number, word in enumerate(("Sales", "Costs"), start=1):
        document.add_paragraph(f"Table {number}: {word} by region", style="Caption")
        _fill(document.add_table(2, 2), [["Region", "2020"], ["North", f"{number}0"]])
        document.add_paragraph("Source: own figures")
        document.add_paragraph("Table 9 shows nothing of this.")
    document.add_paragraph("Staff by year:")
    _fill(document.add_table(2, 2), [["Year", "Staff"], ["2020", "7"]])
    found = parsed(parse_docx, _save(document, tmp_path))
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
        _fill(document.add_table(2, 2), [["Region", "2020"], ["North", f"{number}0"]])
        document.add_paragraph(f"Table {number}: that above", style="Caption")
    found = parsed(parse_docx, _save(document, tmp_path))
    assert [table.caption for table in found.tables] == [
        f"Table {number}: that above" for number in (1, 2, 3)
    ]


def test_nested_tables_lists_and_pictures_in_cells(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(3, 2)
    _fill(table, [["Column A", "Column B"], ["left", ""], ["more", "end"]])
    cell = table.cell(1, 1)
    cell.text = "first"
    cell.add_paragraph("point", style="List Bullet")
    cell.paragraphs[0].add_run().add_picture(io.BytesIO(png()))
    _fill(cell.add_table(2, 2), [["E", "F"], ["1", "2"]])
    document.add_paragraph("after")
    found = parsed(parse_docx, _save(document, tmp_path))
    outer, inner = found.tables
    assert outer.grid.cells == [["Column A", "Column B"], ["left", "first\npoint"], ["more", "end"]]
    assert inner.grid.cells == [["E", "F"], ["1", "2"]] and inner.metadata["outer_table"] == outer.id
    assert [kind for kind, _ in said(found)] == ["table", "table", "picture", "text"]
    image = found.document.blocks[2].image
    assert image == "images/doc/1.png" and (tmp_path / "out" / image).is_file()


def test_frames_and_columns_are_text(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_table(1, 1).cell(0, 0).text = "A framed remark"
    _fill(document.add_table(1, 2), [["long text " * 40, "other column"]])
    assert [kind for kind, _ in said(parsed(parse_docx, _save(document, tmp_path)))] == ["text"] * 3


def test_rows_of_other_lengths(tmp_path: Path) -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"

    document = docx.Document()
    wide = cell("wide", "<w:gridSpan w:val='99999999'/>")
    late = "<w:trPr><w:gridBefore w:val='1'/></w:trPr>"
    _add(
        document,
        f"<w:tbl><w:tr>{cell('h0')}{cell('h1')}{cell('h2')}</w:tr><w:tr>{late}{cell('b1')}</w:tr>"
        f"<w:tr>{cell('c0')}{wide}</w:tr>"
        f"<w:tr><w:trPr><w:del/></w:trPr>{cell('gone')}</w:tr></w:tbl>",
    )
    (table,) = parsed(parse_docx, _save(document, tmp_path)).tables
    assert table.grid.cells == [["h0", "h1", "h2"], ["", "b1", ""], ["c0", "wide", ""]]
    assert table.grid.merged == [(2, 2, 1, 2)]


def test_overlapping_merges(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    for first, last, text in (((0, 0), (1, 0), "a"), ((0, 1), (0, 2), "b"), ((1, 2), (2, 2), "d")):
        table.cell(*first).merge(table.cell(*last)).text = text
    table.cell(1, 1).text = "c"
    table.cell(2, 0).merge(table.cell(2, 1)).text = "e"
    (found,) = parsed(parse_docx, _save(document, tmp_path)).tables
    assert found.grid.cells == [["a", "b", ""], ["", "c", "d"], ["e", "", ""]]
    assert sorted(found.grid.merged) == [(0, 0, 1, 2), (0, 1, 0, 0), (1, 2, 2, 2), (2, 2, 0, 1)]


def test_stacked_lines_are_rows(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(2, 3)
    _fill(
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
    (found,) = parsed(parse_docx, _save(document, tmp_path)).tables
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
    _fill(table, [["", "2020"], ["Assets", "9"], ["Cash", "4"], ["Stock", "5"]])
    for row in (2, 3):
        table.cell(row, 0).paragraphs[0].paragraph_format.left_indent = Pt(18)
    (found,) = parsed(parse_docx, _save(document, tmp_path)).tables
    assert path_texts(found.grid, left_paths(found.grid)[2]) == ["Assets", "Cash"]
    assert found.grid.cells[2][0] == "Cash"


def test_damaged_parts_cost_their_own_content(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Text")
    document.add_picture(io.BytesIO(png()))
    path = _save(document, tmp_path)
    assert not parsed(parse_docx, path).partial
    _edit(path, replaced={"word/styles.xml": b"<w:sty", "word/media/image1.png": png()[:60]})
    found = parsed(parse_docx, path)
    assert ("text", "Text") in said(found) and found.partial
    assert len(found.notes) == 2 and any("image1.png" in note for note in found.notes)


def test_drawings_are_noted(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Text")
    document.add_picture(io.BytesIO(png()))
    path = _save(document, tmp_path)
    emf = b"\x01\x00\x00\x00" + bytes(36) + b" EMF" + bytes(40)
    _edit(path, replaced={"word/media/image1.png": emf})
    found = parsed(parse_docx, path)
    assert found.partial and "EMF" in found.notes[0] and said(found) == [("text", "Text")]


def test_faults(tmp_path: Path) -> None:
    path = _save(docx.Document(), tmp_path)
    with pytest.raises(UserError, match="holds no text"):
        parsed(parse_docx, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="cut off"):
        parsed(parse_docx, path)
    path.write_bytes(whole)
    _edit(path, replaced={"word/document.xml": b"<w:document"})
    with pytest.raises(UserError, match="is damaged"):
        parsed(parse_docx, path)
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(UserError, match="password"):
        parsed(parse_docx, path)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<!DOCTYPE x [<!ENTITY a 'b'>]><w:document>&a;</w:document>", id="entities"),
        pytest.param(b"<w:document>" + b" " * (200 << 20) + b"</w:document>", id="blanks"),
        pytest.param(b"<w:document>" + b"<w:sdt>" * 100_000 + b"</w:document>", id="deep"),
    ],
)
def test_bombs(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", body)
    code = (
        "import sys, pathlib, tempfile\n"
        "from tabrag.documents.office.docx import parse_docx\n"
        "from tabrag.documents.parsed import ParseOptions, Pictures\n"
        "try: parse_docx(pathlib.Path(sys.argv[1]), 'd', pictures=Pictures(pathlib.Path('.'), 'd'),"
        " options=ParseOptions())\n"
        "except ValueError as error:\n"
        "    print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
    )
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=60)
    assert 0 < int(done.stdout) < 250 * 1024, done.stderr
    assert time.monotonic() - start < 10


def test_table_that_spreads_over_millions_of_positions(tmp_path: Path) -> None:
    rows = "".join(
        f"<w:tr><w:trPr><w:gridBefore w:val='{3 * row + 1}'/></w:trPr>"
        "<w:tc><w:p><w:r><w:t>7</w:t></w:r></w:p></w:tc></w:tr>"
        for row in range(1200)
    )
    document = docx.Document()
    _add(document, f"<w:tbl>{rows}</w:tbl>")
    start = time.process_time()
    with pytest.raises(UserError, match="1200 x 1200 cells"):
        parsed(parse_docx, _save(document, tmp_path))
    assert time.process_time() - start < 2


def test_real_files(files_root: Path, tmp_path: Path) -> None:
    rich = parsed(parse_docx, files_root / "docx" / "testWORD_2006ml.docx", out=tmp_path)
    text = "\n".join(text for _, text in said(rich))
    assert "The quick brown fox jumped over the lazy brown dog." in text
    assert "Deleted paragraph" not in text and text.count("This is a text box") == 1
    assert ("note", "And this is the footnote") in said(rich)
    chart = next(table for table in rich.tables if table.metadata.get("kind") == "chart")
    assert chart.grid.cells[1] == ["Category 1", "4.3", "2.4", "2"]


def _edit(
    path: Path,
    *,
    replaced: dict[str, bytes] | None = None,
    added: dict[str, bytes] | None = None,
    relation: str = "",
) -> None:
    """Change parts of a package; a relationship is added to those of the main part."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert set(replaced or {}) <= set(parts)
    parts |= (replaced or {}) | (added or {})
    name = "word/_rels/document.xml.rels"
    parts[name] = parts[name].replace(b"</Relationships>", relation.encode() + b"</Relationships>")
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
