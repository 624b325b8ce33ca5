"""Indents of row labels in Word and PowerPoint tables, however they are made, become levels of left paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from parse_files import parsed

from tabrag.documents.office.docx import parse_docx
from tabrag.documents.office.pptx import parse_pptx
from tabrag.tables.grid import left_paths, path_texts
from tabrag.types import Grid

docx = pytest.importorskip("docx")
pptx = pytest.importorskip("pptx")

ROWS = [["", "2020"], ["Europe", "9"], ["France", "4"], ["Paris", "1"], ["Spain", "5"], ["Asia", "3"]]
LEVELS = {"Europe": 0, "France": 1, "Paris": 2, "Spain": 1, "Asia": 0}
WHOLE = [["Europe"], ["Europe", "France"], ["Europe", "France", "Paris"], ["Europe", "Spain"], ["Asia"]]
Indent = Callable[[Any, Any, int], None]


def _lefts(grid: Grid | None) -> list[list[str]]:
    assert grid is not None
    return [path_texts(grid, path) for path in left_paths(grid)[grid.num_header_rows :]]


def _word_grid(folder: Path, indent: Indent) -> Grid | None:
    """Reads a Word table whose labels ``indent(document, cell, level)`` has indented."""
    document = docx.Document()
    table = document.add_table(len(ROWS), 2)
    for row, texts in enumerate(ROWS):
        for col, text in enumerate(texts):
            table.cell(row, col).text = text
        if texts[0]:
            indent(document, table.cell(row, 0), LEVELS[texts[0]])
    document.save(folder / "file.docx")
    (found,) = parsed(parse_docx, folder / "file.docx").tables
    return found.grid


def _format(cell: Any) -> Any:
    return cell.paragraphs[0].paragraph_format


def _word_left(document: Any, cell: Any, level: int) -> None:
    _format(cell).left_indent = docx.shared.Pt(9 * level)


def _word_little(document: Any, cell: Any, level: int) -> None:
    """Steps of a tenth of an inch that were set by hand."""
    _format(cell).left_indent = docx.shared.Twips(144 * level + (4 if cell.text == "Spain" else 0))


def _word_start(document: Any, cell: Any, level: int) -> None:
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    cell.paragraphs[0]._p.get_or_add_pPr().append(
        parse_xml(f'<w:ind {nsdecls("w")} w:start="{180 * level}"/>')
    )


def _word_first_line(document: Any, cell: Any, level: int) -> None:
    """Wrapped labels hang: what counts is where the first line begins."""
    _format(cell).left_indent = docx.shared.Pt(36)
    _format(cell).first_line_indent = docx.shared.Pt(9 * level - 36)


def _word_style(document: Any, cell: Any, level: int) -> None:
    """Styles that are based on each other, one a level."""
    names = ["Normal", "Label 1", "Label 2"]
    for below, name in zip(names, names[1:], strict=False):
        if name not in [style.name for style in document.styles]:
            style = document.styles.add_style(name, docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
            style.base_style = document.styles[below]
            if name == "Label 1":
                style.paragraph_format.first_line_indent = docx.shared.Pt(10)
            else:
                style.paragraph_format.left_indent = docx.shared.Pt(10)
    cell.paragraphs[0].style = document.styles[names[level]]


def _word_bullets(document: Any, cell: Any, level: int) -> None:
    if level:
        cell.paragraphs[0].style = document.styles[["", "List Bullet", "List Bullet 2"][level]]


def _word_margin(document: Any, cell: Any, level: int) -> None:
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    margin = f'<w:tcMar {nsdecls("w")}><w:left w:w="{108 + 200 * level}" w:type="dxa"/></w:tcMar>'
    cell._tc.get_or_add_tcPr().append(parse_xml(margin))


def _word_blanks(document: Any, cell: Any, level: int) -> None:
    cell.text = "\u00a0 " * level + cell.text


def _word_tabs(document: Any, cell: Any, level: int) -> None:
    cell.text = "\t" * level + cell.text


@pytest.mark.parametrize(
    "indent",
    [
        *(_word_left, _word_little, _word_start, _word_first_line, _word_style, _word_bullets),
        *(_word_margin, _word_blanks, _word_tabs),
    ],
)
def test_word_labels(tmp_path: Path, indent: Indent) -> None:
    grid = _word_grid(tmp_path, indent)
    assert _lefts(grid) == WHOLE
    assert grid is not None and [row[0] for row in grid.cells] == [row[0] for row in ROWS]


def test_word_labels_that_are_set_alike_or_in_the_middle_have_no_levels(tmp_path: Path) -> None:
    def alike(document: Any, cell: Any, level: int) -> None:
        _format(cell).left_indent = docx.shared.Pt(18)

    def slip(document: Any, cell: Any, level: int) -> None:
        cell.text = " " * min(level, 1) + cell.text

    def middle(document: Any, cell: Any, level: int) -> None:
        name = f"Middle {level}"
        if name not in [style.name for style in document.styles]:
            style = document.styles.add_style(name, docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
            style.paragraph_format.alignment = docx.enum.text.WD_ALIGN_PARAGRAPH.CENTER
            style.paragraph_format.left_indent = docx.shared.Pt(18 * level)
        cell.paragraphs[0].style = document.styles[name]

    for indent in (alike, slip, middle):
        assert _lefts(_word_grid(tmp_path, indent)) == [[label] for label, _ in ROWS[1:]]


def test_word_label_of_two_lines_keeps_its_level(tmp_path: Path) -> None:
    def wrapped(document: Any, cell: Any, level: int) -> None:
        cell.paragraphs[0].add_run("\nand others")
        _word_left(document, cell, level)

    assert _lefts(_word_grid(tmp_path, wrapped))[2] == [
        "Europe\nand others",
        "France\nand others",
        "Paris\nand others",
    ]


def test_word_rows_stacked_in_one_keep_their_levels(tmp_path: Path) -> None:
    document = docx.Document()
    table = document.add_table(2, 2)
    table.cell(0, 1).text = "2020"
    for col in range(2):
        for place, texts in enumerate(ROWS[1:]):
            cell = table.cell(1, col)
            paragraph = cell.add_paragraph() if place else cell.paragraphs[0]
            paragraph.text = texts[col]
            if col == 0:
                paragraph.paragraph_format.left_indent = docx.shared.Pt(9 * LEVELS[texts[0]])
    document.save(tmp_path / "file.docx")
    (found,) = parsed(parse_docx, tmp_path / "file.docx").tables
    assert _lefts(found.grid) == WHOLE


def _slide_level(document: Any, cell: Any, level: int) -> None:
    cell.text_frame.paragraphs[0].level = level


def _slide_left(document: Any, cell: Any, level: int) -> None:
    properties = cell.text_frame.paragraphs[0]._p.get_or_add_pPr()
    properties.set("marL", str(100_000 * level + 50_000))
    properties.set("indent", "-50000")


def _slide_first_line(document: Any, cell: Any, level: int) -> None:
    cell.text_frame.paragraphs[0]._p.get_or_add_pPr().set("indent", str(100_000 * level))


def _slide_margin(document: Any, cell: Any, level: int) -> None:
    if level:
        cell.margin_left = 91_440 + 90_000 * level


def _slide_blanks(document: Any, cell: Any, level: int) -> None:
    cell.text_frame.paragraphs[0].runs[0].text = "   " * level + cell.text


def _slide_tabs(document: Any, cell: Any, level: int) -> None:
    cell.text_frame.paragraphs[0].runs[0].text = "\t" * level + cell.text


def _slide_grid(folder: Path, indent: Indent) -> Grid | None:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    inch = pptx.util.Inches(1)
    table = slide.shapes.add_table(len(ROWS), 2, inch, inch, 5 * inch, 3 * inch).table
    for row, texts in enumerate(ROWS):
        for col, text in enumerate(texts):
            table.cell(row, col).text = text
        if texts[0]:
            indent(show, table.cell(row, 0), LEVELS[texts[0]])
    show.save(folder / "file.pptx")
    (found,) = parsed(parse_pptx, folder / "file.pptx").tables
    return found.grid


@pytest.mark.parametrize(
    "indent",
    [_slide_level, _slide_left, _slide_first_line, _slide_margin, _slide_blanks, _slide_tabs],
)
def test_slide_labels(tmp_path: Path, indent: Indent) -> None:
    grid = _slide_grid(tmp_path, indent)
    assert _lefts(grid) == WHOLE
    assert grid is not None and [row[0] for row in grid.cells] == [row[0] for row in ROWS]


def test_slide_labels_in_the_middle_have_no_levels(tmp_path: Path) -> None:
    def middle(document: Any, cell: Any, level: int) -> None:
        _slide_left(document, cell, level)
        cell.text_frame.paragraphs[0].alignment = pptx.enum.text.PP_ALIGN.CENTER

    assert _lefts(_slide_grid(tmp_path, middle)) == [[label] for label, _ in ROWS[1:]]
