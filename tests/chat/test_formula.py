"""What a model writes as a formula, and what it means."""

from __future__ import annotations

import random

import pytest
from formulas import hostile_text, random_formula
from hypothesis import given
from hypothesis import strategies as st

from tabrag.chat.calculator import CalculatorError, evaluate
from tabrag.chat.formula import read_formula


@pytest.mark.parametrize(
    ("written", "text", "value"),
    [
        ("(652-515)/515", "(652 - 515) / 515", 137 / 515),
        ("1,234.5 - 1 234", "1234.5 - 1234", 0.5),
        ("1,000 + 0.5", "1000 + 0.5", 1000.5),
        ("12,345,678 / 2", "12345678 / 2", 6172839),
        ("1\u00a0234 + 1'000", "1234 + 1000", 2234),
        ("12%", "(12 / 100)", 0.12),
        ("-12 %", "-(12 / 100)", -0.12),
        ("(1 + 2)%", "((1 + 2) / 100)", 0.03),
        ("max(3, 4)% * 2", "(max(3, 4) / 100) * 2", 0.08),
        ("2 ** 50%", "2 ** (50 / 100)", 2**0.5),
        ("12% of $50", "(12 / 100) * 50", 6),
        ("5 percent", "(5 / 100)", 0.05),
        ("$5 + US$ 6 + 7 USD + €8", "5 + 6 + 7 + 8", 26),
        ("$(1,200 - 200)", "(1200 - 200)", 1000),
        ("1.2 million + 3 thousand dollars", "(1.2 * 1000000) + (3 * 1000)", 1_203_000),
        ("3 × 4 ÷ 2 − 1", "3 * 4 / 2 - 1", 5),
        ("3 x 4 – 1", "3 * 4 - 1", 11),
        ("2^3 + 5²", "2 ** 3 + 5 ** 2", 33),
        ("[(166+178)/2] - [(57+44)/2]", "((166 + 178) / 2) - ((57 + 44) / 2)", 121.5),
        ("AVG(1, 2) + Mean(3, 5) + Total(1, 1)", "average(1, 2) + average(3, 5) + sum(1, 1)", 7.5),
        ("MAX (1, 2)", "max(1, 2)", 2),
        (r"\frac{652-515}{515} \times 100", "((652 - 515) / (515)) * 100", 13700 / 515),
        (r"\left(1{,}234 + 2\right) \div 2", "(1234 + 2) / 2", 618),
        (r"\frac{\frac{1}{2}}{4}", "((((1) / (2))) / (4))", 0.125),
        ("2--3", "2 - -3", 5),
        ("007 + 0.50 + 00", "7 + 0.50 + 00", 7.5),
        ("٣٤ + ５", "34 + 5", 39),
        ("1e3 / 2", "1e3 / 2", 500),
    ],
)
def test_reads(written: str, text: str, value: float) -> None:
    found = read_formula(written)
    assert (found.text, found.value) == (text, pytest.approx(value))
    assert evaluate(found.text) == found.value


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("sum(1,234, 5,678)", "sum(1234, 5678)"),
        ("sum( -1,234 ,5)", "sum(-1234, 5)"),
        ("max(1,000,2,000)", "max(1000, 2000)"),
        ("sum($1,234,$5,678)", "sum(1234, 5678)"),
        ("abs(1,234)", "abs(1234)"),
        ("round(1,234.567,2)", "round(1234.567, 2)"),
        ("round(2.345,2)", "round(2.345, 2)"),
        ("sum(100,200,300)", "sum(100, 200, 300)"),
        ("sum(12,345)", "sum(12, 345)"),
        ("sum(1,2,3)", "sum(1, 2, 3)"),
        ("average(10,2000,5)", "average(10, 2000, 5)"),
        ("max((1,234-5),6)", "max((1234 - 5), 6)"),
        ("sum(sum(1,2),1,234, 5)", "sum(sum(1, 2), 1234, 5)"),
    ],
)
def test_commas_group_or_part(written: str, text: str) -> None:
    assert read_formula(written).text == text


@pytest.mark.parametrize(
    "written",
    [
        "max(1,234,2,345)", "1,23 + 4", "3,5 * 2", "1,234,", "0,123", "1,2345", "12,34", "(1,2)", "5 5",
        "2(3)", "7 % 4", "%", "million", "$", "", "x", "5 apples", "1 = 1", "(1 + 2", "1 + 2)", "½", "√2",
        "1/0", "9**99", "5 > 4", "max()", "1_000", "0x10", "1j", "'1'", "not 1", "1.2.3", "2019##2018", "1 +",
        "3x4", "locate net income in row 5", "__import__('os')", "5 million million billion billion" * 50,
    ],
)  # fmt: skip
def test_refuses(written: str) -> None:
    with pytest.raises(CalculatorError):
        read_formula(written)


def test_keeps_how_each_number_was_written() -> None:
    found = read_formula("($1,234.5 - 2 million) / 12% * 3")
    assert found.text == "(1234.5 - (2 * 1000000)) / (12 / 100) * 3"
    assert list(found.numbers.values()) == ["1,234.5", "2 million", "12%", "3"]
    digits = [found.text[at:].split()[0].rstrip(")") for at in found.numbers]
    assert digits == ["1234.5", "2", "12", "3"]


def test_what_the_calculator_reads_keeps_its_value() -> None:
    draw = random.Random(3)
    for _ in range(300):
        text, value = random_formula(draw)
        if value is None:
            continue
        found = read_formula(text)
        assert found.value == evaluate(text) == evaluate(found.text)
        assert len(found.numbers) == len([one for one in found.numbers.values() if one[:1] in "0123456789."])


@given(st.integers(0, 10**6) | st.text(max_size=30))
def test_any_text_gives_a_formula_or_the_calculators_error(seed: int | str) -> None:
    text = seed if isinstance(seed, str) else hostile_text(random.Random(seed))
    try:
        found = read_formula(text)
    except CalculatorError:
        return
    assert evaluate(found.text) == found.value
