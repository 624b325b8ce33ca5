"""FinQA's programs: steps, references, constants, rows of the table, comparisons."""

from __future__ import annotations

import pytest

from tabrag.chat.calculator import CalculatorError
from tabrag.data.finqa_programs import gold_formula
from tabrag.errors import UserError

CELLS = [
    ["", "2004", "2003"],
    ["sales", "$ 8279", "$ 6207"],
    ["change in cash, net", "-51 ( 51 )", "20"],
    ["rate", "27.3% ( 27.3 % )", "7.5%"],
    ["twice", "1", "2"],
    ["twice", "3", "4"],
    ["no number", "n/a", "4"],
]


@pytest.mark.parametrize(
    ("program", "text", "answer"),
    [
        ("divide(3.8, 26.0)", "3.8 / 26.0", 0.14615),
        ("subtract(652, 515), divide(#0, 515)", "(652 - 515) / 515", 0.26602),
        ("add(1, 2), add(3, 4), multiply(#0, #1)", "(1 + 2) * (3 + 4)", 21.0),
        ("multiply(300, 6.5%)", "300 * (6.5 / 100)", 19.5),
        ("subtract(const_1000000, const_m1)", "1000000 - (-1)", 1000001.0),
        ("add(-5.5, const_100)", "(-5.5) + 100", 94.5),
        (
            "add(const_1, 3.75%), exp(#0, const_6), multiply(18.47, #1)",
            "18.47 * ((1 + (3.75 / 100)) ** 6)",
            23.03539,
        ),
        ("table_sum(sales, none)", "sum(8279, 6207)", 14486.0),
        ("table_min(change in cash, net, none), subtract(#0, 1)", "min(-51, 20) - 1", -52.0),
        ("table_average(rate, none)", "average((27.3 / 100), (7.5 / 100))", 0.174),
        ("table_max(twice, none)", "max(3, 4)", 4.0),
        ("greater(56.5, 54.2)", "56.5 - 54.2", "yes"),
        ("add(1, 1), greater(#0, 2)", "(1 + 1) - 2", "no"),
    ],
)
def test_programs(program: str, text: str, answer: float | str) -> None:
    found = gold_formula(program, CELLS)
    assert (found.text, found.answer()) == (text, answer)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("", "without a step"),
        ("divide(1)", "no operation"),
        ("modulo(1, 2)", "no operation"),
        ("add(1, 2", "no step"),
        ("add(#0, 2)", "later or does not exist"),
        ("add(1, 2), add(#1, 2)", "later or does not exist"),
        ("table_sum(costs, none)", "no row 'costs'"),
        ("table_sum(no number, none)", "not arithmetic"),
        ("add(1, x y)", "not arithmetic"),
    ],
)
def test_says_what_is_wrong(program: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        gold_formula(program, CELLS)


def test_a_division_by_zero_has_no_answer() -> None:
    with pytest.raises(CalculatorError, match="zero"):
        gold_formula("divide(1, 0)", CELLS).answer()
