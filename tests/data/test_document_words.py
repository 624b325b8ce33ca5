from __future__ import annotations

from tabrag.data.document_words import DocumentWords, parts_of, phrases_of, words_of
from tabrag.tables.grid import make_grid
from tabrag.types import Block, Document, Table


def test_phrases_are_neighbours_that_can_name_something() -> None:
    found = list(phrases_of(words_of("What was the total Shell Egg price of Cal-Maine in December 2019?")))
    assert found == [("shell", "egg"), ("egg", "price"), ("cal", "maine")]
    assert list(phrases_of(words_of("the company reported 5 million of 10 shares"))) == []


def test_parts_are_pages_with_tables_at_their_places() -> None:
    table = Table(id="t", title="Eggs", section="Sales", grid=make_grid([["2019", ""], ["5", "6"]]))
    document = Document(
        id="d",
        title="Farm",
        blocks=[
            Block(kind="text", text="First page.", page=1),
            Block(kind="table", table="t", page=2),
            Block(kind="text", text="After it.", page=2),
            Block(kind="table", table="gone", page=2),
        ],
    )
    assert parts_of(document, [table]) == [
        [["farm"], ["first", "page"]],
        [["egg"], ["sale"], ["2019"], ["5"], ["6"], ["after", "it"]],
    ]
    assert parts_of(Document(id="d"), []) == []


def test_only_what_is_asked_for_is_kept_and_left_out_documents_are_forgotten() -> None:
    index = DocumentWords({"egg", "farm", "gone"}, {("shell", "egg")})
    index.add(0, "Farm", [["farm"], ["shell", "egg"]])
    index.add(1, "Mill", [["egg"], ["farm", "shell"], ["egg"]])
    index.add(2, "Farm", [["shell", "egg", "shell"]])
    assert index.holders("egg") == 0b111 and index.count("egg") == 3
    assert index.holders(("shell", "egg")) == 0b101  # not from one text into the next
    assert index.holders("farm") == 0b11 and index.holders("farm", in_title=True) == 0b101
    assert index.holders("shell") == index.holders("gone") == 0
    index.without({2})
    assert index.holders("egg") == 0b11 and index.count(("shell", "egg")) == 1
    assert index.holders("farm", in_title=True) == 0b1
