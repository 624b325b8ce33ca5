"""Follow-up questions made to stand alone by rule."""

from __future__ import annotations

import pytest
from conversations import Conversation, conversations
from hypothesis import given
from hypothesis import strategies as st

from tabrag.inference.follow_ups import stand_alone
from tabrag.types import Turn

TUNED, HELD_OUT = conversations("tuned"), conversations("held_out")


def _joined(one: Conversation) -> str:
    return " ".join([*(turn.question for turn in one.history), one.question])


def test_conversations_are_no_trivial_ones() -> None:
    both = TUNED + HELD_OUT
    assert len(TUNED) >= 70 and len(HELD_OUT) >= 26
    assert sum(one.is_right(one.question) for one in both) < 0.15 * len(both)
    assert sum(one.is_right(_joined(one)) for one in both) < 0.35 * len(both)


@pytest.mark.parametrize("one", TUNED, ids=lambda one: one.question)
def test_tuned_conversations(one: Conversation) -> None:
    assert one.is_right(stand_alone(one.question, one.history)), stand_alone(one.question, one.history)


def test_most_of_the_conversations_that_nobody_tuned_on() -> None:
    right = [one.is_right(stand_alone(one.question, one.history)) for one in HELD_OUT]
    assert sum(right) >= 0.8 * len(right)


@pytest.mark.parametrize(
    ("question", "made"),
    [
        ("And in 2022?", "What was the revenue of Acme Corp in 2022?"),
        ("And in Q3 2022?", "What was the revenue of Acme Corp in Q3 2022?"),
        ("And the third quarter?", "What was the revenue of Acme Corp in the third quarter of 2021?"),
        ("What about Borealis Inc in 2022?", "What was the revenue of Borealis Inc in 2022?"),
        ("What was its profit?", "What was Acme Corp's profit in 2021?"),
        ("Did it rise the year after?", "What was the revenue of Acme Corp in 2021? Did it rise in 2022?"),
        ("Why?", "What was the revenue of Acme Corp in 2021? Why?"),
        ("And?", "What was the revenue of Acme Corp in 2021? And?"),
    ],
)
def test_what_is_made(question: str, made: str) -> None:
    history = [Turn(question="What was the revenue of Acme Corp in 2021?", answer="12.3 million")]
    assert stand_alone(question, history) == made


def test_without_a_conversation_all_stays() -> None:
    for question in ("And in 2022?", "What was its profit?", ""):
        assert stand_alone(question, []) == question
        assert stand_alone(question, [Turn(question=" ", answer="x")]) == question


WORDS = st.sampled_from(
    "and what about the its it that year segment in of for 2020 2021 Q3 Acme Corp AG ? . , 's why which How"
    " many there two before company \n ( \\ [[ 1,234".split(" ")
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=30)


@given(TEXTS, st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_any_text_goes_through(question: str, turns: list[tuple[str, str]]) -> None:
    made = stand_alone(question, [Turn(question=asked, answer=said) for asked, said in turns])
    assert made.strip() or not question.strip()
