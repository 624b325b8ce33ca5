"""Numbers of answers and how they compare. :mod:`tabrag.evaluation.answers` has the rules as a table."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Literal

from tabrag.tables.values import Value, parse_value

EDGES = " \t\n\r\"'`“”‘’«».,;:!?*_"
"""What does not count at the edges of an answer."""

_SCALE_WORD = r"(?:\s?(?:thousand|million|billion|trillion)s?\b)?"
_IN_SENTENCE = re.compile(
    rf"[-−(]?[$€£¥]?\s?(?<![\w.])\d[\d,]*(?:\.\d+)?{_SCALE_WORD}(?:\s?%|\s?percent\b)?\)?", re.IGNORECASE
)
_DOLLARS = frozenset({"USD", "AUD", "CAD", "HKD", "NZD", "SGD", "TWD"})
_CURRENCIES = {
    "$": _DOLLARS,
    **dict.fromkeys(("US$", "USD"), {"USD"}),
    **dict.fromkeys(("A$", "AU$", "AUD"), {"AUD"}),
    **dict.fromkeys(("C$", "CA$", "CAD"), {"CAD"}),
    **dict.fromkeys(("HK$", "HKD"), {"HKD"}),
    **dict.fromkeys(("NZ$", "NZD"), {"NZD"}),
    **dict.fromkeys(("S$", "SG$", "SGD"), {"SGD"}),
    **dict.fromkeys(("€", "EUR"), {"EUR"}),
    **dict.fromkeys(("£", "GBP"), {"GBP"}),
    "¥": {"JPY", "CNY"},
    "JPY": {"JPY"},
    **dict.fromkeys(("CNY", "RMB"), {"CNY"}),
    **dict.fromkeys(("₹", "INR", "Rs", "Rs."), {"INR"}),
    **dict.fromkeys(("Fr.", "CHF"), {"CHF"}),
}
_SAME_UNITS = (
    "hour hours h hr hrs", "s sec", "day days", "week weeks", "month months", "year years yr yrs",
    "tonne tonnes t", "ton tons", "lb lbs", "acre acres", "m² m2", "km² km2 sq_km", "m³ m3",
    "l litre litres liter liters", "kb", "person persons people", "x × times", "bp bps basis_points",
    "point points pt pts",
)  # fmt: skip
_UNITS = {unit.replace("_", " "): group.split()[0] for group in _SAME_UNITS for unit in group.split()}


def number(text: str, *, accounting: bool = False) -> Value | None:
    """The number that a whole answer text is, punctuation at its edges aside; None where it is none."""
    text = text.strip(EDGES.replace(".", "")).rstrip(".")
    bracketed = re.fullmatch(r"\((.*)\)", text)
    if bracketed and not accounting:
        text = bracketed[1]
    return parse_value(text) or _plain_decimal(text)


def numbers_in(text: str, *, accounting: bool = False) -> Iterator[tuple[str, Value]]:
    """The numbers of a sentence: as they are written, and their values."""
    for match in _IN_SENTENCE.finditer(text):
        written = match[0].strip().rstrip(",")
        value = number(written, accounting=accounting)
        if value is not None:
            yield written, value


def first_number(text: str, *, accounting: bool = False) -> Value | None:
    """The first number of a sentence; None where it has none."""
    return next((value for _, value in numbers_in(text, accounting=accounting)), None)


def same_value(
    given: Value,
    wanted: Value,
    *,
    percent: Literal["strict", "aware"] = "strict",
    scale: Literal["strict", "aware"] = "strict",
    tolerance: float = 1e-6,
) -> bool:
    """Whether two numbers are equal, and neither's unit or currency contradicts the other's."""
    if not same_unit(given, wanted) or (percent == "strict" and given.percent != wanted.percent):
        return False
    return any(
        math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-12)
        for a in _readings(given, percent, scale, other=wanted)
        for b in _readings(wanted, percent, scale, other=given)
    )


def same_unit(left: Value, right: Value) -> bool:
    """Whether units and currencies agree; one that is left out agrees with all."""
    if left.currency and right.currency and left.currency != right.currency:
        codes = [set(_CURRENCIES.get(value.currency, {value.currency})) for value in (left, right)]
        if not codes[0] & codes[1]:
            return False
    units = {_UNITS.get(value.unit.lower(), value.unit) for value in (left, right) if value.unit}
    return len(units) < 2


def _readings(value: Value, percent: str, scale: str, *, other: Value) -> list[float]:
    numbers = [value.number]
    if scale == "aware" and value.scale != 1 and other.scale == 1:
        numbers.append(value.number / value.scale)
    if percent == "aware" and value.percent:
        numbers.append(value.number / 100)
    return numbers


def _plain_decimal(text: str) -> Value | None:
    """``1.234`` is one thousand and some in some columns; in an answer, which has no column, it is a
    decimal."""
    text = text.replace("−", "-")
    return Value(number=float(text)) if re.fullmatch(r"[-+]?\d+\.\d+", text) else None
