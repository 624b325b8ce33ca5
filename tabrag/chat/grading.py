"""Asking a chat model how far a page, a table or a document answers a question: a grade from 0 to 1.

Grades in steps of 0.1, each with what it means, as MHier-RAG's page scores have them (Gong et al., arXiv
2508.00579, section 3.3 and code); the wording is this project's. A grade is asked for as one letter, whose
probabilities can be read, or as JSON behind the model's reasons.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Sequence
from typing import Any

from tabrag.chat.prompts import Shown, shown_parts
from tabrag.chat.protocol import Message, Text, probabilities
from tabrag.chat.thoughts import without_thoughts

GRADING_VERSION = 2
"""Raised when a prompt or the reading of its replies changes: batch jobs name it."""

GRADES = tuple(step / 10 for step in range(11))
LETTERS = tuple("ABCDEFGHIJK")
"""The letter of each grade. Letters differ in their first token, "0.1" and "0.2" do not, and a served model
tells the probabilities of first tokens alone."""

_MEANINGS = (
    "has nothing to do with the question",
    "shares a word with the question, but is about something else",
    "is about the same field, and says nothing of what is asked",
    "is about the same subject, without anything that helps",
    "gives some background, from which no part of the answer follows",
    "holds something that helps to understand the question, not the answer",
    "holds a small part of what the answer needs",
    "holds a good part of what the answer needs, the rest is missing",
    "holds most of what the answer needs",
    "holds the answer, which must be computed or put together from it",
    "holds the whole answer, plainly",
)
_TASK = "Grade how much of the answer to the question at the end is in what is shown."
_BY_LETTER = "Reply with the letter of one grade and nothing else."
_BY_JSON = (
    "First give your reasons in one to three sentences. Then end with a line of JSON that holds the grade"
    ' alone, such as {"grade": 0.4}.'
)
_ONCE_MORE = (
    'The last line must be JSON with a grade from 0.0 to 1.0, such as {"grade": 0.4}. Reply with that line.'
)
_OBJECT = re.compile(r"\{[^{}]*\}")
_IN_WORDS = re.compile(
    r"\bgrade[\s*_]{0,4}(?:is\b|:|=)[\s*_]{0,4}(\d+(?:\.\d+)?)(?![\w/%]|\.\d| ?(?:/|of|out))", re.IGNORECASE
)


def letter_prompt(question: str, shown: Shown) -> list[Message]:
    """Ask for one of :data:`LETTERS`."""
    return _prompt(question, shown, LETTERS, _BY_LETTER)


def json_prompt(question: str, shown: Shown) -> list[Message]:
    """Ask for reasons and a grade as JSON."""
    return _prompt(question, shown, [f"{grade:.1f}" for grade in GRADES], _BY_JSON)


def repair_prompt(asked: Sequence[Message], reply: str) -> list[Message]:
    """Ask once more, behind a reply that holds no grade."""
    return [
        *asked,
        Message("assistant", (Text(reply[-1000:] or "..."),)),
        Message("user", (Text(_ONCE_MORE),)),
    ]


def expected_grade(log_probabilities: Sequence[float]) -> float:
    """The mean grade, 0..1, under the probabilities of :data:`LETTERS` among each other."""
    shares = probabilities(log_probabilities)
    return math.fsum(share * grade for share, grade in zip(shares, GRADES, strict=True))


def read_grade(reply: str) -> float | None:
    """The grade of a reply: of the last JSON object in it that holds ``grade``, a number from 0 to 1.

    Single quotes, and quotes around the number, do not matter. Where there is no such object, the last
    ``Grade: 0.4`` in words counts.

    Returns:
        The grade, as it is said (0.85 stays 0.85); None where there is none, or where the last one is
        something else.
    """
    text = without_thoughts(reply)
    for found in reversed(_OBJECT.findall(text)):
        for read in (json.loads, ast.literal_eval):
            try:
                value = read(found)
            except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                continue
            if isinstance(value, dict) and "grade" in value:
                return _grade(value["grade"])
    said = _IN_WORDS.findall(text)
    return _grade(said[-1]) if said else None


def _grade(said: Any) -> float | None:
    if isinstance(said, bool) or not isinstance(said, int | float | str):
        return None
    try:
        grade = float(said)
    except (ValueError, OverflowError):
        return None
    return grade if 0 <= grade <= 1 else None


def _prompt(question: str, shown: Shown, names: Sequence[str], form: str) -> list[Message]:
    scale = "\n".join(f"{name}: {meaning}" for name, meaning in zip(names, _MEANINGS, strict=True))
    begin = Text(f"{_TASK}\n{scale}\n\n")
    end = Text(f"\nQuestion: {question.strip()}\n{form}", question=question.strip())
    return [Message("user", (begin, *shown_parts([shown]), end))]
