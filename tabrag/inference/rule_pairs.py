"""Rows or columns that a question names side by side: "in 2018 and 2019", "of A, B and C"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from tabrag.inference.rule_match import Match
from tabrag.inference.rule_words import header_words, words

_PIECE = re.compile(r"[^\s?!;]+")
_JOINED = re.compile(
    r"\b(?:and|or|to|vs|versus|than|with|from|between|und|et)\b|[,/&、和及与或]", re.IGNORECASE
)
_MAX_NAMED = 12
_MAX_BETWEEN = 45
"""Characters from one name to the next, its own words included."""


class Named(NamedTuple):
    """Lines that are named side by side, in the order of the question.

    Attributes:
        rows: Whether they are rows, else columns.
        lines: Their positions.
    """

    rows: bool
    lines: list[int]


def named_together(match: Match) -> Named | None:
    """The rows or the columns that the question names side by side; None where it names one of each.

    A line is named where all words of its innermost header stand in the question, and these are no part of
    what names another one. Words must join them: "and", "or", "to", a comma.
    """
    places = _places(match.asked.text)
    found = []
    for is_rows, paths in (
        (False, {col: match.cols[col] for col in match.body_cols}),
        (True, _labels(match)),
    ):
        lines = _named(match, paths, places)
        if len(lines) > 1:
            found.append((is_rows, lines))
    if not found:
        return None
    if len(found) == 2:
        found.sort(key=lambda one: len(one[1]))
    return Named(*found[0])


def _labels(match: Match) -> Mapping[int, Sequence[str]]:
    return {row: match.label(row) for row, fit in match.row_fits.items() if fit.words}


def _named(match: Match, paths: Mapping[int, Sequence[str]], places: Mapping[str, int]) -> list[int]:
    covered: dict[int, frozenset[str]] = {}
    for line, texts in paths.items():
        own = header_words(texts[-1], match.asked) if texts else frozenset()
        real = frozenset(words(texts[-1])) if texts else frozenset()
        shared = frozenset(filter(match.asked.says, own))
        if shared and not _is_short_number(real) and (real <= shared or len(shared) >= max(len(real) - 1, 2)):
            covered[line] = shared
    kept = {line: bag for line, bag in covered.items() if not any(bag < other for other in covered.values())}
    inner = {text for line in kept for text in paths[line][:-1]}
    groups: dict[frozenset[str], list[int]] = {}
    for line, bag in kept.items():
        if paths[line][-1] in inner:  # the parent of another one that is named
            continue
        groups.setdefault(bag, []).append(line)
    if not 2 <= len(groups) <= _MAX_NAMED:
        return []
    common = frozenset.intersection(*groups)
    chosen = []
    for bag, lines in groups.items():
        special = [places[word] for word in bag - common if word in places]
        if special:
            best = max(lines, key=lambda line: _outer(match, paths[line]))
            chosen.append((min(special), best))
    chosen.sort()
    text = match.asked.text
    joined = all(
        second - first <= _MAX_BETWEEN and _JOINED.search(text[first:second])
        for (first, _), (second, _) in pairwise(chosen)
    )
    return [line for _, line in chosen] if len(chosen) > 1 and joined else []


def _is_short_number(bag: frozenset[str]) -> bool:
    return all(word.isdecimal() and len(word) < 3 for word in bag)


def _outer(match: Match, texts: Sequence[str]) -> int:
    """How many words of the outer headers the question has."""
    return sum(word in match.asked.weights for text in texts[:-1] for word in header_words(text, match.asked))


def _places(question: str) -> dict[str, int]:
    """Where each word of a question first stands."""
    found: dict[str, int] = {}
    for piece in _PIECE.finditer(question):
        for word in words(piece[0].strip(",.:()\"'")):
            found.setdefault(word, piece.start())
    return found
