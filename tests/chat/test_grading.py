"""Grades from replies, and from the probabilities of the grades' letters."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.chat.grading import (
    GRADES,
    LETTERS,
    expected_grade,
    json_prompt,
    letter_prompt,
    read_grade,
    repair_prompt,
)
from tabrag.chat.prompts import Shown
from tabrag.chat.protocol import Message, Picture, Text

SHOWN = Shown("d#p3", "Report, page 3", "Sales rose.", body=(Picture("p3.png"),), name="Document")


def text(messages: list[Message]) -> str:
    return "".join(part.text for part in messages[-1].parts if isinstance(part, Text))


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ('It tells sales.\n{"grade": 0.8}', 0.8),
        ('```json\n{"grade": 1}\n```', 1.0),
        ('{"grade": 0.2} or rather {"grade": 0.3}', 0.3),
        ('<think>{"grade": 0.9}</think>{"grade": 0.0}', 0.0),
        ('{"reason": "most of it", "grade": 0.85}', 0.85),
        ('{"grade": "high"} no', None),
        ('{"grade": 0.9} hm {"grade": 7}', None),
        ('{"grade": true}', None),
        ("{'grade': 0.4}", 0.4),
        ('{"grade": "0.4"}', 0.4),
        ("It tells much. **Grade: 0.7**.", 0.7),
        ("the grade is 1", 1.0),
        ("Grade: 7/10", None),
        ("Grade: 7", None),
        ('{"grade": NaN}', None),
        ('{"grade": 0.5', None),
        ('<think>{"grade": 0.5}', None),
        ("0.5", None),
        ("{} {grade}", None),
        ("", None),
    ],
)
def test_replies(reply: str, grade: float | None) -> None:
    assert read_grade(reply) == grade


@given(st.lists(st.floats(-50, 0), min_size=11, max_size=11))
def test_the_expected_grade_lies_between_the_ends(scores: list[float]) -> None:
    grade = expected_grade(scores)
    assert 0 <= grade <= 1 + 1e-12
    best = max(range(11), key=lambda place: scores[place])
    sure = [0.0 if place == best else -1000.0 for place in range(11)]
    assert math.isclose(expected_grade(sure), GRADES[best], abs_tol=1e-9)
    assert math.isclose(expected_grade([score - 3 for score in scores]), grade, abs_tol=1e-9)


def test_every_grade_has_a_letter_and_a_meaning_of_its_own() -> None:
    assert len(set(LETTERS)) == len(GRADES) == 11
    (by_letter,), (by_json,) = letter_prompt("how much?", SHOWN), json_prompt("how much?", SHOWN)
    for message, names in ((by_letter, LETTERS), (by_json, [f"{grade:.1f}" for grade in GRADES])):
        lines = [line.partition(": ") for line in text([message]).splitlines()]
        meanings = {name: meaning for name, _, meaning in lines if name in names}
        assert len(meanings) == 11 == len(set(meanings.values()))
        assert "Question: how much?" in text([message]) and Picture("p3.png") in message.parts
        assert [part.item_id for part in message.parts if isinstance(part, Text) and part.item_id] == ["d#p3"]


def test_what_is_asked_once_more_stands_behind_the_reply() -> None:
    asked = json_prompt("how much?", SHOWN)
    again = repair_prompt(asked, "x" * 5000)
    assert again[: len(asked)] == asked and [message.role for message in again[-2:]] == ["assistant", "user"]
    assert len(text(again[:-1])) == 1000 and '"grade"' in text(again)
