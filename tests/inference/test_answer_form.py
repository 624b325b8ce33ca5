"""The form of an answer, told from the words of its question."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.data.sources import finqa, tatqa
from tabrag.evaluation.answer_values import number
from tabrag.inference.answer_form import answer_form


@pytest.mark.parametrize(
    ("form", "questions"),
    [
        (
            "yes_no",
            [
                "Did the number of stores grow in 2022?",
                "In 2022, was the dividend raised?",
                "is the plan open to new members",
                "Has revenue grown by 5% or more?",
            ],
        ),
        (
            "list",
            [
                "Which segments grew in 2022?",
                "List the members of the board.",
                "What are the names of the subsidiaries?",
                "Who are the directors?",
                "In which years were dividends paid?",
                "What were sales and costs in 2022, respectively?",
            ],
        ),
        (
            "integer",
            [
                "How many stores were there at the end of 2022?",
                "What was the number of employees in Spain?",
                "In what year was the plant opened?",
            ],
        ),
        (
            "number",
            [
                "What percentage of sales came from Spain?",
                "How much did the revenue grow?",
                "How many percent of the staff work in Spain?",
                "How many millions were invested?",
                "What is the total revenue in 2022?",
                "What is the average number of employees?",
            ],
        ),
        (
            "text",
            [
                "Which segment grew the most?",
                "Who is the chair of the board?",
                "Did Spain or France sell more?",
                "When was the plant opened?",
                "Why did the margin fall?",
                "Which country has more stores, Spain or France?",
            ],
        ),
    ],
)
def test_forms(form: str, questions: list[str]) -> None:
    assert [answer_form(question) for question in questions] == [form] * len(questions)


@given(st.text(max_size=60))
def test_any_text_has_a_form(text: str) -> None:
    assert answer_form(text) in ("text", "integer", "number", "list", "yes_no")


def test_numbers_of_real_questions(data_root: Path) -> None:
    for source, name in ((finqa, "finqa"), (tatqa, "tatqa")):
        data = source.read(data_root / name)
        seen = set(data.qrels.get("train", {})) | set(data.qrels.get("dev", {}))
        asked = [one for one in data.queries if one.id in seen and len(one.answers) == 1]
        called = [one for one in asked if answer_form(one.text) in ("integer", "number")]
        right = sum(number(one.answers[0]) is not None for one in called)
        assert len(called) > 300 and right / len(called) > 0.95
