"""Extremes leave out sums, and words meet whatever stands between letters and digits."""

from __future__ import annotations

from tabrag.inference.rule_reader import read_cell
from tabrag.tables.grid import make_grid
from tabrag.tables.lexical import words
from tabrag.types import Grid


def _dwellings(first: str) -> Grid:
    return make_grid(
        [
            ["type of dwelling", "2006", "2007"],
            [first, "919", "941"],
            ["houses", "541", "562"],
            ["detached", "223", "228"],
            ["terraced", "112", "122"],
            ["flats", "378", "379"],
        ],
        num_header_rows=1,
        num_header_cols=1,
        left_paths=[(), ((1, 0),), ((2, 0),), ((2, 0), (3, 0)), ((2, 0), (4, 0)), ((5, 0),)],
    )


def test_the_highest_row_is_no_sum_of_others() -> None:
    question = "Which type of dwelling was the highest in 2007?"
    for first in ("total", "all dwellings", "overall"):
        found = read_cell(_dwellings(first), question)
        assert found is not None and (found.text, found.cells[-1]) == ("flats", (5, 2))
    found = read_cell(_dwellings("palaces"), question)
    assert found is not None and found.text == "palaces"


def test_letters_and_digits_are_words_apart() -> None:
    assert words("FY2017") == words("FY 2017") == ["fy", "2017"]


def test_a_column_whose_cell_the_question_names_is_given_and_not_asked_for() -> None:
    rows = [
        ["Product", "Location", "Expected", "Actual"],
        ["X1", "A-12", "450", "451"],
        ["X2", "B-07", "310", "289"],
    ]
    grid = make_grid(rows, num_header_rows=1)
    for question, answer in (
        ("What actual count was found at location B-07?", "289"),
        ("What count was expected at location A-12?", "450"),
        ("Which product is at location B-07?", "X2"),
    ):
        found = read_cell(grid, question)
        assert found is not None and found.text == answer, question
