"""What a reply must be to count as a stand-alone question, or as a step-back question."""

from __future__ import annotations

import pytest

from tabrag.chat.protocol import Message, Text
from tabrag.chat.rewrite import read_stand_alone, read_step_back, stand_alone_prompt, step_back_prompt
from tabrag.types import Turn

HISTORY = [Turn(question="What was the revenue of Acme Corp in 2021?", answer="12.3 million")]
QUESTION = "And the net income?"
GOOD = "What was the net income of Acme Corp in 2021?"


def text(messages: list[Message]) -> str:
    return "".join(part.text for part in messages[-1].parts if isinstance(part, Text))


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f'"{GOOD}"',
        f"Stand-alone question: {GOOD}",
        f"**Standalone question:** {GOOD}",
        f"The rewritten question is: {GOOD}",
        f"<think>They ask\n about income.</think>\n{GOOD}",
        f"they ask about income\n</think>\n\n{GOOD}",
        f"Here is the question:\n\n{GOOD}\n",
    ],
)
def test_a_question_is_read_in_any_wrapping(reply: str) -> None:
    assert read_stand_alone(reply, QUESTION, HISTORY) == GOOD


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "<think>it never ends",
        "12.3 million",
        "The net income was 12.3 million.",
        "I cannot answer that.",
        f"{GOOD}\nIt was 4 million.",
        f"{GOOD} It was 12.3 million.",
        "What was the net income of Acme Corp in 1987?",
        "What is the capital of France?",
        "What was the net income? " + "and the net income? " * 40,
    ],
)
def test_what_is_no_question_is_refused(reply: str) -> None:
    assert read_stand_alone(reply, QUESTION, HISTORY) is None


def test_years_beside_those_of_the_conversation_and_statements() -> None:
    year_before = "What was the revenue of Acme Corp in 2020?"
    assert read_stand_alone(year_before, "And the year before?", HISTORY) == year_before
    statement = "The revenue of Acme Corp rose in 2022."
    assert read_stand_alone(statement, "It rose in 2022.", HISTORY) == statement
    assert read_stand_alone(statement, "Did it rise in 2022?", HISTORY) is None


def test_a_number_without_end_is_refused() -> None:
    question = "What was the revenue of Acme Corp in 2021, " + "in words, " * 500 + "and in the year after?"
    for year, is_good in (("2022", True), ("7" * 4400, False)):
        reply = question.replace("the year after", year)
        assert (read_stand_alone(reply, question, HISTORY) == reply) == is_good


def test_the_prompt_holds_the_conversation_on_lines_of_their_own() -> None:
    long = [Turn(question="Who\nwas it?", answer="word " * 500), Turn(question="Where?")]
    asked = text(stand_alone_prompt("And\nwhen?", long))
    assert "Question: Who was it?\nAnswer: word word" in asked and len(asked) < 2000
    assert asked.endswith("Question: Where?\nLast question: And when?\nStand-alone question:")


def test_step_back() -> None:
    asked = text(step_back_prompt("By how much did sales grow?"))
    assert asked.endswith("Question: By how much did sales grow?\nGeneral question:")
    both = "How did sales develop?\nKeywords: sales, growth, sales, 2021"
    assert read_step_back(both) == "How did sales develop? sales growth 2021"
    assert read_step_back(f"General question: {both}") == "How did sales develop? sales growth 2021"
    assert read_step_back("<think>hm</think>How did sales develop?") == "How did sales develop?"
    for reply in ("", "Sales grew by 4 million.", "<think>How did", "I cannot say", "Keywords: sales"):
        assert read_step_back(reply) is None
    many = read_step_back("How?\nKeywords: " + ", ".join(f"w{n}" for n in range(50)))
    assert many is not None and len(many.split()) == 13
