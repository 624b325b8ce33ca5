"""Documents of Docling: reading order, tables, pictures and places as its JSON has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from docling_files import PDF, WORD, DoclingFile, at, cell, rows_of, uri
from parse_files import parsed, png, said

from tabrag.documents.docling.parse import parse_docling
from tabrag.documents.parse import kind_of, parse_file
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import UserError
from tabrag.tables.grid import left_paths, path_texts, top_paths
from tabrag.types import Table

FRUIT = [["name", "tons"], ["lemon", "5"], ["plum", "7"]]


def read(file: DoclingFile, folder: Path, **options: object) -> Parsed:
    return parsed(parse_docling, file.write(folder / "report.json"), out=folder / "out", **options)


def paths(table: Table) -> tuple[list[list[str]], list[list[str]]]:
    assert table.grid is not None
    grid = table.grid
    return [path_texts(grid, path) for path in top_paths(grid)], [
        path_texts(grid, path) for path in left_paths(grid)
    ]


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


def test_marked_headers_spans_and_sections(tmp_path: Path) -> None:
    file = DoclingFile()
    cells = [
        cell(0, 0, "Region", rows=2, header=True),
        cell(0, 1, "Sales", cols=2, header=True),
        cell(1, 1, "2020", header=True),
        cell(1, 2, "2021", header=True),
        cell(2, 1, "Europe", section=True),
        cell(3, 0, "France", stub=True),
        cell(3, 1, "1"),
        cell(3, 2, "2"),
        cell(4, 0, "Spain", stub=True),
        cell(4, 1, "3"),
        cell(4, 2, "4"),
    ]
    file.table(cells, (5, 3))
    table = read(file, tmp_path).tables[0]
    assert table.grid is not None
    assert (table.grid.num_header_rows, table.grid.num_header_cols) == (2, 1)
    assert set(table.grid.merged) == {(0, 1, 0, 0), (0, 0, 1, 2), (2, 2, 0, 2)}
    top, left = paths(table)
    assert top[1:] == [["Sales", "2020"], ["Sales", "2021"]]
    assert left[3:] == [["Europe", "France"], ["Europe", "Spain"]]


def test_marks_count_where_a_model_or_the_file_made_them(tmp_path: Path) -> None:
    """Of Word files Docling marks the first row, whatever stands there."""
    texts = [["", "2020", "2020"], ["", "Q1", "Q2"], ["North", "1", "2"], ["South", "3", "4"]]
    sizes = []
    for mimetype in (PDF, WORD):
        file = DoclingFile(mimetype)
        file.table(rows_of(texts), (4, 3))
        grid = read(file, tmp_path).tables[0].grid
        assert grid is not None
        sizes.append((grid.num_header_rows, grid.num_header_cols))
    assert sizes == [(1, 1), (2, 1)]


def test_rows_that_stand_as_lines_of_one_cell_are_rows(tmp_path: Path) -> None:
    file = DoclingFile(WORD)
    file.table(rows_of([["item", "2020"], ["rent\nfood\ntravel", "100\n200\n300"]]), (2, 2))
    table = read(file, tmp_path).tables[0]
    assert table.grid is not None and table.grid.cells[1:] == [
        ["rent", "100"],
        ["food", "200"],
        ["travel", "300"],
    ]
    assert table.metadata["stacked_rows"] == "split"


def test_captions_and_footnotes_belong_to_their_table(tmp_path: Path) -> None:
    file = DoclingFile()
    caption = file.text("caption", "Harvest by fruit", parent="")
    note = file.text("footnote", "Dried fruit left out.", parent="")
    file.table(rows_of(FRUIT), (3, 2), captions=[caption], footnotes=[note])
    for reference in (caption, note):
        file.item("#/tables/0")["children"].append({"$ref": reference})
    above = file.text("caption", "Table 2. Prices")
    file.table(rows_of([["name", "price"], ["lemon", "1"]]), (2, 2), captions=[above])
    found = read(file, tmp_path)
    assert said(found) == [
        ("caption", "Harvest by fruit"),
        ("table", "doc#t1"),
        ("note", "Dried fruit left out."),
        ("caption", "Table 2. Prices"),
        ("table", "doc#t2"),
    ]
    first, second = found.tables
    assert (first.title, first.caption) == ("Harvest by fruit", "Harvest by fruit")
    assert first.metadata["notes"] == "Dried fruit left out."
    assert (second.title, second.caption) == ("Table 2. Prices", "Table 2. Prices")


def test_a_table_in_a_cell_is_a_table_of_its_own_and_texts_of_cells_stand_once(tmp_path: Path) -> None:
    file = DoclingFile(WORD)
    outer = file.table(rows_of([["a", "b"], ["x", "long text"]]), (2, 2))
    group = file.add("groups", parent=outer, label="unspecified", name="rich_cell")
    file.text("text", "long text", parent=group)
    file.table(rows_of(FRUIT), (3, 2), parent=group)
    found = read(file, tmp_path)
    assert said(found) == [("table", "doc#t1"), ("table", "doc#t2")]
    assert found.tables[1].metadata["outer_table"] == "doc#t1"


def test_pictures_with_descriptions_captions_labels_and_numbers(tmp_path: Path) -> None:
    file = DoclingFile()
    caption = file.text("caption", "Figure 1: Harvest", parent="")
    chart = {
        "table_cells": rows_of([["", "tons"], ["lemon", "5"], ["plum", "7"]]),
        "num_rows": 3,
        "num_cols": 2,
    }
    picture = file.add(
        "pictures",
        label="picture",
        captions=[{"$ref": caption}],
        image={"mimetype": "image/png", "dpi": 72, "size": {"width": 40, "height": 40}, "uri": uri()},
        annotations=[
            {"kind": "classification", "predicted_classes": []},
            {"kind": "description", "text": "Bars of fruit", "provenance": "model"},
            {"kind": "tabular_chart_data", "title": "Harvest", "chart_data": chart},
        ],
        prov=at(1, 60, 80, 300, 160),
    )
    file.text("text", "tons", parent=picture)
    file.add(
        "pictures",
        label="picture",
        meta={"description": {"text": "A field"}, "tabular_chart": {"title": "Prices", "chart_data": chart}},
    )
    found = read(file, tmp_path)
    assert said(found) == [
        ("picture", "Bars of fruit tons"),
        ("caption", "Figure 1: Harvest"),
        ("table", "doc#t1"),
        ("picture", "A field"),
        ("table", "doc#t2"),
    ]
    block = found.document.blocks[0]
    assert block.image is not None and (tmp_path / "out" / block.image).is_file()
    assert block.box == (100, 100, 500, 200)
    assert [(table.title, table.metadata["kind"]) for table in found.tables] == [
        ("Harvest", "chart"),
        ("Prices", "chart"),
    ]


def test_pictures_of_pages_and_tables_where_they_are_wanted(tmp_path: Path) -> None:
    file = DoclingFile()
    file.data["pages"]["1"]["image"] = {"mimetype": "image/png", "dpi": 72, "uri": uri(colour="white")}
    file.table(rows_of(FRUIT), (3, 2), image={"mimetype": "image/png", "uri": uri(colour="blue")})
    found = read(file, tmp_path)
    assert found.document.pages[0].image == "pages/doc/1.png"
    assert found.tables[0].image is not None and (tmp_path / "out" / found.tables[0].image).is_file()
    assert read(file, tmp_path, page_images=False).document.pages[0].image is None


def test_pictures_beside_the_file_are_taken_and_nothing_else_is_followed(tmp_path: Path) -> None:
    (tmp_path / "in" / "report_artifacts").mkdir(parents=True)
    (tmp_path / "in" / "report_artifacts" / "image_0.png").write_bytes(png())
    (tmp_path / "secret.png").write_bytes(png(colour="blue"))
    file = DoclingFile()
    for address in (
        "report_artifacts/image_0.png",
        "../secret.png",
        str(tmp_path / "secret.png"),
        f"file://{tmp_path}/secret.png",
        "http://127.0.0.1:9/secret.png",
        "data:image/png;base64,AAAA",
        "data:text/html,<p>x",
    ):
        file.add("pictures", label="picture", image={"uri": address})
    found = parsed(parse_docling, file.write(tmp_path / "in" / "report.json"), out=tmp_path / "out")
    assert len(list((tmp_path / "out").rglob("*.png"))) == 1
    assert len(found.document.blocks) == 1 and found.partial
    assert any("on other machines: not fetched" in note for note in found.notes)


def test_keys_and_values_of_forms(tmp_path: Path) -> None:
    file = DoclingFile()
    cells = [
        {"label": "key", "cell_id": 0, "text": "Name", "orig": "Name"},
        {"label": "value", "cell_id": 1, "text": "Ada", "orig": "Ada"},
        {"label": "value", "cell_id": 2, "text": "Paris", "orig": "Paris", "item_ref": {"$ref": "#/texts/0"}},
        {"label": "value", "cell_id": 3, "text": "alone", "orig": "alone"},
    ]
    links = [{"label": "to_value", "source_cell_id": 0, "target_cell_id": 1}]
    file.text("text", "Paris")
    file.add("key_value_items", label="key_value_region", graph={"cells": cells, "links": links})
    assert said(read(file, tmp_path)) == [("text", "Paris"), ("text", "Name: Ada"), ("text", "alone")]


def test_a_list_of_contents_is_no_table(tmp_path: Path) -> None:
    file = DoclingFile()
    file.table(rows_of([["1 Fruit", "3"], ["2 Trees", "9"]]), (2, 2), label="document_index")
    assert said(read(file, tmp_path)) == [("text", "1 Fruit 3"), ("text", "2 Trees 9")]


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
