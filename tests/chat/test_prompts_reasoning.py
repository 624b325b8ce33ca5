"""Prompts that let a model reason: what stands where."""

from __future__ import annotations

import pytest

from tabrag.chat.prompts import NOT_FOUND, Shown
from tabrag.chat.prompts_reasoning import STOP, cot_prompt, pot_prompt, recap_prompt
from tabrag.chat.protocol import Message, Picture, Text

SHOWN = [Shown("t1", "Fruit", "a | b\n1 | 2", "t1.png"), Shown("t2", "Nuts", "c | d\n3 | 4")]


def text(messages: list[Message]) -> str:
    return "".join(part.text for part in messages[0].parts if isinstance(part, Text))


@pytest.mark.parametrize("make", [cot_prompt, pot_prompt, recap_prompt])
def test_example_and_tables_come_before_the_question(make) -> None:  # type: ignore[no-untyped-def]
    one, two = make("a?", SHOWN), make("b?", SHOWN)
    assert one[0].parts[:-1] == two[0].parts[:-1] and one[0].parts[-1] != two[0].parts[-1]
    ids = [part.item_id for part in one[0].parts if isinstance(part, Text) and part.item_id]
    assert ids == ["t1", "t2"] and [part.path for part in one[0].parts if isinstance(part, Picture)] == [
        "t1.png"
    ]
    assert text(one).rstrip().endswith("Question: a?") and NOT_FOUND in text(one)
    assert len(one) == 1 and one[0].role == "user"


@pytest.mark.parametrize("make", [cot_prompt, pot_prompt, recap_prompt])
def test_documents_are_spoken_of_as_documents(make) -> None:  # type: ignore[no-untyped-def]
    shown = text(make("a?", [Shown("d1", "Fruit", "a", name="Document")]))
    assert "'not in the documents'" in shown and NOT_FOUND not in shown


def test_an_asked_form_is_told() -> None:
    for make in (cot_prompt, recap_prompt):
        asked = text(make("a?", SHOWN, instruction=" Use JSON. "))
        assert asked.rstrip().endswith("Use JSON.") and "JSON" not in text(make("a?", SHOWN, instruction=" "))


def test_a_reply_ends_where_another_question_would_begin() -> None:
    begun = text(recap_prompt("a?", SHOWN)).partition("Example")[2]
    assert any(stop in begun for stop in STOP)
