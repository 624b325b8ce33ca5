"""Numbers of answers and how they compare. :mod:`tabrag.evaluation.answers` has the rules as a table."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Literal

from tabrag.tables.values import Value, parse_value

EDGES = " \t\n\r\"'`“”‘’«».,;:!?*_"
"""What does not count at the edges of an answer."""

_LONG = {
    r"square (?:kilomet(?:er|re)s?)": "km²", r"square (?:met(?:er|re)s?)": "m²", r"square miles?": "sq mi",
    r"kilomet(?:er|re)s?": "km", r"centimet(?:er|re)s?": "cm", r"millimet(?:er|re)s?": "mm",
    r"met(?:er|re)s?": "m", r"miles?": "mi", r"feet|foot": "ft", r"inch(?:es)?": "in", r"yards?": "yd",
    r"hectares?": "ha", r"kilogram(?:me)?s?": "kg", r"milligram(?:me)?s?": "mg", r"gram(?:me)?s?": "g",
    r"ounces?": "oz", r"seconds?": "s", r"min(?:ute)?s?": "min", r"gigawatt[- ]hours?": "GWh",
    r"megawatt[- ]hours?": "MWh", r"kilowatt[- ]hours?": "kWh", r"gigawatts?": "GW", r"megawatts?": "MW",
    r"kilowatts?": "kW", r"degrees? celsius": "°C", r"degrees? fahrenheit": "°F",
    r"(?:us|american) dollars?": "USD", r"dollars?": "$", r"euros?": "EUR", r"rupees?": "INR",
    r"pounds? sterling": "GBP", r"(?:japanese )?yen": "JPY",
}  # fmt: skip
"""Units in words, as patterns, and as :func:`tabrag.tables.values.parse_value` knows them."""
_IN_WORDS = re.compile(rf"\b(?:{'|'.join(_LONG)})$", re.IGNORECASE)
_SHORT_UNITS = (
    "km²|km2|m²|m2|km/h|mph|km|cm|mm|kg|mg|ha|GWh|MWh|kWh|GW|MW|kW|GB|MB|TB|acres?|tonnes?|tons?|lbs?|hours?|hrs?"
    "|days?|weeks?|months?|years?|yrs?|people|persons?|points?|USD|EUR|GBP|JPY|CHF|INR|AUD|CAD|CNY"
)
"""Those that stand behind the numbers of sentences and are no word otherwise, as ``in`` is."""
_SCALE_WORD = r"(?:\s?(?:thousand|million|billion|trillion)s?\b)?"
_DIGITS = rf"(?:(?:US|A|AU|C|CA|HK|NZ|S)?[$€£¥₹]\s?)?(?<![\w.])(?:\d[\d,]*(?:\.\d+)?|\.\d+){_SCALE_WORD}"
_PERCENT = r"(?:\s?%|\s?per\s?cent\b)?"
_IN_SENTENCE = re.compile(
    rf"(?:\({_DIGITS}{_PERCENT}\){_PERCENT}|(?:\b(?:minus|negative)\s|(?<![\w)])[-−–])?{_DIGITS}{_PERCENT})"
    rf"(?P<unit>\s?(?:{_SHORT_UNITS}|{'|'.join(_LONG)})(?![^\W_]|[²³/]))?",
    re.IGNORECASE,
)
_MINUS = re.compile(r"(?:minus|negative)\s+(?=\W?\d)", re.IGNORECASE)
_BRACKETED = re.compile(r"([^()\d]*)\(([^()]*\d[^()]*)\)([^()\d]*)")
_YEAR_LEAD = re.compile(r"\b(?:in|since|during|by|until|from|fiscal|year|fy)\s$", re.IGNORECASE)
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
    if bracketed := _BRACKETED.fullmatch(text):
        inside = "".join(bracketed.groups())  # "(1.2) million" is "(1.2 million)"
        text = f"({inside})" if accounting else inside
    text = _MINUS.sub("-", text, count=1) if _MINUS.match(text) else text
    if (value := parse_value(text) or _plain_decimal(text)) is not None:
        return value
    closing = text[len(text.rstrip(")")) :]
    in_words = _IN_WORDS.search(text.removesuffix(closing), pos=max(0, len(text) - 60))
    if in_words is None:
        return None
    said = in_words[0].lower()
    unit = next(short for words, short in _LONG.items() if re.fullmatch(words, said))
    return parse_value(f"{text[: in_words.start()].rstrip()} {unit}{closing}")


def numbers_in(text: str, *, accounting: bool = False) -> Iterator[tuple[str, Value]]:
    """The numbers of a sentence: as they are written, without units, and their values."""
    for written, _, value in _numbers_in(text, accounting=accounting):
        yield written, value


def first_number(text: str, *, accounting: bool = False) -> Value | None:
    """The first number of a sentence; None where it has none."""
    return next((value for _, value in numbers_in(text, accounting=accounting)), None)


def number_like(text: str, wanted: Value, *, accounting: bool = False) -> Value | None:
    """The number of a sentence that counts where ``wanted`` is the right one.

    That is the first one; where a percentage, a currency or a unit is wanted, the first one of that kind, if
    any. A year behind "in" or the like counts where a year is wanted or nothing else stands there.

    Args:
        text: The sentence.
        wanted: The right number.
        accounting: Whether a bracketed number is negative.

    Returns:
        With its unit; None where there is no number.
    """
    found = []
    for written, start, value in _numbers_in(text, accounting=accounting, units=True):
        is_year = (
            written.isdecimal() and _is_year(value) and _YEAR_LEAD.search(text, max(0, start - 12), start)
        )
        found.append((value, bool(is_year) and not _is_year(wanted)))
    said = [value for value, is_year in found if not is_year] or [value for value, _ in found]
    has_kind = bool(wanted.percent or wanted.currency or wanted.unit)
    alike = [value for value in said if has_kind and _is_of_kind(value, wanted)]
    return next(iter([*alike, *said]), None)


def _numbers_in(
    text: str, *, accounting: bool = False, units: bool = False
) -> Iterator[tuple[str, int, Value]]:
    """The numbers of a sentence as they are written, where they begin, and their values."""
    for match in _IN_SENTENCE.finditer(text):
        alone = text[match.start() : match.start("unit") if match["unit"] else match.end()]
        written = alone.strip().rstrip(",")
        value = number(match[0].strip(), accounting=accounting) if units and match["unit"] else None
        value = value or number(written, accounting=accounting)
        if value is not None:
            yield written, match.start() + len(alone) - len(alone.lstrip()), value


def _is_year(value: Value) -> bool:
    return value == Value(number=value.number) and value.number.is_integer() and 1800 <= value.number < 2100


def _is_of_kind(value: Value, wanted: Value) -> bool:
    units = [_UNITS.get(one.unit.lower(), one.unit) for one in (value, wanted)]
    return (value.percent, bool(value.currency), units[0]) == (
        wanted.percent, bool(wanted.currency), units[1]
    )  # fmt: skip


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
    if percent == "aware" and value.percent and not other.percent:
        numbers.append(value.number / 100)
    return numbers


def _plain_decimal(text: str) -> Value | None:
    """``1.234`` is one thousand and some in some columns; in an answer, which has no column, it is a
    decimal."""
    text = text.replace("−", "-")
    return Value(number=float(text)) if re.fullmatch(r"[-+]?\d+\.\d+", text) else None
