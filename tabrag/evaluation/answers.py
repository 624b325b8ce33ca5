"""Comparing answers with gold answers. Both sides go through the same rules.

====================  ====================================================================================
rule                  examples
====================  ====================================================================================
numbers come first    a text that is a number is compared by value: ``2.0`` = ``2``, ``6,000`` = ``6000``,
                      ``$1,234.50`` = ``1234.5``, ``(4.75).`` = ``4.75``; never ``2.0`` = ``20``
precision             equal up to a relative difference of ``tolerance`` (1e-6: written digits count)
number in a sentence  where the gold answer is a number and the prediction a sentence, its *first* number
                      counts: ``it is 35% of the 80 units`` is 35%, never 80
percent, strict       ``35%`` = ``35 %``; ``35%`` is neither ``35`` nor ``0.35``
percent, aware        (``percent="aware"``) ``35%`` = ``35`` = ``35 %``, and ``35%`` = ``0.35``
brackets              ``(1,234)`` = ``1234``; with ``accounting=True`` it is ``-1234``
texts                 letter case, Unicode form, blanks, punctuation at the edges and articles do not count:
                      ``the Netherlands`` = ``Netherlands``
several gold answers  ``several="any"``: one of them is enough; ``"set"``: all of them in any order
                      (``b, a`` = ``[a, b]``); ``"ordered"``: all of them in this order
no gold answer        an error that names the sample
====================  ====================================================================================
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tabrag.errors import UserError
from tabrag.tables.values import Value, parse_value

_EDGES = " \t\n\r\"'`“”‘’«».,;:!?*_"
_ARTICLES = re.compile(r"\b(?:a|an|the)\b\s*")
_IN_SENTENCE = re.compile(r"[-−(]?[$€£¥]?\s?(?<![\w.])\d[\d,]*(?:\.\d+)?(?:\s?%|\s?percent\b)?\)?")
_SEPARATORS = re.compile(r"\s*;\s*|,\s+(?:and\s+)?|\s+and\s+|\n+")


@dataclass(frozen=True, kw_only=True)
class AnswerRules:
    """How answers are compared; the table of this module says what each choice means.

    Attributes:
        several: What several gold answers mean.
        percent: Whether a percentage equals the bare number and the fraction.
        accounting: Whether a bracketed number is negative.
        tolerance: Relative difference up to which numbers are equal.
    """

    several: Literal["any", "set", "ordered"] = "any"
    percent: Literal["strict", "aware"] = "strict"
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
    parts = [part for part in _SEPARATORS.split(prediction) if part.strip()]
    if len(parts) != len(gold):
        return False
    if rules.several == "ordered":
        return all(same(part, one, rules=rules) for part, one in zip(parts, gold, strict=True))
    open_ = list(gold)
    for part in parts:
        found = next((i for i, one in enumerate(open_) if same(part, one, rules=rules)), None)
        if found is None:
            return False
        del open_[found]
    return True


def same(prediction: str, gold: str, *, rules: AnswerRules | None = None) -> bool:
    """Whether two single answers are equal, by value where ``gold`` is a number, by text otherwise."""
    rules = rules or AnswerRules()
    wanted = number(gold, accounting=rules.accounting)
    if wanted is None:
        return normalise(prediction) == normalise(gold)
    given = number(prediction, accounting=rules.accounting) or _first_number(
        prediction, accounting=rules.accounting
    )
    if given is None:
        return False
    if rules.percent == "strict":
        return given.percent == wanted.percent and _close(given.number, wanted.number, rules.tolerance)
    return any(_close(a, b, rules.tolerance) for a in _readings(given) for b in _readings(wanted))


def number(text: str, *, accounting: bool = False) -> Value | None:
    """The number that a whole answer text is, punctuation at its edges aside; None where it is none."""
    text = text.strip(_EDGES.replace(".", "")).rstrip(".")
    bracketed = re.fullmatch(r"\((.*)\)", text)
    if bracketed and not accounting:
        text = bracketed[1]
    return parse_value(text) or (_plain_decimal(text))


def normalise(text: str) -> str:
    """A text as it is compared: NFKC, lower case, single blanks, no articles, no punctuation at its edges."""
    text = " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(_EDGES)
    return _ARTICLES.sub("", text).strip(_EDGES) or text


def score_answers(
    predictions: Mapping[str, str], gold: Mapping[str, Sequence[str]], *, rules: AnswerRules | None = None
) -> dict[str, float | int]:
    """Mean exact match over all questions with gold answers.

    Returns:
        ``exact_match`` (0..1) over ``num_questions``; questions without a prediction count as wrong and are
        counted in ``missing``, empty predictions in ``empty``, predictions without gold answers in
        ``unjudged``.
    """
    judged = {query_id: answers for query_id, answers in gold.items() if answers}
    right = sum(
        exact_match(predictions[query_id], answers, rules=rules, sample_id=query_id)
        for query_id, answers in judged.items()
        if query_id in predictions
    )
    return {
        "exact_match": right / len(judged) if judged else 0.0,
        "num_questions": len(judged),
        "missing": sum(query_id not in predictions for query_id in judged),
        "empty": sum(not predictions[query_id].strip() for query_id in judged if query_id in predictions),
        "unjudged": sum(query_id not in judged for query_id in predictions),
    }


def _plain_decimal(text: str) -> Value | None:
    """``1.234`` is one thousand and some in some columns; in an answer, which has no column, it is a
    decimal."""
    return Value(number=float(text)) if re.fullmatch(r"[-−+]?\d+\.\d+", text.replace("−", "-")) else None


def _first_number(text: str, *, accounting: bool) -> Value | None:
    for match in _IN_SENTENCE.finditer(text):
        value = number(match[0].strip().rstrip(","), accounting=accounting)
        if value is not None:
            return value
    return None


def _readings(value: Value) -> tuple[float, ...]:
    return (value.number, value.number / 100) if value.percent else (value.number,)


def _close(a: float, b: float, tolerance: float) -> bool:
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-12)
