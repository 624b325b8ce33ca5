"""What the prompt of reasoned JSON says, and that its examples are read as what they show."""

from __future__ import annotations

from typing import get_args

import pytest

from tabrag.chat.page_claims import PageClaim
from tabrag.chat.prompts import NOT_ANSWERABLE, Shown
from tabrag.chat.prompts_reasoned import KEYS, PAGES, AnswerForm, example, reasoned_prompt
from tabrag.chat.protocol import Message, Text
from tabrag.chat.reasoned import answer_text, parse_reasoned
from tabrag.inference.answer_form import answer_form

FORMS = get_args(AnswerForm)
SHOWN = [Shown("d1", "Fruit", "[page 3]\na", name="Document"), Shown("d2", "Nuts", "b", name="Document")]


def text(messages: list[Message]) -> str:
    return "".join(part.text for part in messages[0].parts if isinstance(part, Text))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("several", [False, True])
def test_examples(form: AnswerForm, several: bool) -> None:
    question, _, reply = example(form, has_pages=True, several=several).partition("\n")
    assert answer_form(question.removeprefix("Question: ")) == form
    found = parse_reasoned(reply)
    assert found.is_strict and found.has_answer and len(found.analysis.split()) > 40
    expected = {"text": "South berth", "integer": "1690", "number": "12%", "yes_no": "No"}
    assert answer_text(found.answer) == expected.get(form, "North berth, East berth")
    pages = [2, 6] if form == "list" else [2] if form == "text" else [3]
    assert found.pages == tuple(PageClaim(page, 1 if several else None) for page in pages)
    assert PAGES not in example(form, has_pages=False, several=several)


def test_keys_stand_in_their_order_and_all_before_the_question_is_shared() -> None:
    made = [
        reasoned_prompt(f"{form}?", SHOWN[:1], form=form, has_pages=True, instruction="") for form in FORMS
    ]
    assert all(messages[0].parts[:-1] == made[0][0].parts[:-1] for messages in made)
    assert len({messages[0].parts[-1] for messages in made}) == len(FORMS)
    for messages, form in zip(made, FORMS, strict=True):
        told = text(messages)
        places = [told.index(key) for key in KEYS]
        assert places == sorted(places)
        assert told.endswith(f"\nQuestion: {form}?\nReply with the JSON object alone.\n")
        assert NOT_ANSWERABLE in told


def test_pages_are_asked_for_where_there_are_some() -> None:
    without = text(reasoned_prompt("a?", SHOWN[:1], form="text", has_pages=False))
    assert PAGES not in without and PAGES in text(
        reasoned_prompt("a?", SHOWN[:1], form="text", has_pages=True)
    )
    assert "Document 1, page 2" in text(reasoned_prompt("a?", SHOWN, form="text", has_pages=True))


def test_an_asked_form_is_told() -> None:
    asked = text(reasoned_prompt("a?", SHOWN, form="text", has_pages=True, instruction=" Use one word. "))
    assert "Question: a?\nFor final_answer: Use one word.\n" in asked
