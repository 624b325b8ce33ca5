"""Numbers behind printed texts. The text of a cell is never changed; the value is read beside it.

One separator can mean two things: ``1.234`` is 1.234 or 1234. What the other texts of the column show decides
(:func:`infer_number_format`); without that, ``1.234`` has no value, while a comma before exactly three digits
groups thousands.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberFormat:
    """How a column writes its numbers.

    Attributes:
        decimal: The decimal sign, ``.`` or ``,``.
        thousands: The other one of the two, as the sign between groups of three digits. Blanks and
            apostrophes always group.
    """

    decimal: str
    thousands: str


ENGLISH = NumberFormat(decimal=".", thousands=",")
CONTINENTAL = NumberFormat(decimal=",", thousands=".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A number as it is meant: sign and scale are applied, a percentage stays in percent.

    Attributes:
        number: ``$1.2m`` is 1200000.0, ``12.3%`` is 12.3.
        percent: Whether the text has a percent sign.
        currency: The sign or code as printed, or empty.
        unit: The unit as printed, or empty.
        scale: The factor that is already in ``number``: 1e6 for ``$1.2m``.
        mark: The footnote mark behind the number, or empty.
    """

    number: float
    percent: bool = False
    currency: str = ""
    unit: str = ""
    scale: float = 1.0
    mark: str = ""


_BLANKS = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t\n\r"
_PLAIN = {
    **dict.fromkeys(map(ord, _BLANKS), " "),
    **dict.fromkeys(map(ord, "\u2212\u2010\u2011\u2012\u2013\u2014\u2015\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u2019\u02bc\u2032\uff07"), "'"),
    **dict.fromkeys(map(ord, "\u200b\u200e\u200f\u061c\u2060\ufeff"), None),
    ord("\u066b"): ".",
    ord("\u066c"): "'",
    ord("\u066a"): "%",
    ord("\uff05"): "%",
    ord("\uff0c"): ",",
    ord("\uff0e"): ".",
    ord("\uff08"): "(",
    ord("\uff09"): ")",
    ord("\uff0b"): "+",
}
_CURRENCY = (
    r"(?:(?:US|A|AU|C|CA|HK|NT|NZ|S|SG|R)\$|[$€£¥₹₩₽₪₺₴₫₱฿₦]|Rs\.?|Fr\.|"
    r"(?:USD|EUR|GBP|JPY|CHF|CNY|RMB|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|KRW|RUB|TRY|SGD|HKD)\b)"
)
_SCALES = {
    "k": 1e3,
    "thousand": 1e3,
    "thousands": 1e3,
    "lakh": 1e5,
    "m": 1e6,
    "mn": 1e6,
    "mio": 1e6,
    "mil": 1e6,
    "million": 1e6,
    "millions": 1e6,
    "crore": 1e7,
    "b": 1e9,
    "bn": 1e9,
    "mrd": 1e9,
    "billion": 1e9,
    "billions": 1e9,
    "tn": 1e12,
    "trillion": 1e12,
}
_UNITS = (
    r"mm|cm|m|km|in|ft|mi|yd|ha|acres?|m²|m2|km²|km2|sq km|sq mi|m³|m3|mg|µg|g|kg|t|tonnes?|tons?|lbs?|oz|"
    r"ml|l|L|litres?|liters?|kB|KB|MB|GB|TB|Hz|kHz|MHz|GHz|W|kW|MW|GW|Wh|kWh|MWh|GWh|V|kV|A|mA|J|kJ|kcal|Pa|kPa|"
    r"MPa|GPa|bar|°C|°F|°|K|ms|s|sec|min|h|hrs?|hours?|days?|weeks?|months?|years?|yrs?|km/h|mph|m/s|pp|ppt|ppm|"
    r"bps?|basis points|pts?|points?|x|×|times|people|persons?|‰"
)
_MARK = re.compile(r"(?:[*†‡§¶#¹²³⁰⁴-⁹ᵃ-ᶿ]|\[\w{1,3}\]|\s\(\w{1,2}\)|\s\w\)|\s[A-Za-z](?:,[A-Za-z])?)+$")
_BRACKETS = re.compile(rf"(?P<before>{_CURRENCY}?)\s*\((?P<inner>[^()]*)\)(?P<after>\s*%?\s*{_CURRENCY}?)")
_NUMBER = re.compile(
    rf"(?P<sign>[+-]?)\s*(?P<currency>{_CURRENCY}?)\s*(?P<late_sign>[+-]?)\s*"
    r"(?P<digits>\d(?:[\d.,' ]*\d)?|[.,]\d+)(?P<exponent>[eE][+-]?\d{1,3}(?!\w))?\.?"
    r"(?P<minus>-(?=\s*$))?\s*"
    rf"(?P<scale>(?i:{'|'.join(sorted(_SCALES, key=len, reverse=True))})(?![^\W\d_]|[²³/]))?\s*"
    r"(?P<percent>%|(?i:per ?cent|pct)\b\.?)?\s*"
    rf"(?P<late_currency>{_CURRENCY}?)\s*"
    rf"(?P<unit>(?:{_UNITS})(?![^\W\d_]))?\s*"
)
_GROUPED = re.compile(r"\d{1,3}(?P<mark>[.,' ])\d{3}(?:(?P=mark)\d{3})*|\d{1,2}(?:,\d{2})+,\d{3}")


