"""FinQA's gold programs as formulas that the calculator evaluates.

A program (Chen et al., "FinQA", EMNLP 2021, section 3) is a list of steps, ``subtract(652, 515), divide(#0,
515)``; ``#0`` is what the first step gave, ``const_100`` is 100, ``const_m1`` is -1. ``table_sum`` and its
like take the name of a row of FinQA's form of the table. ``greater`` asks whether its first argument is the
larger one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.chat.calculator import evaluate
from tabrag.chat.formula import read_formula
from tabrag.errors import UserError

_STEP = re.compile(r"\s*(?P<operator>[a-z_]+)\s*\((?P<arguments>[^()]*)\)\s*(?:,|$)")
_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "exp": "**"}
_TABLE = {"table_sum": "sum", "table_average": "average", "table_max": "max", "table_min": "min"}
_COMPARISON = "greater"
_DECIMALS = 5
"""The published answers are rounded to as many."""


@dataclass(frozen=True, slots=True)
class GoldFormula:
    """A gold program as a formula.

    Attributes:
        text: What the calculator evaluates; of a comparison, the difference of its sides.
        is_comparison: Whether the answer is ``yes`` where the formula is above 0, and else ``no``.
    """

    text: str
    is_comparison: bool = False

    def answer(self) -> float | str:
        """The value, rounded as the published ones are, or ``yes`` or ``no``.

        Raises:
            CalculatorError: The formula has no value, for example a division by zero.
        """
        value = evaluate(self.text)
        return ("yes" if value > 0 else "no") if self.is_comparison else round(value, _DECIMALS)


def gold_formula(program: str, cells: Sequence[Sequence[str]]) -> GoldFormula:
    """The formula of a program.

    Args:
        program: FinQA's program text.
        cells: Rows of FinQA's form of the table, the row's name first.

    Raises:
        UserError: The program has another form, or names a row that the table has not.
    """
    steps: list[str] = []
    operator, at = "", 0
    while at < len(program.rstrip()):
        match = _STEP.match(program, at)
        if match is None:
            raise UserError(f"{program[at : at + 40]!r} is no step of a FinQA program: operator(a, b)")
        operator, at = match["operator"], match.end()
        arguments = [argument.strip() for argument in match["arguments"].split(",")]
        steps.append(_step(operator, arguments, steps, cells))
    if not steps:
        raise UserError("a FinQA program without a step")
    return GoldFormula(_without_outer_brackets(steps[-1]), operator == _COMPARISON)


def _step(operator: str, arguments: list[str], steps: list[str], cells: Sequence[Sequence[str]]) -> str:
    if operator in _TABLE:
        row = _row_named(", ".join(arguments[:-1]), cells)
        return f"{_TABLE[operator]}({', '.join(row)})"
    if len(arguments) != 2 or operator not in (*_SIGNS, _COMPARISON):
        raise UserError(f"{operator}({', '.join(arguments)}) is no operation of FinQA")
    left, right = (_argument(argument, steps) for argument in arguments)
    return f"({left} {_SIGNS.get(operator, '-')} {right})"


def _argument(text: str, steps: Sequence[str]) -> str:
    if text.startswith("#"):
        if not text[1:].isdigit() or int(text[1:]) >= len(steps):
            raise UserError(f"{text} names a step that comes later or does not exist")
        return steps[int(text[1:])]
    text = re.sub(r"^const_m", "-", text).removeprefix("const_")
    formula = read_formula(text).text
    return f"({formula})" if formula.startswith("-") else formula


def _row_named(name: str, cells: Sequence[Sequence[str]]) -> list[str]:
    """The numbers of the last row of this name, as FinQA's own evaluation takes it."""
    rows = [row[1:] for row in cells if row and row[0].strip() == name]
    if not rows:
        raise UserError(f"the table has no row '{name}'")
    numbers = [_cell(text) for text in rows[-1]]
    if not numbers:
        raise UserError(f"the row '{name}' is empty")
    return numbers


def _cell(text: str) -> str:
    """A cell's number: before a bracket, which repeats it (``-51 ( 51 )``, ``27.3% ( 27.3 % )``)."""
    plain = text.replace("$", "").partition("(")[0].strip()
    return read_formula(plain).text


def _without_outer_brackets(text: str) -> str:
    """Without brackets around the whole of it."""
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and at < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text
