"""Documents go through their lines unchanged."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.data.document_records import KINDS, document_from_record, document_to_record
from tabrag.types import Block, Document, Page, Source

BOXES = st.tuples(*[st.integers(0, 1000)] * 4)
BLOCKS = st.builds(
    Block,
    kind=st.sampled_from(KINDS),
    text=st.text(),
    level=st.integers(0, 6),
    table=st.text(),
    image=st.none() | st.text(),
    page=st.none() | st.integers(1, 999),
    box=st.none() | BOXES,
)
PAGES = st.builds(
    Page,
    number=st.integers(1, 999),
    width=st.none() | st.floats(1, 1e4),
    height=st.none() | st.floats(1, 1e4),
    image=st.none() | st.text(),
)


@given(st.text(), st.lists(BLOCKS, max_size=3), st.lists(PAGES, max_size=2))
def test_a_document_goes_through_its_line_unchanged(title: str, blocks: list[Block], pages: list[Page]):
    document = Document(
        id="a/b.pdf",
        title=title,
        blocks=blocks,
        pages=pages,
        source=Source(file="a/b.pdf"),
        metadata={"year": "2020"},
    )
    line = json.dumps(document_to_record(document))
    assert document_from_record(json.loads(line)) == document


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ({}, KeyError),
        ({"_id": 1}, TypeError),
        ({"_id": "d", "blocks": [{"kind": "tables"}]}, ValueError),
        ({"_id": "d", "blocks": [{"kind": "table"}]}, ValueError),
        ({"_id": "d", "blocks": [{"kind": "text", "box": [1, 2]}]}, ValueError),
        ({"_id": "d", "pages": [{"width": 1}]}, KeyError),
    ],
)
def test_what_is_no_document_is_an_error(record: dict[str, object], error: type[Exception]):
    assert document_from_record({"_id": "d"}) == Document(id="d")
    with pytest.raises(error):
        document_from_record(record)
