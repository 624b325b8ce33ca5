"""Presentations: reading order, groups, notes, tables, charts, pictures, hidden and damaged slides."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from parse_files import parsed, png, said

from tabrag.documents.office.pptx import parse_pptx
from tabrag.errors import UserError

pptx = pytest.importorskip("pptx")
TITLE, BULLETS, TITLE_ONLY, BLANK = 0, 1, 5, 6


def _new() -> Any:
    return pptx.Presentation()


def _slide(show: Any, layout: int = BLANK, title: str = "") -> Any:
    slide = show.slides.add_slide(show.slide_layouts[layout])
    if title:
        slide.shapes.title.text = title
    return slide


def _box(shapes: Any, text: str, x: float, y: float, *, width: float = 2, height: float = 0.5) -> Any:
    inch = pptx.util.Inches
    shape = shapes.add_textbox(inch(x), inch(y), inch(width), inch(height))
    shape.text_frame.text = text
    return shape


def _save(show: Any, folder: Path) -> Path:
    path = folder / "file.pptx"
    show.save(path)
    return path


def test_title_first_then_reading_order(tmp_path: Path) -> None:
    show = _new()
    first = _slide(show, TITLE, "Annual results")
    first.placeholders[1].text = "2020"
    slide = _slide(show, TITLE_ONLY)
    _box(slide.shapes, "right", 5, 2)
    _box(slide.shapes, "below", 1, 4)
    _box(slide.shapes, "left", 1, 2.05)
    slide.shapes.title.text = "Order"
    slide.shapes.title.top = pptx.util.Inches(6)
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    found = parsed(parse_pptx, _save(show, tmp_path))
    assert said(found) == [
        ("heading", "Annual results"),
        ("text", "2020"),
        ("heading", "Order"),
        ("text", "left"),
        ("text", "right"),
        ("text", "below"),
        ("note", "Say it slowly."),
    ]
    assert [block.page for block in found.document.blocks] == [1, 1, 2, 2, 2, 2, 2]
    assert [page.number for page in found.document.pages] == [1, 2] and found.document.pages[0].width == 720
    assert found.document.title == "Annual results"
    left = found.document.blocks[3]
    assert left.box == (100, 273, 300, 340)


def test_groups_are_resolved(tmp_path: Path) -> None:
    show = _new()
    slide = _slide(show)
    group = slide.shapes.add_group_shape()
    _box(group.shapes, "in the group", 0, 0)
    _box(slide.shapes, "above", 1, 1)
    _box(slide.shapes, "below", 1, 6)
    inch = pptx.util.Inches
    group.left, group.top, group.width, group.height = inch(1), inch(3), inch(4), inch(1)
    found = parsed(parse_pptx, _save(show, tmp_path))
    assert [text for _, text in said(found)] == ["above", "in the group", "below"]
    # The group is twice as large as the shape in it was.
    assert found.document.blocks[1].box == (100, 400, 500, 533)


def test_lists_and_furniture(tmp_path: Path) -> None:
    show = _new()
    slide = _slide(show, BULLETS, "Points")
    slide.placeholders[1].text = "one\ntwo"
    for shape in list(slide.slide_layout.placeholders):
        if shape.placeholder_format.type in (
            pptx.enum.shapes.PP_PLACEHOLDER.SLIDE_NUMBER,
            pptx.enum.shapes.PP_PLACEHOLDER.FOOTER,
        ):
            slide.shapes._spTree.append(shape._element)
            shape.text_frame.text = "furniture"
    hidden = _box(slide.shapes, "hidden", 1, 1)
    hidden._element.nvSpPr.cNvPr.set("hidden", "1")
    found = parsed(parse_pptx, _save(show, tmp_path))
    assert said(found) == [("heading", "Points"), ("list", "one"), ("list", "two")]
    # Where the layout puts it.
    assert found.document.blocks[1].box == found.document.blocks[2].box is not None


def test_table_with_merged_cells(tmp_path: Path) -> None:
    show = _new()
    slide = _slide(show, TITLE_ONLY, "Figures")
    inch = pptx.util.Inches
    table = slide.shapes.add_table(4, 3, inch(1), inch(2), inch(6), inch(3)).table
    rows = [["", "Sales", ""], ["", "2019", "2020"], ["North", "1", "2"], ["", "3", "4"]]
    for row, texts in enumerate(rows):
        for col, text in enumerate(texts):
            table.cell(row, col).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(2, 0).merge(table.cell(3, 0))
    found = parsed(parse_pptx, _save(show, tmp_path))
    (read,) = found.tables
    assert read.grid.cells == rows and read.grid.merged == [(0, 0, 1, 2), (2, 3, 0, 0)]
    assert read.grid.num_header_rows == 2
    assert (read.title, read.section, read.source.page) == ("Figures", "Figures", 1)
    assert read.source.box == (100, 267, 700, 667)


def test_chart_is_a_table(tmp_path: Path) -> None:
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    show = _new()
    inch = pptx.util.Inches
    for kind in (XL_CHART_TYPE.COLUMN_CLUSTERED, XL_CHART_TYPE.THREE_D_COLUMN):
        data = CategoryChartData()
        data.categories = ["2019", "2020"]
        data.add_series("Fresh", (120, 130.5))
        data.add_series("Salt", (80, None))
        slide = _slide(show, TITLE_ONLY, "Ducks")
        try:
            chart = slide.shapes.add_chart(kind, inch(1), inch(2), inch(6), inch(4), data).chart
        except NotImplementedError:  # python-pptx writes no 3-D charts: only the name of the element differs
            chart = slide.shapes.add_chart(
                XL_CHART_TYPE.COLUMN_CLUSTERED, inch(1), inch(2), inch(6), inch(4), data
            ).chart
            plot = next(one for one in chart._chartSpace.iter() if one.tag.endswith("}barChart"))
            plot.tag = plot.tag.replace("barChart", "bar3DChart")
        chart.has_title = True
        chart.chart_title.text_frame.text = "Counted ducks"
    found = parsed(parse_pptx, _save(show, tmp_path))
    assert [table.metadata["chart"] for table in found.tables] == ["barChart", "bar3DChart"]
    for table in found.tables:
        assert table.grid.cells == [["", "Fresh", "Salt"], ["2019", "120", "80"], ["2020", "130.5", ""]]
        assert table.caption == table.title == "Counted ducks" and table.metadata["kind"] == "chart"


def test_pictures_and_their_faults(tmp_path: Path) -> None:
    show = _new()
    slide = _slide(show)
    inch = pptx.util.Inches
    for colour, x in (("red", 1), ("blue", 4), ("red", 7)):
        slide.shapes.add_picture(io.BytesIO(png(colour=colour)), inch(x), inch(1), inch(1), inch(1))
    slide.shapes[0]._element.nvPicPr.cNvPr.set("descr", "A red square")
    slide.shapes[1]._element.nvPicPr.cNvPr.set("descr", "blue.png")
    path = _save(show, tmp_path)
    pictures = [block for block in parsed(parse_pptx, path).document.blocks if block.kind == "picture"]
    assert [block.text for block in pictures] == ["A red square", "", ""]
    # One that is shown twice is written once.
    assert [block.image for block in pictures] == [f"images/doc/{number}.png" for number in (1, 2, 1)]
    _edit(path, {"ppt/media/image1.png": b"\xd7\xcd\xc6\x9a" + bytes(40)})
    found = parsed(parse_pptx, path)
    assert found.partial and any("WMF" in note for note in found.notes)


def test_hidden_and_damaged_slides(tmp_path: Path) -> None:
    show = _new()
    for number in (1, 2, 3, 4):
        _box(_slide(show).shapes, f"slide {number}", 1, 1)
    show.slides[1]._element.set("show", "0")
    path = _save(show, tmp_path)
    found = parsed(parse_pptx, path)
    assert [text for _, text in said(found)] == ["slide 1", "slide 3", "slide 4"]
    assert [block.page for block in found.document.blocks] == [1, 3, 4] and len(found.document.pages) == 4
    assert found.notes == ["hidden slides are left out: 2"] and not found.partial
    _edit(path, {"ppt/slides/slide3.xml": b"<p:sld"})
    found = parsed(parse_pptx, path)
    assert [text for _, text in said(found)] == ["slide 1", "slide 4"]
    assert found.partial and found.notes[0].startswith("slide 3 is damaged")


def test_empty_presentation(tmp_path: Path) -> None:
    show = _new()
    _slide(show)
    with pytest.raises(UserError, match="holds no text"):
        parsed(parse_pptx, _save(show, tmp_path))


def test_real_files(files_root: Path, tmp_path: Path) -> None:
    deck = parsed(parse_pptx, files_root / "pptx" / "college-attainment-deck.pptx", out=tmp_path)
    assert len(deck.document.pages) == 16 and deck.partial
    charts = [table for table in deck.tables if table.metadata.get("kind") == "chart"]
    assert [table.source.page for table in charts] == [6, 7] and len(deck.tables) == 6
    backwards = parsed(parse_pptx, files_root / "pptx" / "sample-presentation.pptx", out=tmp_path)
    on_last = [kind for kind, _ in said(backwards)][-2:]
    assert on_last == ["heading", "table"]


def _edit(path: Path, replaced: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert set(replaced) <= set(parts)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (parts | replaced).items():
            archive.writestr(name, data)
