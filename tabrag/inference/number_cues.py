"""What a question says about the number that it asks for, and how a computed number is then written.

===========================================  =============================================================
cue                                          effect
===========================================  =============================================================
"what percentage", "growth rate", "% change"  a share times 100, with ``%``, two decimals at most
"how many times", "ratio", "by what factor"  a share stays as it is
"in millions"                                a number of a table in thousands is divided by 1,000
"to two decimals", "to the nearest tenth"    that many decimals, zeros included
"how much lower", "what was the decline"     no minus sign
===========================================  =============================================================

Without a cue, a number from 1 on has two decimals at most, a smaller one four. A percent sign behind a number
of the question itself ("notes of 6.5 %") is no cue.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal

from tabrag.chat.formula import Formula
from tabrag.chat.formula_shape import Shape
from tabrag.inference.units import SCALES, unit_of_text

_TEXT_START = re.compile(
    r"""\s*(?:who|whom|whose|when|where|why|which(?!\s+(?:percent|proportion|%))
    |(?:in|on|at|by|for|during|of|from|to)\s+(?:which|what)
     (?!\s+(?:\w+\s+)?(?:percent|amount|factor|multiple|extent|proportion|ratio|rate|price|cost|value))
    |what\s+(?:year|month|day|date|quarter|type|kind|name|country|company|category|region|segment)s?\b
    |what(?:'s|\s+(?:is|are|was|were))\s+the\s+(?:\w+\s+){0,2}(?:name|type|reason|title)s?\b
    |(?:name|list|did|does|do|is|are|was|were|has|have|had|can|could|will|would|should)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_YES_NO = re.compile(r",\s*(?:did|does|do|is|are|was|were|has|have|had)\b", re.IGNORECASE)
_ASKS = re.compile(r"\b(?:what|how|which)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"\brespective(?:ly)?\b", re.IGNORECASE)
_COUNT = re.compile(
    r"""\bhow\s+(?:many|much|large|big|high|low|long|tall|old|far)\b|\b(?:calculate|compute)\b
    |\b(?:what|which)\s+(?:percent\w*|%|proportion|portion|fraction|share)|\bby\s+(?:how|what)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_MEASURE = re.compile(
    r"""\bwhat(?:'s|\s+(?:is|are|was|were|would\s+be|will\s+be))\s+(?:the\s+)?(?:[\w'’.,/()&-]+\s+){0,6}?
    (?:percent\w*|(?:pro)?portion|fraction|share|ratio|total|sum|average|mean|median|difference|change|increase
    |decrease|growth|decline|reduction|variation|amount|number|rate|margin|value|cost|price|return|range|roi)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_PERCENT_WORD = r"(?<!\d)(?<!\d[\s-])(?:%|\bper\s?cent(?:age|ual)?s?\b)"
_PERCENT = re.compile(
    rf"""{_PERCENT_WORD}|\b(?:growth|tax|interest|discount|inflation)\s+rate\b|\b(?:yield|margin|roi)\b
    |\brate\s+of\s+(?:growth|return|increase|decrease|change)\b|\bportion\s+of\b|\breturn\s+on\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKED_PERCENT = re.compile(
    rf"\b(?:what|which|how\s+many|in|as|by)(?:'s)?\s+(?:[\w'’/()]+\s+){{0,4}}?\(?{_PERCENT_WORD}",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"\bhow\s+many\s+times\b|\bby\s+what\s+(?:factor|multiple)\b|\bas\s+a\s+multiple\b", re.IGNORECASE
)
_RATIO = re.compile(r"\bratio\b", re.IGNORECASE)
_WORDS = {"no": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DECIMALS = re.compile(
    rf"""\b(?P<count>\d|{"|".join(_WORDS)})[\s-]+(?:decimals?|digits?\s+after)\b
    |\bnearest\s+(?P<nearest>whole|integer|tenth|hundredth|thousandth|cent)\b
    |\b(?:whole\s+number|integer)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_WIDE = Context(prec=400)
"""Holds all digits of the largest float."""
_NEAREST = {"tenth": 1, "hundredth": 2, "cent": 2, "thousandth": 3}
_FELL = re.compile(
    r"""\b(?:how\s+(?:much|many)|by\s+(?:how|what))\b.*
     \b(?:decrease[ds]?|decline[ds]?|drop(?:ped|s)?|fell|falls?|reduced?|shrank|lower|less|fewer|smaller)\b
    |\bwhat(?:'s|\s+(?:is|was))\s+the\s+(?:[\w%]+\s+){0,3}(?:decrease|decline|drop|reduction|fall)
     \s+(?:in|of|from|during|between|for|on)\b""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_EITHER_WAY = re.compile(r"\b(?:increased?|change[ds]?|growth|rise|rose|grew)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cues:
    """What a question says about its number.

    Attributes:
        is_numeric: Whether it asks for a number; None where its words do not tell.
        percent: Whether it asks for a percentage in so many words.
        rate: Whether a share is better told as a percentage: a tax rate, a portion.
        times: Whether it asks how many times, or for a ratio.
        scale: ``thousand``, ``million``, ... where it asks for a number in these; else empty.
        decimals: How many it asks for.
        unsigned: Whether the words say already that the number is a decline.
    """

    is_numeric: bool | None
    percent: bool = False
    rate: bool = False
    times: bool = False
    scale: str = ""
    decimals: int | None = None
    unsigned: bool = False


def cues_of(question: str) -> Cues:
    """The cues of a question, its instructions how to answer included."""
    asked = _ASKED_PERCENT.search(question) is not None
    times = _TIMES.search(question) is not None or (_RATIO.search(question) is not None and not asked)
    found = _DECIMALS.search(question)
    return Cues(
        is_numeric=_is_numeric(question),
        percent=asked and not times,
        rate=_PERCENT.search(question) is not None and not times,
        times=times,
        scale=unit_of_text(question).scale,
        decimals=None if found is None else _decimals(found),
        unsigned=_FELL.search(question) is not None and _EITHER_WAY.search(question) is None,
    )


def present(formula: Formula, shape: Shape, cues: Cues, *, table_scale: str = "") -> str:
    """A formula's value as an answer.

    Args:
        formula: The formula.
        shape: Its shape.
        cues: What the question asks for.
        table_scale: The scale word that the table gives for the formula's numbers, or empty.
    """
    value = Decimal(repr(formula.value))
    if cues.unsigned:
        value = abs(value)
    as_percentage = cues.rate or shape.hundreds > 0 or not shape.is_ratio
    percent = not cues.times and (cues.percent or (shape.is_share and as_percentage))
    if percent and shape.is_share and not shape.hundreds:
        value *= 100
    elif not shape.is_share and not shape.rescaled and cues.scale:
        in_words = any(one.endswith(tuple(SCALES)) for one in formula.numbers.values())
        factor = 1.0 if in_words else SCALES.get(table_scale)
        value *= 1 if factor is None else Decimal(factor) / Decimal(SCALES[cues.scale])
    if cues.decimals is not None:
        text = f"{_rounded(value, cues.decimals):f}"
    else:
        text = f"{_rounded(value, 2 if percent or abs(value) >= 1 else 4):f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    if not text.strip("-0."):
        text = text.removeprefix("-")
    return f"{text}%" if percent else text


def _is_numeric(question: str) -> bool | None:
    if _TEXT_START.match(question) or _SEVERAL.search(question):
        return False
    if _COUNT.search(question) or _MEASURE.search(question):
        return True
    return False if _YES_NO.search(question) and not _ASKS.search(question) else None


def _decimals(found: re.Match[str]) -> int:
    if count := found["count"]:
        return int(count) if count.isdigit() else _WORDS[count.lower()]
    return _NEAREST.get((found["nearest"] or "").lower(), 0)


def _rounded(value: Decimal, decimals: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP, context=_WIDE)
