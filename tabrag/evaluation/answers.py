"""Comparing answers with gold answers. Both sides go through the same rules.

====================  ====================================================================================
rule                  examples
====================  ====================================================================================
numbers come first    a text that is a number is compared by value: ``2.0`` = ``2``, ``6,000`` = ``6000``,
                      ``$1,234.50`` = ``1234.5``, ``(4.75).`` = ``4.75``; never ``2.0`` = ``20``
precision             equal up to a relative difference of ``tolerance`` (1e-6: written digits count)
number in a sentence  where the gold answer is a number and the prediction a sentence, its *first* number
                      counts: ``it is 35% of the 80 units`` is 35%, never 80; where the gold answer is a
                      percentage or has a currency or unit, the first one of that kind, if any. A year behind
                      "in" or the like counts where a year is the gold answer: ``In 2019 it was 35`` is 35. A
                      date is no such sentence
percent, strict       ``35%`` = ``35 %``; ``35%`` is neither ``35`` nor ``0.35``
percent, aware        (``percent="aware"``) ``35%`` = ``35`` = ``35 %``, and ``35%`` = ``0.35``
scale, strict         ``1.2 million`` = ``1,200,000`` = ``$1.2m``; never ``1.2``
scale, aware          (``scale="aware"``) ``1.2 million`` = ``1.2``, too: one side may leave the word out
units, currencies     one side may leave them out; two that differ are not equal: ``5 km`` = ``5``,
                      ``5 hrs`` = ``5 hours``, ``5 km`` = ``5 kilometres``, ``$5`` = ``5 dollars``; never
                      ``5 km`` = ``5 kg``, ``$5`` = ``€5``, ``it is 5 km long`` = ``5 kg``
brackets              ``(1,234)`` = ``1234``, ``(35)%`` = ``35%``; with ``accounting=True`` they are
                      ``-1234`` and ``-35%``
dates                 ``May 3, 2010`` = ``3rd of May 2010`` = ``2010-05-03``; both ``5/3/2010`` and
                      ``3/5/2010`` are equal to it, not to each other; ``May 2010`` = ``2010-05``; never
                      ``May 3`` = ``May 3, 2010``; of a sentence its first date counts
texts                 letter case, Unicode form, kinds of dashes and apostrophes, blanks, punctuation at the
                      edges and articles do not count: ``the Netherlands`` = ``Netherlands``
several gold answers  ``several="any"``: one of them is enough; ``"set"``: all of them in any order
                      (``b, a`` = ``[a, b]``); ``"ordered"``: all of them in this order. Commas, semicolons,
                      ``and``, ``&``, bars and line ends part a list, except inside of a gold answer; bullets
                      and numbers before its lines and brackets around it do not count
no answer there       ``Not answerable`` = ``not in the table`` = ``The report does not mention it.``: texts
                      that say so as a whole are one answer (:mod:`tabrag.evaluation.answer_refusals`)
no gold answer        an error that names the sample
====================  ====================================================================================

:func:`numeric_match` is the lenient reading for questions whose gold answers are numbers: percent and scale
are ``aware``, and brackets may mean a negative number or not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tabrag.errors import UserError
from tabrag.evaluation.answer_dates import first_date, parse_date, same_date
from tabrag.evaluation.answer_refusals import is_refusal
from tabrag.evaluation.answer_values import EDGES, number, number_like, same_value

_ARTICLES = re.compile(r"\b(?:a|an|the)\b\s*")
_SEPARATORS = re.compile(r"\s*;\s*|,\s+(?:and\s+)?|\s+and\s+|\n+")
_WIDE_SEPARATORS = re.compile(
    r"\s*;\s*|,\s+(?:and\s+)?|(?<!\d),|,(?!\d)|\s+and\s+|\s+&\s+|\s*\|\s*|\s+/\s+|\n+"
)
_BULLET = re.compile(r"\s*(?:[-–•‣◦*·]|\(?\d{1,2}[.)])\s+(?=\S)")
_SAME_SIGNS = str.maketrans(
    {**dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("‘’ʼ′", "'"), **dict.fromkeys("“”„″", '"')}
)


@dataclass(frozen=True, kw_only=True)
class AnswerRules:
    """How answers are compared; the table of this module says what each choice means.

    Attributes:
        several: What several gold answers mean.
        percent: Whether a percentage equals the bare number and the fraction.
        scale: Whether a number with a scale word ("million") equals the one without.
        accounting: Whether a bracketed number is negative.
        tolerance: Relative difference up to which numbers are equal.
    """

    several: Literal["any", "set", "ordered"] = "any"
    percent: Literal["strict", "aware"] = "strict"
    scale: Literal["strict", "aware"] = "strict"
    accounting: bool = False
    tolerance: float = 1e-6


def exact_match(
    prediction: str, gold: Sequence[str], *, rules: AnswerRules | None = None, sample_id: str = ""
) -> bool:
    """Whether ``prediction`` is the gold answer.

    Raises:
        UserError: ``gold`` is empty; the message names ``sample_id``.
    """
    rules = rules or AnswerRules()
    if not gold:
        raise UserError(f"sample '{sample_id}' has no gold answer: leave it out or add its answer")
    if rules.several == "any" or len(gold) == 1:
        return any(same(prediction, one, rules=rules) for one in gold)
    return _is_list_of(prediction, gold, rules)


def numeric_match(prediction: str, gold: Sequence[str], *, rules: AnswerRules | None = None) -> bool | None:
    """Whether ``prediction`` is the gold answer in the lenient reading of numbers.

    Returns:
        None where a gold answer is no number, or there is none.
    """
    if not gold or any(number(one) is None for one in gold):
        return None
    lenient = replace(rules or AnswerRules(), percent="aware", scale="aware")
    return any(
        exact_match(prediction, gold, rules=replace(lenient, accounting=accounting))
        for accounting in (False, True)
    )


def same(prediction: str, gold: str, *, rules: AnswerRules | None = None) -> bool:
    """Whether two single answers are equal: by value where ``gold`` is a number or a date, else by text."""
    rules = rules or AnswerRules()
    wanted = number(gold, accounting=rules.accounting)
    if wanted is None:
        if normalise(prediction) == normalise(gold) or _same_date(prediction, gold):
            return True
        return is_refusal(gold) and is_refusal(prediction)
    given = number(prediction, accounting=rules.accounting)
    if given is None and parse_date(prediction) is None and not is_refusal(prediction):
        given = number_like(prediction, wanted, accounting=rules.accounting)
    if given is None:
        return False
    return same_value(given, wanted, percent=rules.percent, scale=rules.scale, tolerance=rules.tolerance)


def list_members(text: str) -> list[str]:
    """The members of a list in words: ``a, b and c``; one for a text that is no list."""
    return [part for part in _SEPARATORS.split(text) if part.strip()]


def normalise(text: str) -> str:
    """A text as it is compared: NFKC, lower case, single blanks, no articles, no punctuation at its edges."""
    text = unicodedata.normalize("NFKC", text).translate(_SAME_SIGNS)
    text = " ".join(text.casefold().split()).strip(EDGES)
    return _ARTICLES.sub("", text).strip(EDGES) or text


def _same_date(prediction: str, gold: str) -> bool:
    wanted = parse_date(gold)
    given = None if wanted is None else parse_date(prediction) or first_date(prediction)
    return wanted is not None and given is not None and same_date(given, wanted)


def _bare_list(text: str) -> str:
    """A list without brackets around it, and without a bullet or a number before each of its lines."""
    text = text.strip()
    if re.fullmatch(r"\[[^][()]+\]|\([^][()]+\)", text):
        text = text[1:-1]
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(map(_BULLET.match, lines)):
        return "\n".join(_BULLET.sub("", line, count=1) for line in lines)
    return text


def _is_list_of(prediction: str, gold: Sequence[str], rules: AnswerRules) -> bool:
    """Whether the prediction lists all gold answers, in their order where the rules ask for it.

    Commas may part a list or stand inside of one of its members, so neighbouring parts are also tried
    together, the shortest member first.
    """
    prediction = _bare_list(prediction)
    marks = list(_WIDE_SEPARATORS.finditer(prediction))
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(prediction)]
    parts = [(start, end) for start, end in zip(starts, ends, strict=True) if prediction[start:end].strip()]
    if len(parts) < len(gold):
        return False

    longest = 2 + max(len(_WIDE_SEPARATORS.findall(one)) for one in gold)

    def fits(at: int, open_: tuple[str, ...]) -> bool:
        if not open_:
            return at == len(parts)
        members = open_[:1] if rules.several == "ordered" else tuple(dict.fromkeys(open_))
        for last in range(at, min(len(parts) - len(open_) + 1, at + longest)):
            given = prediction[parts[at][0] : parts[last][1]]
            for one in members:
                # Of several parts the first number would count, whatever the others say.
                if (last == at or number(one) is None) and same(given, one, rules=rules):
                    place = open_.index(one)
                    if fits(last + 1, open_[:place] + open_[place + 1 :]):
                        return True
        return False

    return fits(0, tuple(gold))
