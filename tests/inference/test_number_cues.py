"""What questions say about the number that they ask for."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from formulas import random_formula
from hypothesis import given
from hypothesis import strategies as st

from tabrag.chat.formula import read_formula
from tabrag.chat.formula_shape import shape_of
from tabrag.data.sources.base import rows
from tabrag.inference.number_cues import cues_of, present


def presented(written: str, question: str, *, table_scale: str = "") -> str:
    formula = read_formula(written)
    return present(formula, shape_of(formula), cues_of(question), table_scale=table_scale)


@pytest.mark.parametrize(
    ("question", "numeric"),
    [
        ("How many boats are there?", True),
        ("what was the percentage change in sales?", True),
        ("What is the average net income from 2018 to 2019?", True),
        ("By how much did sales fall?", True),
        ("in 2019, what percentage of sales came from fish?", True),
        ("Which percent of sales came from fish?", True),
        ("Calculate the return of 2019.", True),
        ("In what percentage of cases did it fail?", True),
        ("at what tax rate was it taxed?", None),
        ("Which year had the highest percentage change?", False),
        ("In which year was the total larger than 5?", False),
        ("What year had the largest number of boats?", False),
        ("Who sold the most?", False),
        ("What was the name of the largest company?", False),
        ("Did sales grow by more than 5%?", False),
        ("during 2007, was the cash greater than the debt?", False),
        ("What was the number of boats in 2018 and 2019 respectively?", False),
        ("List the regions.", False),
        ("What are the contract types?", False),
        ("What are the contract terms?", None),
        ("north in 2019", None),
        ("", None),
    ],
)
def test_whether_a_number_is_asked_for(question: str, numeric: bool | None) -> None:
    assert cues_of(question).is_numeric is numeric


@pytest.mark.parametrize(
    ("question", "written", "text"),
    [
        ("What percentage of sales is fish?", "3/8", "37.5%"),
        ("What percentage of sales is fish?", "3/8*100", "37.5%"),
        ("What is the change in percent?", "(652-515)/515", "26.6%"),
        ("What is the average margin, in %?", "(21.2+19.9+17.2)/3", "19.43%"),
        ("What was the growth rate?", "12/10 - 1", "20%"),
        ("What was the tax rate?", "62/211", "29.38%"),
        ("what portion of the shares is held?", "1/4", "25%"),
        ("What is the change in the rate?", "3.8% - 4.0%", "-0.2%"),
        ("What is the average rate?", "(4.1% + 4.6%)/2", "4.35%"),
        ("How many times larger is A than B?", "(5%)/(2%)", "2.5"),
        ("What is the ratio of A to B?", "1/3", "0.3333"),
        ("What is the ratio of A to B in percent?", "1/3", "33.33%"),
        ("What was the interest on notes of 6.5 % ?", "300*6.5%", "19.5"),
        ("What was the interest on 6.5% notes?", "300*6.5%", "19.5"),
        ("What is the exchange rate?", "70.07/80.82", "0.867"),
        ("What is the sum?", "1,234.5 + 0.111", "1234.61"),
        ("What is the sum?", "0.00001 - 0.00001", "0"),
        ("What is the difference?", "-0.000001 * 3", "0"),
        ("What is the product?", "10 ** 30 * 10 ** 10", "1" + "0" * 40),
        ("What percentage is it?", "1e308 * 1", "1" + "0" * 308 + "%"),
        ("What percentage is it?", "1e-300 / 3", "0%"),
        ("What is the difference, to three decimals?", "1/8 - 0", "0.125"),
        ("What is the sum to two decimal places?", "3 + 4", "7.00"),
        ("What is the sum? Round to the nearest tenth.", "3 + 4.05", "7.1"),
        ("What is the sum? Give a whole number.", "2.5 + 0", "3"),
        ("What percentage is it, with one decimal?", "2/3", "66.7%"),
        ("By how much did sales fall?", "3 - 8", "5"),
        ("How much lower is A than B?", "3 - 8", "5"),
        ("What was the decrease in sales?", "3 - 8", "5"),
        ("What was the percentual decline of sales?", "(3 - 8) / 8", "62.5%"),
        ("What was the increase or decrease in sales?", "3 - 8", "-5"),
        ("What was the change in the reduction of debt?", "3 - 8", "-5"),
        ("What was the difference?", "3 - 8", "-5"),
        ("What was the total operating income (loss)?", "3 - 8", "-5"),
    ],
)
def test_presents(question: str, written: str, text: str) -> None:
    assert presented(written, question) == text


def test_scales() -> None:
    asked = "What is the total in millions?"
    assert presented("1500 + 500", asked, table_scale="thousand") == "2"
    assert presented("1.5 + 0.5", asked, table_scale="billion") == "2000"
    assert presented("1500 + 500", asked) == "2000"  # nobody knows what the table is in
    assert presented("(1500 + 500) / 1000", asked, table_scale="thousand") == "2"
    assert presented("1500 / 500", asked, table_scale="thousand") == "3"
    assert presented("1.5 million + 500 thousand", asked) == "2"
    assert presented("1500 + 500", "What is the total?", table_scale="thousand") == "2000"


def test_numbers_of_published_questions(data_root: Path) -> None:
    """Gold derivations of TAT-QA's dev questions, presented by the questions' words alone."""
    right = total = 0
    for row in rows(data_root / "tatqa", "dev", data_set="TAT-QA"):
        if row["answer_type"] != "arithmetic":
            continue
        total += 1
        assert cues_of(row["question"]).is_numeric is not False
        text = presented(row["derivation"], row["question"])
        near = abs(float(text.rstrip("%")) - float(row["answers"][0])) < 0.011
        right += near and text.endswith("%") == (row["scale"] == "percent")
    assert total == 718 and right / total > 0.95


ASKED = ["what percentage?", "how many, in millions?", "to two decimals?", "?"]


@given(st.integers(0, 10**6), st.sampled_from(ASKED))
def test_any_formula_is_presented(seed: int, question: str) -> None:
    text, value = random_formula(random.Random(seed))
    if value is not None and abs(value) < 10**300:
        shown = presented(text, question, table_scale="thousand")
        assert math.isfinite(float(shown.rstrip("%"))) and "e" not in shown.lower()
