"""Chunks, pages and tree nodes: their ids say what they are, and what of a document they are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.part import (
    DocumentPart,
    PartId,
    document_of,
    merge_parts,
    node_part,
    page_span,
    parse_part_id,
    part_of,
    table_pages,
    take_part,
    whole_id_fault,
    whole_part,
)
from tabrag.documents.tree import DocumentTree, TreeNode, tree_from_record, tree_to_record
from tabrag.documents.units import blocks_of, units_of
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.tables.grid import make_grid
from tabrag.types import Block, Document, Page, Table

TABLE = Table(id="d#t1", grid=make_grid([["a", "b"], ["1", "2"]]))
WHOLE = WholeDocument(
    Document(
        id="d",
        title="Report",
        pages=[Page(number=1), Page(number=2), Page(number=3)],
        blocks=[
            Block(kind="heading", text="Results", level=1, page=1),
            Block(kind="text", text="Sales rose. Costs fell. Profit doubled.", page=1),
            Block(kind="heading", text="Europe", level=2, page=1),
            Block(kind="table", table="d#t1", page=2),
            Block(kind="picture", image="images/d/1.png", page=2),
            Block(kind="text", text=" ", page=2),
            Block(kind="heading", text="Outlook", level=1, page=2),
            Block(kind="text", text="We expect growth. It will last.", page=2),
        ],
    ),
    {"d#t1": TABLE},
)


def test_units_are_sentences_headings_tables_and_pictures():
    units = units_of(WHOLE.document)
    assert [unit.number for unit in units] == list(range(1, 11))
    assert [(unit.block, unit.text) for unit in units] == [
        *((0, "Results"), (1, "Sales rose."), (1, "Costs fell."), (1, "Profit doubled."), (2, "Europe")),
        *((3, ""), (4, ""), (6, "Outlook"), (7, "We expect growth."), (7, "It will last.")),
    ]


def test_units_make_up_their_blocks_again():
    units = units_of(WHOLE.document)
    made_up = blocks_of(WHOLE.document.blocks, units)
    said = [block for block in WHOLE.document.blocks if block.text.strip() or block.table or block.image]
    assert len(said) == 7
    assert list(made_up.values()) == said
    assert all(WHOLE.document.blocks[place] == block for place, block in made_up.items())


@pytest.mark.parametrize(
    ("item_id", "part"),
    [
        ("a/b.pdf#u7-19", PartId("a/b.pdf", units=(7, 19))),
        ("a/b.pdf#p3", PartId("a/b.pdf", page=3)),
        ("a#p1#n5", PartId("a#p1", node=5)),
        ("line\nbreak#p2", PartId("line\nbreak", page=2)),
    ],
)
def test_ids_are_taken_apart_and_made_again(item_id: str, part: PartId):
    assert parse_part_id(item_id) == part
    assert str(part) == item_id
    assert document_of(item_id) == part.document


@pytest.mark.parametrize("item_id", ["a.pdf", "#p3", "#t3", "a#p", "a#u3", "a#p3x", "a#u1-2-3"])
def test_other_ids_are_no_parts(item_id: str):
    assert parse_part_id(item_id) is None
    assert document_of(item_id) == item_id


def test_a_table_belongs_to_its_document_and_is_no_part():
    assert parse_part_id("a.pdf#t3") is None
    assert document_of("a.pdf#t3") == "a.pdf"


@given(st.text(min_size=1), st.integers(1, 10**6), st.integers(1, 10**6))
def test_any_document_id_comes_back(document: str, first: int, last: int):
    for part in (
        PartId(document, units=(first, last)),
        PartId(document, page=first),
        PartId(document, node=last),
    ):
        assert parse_part_id(str(part)) == part


@pytest.mark.parametrize("name", ["x#p1.pdf", "x#p1/a.pdf", "a#t3.csv", "#p1", "a#n", "a#u3", "a#2"])
def test_names_with_a_hash_are_whole_documents(name: str):
    assert whole_id_fault(name) == ""


@pytest.mark.parametrize("ending", ["#p1", "#n5", "#u1-2", "#t3"])
def test_a_document_has_no_id_of_a_part(ending: str):
    assert "part or table of 'x.pdf'" in whole_id_fault(f"x.pdf{ending}")


def test_a_chunk_has_some_sentences_of_a_block():
    part = take_part(WHOLE, PartId("d", units=(3, 6)))
    assert part.id == "d#u3-6"
    assert part.document.id == "d"
    assert [block.text for block in part.document.blocks] == ["Costs fell. Profit doubled.", "Europe", ""]
    assert list(part.tables) == ["d#t1"]
    assert part.places == (1, 2, 3)
    assert part.section == ("Results",)
    assert isinstance(part, WholeDocument)


def test_a_page_has_what_stands_on_it():
    part = take_part(WHOLE, PartId("d", page=2))
    assert [block.kind for block in part.document.blocks] == ["table", "picture", "heading", "text"]
    assert part.section == ("Results", "Europe")
    empty = take_part(WHOLE, PartId("d", page=3))
    assert empty.document.blocks == []
    assert empty.section == ()


def test_a_table_that_runs_on_stands_on_all_its_pages():
    long = replace(TABLE, metadata={"pages": "2-3"})
    whole = WholeDocument(WHOLE.document, {"d#t1": long})
    for number, kinds in ((1, ["heading", "text", "heading"]), (3, ["table"])):
        part = take_part(whole, PartId("d", page=number))
        assert [block.kind for block in part.document.blocks] == kinds
    assert list(take_part(whole, PartId("d", page=3)).tables) == ["d#t1"]
    assert take_part(WHOLE, PartId("d", page=3)).document.blocks == []


@pytest.mark.parametrize(
    ("text", "span"),
    [("3-5", (3, 5)), ("5-3", (3, 5)), ("7-7", (7, 7)), ("7", None), ("\u00b2-\u00b3", None), ("-5", None)],
)
def test_a_span_of_pages_is_two_numbers(text: str, span: tuple[int, int] | None):
    assert page_span(text) == span
    assert table_pages(replace(TABLE, metadata={"pages": text})) == (span or table_pages(TABLE))


@pytest.mark.parametrize("item_id", ["d#p4", "d#u0-3", "d#u5-4", "d#u9-99"])
def test_a_part_that_is_not_there_says_that_the_index_is_of_another_folder(item_id: str):
    part = parse_part_id(item_id)
    assert part is not None
    with pytest.raises(UserError, match="build the index again"):
        take_part(WHOLE, part)


def test_merged_parts_have_each_unit_once_in_order():
    late, early = take_part(WHOLE, PartId("d", units=(4, 9))), take_part(WHOLE, PartId("d", units=(1, 5)))
    merged = merge_parts([late, early])
    assert merged.id == "d#u4-9"
    assert [unit.number for unit in merged.units] == list(range(1, 10))
    assert (
        merged.document.blocks
        == part_of(WHOLE, PartId("d", units=(1, 9)), units_of(WHOLE.document)[:9]).document.blocks
    )
    assert merged.section == ()


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 8)), min_size=1, max_size=5))
def test_merging_equals_taking_the_union(spans: list[tuple[int, int]]):
    units = units_of(WHOLE.document)
    parts = [
        take_part(WHOLE, PartId("d", units=(first, min(first + more, len(units))))) for first, more in spans
    ]
    union = part_of(WHOLE, parts[0].part, {unit for part in parts for unit in part.units})
    merged = merge_parts(parts)
    assert merged.document.blocks == union.document.blocks
    assert (merged.units, merged.places, merged.section) == (union.units, union.places, union.section)


def test_a_whole_document_is_a_part_of_all_its_units():
    part = whole_part(WHOLE)
    assert len(part.units) == len(units_of(WHOLE.document)) > 5
    assert dict(part.tables) == dict(WHOLE.tables)


def test_a_node_is_its_summary():
    part = node_part(WHOLE, PartId("d", node=4), "Sales rose in Europe.")
    assert isinstance(part, DocumentPart)
    assert part.id == "d#n4"
    assert [block.text for block in part.document.blocks] == ["Sales rose in Europe."]
    assert part.units == ()


def test_trees_survive_their_file():
    tree = DocumentTree(
        id="d",
        nodes=(
            TreeNode(number=1, layer=0, text="a", units=(1, 3)),
            TreeNode(number=2, layer=0, text="b", units=(4, 9)),
            TreeNode(number=3, layer=1, text="a and b", children=(1, 2)),
        ),
    )
    assert tree_from_record(tree_to_record(tree)) == tree
    assert [str(tree.part_id(node)) for node in tree.nodes] == ["d#u1-3", "d#u4-9", "d#n3"]
