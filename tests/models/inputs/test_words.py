"""What a word reranker reads of a document: all that its blocks and tables say."""

from __future__ import annotations

from tabrag.documents.whole import WholeDocument
from tabrag.models.inputs.words import WordInputs
from tabrag.tables.grid import make_grid
from tabrag.types import Block, Document, Table, Word


def test_a_document_has_the_words_of_its_blocks_and_of_all_about_its_tables() -> None:
    tables = {
        "d#t1": Table(
            id="d#t1", title="apples", caption="harvest", section="orchards", grid=make_grid([["7"]])
        ),
        "d#t2": Table(id="d#t2", words=[Word(text="picture", box=(0, 0, 10, 10))]),
    }
    blocks = [Block(kind="text", text="Lemons grew."), *(Block(kind="table", table=name) for name in tables)]
    item = WholeDocument(Document(id="d", title="report", blocks=blocks), tables)
    inputs = WordInputs()
    for question in ("lemons", "apples", "harvest", "orchards", "picture", "7", "report"):
        assert inputs.pair(question, item)[4] == 1.0, question  # the share of its words that stand anywhere
    assert inputs.pair("pears", item)[4] == 0.0


def test_a_document_that_says_nothing_has_facts_too() -> None:
    inputs = WordInputs()
    item = WholeDocument(Document(id="d"), {})
    batch = inputs.collate([inputs.pair(question, item) for question in ("", "who won in 2019")])
    assert batch["facts"].shape[0] == 2 and batch["facts"].isfinite().all()
