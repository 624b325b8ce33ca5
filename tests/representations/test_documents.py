"""Entries of documents: their tables' and their text's, all pointing to the document."""

from __future__ import annotations

import pytest
from tiny_tables import sales

from tabrag.errors import UserError
from tabrag.representations import RepresentationConfig, build, item_kind
from tabrag.types import Block, Document, Table


def document() -> tuple[Document, dict[str, Table]]:
    table = sales()
    table.id, table.document = "d#t1", "d"
    blocks = [
        Block(kind="heading", text="Trade"),
        Block(kind="text", text="Fruit sold well. Lemons did not."),
        Block(kind="table", table="d#t1"),
    ]
    return Document(id="d", title="Report 2019", blocks=blocks), {"d#t1": table}


def test_what_a_representation_is_of_is_told_by_its_name():
    assert item_kind(RepresentationConfig(name="hrcl")) == "table"
    assert item_kind(RepresentationConfig(name="document")) == "document"
    with pytest.raises(UserError, match="unknown representation"):
        item_kind(RepresentationConfig(name="none"))


def test_sentences_have_ids_in_reading_order():
    whole, _ = document()
    entries = build(RepresentationConfig(name="sentences", options={"title": True}))(whole)
    assert [(entry.id, entry.item_id, entry.text) for entry in entries] == [
        ("d#s1", "d", "Report 2019. Trade"),
        ("d#s2", "d", "Report 2019. Fruit sold well."),
        ("d#s3", "d", "Report 2019. Lemons did not."),
    ]


def test_a_document_has_the_entries_of_its_tables_and_its_text():
    whole, tables = document()
    entries = build(RepresentationConfig(name="document"))(whole, tables=tables)
    of_table = build(RepresentationConfig(name="hrcl"))(tables["d#t1"])
    assert len(of_table) > 3 and len(entries) == len(of_table) + 3
    assert {entry.item_id for entry in entries} == {"d"}
    assert [(entry.id, entry.text) for entry in entries[:-3]] == [
        (entry.id, entry.text) for entry in of_table
    ]
    config = RepresentationConfig(name="document", options={"table": "summary", "text": None})
    assert [entry.id for entry in build(config)(whole, tables=tables)] == ["d#t1"]


def test_a_table_that_has_two_blocks_has_its_entries_once():
    whole, tables = document()
    once = build(RepresentationConfig(name="document"))(whole, tables=tables)
    whole.blocks.append(Block(kind="table", table="d#t1"))
    assert len(once) > 3 and build(RepresentationConfig(name="document"))(whole, tables=tables) == once


def test_a_representation_of_the_wrong_kind_is_refused():
    whole, tables = document()
    for options in ({"table": "sentences"}, {"text": "hrcl"}):
        with pytest.raises(UserError, match="represents a"):
            build(RepresentationConfig(name="document", options=options))(whole, tables=tables)
    with pytest.raises(UserError, match="set one of them"):
        build(RepresentationConfig(name="document", options={"table": None, "text": None}))(whole, tables={})
