"""Where in a document's passages an answer stands."""

from __future__ import annotations

import pytest

from tabrag.inference.passages import locate_numbers, locate_passages, value_in_passages

PASSAGES = [
    "The harbour had 412 berths in 2021.",
    "In 2022 there were 450 berths.",
    "Revenue was $1,234.5 million in 2022, against $1,100 million in 2021.",
    "Costs fell by 12% to 450 thousand.",
    "The harbour belongs to Ms Lee.",
    "Ms Lee was born in 1960.",
]


@pytest.mark.parametrize(
    ("answer", "question", "found"),
    [
        ("412", "How many berths in 2021?", [0]),
        ("450", "How many berths in 2022?", [1]),
        ("450", "What did costs fall to?", [3]),
        ("1,234.5", "What was the revenue?", [2]),
        ("1234.5", "What was the revenue?", [2]),
        ("$1.2345 billion", "What was the revenue?", [2]),
        ("12%", "By what percentage did costs fall?", [3]),
        ("12", "By what percentage did costs fall?", [3]),
        ("Ms Lee", "Who owns the harbour?", [4]),
        ("412, 450", "How many berths in 2021 and 2022?", [0, 1]),
        ("12.5", "How many berths?", []),
        ("41", "How many berths?", []),
        ("Lee Ms", "Who?", []),
        ("", "Who?", []),
    ],
)
def test_the_passage_that_fits_the_question_is_found(answer, question, found):
    assert locate_passages(PASSAGES, answer, question) == found


def test_a_list_needs_a_passage_for_each_member():
    assert locate_passages(PASSAGES, "412, 999", "How many berths?") == []


def test_the_numbers_of_a_sentence_are_found():
    said = "The harbour grew from 412 to 450 berths."
    assert locate_numbers(PASSAGES, said, "How did the harbour grow?") == [0, 1]
    assert locate_numbers(PASSAGES, "It grew by 77.", "How did it grow?") == []


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("There were 450 berths there in 2022", "450"),
        ("450", "450"),
        ("Ms Lee", "Ms Lee"),
        ("There were 450 berths, after 412 before", "There were 450 berths, after 412 before"),
        ("There were 999 berths there", "There were 999 berths there"),
    ],
)
def test_a_reply_gives_its_only_number_that_stands_there(reply, value):
    assert value_in_passages(PASSAGES, reply, "How many berths were there in 2022?") == value
