"""The calculator against Python's own arithmetic, on random formulas and on texts meant to harm it.

``TABRAG_FORMULAS=100000`` runs as many of them; without the variable a few thousand are tried.
"""

from __future__ import annotations

import math
import os
import random
import time
from fractions import Fraction

from formulas import HOSTILE, NoValueError, SecondCalculator, hostile_text, random_formula

from tabrag.chat.calculator import CalculatorError, evaluate

COUNT = int(os.environ.get("TABRAG_FORMULAS", "3000"))
SECONDS = 0.5


def calculated(text: str) -> float | None:
    """The calculator's value, None where it refuses; anything else, or too long, is a fault."""
    start = time.process_time()
    try:
        value: float | None = evaluate(text)
        assert value is not None and math.isfinite(value), text
    except CalculatorError:
        value = None
    assert time.process_time() - start < SECONDS, text[:200]
    return value


def as_float(value: Fraction | None) -> float | None:
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None


def second_value(text: str) -> float | None:
    try:
        return as_float(SecondCalculator(text).value())
    except (NoValueError, RecursionError):
        return None


def test_formulas_have_the_value_of_pythons_fractions() -> None:
    draw = random.Random(1)
    valid = 0
    for _ in range(COUNT // 2):
        text, value = random_formula(draw)
        assert calculated(text) == as_float(value), text
        valid += value is not None
    assert valid > 0.8 * (COUNT // 2) > 0


def test_hostile_texts_are_refused_or_have_the_value_of_a_second_calculator() -> None:
    draw = random.Random(2)
    texts = [*HOSTILE, *(hostile_text(draw) for _ in range(COUNT - COUNT // 2))]
    refused = 0
    for text in texts:
        value = calculated(text)
        if value is None:
            # Of what both could read, ours refuses only what is nested too deep.
            assert second_value(text) is None or depth(text) > 50, text
        else:
            assert value == second_value(text), text
        refused += value is None
    assert 0.3 < refused / len(texts) < 0.95  # damaged formulas are often formulas


def depth(text: str) -> int:
    """Signs and brackets at most inside each other; an upper bound."""
    return sum(text.count(sign) for sign in "+-*/(")
