from __future__ import annotations

from pathlib import Path

import pytest
from tiny_chat import LLAMA_TEMPLATE, TEMPLATE, save

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.prompts import (
    NOT_FOUND,
    RANK_VERSION,
    Shown,
    answer_prompt,
    describe_prompt,
    not_found,
    rank_prompt,
    relevant_prompt,
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
    starts = [messages[0].parts[:-2] for messages in made]
    assert starts[0] == starts[1] == starts[2]
    assert [part.path for part in starts[0] if isinstance(part, Picture)] == ["t1.png"]
    assert [part.item_id for part in starts[0] if isinstance(part, Text) and part.item_id] == ["t1", "t2"]
    endings = [text([Message("user", messages[0].parts[-1:])]) for messages in made]
    assert endings == ["Question: a?", "Request: b", "Statement: c"]
    others = [answer_prompt("z!", SHOWN), describe_prompt("z!", SHOWN), verify_prompt("z!", SHOWN)]
    for one, other in zip(made, others, strict=True):  # what is to be done stands before the question too
        assert one[0].parts[:-1] == other[0].parts[:-1] != starts[0]


def test_an_asked_form_takes_the_place_of_ours() -> None:
    for make in (answer_prompt, describe_prompt):
        ours, asked = text(make("a?", SHOWN)), text(make("a?", SHOWN, instruction="Answer in JSON."))
        assert "Reply with" in ours and "Reply with" not in asked
        assert (
            "Answer in JSON.\n" in asked
            and asked.endswith(": a?")
            and NOT_FOUND in ours
            and NOT_FOUND in asked
        )
        assert text(make("a?", SHOWN, instruction=" ")) == ours


def test_documents_are_spoken_of_as_documents() -> None:
    documents = [Shown("d1", "Fruit", body=("[page 3]", "a"), name="Document"), SHOWN[1]]
    for make in (answer_prompt, describe_prompt, verify_prompt, rank_prompt, relevant_prompt):
        table, document = text(make("a?", SHOWN)), text(make("a?", documents))
        asked_of = [made.split("3 | 4\n")[1] for made in (table, document)]
        assert " table" in asked_of[0] and "table" not in asked_of[1]
        assert "documents" in document
    assert (not_found(SHOWN), not_found(documents)) == (NOT_FOUND, "not in the documents")
    assert not_found(documents) in text(answer_prompt("a?", documents))
    asked = text(answer_prompt("a?", documents, instruction="Answer in JSON."))
    assert "Use the documents alone; the answer is 'not in the documents'" in asked
    assert "Do the documents support the statement? Reply SUPPORTED when they do" in text(
        verify_prompt("a", documents, can_be_open=True)
    )


def test_rerankers_are_asked_as_they_were_trained() -> None:
    """Their checkpoints name the version of these texts."""
    assert RANK_VERSION == 2
    one, two = text(rank_prompt(" a? ", SHOWN[1:])), text(relevant_prompt("a?", SHOWN))
    assert one == (
        "Table: Nuts\nc | d\n3 | 4\n\nDoes the table hold the information that answers the question?"
        " Reply with one word: True or False.\nQuestion: a?"
    )
    assert two == (
        "Table 1: Fruit\na | b\n1 | 2\nTable 2: Nuts\nc | d\n3 | 4\n\nWhich tables hold the information that"
        " answers the question? Reply with their numbers, or None.\nQuestion: a?"
    )


def test_a_note_has_no_number() -> None:
    note = Shown("", text="A red line.", name="Pictures")
    alone = text(answer_prompt("a?", [Shown("d", "Fruit", "a", name="Document"), note]))
    assert alone.startswith("Document: Fruit\na\nPictures: \nA red line.\n")
    assert "Table 2: Nuts" in text(answer_prompt("a?", [*SHOWN, note]))


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
