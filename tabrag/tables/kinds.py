"""What the text of a cell looks like: blank, missing, a number, a period or a text."""

from __future__ import annotations

import re
from enum import Enum

from tabrag.tables.values import ENGLISH, parse_value


class Kind(Enum):
    """What a cell looks like."""

    BLANK = "blank"
    MISSING = "missing"
    NUMBER = "number"
    PERIOD = "period"
    TEXT = "text"


_MISSING = re.compile(r"[-\u2010-\u2015\u2212.…*/?]+|n/?\.?a\.?|nil|none|null", re.IGNORECASE)
_PERIOD = re.compile(
    r"(?:fys?|cy|year|q[1-4]|h[12]|[1-4]q|[12]h)?[\s'’.,-]*(?:1[6-9]|20|21)\d\d"
    r"(?:\s*(?:[-/\u2010-\u2015]|to)\s*(?:(?:1[6-9]|20|21)?\d\d))?\s*(?:q[1-4]|h[12]|[aefpr]|s)?"
    r"|(?:[1-4]q|[12]h|q[1-4]|h[12]|fy)[\s'’/-]*\d\d",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z]{1,4}_?\d+")
_MONTHS = re.compile(r"(?<![^\W\d_])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)


def cell_kind(text: str) -> Kind:
    """The kind of a text: '2018' and 'Q1 2020' are periods; '1.2 MB (-92%)' and '10/3' count as numbers.

    A code of letters and digits ('Y2015', 'V100') is a text.
    """
    text = text.strip()
    if not text:
        return Kind.BLANK
    if _MISSING.fullmatch(text):
        return Kind.MISSING
    if _PERIOD.fullmatch(text):
        return Kind.PERIOD
    if len(text) > 40:
        return Kind.TEXT
    if parse_value(text, ENGLISH) is not None or parse_value(text) is not None:
        return Kind.NUMBER
    if _CODE.fullmatch(text):
        return Kind.TEXT
    num_digits = sum(char.isdecimal() for char in text)
    num_letters = sum(char.isalpha() for char in text)
    if num_digits > num_letters and not _MONTHS.search(text):
        return Kind.NUMBER
    return Kind.TEXT
