"""Header texts as parts of speech: a time, a unit, a measure, a total, or a member of a dimension."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from tabrag.tables import kinds
from tabrag.tables.kinds import Kind
from tabrag.types import Cell

cell_kind = lru_cache(maxsize=4096)(kinds.cell_kind)
""":func:`tabrag.tables.kinds.cell_kind`; the makers of questions look at the same cells many times."""
MAX_WORDS = 16
"""Longer headers are cut: nobody says a footnote's length of words."""

_MARKS = re.compile(r"\[[^\][]{1,3}\]|[*†‡§¶¹²³⁴]|\(\w\)$|\bnotes? \d+\b", re.IGNORECASE)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_TIME = re.compile(
    rf"(?:in |fy ?|fiscal |year |census |{_MONTH}\.? )?(?:\d{{1,2}},? )?(?:1[6-9]|20|21)\d\d"
    r"(?: ?(?:-|–|/|to) ?(?:(?:1[6-9]|20|21)\d\d|\d\d))?"
    rf"(?: (?:census|season|projected|projections?|preliminary|estimated?|actual))?|{_MONTH}",
    re.IGNORECASE,
)
_UNIT_WORDS = (
    r"per ?cent|percentages?|percentage points?|%|pct|numbers?|no|#|n|count|thousands?|millions?|billions?|"
    r"dollars?|\$|us ?\$|usd|eur|euros?|£|pounds?|rates?|hours?|days?|minutes?|years?|weeks?|months?|"
    r"mean|median|average|ratio|value|amount|total|rank|index|in|of|from|to|lower|upper|limit|bound|p-?value|confidence|interval|error|standard|estimates?|95|000s?|current|constant|us|u\.s\.|kg|tonnes?"
)
_UNIT = re.compile(rf"\W*(?:{_UNIT_WORDS})(?:[\s/()]*(?:{_UNIT_WORDS}))*\W*", re.IGNORECASE)
_TOTAL = re.compile(r"(?:grand |sub|overall |all )?totals?|all|overall|both sexes|sum", re.IGNORECASE)
_MEASURE = re.compile(
    r"\b(?:numbers?|rates?|totals?|averages?|means?|medians?|amounts?|shares?|proportions?|ratios?|"
    r"ind(?:ex|ices)|per ?cent(?:ages?)?|prevalence|incidence|income|earnings|revenues?|expenses?|"
    r"expenditures?|costs?|prices?|wages?|salar(?:y|ies)|profits?|sales|assets|population|employment|unemployment|growth|change|increase|"
    r"decrease|probabilit(?:y|ies)|distribution|density|area|length|height|weight|age|gdp|value|volume|balance|"
    r"score|rank|coverage|spending|debt|duration|frequency|intensity|production|consumption|exports|imports)\b|%",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"\b(?:rates?|averages?|means?|medians?|ratios?|ind(?:ex|ices)|per ?cent(?:ages?)?|shares?|proportions?|"
    r"prevalence|probabilit(?:y|ies)|pct|rank|position|density|per|odds|coefficient|error|interval|age|year|"
    r"no|date|time|peak|chart|grid|lane|week|round|distribution)\b|[%#/]",
    re.IGNORECASE,
)


_IDENTIFIER = re.compile(
    r"no|nos|number|#|№|rank(?:ing)?|pos(?:ition)?|place|years?|date|id|code|lane|week|round|season|game|seed|"
    r"(?:.+ )?(?:no|number|code|id|date|year)",
    re.IGNORECASE,
)


class Role(Enum):
    """What a header is in a sentence. A bare number or unit says nothing alone and counts as ``UNIT``."""

    TIME = "time"
    UNIT = "unit"
    TOTAL = "total"
    MEASURE = "measure"
    MEMBER = "member"


@dataclass(frozen=True, slots=True)
class Label:
    """A header cell.

    Attributes:
        text: Its text without footnote marks, in one line.
        cell: Where it stands.
        role: What it is in a sentence.
    """

    text: str
    cell: Cell
    role: Role


def clean(text: str) -> str:
    """A header or title in one line, without footnote marks and the signs around it."""
    text = " ".join(_MARKS.sub(" ", " ".join(text.split())).split()).strip(" :;,.–—-|")
    return " ".join(text.split(" ")[:MAX_WORDS])


def role_of(text: str) -> Role:
    """The role of a cleaned header text."""
    if _TIME.fullmatch(text) or cell_kind(text) is Kind.PERIOD:
        return Role.TIME
    if _TOTAL.fullmatch(text):
        return Role.TOTAL
    if _UNIT.fullmatch(text) or cell_kind(text) is Kind.NUMBER:
        return Role.UNIT
    return Role.MEASURE if is_measure(text) else Role.MEMBER


def is_measure(text: str) -> bool:
    """Whether a text names a quantity by one of the usual words: rate, number, income, ..."""
    return _MEASURE.search(text) is not None


def is_total(text: str) -> bool:
    """Whether a header names a sum of others: "total", "total males", "all regions"."""
    return _TOTAL.fullmatch(text) is not None or text.lower().startswith(("total ", "all ", "overall "))


def is_rate(text: str) -> bool:
    """Whether figures under this text are never added up: rates, ranks, years, averages."""
    return _RATE.search(text) is not None


def is_identifier(text: str) -> bool:
    """Whether figures under this text only number or date things: no., rank, year."""
    return _IDENTIFIER.fullmatch(text) is not None


def times_in(text: str) -> list[str]:
    """The years and stretches of years that a text names."""
    pattern = r"\b(?:1[6-9]|20)\d\d(?: ?(?:-|–|/|to|and) ?(?:(?:1[6-9]|20)\d\d|\d\d))?\b"
    return [match[0] for match in re.finditer(pattern, text)]


def is_latin(text: str) -> bool:
    """Whether most letters of a text are Latin; a text without letters counts as Latin."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(char < "\u0250" or "\u1e00" <= char < "\u1f00" for char in letters) >= len(letters)
