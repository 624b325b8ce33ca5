"""Word documents: headings, lists, notes, boxes, tracked changes, fields."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_docx import W, add, edit, fill, save
from parse_files import parsed, said

from tabrag.documents.office.docx import parse_docx

docx = pytest.importorskip("docx")


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
    found = parsed(parse_docx, save(document, tmp_path))
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
        fill(table, [["", "2006"], ["Gross income", "17,542"]])
        found = parsed(parse_docx, save(document, tmp_path))
        kinds.append([kind for kind, _ in said(found)])
        assert found.tables[0].section == ("" if others_are_bold else "Patrick")
    assert kinds == [["heading", "text", "table"], ["text", "text", "table"]]


def test_numbers_of_lists_and_headings(tmp_path: Path) -> None:
    document = docx.Document()
    for text in ("one", "two", "three"):
        document.add_paragraph(text, style="List Number")
    found = parsed(parse_docx, save(document, tmp_path))
    assert said(found) == [("list", "1. one"), ("list", "2. two"), ("list", "3. three")]


def test_changes_fields_comments_and_hidden_text(tmp_path: Path) -> None:
    document = docx.Document()
    add(
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
    add(document, "<w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r></w:p>")
    add(document, "<w:p><w:r><w:t>A field that never ends hides nothing.</w:t></w:r></w:p>")
    add(
        document,
        "<w:p><m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den>"
        "</m:f></m:oMath></w:p>",
    )
    assert said(parsed(parse_docx, save(document, tmp_path))) == [
        ("text", "The fox jumps over 3 dogs on 5 m²"),
        ("text", "A field that never ends hides nothing."),
        ("text", "(a+b)/2"),
    ]


def test_text_box_stands_once(tmp_path: Path) -> None:
    document = docx.Document()
    inside = "<w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p></w:txbxContent>"
    add(
        document,
        "<w:p><w:r><w:t>Beside it</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>"
        f"<wps:wsp><wps:txbx>{inside}</wps:txbx></wps:wsp></w:drawing></mc:Choice><mc:Fallback><w:pict>"
        f"<v:rect><v:textbox>{inside}</v:textbox></v:rect></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        "</w:p>",
    )
    assert said(parsed(parse_docx, save(document, tmp_path))) == [
        ("text", "Beside it"),
        ("text", "In the box"),
    ]


def test_footnotes(tmp_path: Path) -> None:
    document = docx.Document()
    add(document, "<w:p><w:r><w:t>Sales</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>")
    document.add_paragraph("Next")
    path = save(document, tmp_path)
    notes = (
        f"<w:footnotes xmlns:w='{W}'><w:footnote w:type='separator' w:id='0'><w:p/></w:footnote>"
        "<w:footnote w:id='2'><w:p><w:r><w:t>Without taxes</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    edit(
        path,
        added={"word/footnotes.xml": notes.encode()},
        relation='<Relationship Id="rIdF" Type="x/footnotes" Target="footnotes.xml"/>',
    )
    assert said(parsed(parse_docx, path)) == [("text", "Sales"), ("note", "Without taxes"), ("text", "Next")]
