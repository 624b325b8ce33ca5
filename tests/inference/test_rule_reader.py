"""Extremes leave out sums, and words meet whatever stands between letters and digits."""

from __future__ import annotations

import pytest

from tabrag.inference.rule_reader import read_cell
from tabrag.inference.rule_tables import MIN_SUPPORT
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


_SALES = make_grid(
    [
        ["", "2018", "2019", "2020"],
        ["Net sales", "100", "125", "120"],
        ["Operating costs", "80", "(90)", "70"],
        ["Tax rate", "20%", "21%", "-"],
        ["Total", "180", "215", "190"],
    ],
    num_header_rows=1,
    num_header_cols=1,
)
_RACES = make_grid(
    [
        ["Year", "Rider", "Country", "Points", "Date of birth"],
        ["2001", "Ann Ford", "Norway", "12", "3 May 1980"],
        ["2003", "Bob Hall", "Chile", "30", "12 June 1978"],
        ["2002", "Cid Moor", "Norway", "9", "1 May 1982"],
        ["2005", "Dee Park", "Peru", "21", "2 July 1979"],
    ],
    num_header_rows=1,
)


@pytest.mark.parametrize(
    ("question", "answer", "cells", "formula"),
    [
        ("What were the net sales in 2018 and 2019?", "100, 125", [(1, 1), (1, 2)], None),
        ("What were net sales in 2019 and 2018, respectively?", "125, 100", [(1, 2), (1, 1)], None),
        ("What were the net sales and the operating costs in 2018?", "100, 80", [(1, 1), (2, 1)], None),
        ("What was the percentage change in net sales between 2018 and 2019?", "25%", [(1, 2), (1, 1)],
         "(125 - 100) / 100 * 100"),
        ("What was the average of net sales in 2018 and 2019?", "112.5", [(1, 1), (1, 2)],
         "average(100, 125)"),
        ("What is the difference between net sales in 2018 and 2020?", "20", [(1, 3), (1, 1)], "120 - 100"),
        ("How did net sales change from 2018 to 2019?", "from 100 to 125", [(1, 1), (1, 2)], None),
        ("In which year were net sales highest?", "2019", [(0, 2), (1, 2)], None),
    ],
)  # fmt: skip
def test_values_side_by_side(
    question: str, answer: str, cells: list[tuple[int, int]], formula: str | None
) -> None:
    found = read_cell(_SALES, question)
    assert found is not None and (found.text, found.formula) == (answer, formula)
    assert found.cells == cells


def test_a_change_from_nothing_is_no_change() -> None:
    grid = make_grid([["", "2018", "2019"], ["Sales", "", "125"]], num_header_rows=1, num_header_cols=1)
    found = read_cell(grid, "How did sales change from 2018 to 2019?")
    assert found is not None and "from" not in found.text


_RATES = make_grid(
    [
        ["", "Current period", "Previous period"],
        ["Growth rate of assets", "3.67%", "-3.66%"],
        ["Assets", "90", "80"],
    ],
    num_header_rows=1,
    num_header_cols=1,
)


def test_changes_that_the_table_has_are_listed() -> None:
    question = "What is the growth rate of assets in the current period and in the previous period?"
    found = read_cell(_RATES, question)
    assert found is not None and (found.text, found.formula) == ("3.67%, -3.66%", None)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which country is Bob Hall from?", "Chile"),
        ("When was Dee Park born?", "2 July 1979"),
        ("Who was born on June 12, 1978?", "Bob Hall"),
        ("How many riders are from Norway?", "2"),
        ("How many riders had more than 10 points?", "3"),
        ("Which rider had the most points?", "Bob Hall"),
        ("Which rider from Norway had the fewest points?", "Cid Moor"),
        ("Which rider is listed right after Bob Hall?", "Cid Moor"),
        ("Who was the last rider by year?", "Dee Park"),
        ("How many points did the rider from Peru get?", "21"),
        ("How many riders had more than 40 points?", "0"),
    ],
)
def test_records_are_known_by_their_cells(question: str, answer: str) -> None:
    found = read_cell(_RACES, question)
    assert found is not None and found.text == answer


