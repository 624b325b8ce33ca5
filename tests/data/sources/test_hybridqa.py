from __future__ import annotations

from pathlib import Path
from typing import Any

from tiny_tables import write_gz

from tabrag.data.prepare import prepare
from tabrag.data.sources import hybridqa
from tabrag.data.validate import validate
from tabrag.types import Block, GoldHeaders


def _write(folder: Path) -> None:
    table: dict[str, Any] = {
        "id": "Museums_0",
        "title": "Museums",
        "section": ["North", "Art"],
        "intro": "Museums of a town.",
        "section_text": "",
        "url": "https://example.org",
        "cells": [["Name", "Place"], ["Old House", "West End"], ["Hall", "West End"]],
        "merged_regions": None,
        "top_header_rows": 1,
        "left_header_cols": None,
        "links": [[1, 1, ["/west", "/gone"]], [1, 0, ["/old"]], [2, 1, ["/west"]]],
    }
    write_gz(folder, "tables", [table, table | {"id": "Unlinked_0", "links": []}])
    write_gz(folder, "passages", [{"id": "/old", "text": "A house."}, {"id": "/west", "text": "A quarter."}])
    node = {"text": "Hall", "cell": [2, 0], "passage_id": None, "where": "table"}
    passage = {"text": "A", "cell": [1, 1], "passage_id": "/west", "where": "passage"}
    write_gz(
        folder,
        "dev",
        [
            {"id": f"q{number}", "question": "which?", "answers": ["Hall"], "table_id": "Museums_0"}
            | {"answer_nodes": nodes}
            for number, nodes in enumerate([[node], [node, passage], []])
        ],
    )


def test_a_document_is_a_table_and_the_passages_that_it_links_to(tmp_path: Path) -> None:
    _write(tmp_path)
    data = hybridqa.read(tmp_path)
    (document,) = data.documents
    assert (document.id, document.title) == ("Museums_0", "Museums")
    assert document.blocks == [
        Block(kind="text", text="Museums of a town."),
        Block(kind="heading", text="North > Art", level=2),
        Block(kind="table", table="Museums_0#t1"),
        Block(kind="text", text="A quarter."),  # in the order of the links, once
        Block(kind="text", text="A house."),
    ]
    (table,) = data.tables
    assert (table.title, table.section, table.document) == ("Museums", "North > Art", "Museums_0")
    assert table.grid is not None and table.grid.num_header_rows == 1
    assert data.qrels == {"dev": {f"q{number}": {"Museums_0": 1} for number in range(3)}}
    assert [query.evidence for query in data.queries] == ["table", "both", ""]
    assert data.gold_headers[0] == GoldHeaders(query_id="q0", table_id="Museums_0#t1", answer_cells=[(2, 0)])
    assert [gold.query_id for gold in data.gold_headers] == ["q0", "q1"]


def test_a_real_sample_makes_a_folder_without_fault(data_root: Path, tmp_path: Path) -> None:
    data = hybridqa.read(data_root / "hybridqa", limit=25)
    figures = prepare(data, tmp_path / "out")
    assert (figures["documents"], figures["tables"]) == (25, 25) and figures["queries"] >= 25
    assert validate(tmp_path / "out") == []
    assert sum(len(document.blocks) for document in data.documents) > 25 * 10


def test_the_real_set_has_the_counts_of_its_readme(data_root: Path) -> None:
    data = hybridqa.read(data_root / "hybridqa")
    assert {split: len(judged) for split, judged in data.qrels.items()} == {"dev": 2357}
    ids = {table.document for table in data.tables}
    assert len(ids) == 2071 and not data.repairs
    assert {item for grades in data.qrels["dev"].values() for item in grades} <= ids
