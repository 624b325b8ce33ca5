"""Numbers behind printed texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.tables.values import CONTINENTAL, ENGLISH, Value, infer_number_format, parse_value


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("(1,234)", -1234.0),
        ("12.3%", 12.3),
        ("−5", -5.0),
        ("5*", 5.0),
        ("12.3 a", 12.3),
        ("1 234", 1234.0),
        ("٣٤", 34.0),
        ("—", None),
        ("n.a.", None),
        ("$1.2m", 1_200_000.0),
    ],
)
def test_number_formats_of_report_h10(text: str, number: float | None) -> None:
    value = parse_value(text)
    assert (None if value is None else value.number) == number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", Value(number=42)),
        ("1\u202f234\u202f567,5", Value(number=1234567.5)),
        ("1'234.50", Value(number=1234.5)),
        ("1’234", Value(number=1234)),
        ("1,23,456", Value(number=123456)),
        ("1.234.567", Value(number=1234567)),
        ("0.123", Value(number=0.123)),
        ("0,5", Value(number=0.5)),
        (".5", Value(number=0.5)),
        ("1234.567", Value(number=1234.567)),
        ("٣٫٥٪", Value(number=3.5, percent=True)),
        ("１２", Value(number=12)),
        ("–3.5", Value(number=-3.5)),
        ("+3", Value(number=3)),
        ("5-", Value(number=-5)),
        ("-$5", Value(number=-5, currency="$")),
        ("$-5", Value(number=-5, currency="$")),
        ("$(1,234)", Value(number=-1234, currency="$")),
        ("($1,234)", Value(number=-1234, currency="$")),
        ("(12.3)%", Value(number=-12.3, percent=True)),
        ("(12.3%)", Value(number=-12.3, percent=True)),
        ("12,3 %", Value(number=12.3, percent=True)),
        ("3.1 percent", Value(number=3.1, percent=True)),
        ("EUR 5", Value(number=5, currency="EUR")),
        ("5 €", Value(number=5, currency="€")),
        ("US$ 3 billion", Value(number=3e9, currency="US$", scale=1e9)),
        ("2.5 bn", Value(number=2.5e9, scale=1e9)),
        ("5 m", Value(number=5, unit="m")),
        ("17.8 MB", Value(number=17.8, unit="MB")),
        ("20 °C", Value(number=20, unit="°C")),
        ("12 m²", Value(number=12, unit="m²")),
        ("1.5e-3", Value(number=0.0015)),
        ("10²", Value(number=10, mark="²")),
        ("7 (a)", Value(number=7, mark="(a)")),
        ("7[12]", Value(number=7, mark="[12]")),
        ("3.5%†", Value(number=3.5, percent=True, mark="†")),
    ],
)
def test_forms(text: str, value: Value) -> None:
    assert parse_value(text) == value


@pytest.mark.parametrize(
    "text",
    ["", " ", "..", "x", "nan", "inf", "1e999", "1.234", "10-12", "11/6", "12:30", "2017-03-18", "1st"]
    + ["12 May", "1,2,3", "1.2.3", "12,34,56", "--5", "(-5)", "3.5 (0.2)", "< 5", "5 6", "0,123.4.5", "A1"]
    + ["$5€", "1 2345"],
)
def test_texts_that_are_not_one_number(text: str) -> None:
    assert parse_value(text) is None


def test_the_column_tells_what_a_separator_means() -> None:
    english, continental = ["1.234", "3.14", "12"], ["1.234", "3,14", "12"]
    assert infer_number_format(english) == ENGLISH
    assert infer_number_format(continental) == CONTINENTAL
    assert parse_value("1.234", ENGLISH) == Value(number=1.234)
    assert parse_value("1.234", CONTINENTAL) == Value(number=1234)
    assert parse_value("1,234", CONTINENTAL) == Value(number=1.234)
    assert infer_number_format(["1.234", "5,678", "—"]) is None
    assert infer_number_format(["1.5", "1,5"]) is None
    assert parse_value("3,14", ENGLISH) is None


@given(st.integers(-(10**9), 10**9), st.integers(0, 99))
def test_printed_numbers_read_back(whole: int, cents: int) -> None:
    number = float(f"{whole}.{cents:02d}")
    printed = f"{number:,.2f}"
    swapped = printed.translate(str.maketrans(",.", ".,"))
    value, other = parse_value(printed), parse_value(swapped)
    assert value is not None and value.number == number
    assert other is not None and other.number == number


@given(st.text(st.sampled_from("0123456789.,-+%$()eE mka*٣²' "), max_size=12))
def test_any_text_is_read_or_left(text: str) -> None:
    value = parse_value(text)
    assert value is None or (value.number == value.number and abs(value.number) != float("inf"))