def test_that_no_row_is_within_a_bound_is_supported_by_the_column() -> None:
    found = read_cell(_RACES, "How many riders had more than 40 points?")
    assert found is not None and found.cells == [(row, 3) for row in range(1, 5)]
    assert found.support >= MIN_SUPPORT


@pytest.mark.parametrize("question", ["What is the last entry?", "Which is the first?", "Who was last?"])
def test_blank_rows_are_neither_first_nor_last(question: str) -> None:
    for rows in ([["Name", "Year"], ["Ann", "x"], ["", ""]], [["Name", "Year"], ["", ""], ["Ann", "x"]]):
        found = read_cell(make_grid(rows, num_header_rows=1), question)
        assert found is not None


def test_first_in_a_header_asks_for_no_row() -> None:
    rows = [["Item", "Value"], ["First flight", "1982"], ["Crew", "6"]]
    grid = make_grid(rows, num_header_rows=1, num_header_cols=1)
    found = read_cell(grid, "When was the first flight?")
    assert found is not None and (found.text, found.cells) == ("1982", [(1, 1)])


@pytest.mark.parametrize(
    ("value", "question"),
    [
        ("1,234", "Who had 1,234 votes?"),
        ("1,234", "Who had 1234 votes?"),
        ("02/24/17", "Who rode on 24 February 2017?"),
        ("born in Rome", "Whose birth was in Rome?"),
    ],
)
def test_cells_name_a_row_in_any_writing(value: str, question: str) -> None:
    grid = make_grid([["Rider", "What"], ["Bob", "7"], ["Ann", value], ["Cid", "9"]], num_header_rows=1)
    found = read_cell(grid, question)
    assert found is not None and found.text == "Ann"


def test_a_banner_over_one_column_speaks_of_the_table() -> None:
    rows = [
        ["In millions", "", "", "", "January-June 2023"],
        ["", "Sales", "Profit", "Tax", "Depreciation"],
        ["Zone A", "10", "2", "1", "-3"],
        ["Zone B", "20", "5", "2", "-4"],
    ]
    found = read_cell(
        make_grid(rows, num_header_rows=2, num_header_cols=1),
        "What were the sales of Zone B in January-June 2023?",
    )
    assert found is not None and found.text == "20"


def test_support_is_the_share_of_the_question_that_the_table_says() -> None:
    full = read_cell(_SALES, "net sales 2018")
    part = read_cell(_SALES, "net sales 2018 of the brewery")
    titled = read_cell(_SALES, "net sales 2018 of the brewery", about="The brewery's figures")
    none = read_cell(_SALES, "who wrote the novel?")
    assert full is not None and part is not None and titled is not None and none is not None
    assert full.support == titled.support == 1.0 > part.support > none.support == 0.0
    assert none.certainty == 0.0


def test_the_value_of_one_named_row_is_no_count_of_rows() -> None:
    rows = [[f"part {number}", str(3 * number), str(5 * number)] for number in (0, 1, 1234)]
    grid = make_grid([["widgets", "2019", "2020"], *rows], num_header_rows=1, num_header_cols=1)
    found = read_cell(grid, "How many widgets of part 1234 were there in 2019?")
    assert found is not None and (found.text, found.cells) == ("3702", [(3, 1)])


def test_a_whole_column_is_added_up_or_averaged_without_its_total() -> None:
    rows = [["region", "sales", "cost"], ["North", "10", "4"], ["South", "20", "5"], ["West", "30", "6"]]
    plain = make_grid(rows, num_header_rows=1, num_header_cols=1)
    totals = make_grid([*rows, ["Total", "60", "15"]], num_header_rows=1, num_header_cols=1)
    means = make_grid([*rows, ["Average", "21", "5.1"]], num_header_rows=1, num_header_cols=1)
    for grid, question, answer, operator in (
        (plain, "What is the sum of sales?", "60", "sum"),
        (plain, "What is the average cost?", "5", "average"),
        (totals, "What is the average cost?", "5", "average"),
        (totals, "What is the sum of sales?", "60", "cell"),
        (means, "What is the average cost?", "5.1", "cell"),
        (plain, "What is the average cost in the North?", "4", "cell"),
        (plain, "What is the average height?", "10", "cell"),
    ):
        found = read_cell(grid, question)
        assert found is not None and (found.text, found.operator) == (answer, operator), question
