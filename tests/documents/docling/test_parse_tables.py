"""Tables of Docling's documents: headers, spans, captions, tables in tables, forms."""

from __future__ import annotations

from pathlib import Path

from docling_files import FRUIT, PDF, WORD, DoclingFile, cell, read, rows_of
from parse_files import said

from tabrag.tables.grid import left_paths, path_texts, top_paths
from tabrag.types import Table


def paths(table: Table) -> tuple[list[list[str]], list[list[str]]]:
    assert table.grid is not None
    grid = table.grid
    return [path_texts(grid, path) for path in top_paths(grid)], [
        path_texts(grid, path) for path in left_paths(grid)
    ]


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
