"""A language model reads documents; its answer names the table's cell or the passage where it stands."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tabrag.chat.protocol import Conversation, Reply, Text
from tabrag.documents.whole import WholeDocument
from tabrag.inference.answer import Reader
from tabrag.inference.answer_job import readable
from tabrag.inference.config import ContextConfig, ReaderConfig
from tabrag.tables.grid import make_grid
from tabrag.tables.subtable import subtable
from tabrag.types import Block, Candidate, Document, Query, Source, Table

GRID = make_grid(
    [["region", "2019", "2020"], ["north", "11", "12"], ["south", "13", "14"]],
    num_header_rows=1,
    num_header_cols=1,
)
TABLE = Table(
    id="farm#t1", title="Cattle", grid=GRID, document="farm", source=Source(file="farm.pdf", page=3)
)
FARM = WholeDocument(
    Document(
        id="farm",
        title="Farm report",
        source=Source(file="farm.pdf"),
        blocks=[
            Block(kind="text", text="Rain fell. The herd belongs to Ms Lee.", page=1, box=(1, 2, 3, 4)),
            Block(kind="table", table="farm#t1", page=3),
        ],
    ),
    {"farm#t1": TABLE},
)


class Corpus:
    """One document and its table."""

    tables = {"farm#t1": TABLE}
    items = {"farm": FARM, "farm#t1": TABLE}

    def image_path(self, table: Table) -> str:
        raise AssertionError("there are no pictures")


class Says:
    """A model with one reply."""

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.seen = ""

    def num_tokens(self, text: str) -> int:
        return len(text.split())

    def generate_batch(
        self, conversations: Sequence[Conversation], *, max_new_tokens: int = 64, stop: Sequence[str] = ()
    ) -> list[Reply]:
        (conversation,) = conversations
        self.seen = "".join(part.text for part in conversation[-1].parts if isinstance(part, Text))
        return [Reply(self.reply, 0.8)]


def ask(reply: str, question: str, *ids: str, **settings: object):
    chat = Says(reply)
    config = ReaderConfig(reader="chat", context=ContextConfig(max_tokens=200), num_tables=2, **settings)  # type: ignore[arg-type]
    run = {"q": [Candidate(item_id=one, score=1.0, stage="fused") for one in ids]}
    (answer,) = Reader(config, chat=chat)([Query(id="q", text=question)], run, Corpus())  # type: ignore[arg-type]
    return answer, chat.seen


def test_a_value_of_the_table_is_found_there():
    answer, seen = ask("14", "how many cattle in the south in 2020?", "farm")
    assert "Farm report" in seen and "| south | 13 | 14 |" in seen and "Ms Lee" in seen
    (evidence,) = answer.evidence
    assert (evidence.item_id, evidence.cells, evidence.text) == ("farm#t1", [(2, 2)], "")
    assert (evidence.source.file, evidence.source.page) == ("farm.pdf", 3)
    assert answer.confidence == 0.8


def test_a_refined_table_is_shown_in_the_document_and_its_evidence_is_the_whole_ones():
    chat = Says("14")
    config = ReaderConfig(reader="chat", context=ContextConfig(max_tokens=200))
    run = {"q": [Candidate(item_id="farm", score=1.0, stage="fused")]}
    queries = [Query(id="q", text="how many cattle in the south in 2020?")]
    parts = {("q", "farm#t1"): subtable(GRID, {2}, {2}), ("other", "farm#t1"): subtable(GRID, {1}, {1})}
    (answer,) = Reader(config, chat=chat)(queries, run, Corpus(), parts=parts)  # type: ignore[arg-type]
    assert "| south | 14 |" in chat.seen and "north" not in chat.seen and "Ms Lee" in chat.seen
    (evidence,) = answer.evidence
    assert evidence.cells == [(2, 2)] and evidence.shown_rows == [0, 2] and evidence.shown_columns == [0, 2]


def test_a_value_of_the_text_is_found_with_its_passage_page_and_box():
    answer, _ = ask("Ms Lee", "who owns the herd?", "farm")
    (evidence,) = answer.evidence
    assert (evidence.item_id, evidence.text) == ("farm", "The herd belongs to Ms Lee.")
    assert evidence.source == Source(file="farm.pdf", page=1, box=(1, 2, 3, 4))
    assert evidence.cells == evidence.rows == evidence.columns == [] and answer.confidence == 0.8
    shown = readable(answer, Corpus.items)
    assert "passage  The herd belongs to Ms Lee." in shown and "farm.pdf" in shown and "page     1" in shown


def test_what_stands_nowhere_halves_the_confidence():
    answer, _ = ask("a tractor", "what was bought?", "farm")
    assert answer.confidence == pytest.approx(0.4)
    assert not any(evidence.cells or evidence.text for evidence in answer.evidence)
    assert "farm" in readable(answer, Corpus.items)


def test_tables_among_documents_are_shown_too():
    answer, seen = ask("11", "cattle in the north in 2019?", "farm#t1", "farm")
    assert seen.count("| north | 11 | 12 |") == 2
    assert answer.evidence[0].item_id == "farm#t1" and answer.evidence[0].cells == [(1, 1)]


def test_a_formula_over_text_and_table_names_both():
    reply = "Compute: ##14 - 13##\nAnswer: 1"
    answer, _ = ask(reply, "how many more cattle in the south in 2020?", "farm", prompting="recap")
    assert answer.answer == "1" and answer.formula
    assert answer.evidence[0].cells == [(2, 2), (2, 1)]


def test_numbers_within_sentences_are_evidence(monkeypatch: pytest.MonkeyPatch):
    text = "The harbour had 412 berths in 2021. In 2022 there were 450 berths."
    blocks = [Block(kind="heading", text="Harbour"), Block(kind="text", text=text, page=7)]
    port = WholeDocument(Document(id="port", title="Port", blocks=blocks), {})
    monkeypatch.setitem(Corpus.items, "port", port)
    answer, _ = ask("It had 450 berths.", "how many berths in 2022?", "port")
    assert (answer.answer, answer.confidence, answer.notes) == ("450", 0.8, [])
    assert (answer.evidence[0].text, answer.evidence[0].source.page) == ("In 2022 there were 450 berths.", 7)
    reply = "Compute: ##450 - 412##\nAnswer: 38"
    answer, _ = ask(reply, "how many more berths in 2022 than in 2021?", "port", prompting="recap")
    assert (answer.answer, answer.confidence, answer.notes) == ("38", 0.8, [])
    assert "412" in answer.evidence[0].text and "450" in answer.evidence[0].text
