from __future__ import annotations

import pytest

from tabrag.data.document_questions import (
    ANSWERED_ELSEWHERE,
    FITS_ANOTHER,
    KEPT,
    MAX_HOLDERS,
    NAMES_NOTHING,
    UNCHECKED,
    read_question,
    verdict,
)
from tabrag.data.document_words import DocumentWords, words_of


def _verdict(
    question: str,
    *documents: str,
    answers: tuple[str, ...] = (),
    formula: str | None = None,
    titles: tuple[str, ...] = (),
    common: str = "revenue sales income cost 2018 2019",
) -> str:
    """The verdict on a question about the first of some documents, among many that hold common words."""
    read = read_question(question, list(answers), formula)
    words = {*read.words, *read.title_words, *read.numbers, *read.answer_words}
    index = DocumentWords(words, read.phrases)
    texts = [*documents, *[common] * (MAX_HOLDERS + 5)]
    for row, text in enumerate(texts):
        index.add(row, titles[row] if row < len(titles) else "", [words_of(text)])
    return verdict(read, 0, index)


def test_a_question_of_common_words_names_nothing() -> None:
    gold = "revenue of 2019 was 5,000 in shell eggs"
    assert _verdict("What was the total revenue in 2019?", gold, answers=("5,000",)) == NAMES_NOTHING
    assert _verdict("What was the egg revenue in 2019?", gold, answers=("5,000",)) == KEPT


def test_words_that_the_document_does_not_hold_name_nothing() -> None:
    assert _verdict("What was the revenue of Acme in 2019?", "revenue 2019", "acme") == NAMES_NOTHING


def test_words_of_any_report_name_nothing_though_rare() -> None:
    question = "What was the revenue of the company in December 2019?"
    assert _verdict(question, "the company in december : revenue 2019") == NAMES_NOTHING


def test_two_common_words_side_by_side_can_be_a_name() -> None:
    question = "What was the cost income in 2019?"
    assert _verdict(question, "cost income of 2019 : 7", answers=("7",)) == KEPT
    assert _verdict(question, "cost of 2019 , income of 2019 : 7", answers=("7",)) == NAMES_NOTHING


def test_a_document_that_holds_as_much_could_be_meant() -> None:
    question = "What was the revenue and cost of eggs in 2019?"
    gold, half = "eggs : revenue 1 , cost 2 of 2019", "eggs hatch"
    assert _verdict(question, gold, half, answers=("1",)) == KEPT
    assert _verdict(question, gold, "eggs : revenue 8 , cost 9 of 2019", answers=("1",)) == FITS_ANOTHER
    assert _verdict(question, gold, "eggs : revenue 8 of 2019", answers=("1",)) == FITS_ANOTHER  # 3 of 4


def test_an_answer_that_stands_elsewhere_beside_the_name_is_dropped() -> None:
    question = "What was the revenue and cost of eggs in 2019?"
    gold = "eggs : revenue 1,234 , cost 2 of 2019"
    assert _verdict(question, gold, "eggs hatch in 1,234 days", answers=("1,234",)) == ANSWERED_ELSEWHERE
    assert _verdict(question, gold, "eggs hatch in 1,235 days", answers=("1,234",)) == KEPT
    assert _verdict(question, gold, "1,234 days", answers=("1,234",)) == KEPT  # without the name


def test_of_a_computed_answer_the_operands_count() -> None:
    question = "What was the revenue and cost of eggs in 2019?"
    gold = "eggs : revenue 1,234 , cost 22 of 2019"
    formula = "1234 - 22"
    asked = {"answers": ("1,212",), "formula": formula}
    assert _verdict(question, gold, "eggs hatch in 22 of 1234 days", **asked) == ANSWERED_ELSEWHERE
    assert _verdict(question, gold, "eggs hatch in 22 days", **asked) == KEPT


def test_what_cannot_be_checked_must_be_the_only_one_of_its_name() -> None:
    question = "What was the revenue and cost of eggs in 2019?"
    gold = "eggs : revenue 1,234 , cost 22 of 2019"
    assert _verdict(question, gold, "eggs hatch", answers=("0.0178",)) == UNCHECKED
    assert _verdict(question, gold, answers=("0.0178",)) == KEPT


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (("2019 Income Report",), KEPT),
        (("2019",), NAMES_NOTHING),  # a year is no name
        (("Income",), NAMES_NOTHING),  # nor is one word
        (("2019 Income Report",) * 7, NAMES_NOTHING),  # more than MAX_TITLES
    ],
)
def test_words_of_the_title_are_a_name_together(titles: tuple[str, ...], expected: str) -> None:
    assert _verdict("What was the income of 2019?", "5", answers=("5",), titles=titles) == expected
