"""Documents of Docling: reading order, places and kinds as its JSON has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from docling_files import FRUIT, WORD, DoclingFile, at, read, rows_of
from parse_files import parsed, said

from tabrag.documents.docling.parse import parse_docling
from tabrag.documents.parse import kind_of, parse_file
from tabrag.documents.parsed import ParseOptions, Pictures
from tabrag.errors import UserError


@pytest.mark.parametrize("version", ["1.0.0", "1.3.0", "1.10.0"])
def test_blocks_come_in_the_order_of_the_body_and_not_of_the_lists(tmp_path: Path, version: str) -> None:
    file = DoclingFile(WORD, version=version)
    last = file.text("text", "The end.", parent="")
    file.text("title", "Harvest")
    head = file.text("section_header", "Fruit", level=1)
    points = file.add("groups", parent=head, label="list", name="list")
    file.text("list_item", "lemons", parent=points, enumerated=False, marker="-")
    second = file.text("list_item", "plums", parent=points, enumerated=True, marker="2.")
    inner = file.add("groups", parent=second, label="list", name="list")
    file.text("list_item", "blue ones", parent=inner, enumerated=False, marker="-")
    line = file.text("text", "", parent=head)
    runs = file.add("groups", parent=line, label="inline", name="group")
    for run in ("All is", "ripe", ", and good", "."):
        file.text("text", run, parent=runs)
    file.text("checkbox_selected", "picked", parent=head)
    file.text("footnote", "In tons.", parent=head)
    file.data["body"]["children"].append({"$ref": last})
    found = read(file, tmp_path)
    assert said(found) == [
        ("heading", "Harvest"),
        ("heading", "Fruit"),
        ("list", "lemons"),
        ("list", "2. plums"),
        ("list", "blue ones"),
        ("text", "All is ripe, and good."),
        ("text", "\u2612 picked"),
        ("note", "In tons."),
        ("text", "The end."),
    ]
    assert [block.level for block in found.document.blocks[:2]] == [1, 2]
    assert found.document.title == "Harvest"
    assert not found.partial and not found.notes


def test_headings_without_a_title_begin_at_the_outermost_level(tmp_path: Path) -> None:
    file = DoclingFile()
    file.text("section_header", "One", level=1)
    file.text("section_header", "Two", level=2)
    found = read(file, tmp_path)
    assert [block.level for block in found.document.blocks] == [1, 2]
    assert found.document.title == "One"


def test_page_headers_and_footers_stay_out_in_all_versions(tmp_path: Path) -> None:
    file = DoclingFile(num_pages=2)
    file.text("page_header", "ACME", parent="#/furniture", content_layer="furniture")
    file.text("page_header", "ACME", content_layer="furniture")
    file.text("text", "Body.")
    file.text("page_footer", "page 1")  # version 1.0 has no layers
    file.text("text", "Hidden.", content_layer="invisible")
    file.text("text", "Say it slowly.", content_layer="notes")
    file.add("pictures", label="picture", content_layer="furniture")
    found = read(file, tmp_path)
    assert said(found) == [("text", "Body."), ("note", "Say it slowly.")]
    assert found.document.metadata == {"header": "ACME", "footer": "page 1"}
    assert "1 tables and pictures that Docling takes for page headers" in found.notes[0]


def test_boxes_from_both_corners_on_the_first_of_several_pages(tmp_path: Path) -> None:
    file = DoclingFile(num_pages=2)
    file.text("text", "Low.", prov=at(1, 60, 80, 300, 160))
    top_left = {"l": 60, "t": 80, "r": 300, "b": 160, "coord_origin": "TOPLEFT"}
    file.text("text", "High.", prov={"page_no": 2, "bbox": top_left, "charspan": [0, 5]})
    file.text(
        "text", "Both.", prov=[at(2, 0, 0, 600, 80), at(1, 60, 640, 300, 720), at(1, 30, 720, 600, 800)]
    )
    file.text("text", "Nowhere.", prov=at(7, 0, 0, 1, 1))
    found = read(file, tmp_path)
    assert [(block.page, block.box) for block in found.document.blocks] == [
        (1, (100, 100, 500, 200)),
        (2, (100, 100, 500, 200)),
        (1, (50, 800, 1000, 1000)),
        (None, None),
    ]
    assert [(page.number, page.width, page.height) for page in found.document.pages] == [
        (1, 600.0, 800.0),
        (2, 600.0, 800.0),
    ]


def test_slides_are_measured_in_points_and_sheets_not_at_all(tmp_path: Path) -> None:
    file = DoclingFile("application/vnd.openxmlformats-officedocument.presentationml.presentation")
    file.data["pages"]["1"]["size"] = {"width": 12192000.0, "height": 6858000.0}
    box = {"l": 6096000, "t": 0, "r": 12192000, "b": 3429000, "coord_origin": "TOPLEFT"}
    file.text("title", "A slide", prov={"page_no": 1, "bbox": box, "charspan": [0, 1]})
    found = read(file, tmp_path)
    assert (found.document.pages[0].width, found.document.pages[0].height) == (960.0, 540.0)
    assert found.document.blocks[0].box == (500, 0, 1000, 500)
    assert found.kind == "pptx"
    sheet = DoclingFile("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
    sheet.data["pages"]["1"]["size"] = {"width": 4.0, "height": 6.0}
    sheet.table(rows_of(FRUIT), (3, 2))
    assert read(sheet, tmp_path).document.pages[0].width is None


def test_items_that_nothing_leads_to_come_last(tmp_path: Path) -> None:
    file = DoclingFile()
    file.text("text", "Lost.", parent="")
    file.text("text", "Found.")
    found = read(file, tmp_path)
    assert said(found) == [("text", "Found."), ("text", "Lost.")]
    assert found.notes == ["1 of its items are not in its reading order and stand last"]


def test_what_docling_serve_answers_holds_a_document(tmp_path: Path) -> None:
    file = DoclingFile()
    file.text("text", "Served.")
    answer = {"document": {"filename": "a.pdf", "json_content": file.data}, "status": "success"}
    (tmp_path / "a.json").write_text(json.dumps(answer))
    assert said(parsed(parse_docling, tmp_path / "a.json")) == [("text", "Served.")]


def test_json_of_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"name": "package", "version": "1.0.0"}')
    with pytest.raises(UserError, match=r"a\.json: is JSON, but no document of Docling"):
        kind_of(tmp_path / "a.json")
    file = DoclingFile(version="2.0.0")
    with pytest.raises(UserError, match=r"version 2\.0\.0 of Docling's format; 1 can be read"):
        parsed(parse_docling, file.write(tmp_path / "b.json"))
    assert kind_of(tmp_path / "b.json") == "docling"
    with pytest.raises(UserError, match="holds no text, table or picture"):
        parsed(parse_docling, DoclingFile().write(tmp_path / "c.json"))
    (tmp_path / "d.json").write_text('{"schema_name": "DoclingDocument", "version":')
    with pytest.raises(UserError, match="not a JSON file"):
        parsed(parse_docling, tmp_path / "d.json")


def test_slides_stand_for_themselves_as_those_of_the_file_itself_do(tmp_path: Path) -> None:
    file = DoclingFile(
        "application/vnd.openxmlformats-officedocument.presentationml.presentation", num_pages=3
    )
    for number, page in file.data["pages"].items():
        page["size"] = {"width": 12192000.0, "height": 6858000.0}
        box = {"l": 0, "t": 0, "r": 12192000, "b": 900000, "coord_origin": "TOPLEFT"}
        file.text("title", f"Slide {number}", prov={"page_no": int(number), "bbox": box, "charspan": [0, 1]})
    file.write(tmp_path / "x.json")
    found = parse_file(
        tmp_path / "x.json", "x.json", pictures=Pictures(tmp_path, "x"), options=ParseOptions()
    )
    assert found.document.layout == "horizontal"
