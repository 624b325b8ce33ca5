"""Any file that calls itself a document of Docling ends in a document or in an error that names it."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from docling_files import DoclingFile, at, cell, rows_of, uri
from hypothesis import given, settings
from hypothesis import strategies as st
from parse_files import parsed, said

from tabrag.data.document_records import document_to_record
from tabrag.data.records import table_to_record
from tabrag.data.validate_document import document_faults
from tabrag.data.validate_table import table_faults
from tabrag.documents.docling.parse import parse_docling
from tabrag.errors import UserError


def full() -> dict[str, Any]:
    """A document with an item of each kind."""
    file = DoclingFile(num_pages=2)
    file.data["pages"]["1"]["image"] = {"uri": uri()}
    file.text("title", "Harvest", prov=at(1, 0, 0, 100, 20))
    points = file.add("groups", label="list", name="list")
    file.text("list_item", "lemons", parent=points, enumerated=True, marker="1.")
    caption = file.text("caption", "Table 1: Fruit", parent="")
    cells = [cell(0, 0, "name", cols=2, header=True), *rows_of([["", ""], ["lemon", "5"]])[2:]]
    file.table(cells, (2, 2), captions=[caption], prov=[at(1, 0, 700, 600, 800), at(2, 0, 0, 600, 100)])
    file.table(rows_of([["plum", "7"]]), (1, 2), prov=at(2, 0, 0, 600, 100))
    chart = {"table_cells": rows_of([["", "a"], ["b", "1"]]), "num_rows": 2, "num_cols": 2}
    note = {"kind": "tabular_chart_data", "title": "x", "chart_data": chart}
    file.add(
        "pictures", label="picture", image={"uri": uri()}, annotations=[note], captions=[{"$ref": caption}]
    )
    graph = {"cells": [{"cell_id": 0, "text": "k"}, {"cell_id": 1, "text": "v"}]}
    graph["links"] = [{"label": "to_value", "source_cell_id": 0, "target_cell_id": 1}]
    file.add("form_items", label="form", graph=graph)
    file.text("page_footer", "1", parent="#/furniture")
    return file.data


def spots(value: Any) -> list[tuple[Any, Any]]:
    """Each place of a JSON value, as its container and key."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [spot for key, inner in pairs for spot in [(value, key), *spots(inner)]]


NUM_SPOTS = len(spots(full()))
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.sampled_from([-(10**9), 10**9, 10**300, 1e308, float("nan"), float("inf"), "", "\ud800", "\x00", "x"]),
    st.sampled_from(["#/body", "#/texts/0", "#/tables/0", "#/groups/0", "#/texts/99999999999", "../x", "#/"]),
    st.sampled_from([[], {}, [[]], [None], [{}], {"$ref": "#/body"}, {"$ref": 5}, [{"$ref": "#/tables/0"}]]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, NUM_SPOTS - 1), VALUES), min_size=1, max_size=4))
def test_a_document_with_any_values_in_it_ends_in_valid_records_or_an_error(changes) -> None:
    data = full()
    places = spots(data)
    for number, value in changes:
        container, key = places[number]
        if not isinstance(container, list) or key < len(container):
            container[key] = copy.deepcopy(value)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.json").write_text(json.dumps(data))
        try:
            found = parsed(parse_docling, folder / "a.json", out=folder)
        except UserError as error:
            assert "a.json" in str(error)
            return
        tables = [table_to_record(table) for table in found.tables]
        for table in tables:
            assert table_faults(table, folder=folder, decode_images=True) == []
        known = {table.id for table in found.tables}
        record = document_to_record(found.document)
        assert document_faults(record, folder=folder, known=known, decode_images=True) == []


def test_references_in_circles_and_to_nothing(tmp_path: Path) -> None:
    file = DoclingFile()
    first = file.add("groups", label="section", name="a")
    second = file.add("groups", parent=first, label="section", name="b")
    file.text("text", "Once.", parent=second)
    line = file.add("groups", parent=second, label="inline", name="c")
    for reference in (first, second, line):
        file.item(reference)["children"] += [{"$ref": first}, {"$ref": line}, {"$ref": "#/body"}]
    file.item(second)["children"] += [{"$ref": "#/texts/7"}, {"$ref": "#/texts/-1"}, {"$ref": "#/data/0"}, 3]
    table = file.table(rows_of([["a"], ["1"]]), (2, 1), captions=["#/tables/0", "#/body"])
    file.item(table)["children"].append({"$ref": table})
    found = parsed(parse_docling, file.write(tmp_path / "a.json"))
    assert said(found) == [("text", "Once."), ("table", "doc#t1")]
    assert found.partial and "4 of its references lead to nothing" in found.notes


def test_a_table_that_another_one_names_as_its_caption_is_kept(tmp_path: Path) -> None:
    file = DoclingFile()
    file.table(rows_of([["a"], ["1"]]), (2, 1), captions=["#/tables/1"])
    file.table(rows_of([["b"], ["2"]]), (2, 1))
    found = parsed(parse_docling, file.write(tmp_path / "a.json"))
    assert [table.grid.cells for table in found.tables] == [[["a"], ["1"]], [["b"], ["2"]]]


def test_nesting_without_end(tmp_path: Path) -> None:
    file = DoclingFile()
    parent = "#/body"
    for number in range(5000):
        parent = file.add("groups", parent=parent, label="section", name=str(number))
    file.text("text", "Deep.", parent=parent)
    assert said(parsed(parse_docling, file.write(tmp_path / "a.json"))) == [("text", "Deep.")]
    nested = '{"schema_name": "DoclingDocument", "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    (tmp_path / "b.json").write_text(nested)
    with pytest.raises(UserError, match=r"b\.json: not a JSON file"):
        parsed(parse_docling, tmp_path / "b.json")
