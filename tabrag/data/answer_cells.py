"""Whether a table holds the answer of a question: then it may answer it, although nobody judged it.

A table holds the answers where *all* of them stand in cells of their own, compared as
:mod:`tabrag.evaluation.answers` does (numbers by value: ``8189.0`` = ``8,189``; a percent sign does not count
here), and at least one of them is specific. Short answers stand in tables that have nothing to do with the
question, so these are not specific:

- a number of fewer than three digits, zeros at either end not counted: ``1``, ``0.5``, ``1,200``;
- a whole number that could be a year, 1800..2099;
- a text of fewer than four characters, and ``total``, ``true``, ``unknown`` and the like.

On HiTab a table drawn at random holds an answer of two digits in 14 of 100 cases, one of three digits in 1.4
and a longer text in 0.6; of BM25's candidates 17, 3.4 and 16 hold it.

DPR (Karpukhin et al., 2020, section 3.2) takes passages without the answer string as hard negatives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from tabrag.evaluation.answers import normalise, number

_UNSPECIFIC = frozenset(
    "true false none null other others both neither same unknown total totals average mean male female "
    "supported refuted".split()
)


@lru_cache(maxsize=100_000)
def value_key(text: str) -> str:
    """A text that is equal for equal values: numbers by six significant digits, other texts normalised."""
    value = number(text)
    return normalise(text) if value is None else f"#{value.number:.6g}"


def cell_keys(record: Mapping[str, Any]) -> frozenset[str]:
    """The different values of a table's cells; of the words of its picture where it has no cells.

    Args:
        record: The line of ``corpus.jsonl``.
    """
    grid = record.get("grid")
    texts = (record.get("words") or ()) if grid is None else (text for row in grid["cells"] for text in row)
    return frozenset(value_key(text) for text in texts if text.strip())


def is_specific(answer: str) -> bool:
    """Whether few tables hold the answer by chance; the module's docstring has the rule."""
    value = number(answer)
    if value is None:
        text = normalise(answer)
        return len(text) >= 4 and text not in _UNSPECIFIC
    if value.number.is_integer() and 1800 <= value.number <= 2099:
        return False
    digits = f"{abs(value.number):.6g}".partition("e")[0].replace(".", "")
    return len(digits.strip("0")) >= 3


def answer_keys(answers: Sequence[str]) -> frozenset[str]:
    """The values that a table with the answers holds; empty where none of the answers is specific."""
    if not any(map(is_specific, answers)):
        return frozenset()
    return frozenset(map(value_key, answers))
