from __future__ import annotations

from pathlib import Path

import pytest
from tiny_chat import LLAMA_TEMPLATE, TEMPLATE, save

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.prompts import (
    NOT_FOUND,
    Shown,
    answer_prompt,
    describe_prompt,
    verify_labels,
    verify_prompt,
)
from tabrag.chat.protocol import Message, Picture, Text, probabilities
from tabrag.data.records import LABELS

SHOWN = [Shown("t1", "Fruit", "a | b\n1 | 2", "t1.png"), Shown("t2", "Nuts", "c | d\n3 | 4")]


def text(messages: list[Message]) -> str:
    return "".join(part.text for part in messages[0].parts if isinstance(part, Text))


def test_tables_come_first_and_do_not_depend_on_the_question() -> None:
    made = [answer_prompt("a?", SHOWN), describe_prompt("b", SHOWN), verify_prompt("c", SHOWN)]
    starts = [messages[0].parts[:-1] for messages in made]
    assert starts[0] == starts[1] == starts[2]
    assert [part.path for part in starts[0] if isinstance(part, Picture)] == ["t1.png"]
    assert [part.item_id for part in starts[0] if isinstance(part, Text) and part.item_id] == ["t1", "t2"]
    endings = [text([Message("user", messages[0].parts[-1:])]) for messages in made]
    assert [ending.split("\n")[1] for ending in endings] == ["Question: a?", "Request: b", "Statement: c"]


def test_an_asked_form_takes_the_place_of_ours() -> None:
    for make in (answer_prompt, describe_prompt):
        ours, asked = text(make("a?", SHOWN)), text(make("a?", SHOWN, instruction="Answer in JSON."))
        assert "Reply with" in ours and "Reply with" not in asked
        assert asked.endswith("Answer in JSON.") and NOT_FOUND in ours and NOT_FOUND in asked
        assert text(make("a?", SHOWN, instruction=" ")) == ours


@pytest.mark.parametrize("kind", ["llama", "gpt2", "qwen"])
def test_labels_begin_with_tokens_of_their_own(kind: str, tmp_path: Path) -> None:
    template = {"llama": LLAMA_TEMPLATE, "qwen": TEMPLATE}.get(kind)
    folder = save(tmp_path, kind, template=template, positions=1024)
    chat = LocalChat(LocalChatConfig(model=str(folder), device="cpu", dtype="float32"))
    assert verify_labels(can_be_open=True) == LABELS and verify_labels(can_be_open=False) == LABELS[:2]
    for can_be_open in (False, True):
        labels = verify_labels(can_be_open=can_be_open)
        prompt = verify_prompt("a is 1", SHOWN[1:], can_be_open=can_be_open)
        assert all((label in text(prompt)) == (label in labels) for label in LABELS)
        chances = probabilities(chat.score(prompt, labels))
        assert len(set(chances)) == len(labels) and sum(chances) == pytest.approx(1)
