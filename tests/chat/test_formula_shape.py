"""Shares, quantities and constants of formulas."""

from __future__ import annotations

import pytest

from tabrag.chat.formula import read_formula
from tabrag.chat.formula_shape import Shape, shape_of


def shape(written: str) -> Shape:
    return shape_of(read_formula(written))


@pytest.mark.parametrize(
    ("written", "hundreds"),
    [
        ("(652-515)/515", 0),
        ("(652-515)/515*100", 1),
        ("100*(5-3)/3", 1),
        ("round((652-515)/515*100, 1)", 1),
        ("1,911/1,812 - 1", 0),
        ("1 - 30/50", 0),
        ("30/50*100 - 100", 1),
        ("3.8% - 4.0%", 0),
        ("(2.7%+2.0%+1.0%)/3", 0),
        ("(5+6)%", 0),
        ("12%", 0),
        ("70.07/80.82", 0),
        ("100/250", 0),
        ("(5-2)/2", 0),
        ("(207.62-100)/100", 0),
        ("(207.62-100)/100*100", 1),
        ("average(1/2, 3/4)", 0),
        ("abs(3-4)/4", 0),
    ],
)
def test_shares(written: str, hundreds: int) -> None:
    found = shape(written)
    assert (found.is_share, found.hundreds, found.rescaled) == (True, hundreds, False)


@pytest.mark.parametrize(
    ("written", "rescaled"),
    [
        ("450", False),
        ("(21.2+19.9+17.2)/3", False),
        ("sum(1,2,3)/3", False),
        ("average(3,4)", False),
        ("6.5%*300", False),
        ("60.3 million + 32,137 thousand", False),
        ("5/1000", True),
        ("1000*(5+6)", True),
        ("count(4,5)", False),
        ("18.47*(1+3.75%)**6", False),
        ("3*4", False),
    ],
)
def test_quantities(written: str, rescaled: bool) -> None:
    found = shape(written)
    assert (found.is_share, found.hundreds, found.rescaled) == (False, 0, rescaled)


@pytest.mark.parametrize(
    ("written", "operands"),
    [
        ("(652-515)/515*100", ["652", "515"]),
        ("round(1,234.5/20%, 2)", ["1,234.5", "20%"]),
        ("(1+2)/2", ["1", "2"]),
        ("(10+20+30)/3 - 5/1000", ["10", "20", "30", "5"]),
        ("18.47*(1+3.75%)**6", ["18.47", "3.75%"]),
        ("100/250", ["100", "250"]),
        ("(652-515)/515*100%", ["652", "515"]),
        ("5+5", ["5"]),
    ],
)
def test_operands_are_no_constants(written: str, operands: list[str]) -> None:
    assert list(shape(written).operands) == operands


def test_percentages_are_shares_without_a_ratio() -> None:
    assert [shape(text).is_ratio for text in ("3/4", "3%/4%", "1/(2+3)")] == [True] * 3
    assert [shape(text).is_ratio for text in ("3% - 4%", "(3% + 4%)/2", "5%", "4+5")] == [False] * 4


def test_one_number_is_no_computation() -> None:
    assert [shape(text).is_number for text in ("450", "-450", "12%", "(1.2 million)", "--3")] == [True] * 5
    assert [shape(text).is_number for text in ("4+5", "abs(4)", "12% * 2", "5/100")] == [False] * 4
