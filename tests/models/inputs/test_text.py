"""Text inputs: prefix, truncation that counts, padding."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path

import pytest
import torch

from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.inputs.text import TextInputs
from tabrag.types import Entry


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bert")
    tiny.bert(path)
    return path


def _entries(*texts: str) -> list[Entry]:
    return [Entry(id=f"e{i}", item_id=f"e{i}", text=text) for i, text in enumerate(texts)]


def test_same_ids_as_the_tokenizer_itself(folder: Path) -> None:
    inputs = TextInputs.load(folder, max_length=12, prefix="query: ")
    texts = ["Total revenue, 2016", "", "a b c d e f g h i j k l m n o p"]
    batch = inputs(_entries(*texts))
    expected = inputs.tokenization.tokenizer(
        ["query: " + text for text in texts],
        max_length=12,
        truncation=True,
        padding=True,
        return_tensors="pt",
    )
    assert batch["input_ids"].shape[1] == 12
    assert torch.equal(batch["input_ids"], expected["input_ids"])
    assert torch.equal(batch["attention_mask"], expected["attention_mask"])


def test_prefix_changes_the_ids(folder: Path) -> None:
    plain, prefixed = (
        TextInputs.load(folder, max_length=32),
        TextInputs.load(folder, max_length=32, prefix="q: "),
    )
    assert plain(_entries("q: x"))["input_ids"].tolist() == prefixed(_entries("x"))["input_ids"].tolist()
    assert plain(_entries("x"))["input_ids"].tolist() != prefixed(_entries("x"))["input_ids"].tolist()


def test_cut_tokens_are_counted_and_said_once(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    inputs = TextInputs.load(folder, max_length=10)
    with caplog.at_level(logging.WARNING):
        inputs(_entries("a b c"))
        assert not caplog.records and inputs.num_cut == 0
        inputs(_entries("a " * 30, "b " * 9))
        inputs(_entries("a " * 30))
    assert inputs.num_cut == 22 + 1 + 22
    assert len(caplog.records) == 1
    assert "max_length=10" in caplog.text and "23 of the first 48 tokens" in caplog.text


def test_truncation_in_the_tokenizer_file_does_not_act(folder: Path) -> None:
    """all-MiniLM's own tokenizer.json switches on truncation and padding to 128."""
    inputs = TextInputs.load(folder, max_length=300)
    inputs.tokenization.tokenizer.backend_tokenizer.enable_truncation(8)
    inputs.tokenization.tokenizer.backend_tokenizer.enable_padding(length=8)
    again = type(inputs.tokenization)(inputs.tokenization.tokenizer, max_length=300)
    assert [len(tokens) for tokens in again.texts(["a " * 100, "a"])] == [102, 3]


def test_picklable(folder: Path) -> None:
    inputs = TextInputs.load(folder, max_length=16, prefix="p ")
    copy = pickle.loads(pickle.dumps(inputs))
    assert torch.equal(copy(_entries("some text"))["input_ids"], inputs(_entries("some text"))["input_ids"])


def test_length_is_bounded_and_grows(folder: Path) -> None:
    inputs = TextInputs.load(folder, max_length=64)
    short, long, longest = (inputs.length(entry) for entry in _entries("a", "word " * 20, "word " * 2000))
    assert short < long < longest == 64


def test_no_room_for_text_is_an_error(folder: Path) -> None:
    with pytest.raises(UserError, match="max_length 2"):
        TextInputs.load(folder, max_length=2)


def test_folder_without_tokenizer_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(UserError, match=str(tmp_path)):
        TextInputs.load(tmp_path, max_length=16)


def test_counting_tells_what_would_be_cut_and_cuts_nothing(folder: Path) -> None:
    inputs = TextInputs.load(folder, max_length=12, prefix="query: ")
    entries = _entries("Total revenue, 2016", "", "a b c d e f g h i j k l m n o p")
    uncut = TextInputs.load(folder, max_length=500, prefix="query: ").features(entries)
    counts = inputs.count(entries)
    assert counts == [len(tokens) for tokens in uncut] and counts[2] > inputs.limit == 12
    assert inputs.num_cut == inputs.num_tokens == 0
    inputs.features(entries)
    assert inputs.num_cut == sum(max(0, count - 12) for count in counts) > 0
    assert inputs.num_tokens == sum(counts)
