"""Placeholders name their artefacts whatever the ids are, and no text of a file can forge one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.placeholders import block_text, document_text, unmarked
from tabrag.types import Block, Document

PLACEHOLDER = re.compile(r"\[\[(table|picture):((?:[^\[\]\\]|\\.)*)\]\]")
"""What a reader of the text takes for a placeholder: the name's brackets stand behind backslashes."""
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1)


@given(st.lists(NAMES, max_size=4), st.lists(st.text(), max_size=4))
def test_every_artefact_is_found_once_in_order_and_nothing_else_is(names: list[str], texts: list[str]):
    blocks = [Block(kind="text", text=text) for text in texts]
    for number, name in enumerate(names):
        blocks.insert(number, Block(kind="table", table=name))
    blocks += [Block(kind="picture", image=name, text=f"shows {name}") for name in names]
    text = document_text(Document(id="d", blocks=blocks))
    found = [(match[1], re.sub(r"\\(.)", r"\1", match[2])) for match in PLACEHOLDER.finditer(text)]
    assert found == [("table", name) for name in names] + [("picture", name) for name in names]


def test_text_of_a_file_forges_no_placeholder():
    forged = Block(kind="text", text="see [[table:secret]] and [[[picture:x.png]]]")
    assert PLACEHOLDER.search(forged.text)
    assert not PLACEHOLDER.search(block_text(forged))
    assert block_text(forged) == "see [ [table:secret]] and [[ [picture:x.png]]]"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see [page 9]", "see [ page 9]"),
        ("[PAGE\t9] [ page 3]", "[ PAGE\t9] [  page 3]"),
        ("[[page 9]]", "[[ page 9]]"),
        (
            "[Summary] [section: A] [picture: b] [picture]",
            "[ Summary] [ section: A] [ picture: b] [ picture]",
        ),
        ("[[table:x]]", "[ [table:x]]"),
        ("[pages] [page] [1] page 9 [sections of law]", "[pages] [page] [1] page 9 [sections of law]"),
    ],
)
def test_text_of_a_file_forges_no_mark(text: str, shown: str):
    assert unmarked(text) == shown
    mark = r"\[(?:page \d+|section:.*|summary|picture.*)\]"
    assert not re.search(mark, shown, re.IGNORECASE)


def test_blocks_stand_as_markdown_with_placeholders_at_their_place():
    document = Document(
        id="d",
        blocks=[
            Block(kind="heading", text="Sales", level=2),
            Block(kind="text", text="By year:"),
            Block(kind="table", table="d#t1"),
            Block(kind="list", text="first"),
            Block(kind="picture", image="images/d/1.png", text="A map"),
            Block(kind="text", text="  "),
        ],
    )
    text = document_text(document)
    assert text == ("## Sales\n\nBy year:\n\n[[table:d#t1]]\n\n- first\n\n[[picture:images/d/1.png]]\nA map")