def parse_value(text: str, number_format: NumberFormat | None = None) -> Value | None:
    """The number that a text stands for, or None where it is not one number or could be two.

    Args:
        text: A cell text: any Unicode digits, signs, brackets for negative numbers, currency, unit, scale,
            footnote marks.
        number_format: How the column writes numbers, see :func:`infer_number_format`. Without it a lone ``.``
            between one to three digits and exactly three digits (``1.234``) is ambiguous and gives None.
    """
    if not any(char.isdecimal() for char in text):
        return None
    plain = _plain(text)
    mark = _MARK.search(plain)
    if (value := _parse_plain(plain, number_format)) is not None or mark is None:
        return value
    value = _parse_plain(plain[: mark.start()].rstrip(), number_format)
    return None if value is None else replace(value, mark=mark[0].strip())


def infer_number_format(texts: Iterable[str]) -> NumberFormat | None:
    """How a column writes its numbers, where at least one text tells and none contradicts; else None.

    ``1.234,5``, ``1.234.567``, ``0,5`` and ``12,34`` tell, ``1.234`` and ``1,234`` do not.
    """
    found = set()
    for text in texts:
        matched = re.search(r"\d[\d.,' ]*\d|[.,]\d+", _plain(text))
        if matched is not None:
            found.update(
                number_format
                for number_format, other in ((ENGLISH, CONTINENTAL), (CONTINENTAL, ENGLISH))
                if _digits(matched[0], number_format) is not None and _digits(matched[0], other) is None
            )
    return found.pop() if len(found) == 1 else None


def _parse_plain(plain: str, number_format: NumberFormat | None) -> Value | None:
    brackets = _BRACKETS.fullmatch(plain)
    if brackets is not None:
        plain = brackets["before"] + brackets["inner"] + brackets["after"]
    matched = _NUMBER.fullmatch(plain)
    if matched is None:
        return None
    signs = [sign for sign in (matched["sign"], matched["late_sign"], matched["minus"]) if sign]
    currencies = [sign for sign in (matched["currency"], matched["late_currency"]) if sign]
    if len(signs) + (brackets is not None) > 1 or len(currencies) > 1:
        return None
    digits = _unambiguous(matched["digits"]) if number_format is None else number_format
    number_text = None if digits is None else _digits(matched["digits"], digits)
    if number_text is None:
        return None
    scale, unit = _scale_and_unit(matched["scale"] or "", matched["unit"] or "", bool(currencies))
    number = float(number_text + (matched["exponent"] or "")) * scale
    if not math.isfinite(number):
        return None
    return Value(
        number=-number if brackets is not None or "-" in signs else number,
        percent=matched["percent"] is not None,
        currency=currencies[0] if currencies else "",
        unit=unit,
        scale=scale,
    )


def _scale_and_unit(scale: str, unit: str, has_currency: bool) -> tuple[float, str]:
    # A small letter alone is a scale only beside a currency: '5 m' are metres.
    if scale in ("m", "b", "k") and not has_currency:
        return 1.0, scale
    return _SCALES.get(scale.lower(), 1.0), unit


def _unambiguous(digits: str) -> NumberFormat | None:
    """The one format that can read these digits; a comma groups where both could."""
    readable = [form for form in (ENGLISH, CONTINENTAL) if _digits(digits, form) is not None]
    if len(readable) == 2 and "." in digits:
        return None
    return readable[0] if readable else None


def _digits(text: str, number_format: NumberFormat) -> str | None:
    """The digits with ``.`` as decimal sign and without groups, or None where the format does not fit."""
    whole, sign, fraction = text.partition(number_format.decimal)
    if sign and not (fraction.isdecimal() and fraction):
        return None
    if not whole:
        return f"0.{fraction}"
    if not whole.isdecimal():
        matched = _GROUPED.fullmatch(whole)
        marks = {char for char in whole if not char.isdecimal()}
        if matched is None or whole.startswith("0") or not marks <= {number_format.thousands, "'", " "}:
            return None
        whole = "".join(char for char in whole if char.isdecimal())
    return f"{whole}.{fraction}" if sign else whole


def _plain(text: str) -> str:
    """One kind of blank, dash, apostrophe and digit."""
    plain = text.translate(_PLAIN).strip()
    if plain.isascii():
        return plain
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in plain)
