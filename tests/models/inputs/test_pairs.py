"""A question and a table as one input: nothing of either lost without a word, and what they share."""

from __future__ import annotations

import dataclasses
import logging
from pathlib import Path

import pytest
from tiny_tables import sales

from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.config import CrossEncoderConfig
from tabrag.models.inputs.pairs import NAMED_LENGTH, PairInputs
from tabrag.representations import RepresentationConfig
from tabrag.tables.question_facts import NUM_FACTS
from tabrag.types import Block, Document, Entry


def _inputs(path: Path, **changes: object) -> PairInputs:
    if not (path / "config.json").is_file():
        tiny.bert(path)
    options = {"backbone": str(path), "representation": RepresentationConfig(options={"windows": True})}
    return PairInputs.load(path, CrossEncoderConfig(**{**options, **changes}))


def _words(inputs: PairInputs, ids: object) -> list[str]:
    return inputs.tokenization.tokenizer.convert_ids_to_tokens(list(ids))  # type: ignore[call-overload]


def test_both_sides_and_what_they_share(tmp_path: Path) -> None:
    inputs = _inputs(tmp_path)
    pair = inputs.features("a b", Entry(id="t", item_id="t", text="b c c"), ["3"])
    assert _words(inputs, pair.ids) == ["[CLS]", "a", "b", "[SEP]", "b", "c", "c", "|", "3", "[SEP]"]
    other = inputs.features("a", Entry(id="t", item_id="t", text="d"))
    batch = inputs.collate([pair, other])
    assert batch["input_ids"].shape == (2, 10) and batch["attention_mask"].sum(dim=1).tolist() == [10, 5]
    assert batch["question"][0].nonzero().flatten().tolist() == [1, 2]
    assert batch["table"][0].nonzero().flatten().tolist() == [4, 5, 6, 7, 8]
    assert batch["shared"][0].nonzero().flatten().tolist() == [2, 4]  # the b of each side
    assert not batch["shared"][1].any() and batch["table"][1].sum() == 1


def test_long_sides_are_cut_and_a_long_question_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    inputs = _inputs(tmp_path, question_length=4, table_length=5)
    entry = Entry(id="t", item_id="t", text="x " * 50)
    with caplog.at_level(logging.WARNING):
        pairs = [inputs.features("y " * 9, entry, ["z"] * 99), inputs.features("y " * 9, entry)]
    assert [len(pair) for pair in pairs] == [3 + 4 + 5 + 2, 3 + 4 + 5]
    assert caplog.text.count("a question of 9 tokens is cut to 4") == 1
    many = inputs.features("y", entry, [f"{n} {n}" for n in range(99)])
    assert len(many) <= 3 + 1 + 5 + NAMED_LENGTH and max(many.table) == len(many) - 1


def test_pairs_are_of_the_table_as_it_is_now(tmp_path: Path) -> None:
    inputs = _inputs(tmp_path)
    question, table = "lemons of 2019", sales()
    first = inputs.pair(question, table)
    assert (
        len(first.facts) == NUM_FACTS and inputs.pair("who won", table).facts.tolist() != first.facts.tolist()
    )
    again = inputs.pair(question, sales())
    assert again.ids.tolist() == first.ids.tolist() and again.facts.tolist() == first.facts.tolist()
    other = dataclasses.replace(sales(), title="Lemons")  # the same id, for example in another corpus
    changed = inputs.pair(question, other)
    assert changed.ids.tolist() != first.ids.tolist() and changed.facts.tolist() != first.facts.tolist()
    batch = inputs.collate([changed, first])
    assert batch["facts"].shape == (2, NUM_FACTS) and batch["facts"][1].tolist() == first.facts.tolist()
    off = _inputs(tmp_path, word_facts=False)
    off.weigh([table])
    assert off.facts is None and off.state() == off.tokenization.state()
    assert off.collate([off.pair(question, table)])["facts"].shape == (1, 0)


def test_a_pair_has_the_best_of_the_windows_that_it_is_narrowed_to(tmp_path: Path) -> None:
    inputs = _inputs(tmp_path, table_length=40)
    windows = inputs.windows(sales())
    for question in ("lemons of 2019", "the south in 2020"):
        best = inputs.best_window(question, windows)
        named, facts = inputs.named(question, sales()), inputs.pair(question, sales()).facts.tolist()
        for narrow, entry in ((None, best), (lambda all_of_them: all_of_them[-1:], windows[-1])):
            pair = inputs.pair(question, sales(), narrow=narrow)
            assert pair.ids.tolist() == inputs.features(question, entry, named, facts).ids.tolist()


def test_weights_come_from_items_that_are_read(tmp_path: Path) -> None:
    inputs = _inputs(tmp_path)
    document = Document(id="d", title="a b", blocks=[Block(kind="text", text="a b")])
    inputs.weigh([sales(), WholeDocument(document, {}), sales()])
    assert inputs.facts is not None and inputs.facts.weights.num_items == 2
    before = inputs.state()
    inputs.weigh([sales()])
    assert inputs.state() != before


def test_windows_hold_all_headers_and_fit(tmp_path: Path) -> None:
    whole = _inputs(tmp_path, table_length=200)
    assert len(whole.windows(sales())) == 1
    inputs = _inputs(tmp_path, table_length=40)
    windows = inputs.windows(sales())
    assert len(windows) > 1 and max(inputs.count(windows)) <= 40
    shown = " ".join(entry.text for entry in windows)
    assert all(name in shown for name in ("lemon", "north", "south", "2019", "2020"))


def test_cells_that_the_question_names(tmp_path: Path) -> None:
    inputs = _inputs(tmp_path)
    assert inputs.named("which fruit has 1200", sales()) == ["1,200"]
    assert _inputs(tmp_path, named_cells=False).named("which fruit has 1200", sales()) == []
    plain = sales()
    plain.grid = None
    assert inputs.named("1200", plain) == []


def test_items_of_the_other_kind_are_refused(tmp_path: Path) -> None:
    whole = WholeDocument(Document(id="d", blocks=[Block(kind="text", text="Fruit sold.")]), {})
    of_documents = _inputs(tmp_path, representation=RepresentationConfig(name="document"))
    assert [entry.text for entry in of_documents.windows(whole)] == ["Fruit sold."]
    with pytest.raises(UserError, match=f"'{sales().id}' is a table, but the cross-encoder reads documents"):
        of_documents.windows(sales())
    with pytest.raises(UserError, match="'d' is a document, but the cross-encoder reads tables"):
        _inputs(tmp_path).windows(whole)
