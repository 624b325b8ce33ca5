"""The cell where the row and the column meet that a question speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tabrag.evaluation.answer_dates import parse_date
from tabrag.inference.rule_asked import Wanted
from tabrag.inference.rule_match import Match
from tabrag.inference.rule_words import words

_NUM_ROWS = 15
_GIVEN = 0.6
"""From this share of its words on, a cell that the question names is given, not asked for."""
_NOUN_BONUS = 0.5
_KIND_BONUS = 0.3
_BLANK = " \t\r\n-–—−.…*/\u00a0"
_EMPTY = 5.0
"""What a cell without a letter or digit loses: hardly anybody asks for it."""
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_PLACE = frozenset(
    words("place location city country venue region town state address site district province county village")
)
_MANY = re.compile(r"\bhow\s+(?:many|much)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A row and a column.

    Attributes:
        row: The row.
        col: The column.
        score: How well both fit together.
    """

    row: int
    col: int
    score: float


def best_rows(match: Match, limit: int = _NUM_ROWS) -> list[int]:
    """The rows that fit best, in their order, equal ones as they stand in the table."""
    return sorted(match.row_fits, key=lambda row: -match.row_fits[row].score)[:limit]


def look_up(match: Match, asked: Wanted, *, rows: Iterable[int] | None = None) -> list[Place]:
    """Rows and columns, the best pair first; a word that both have counts once.

    Args:
        match: The table and the question.
        asked: What the question asks for.
        rows: Only these rows.
    """
    bonus = column_bonus(match, asked)
    places = []
    for row in best_rows(match) if rows is None else rows:
        fit, given = match.row_fits[row], match.named.get(row, {})
        for col in range(match.grid.num_cols):
            is_label = col < match.grid.num_header_cols
            other = match.col_fits[col]
            if is_label and not bonus.get(col) and not (col and other.words and col in match.numeric_cols):
                continue
            score = fit.score + other.score + bonus.get(col, 0.0)
            score -= sum(
                min(count, fit.words[word]) for word, count in other.words.items() if word in fit.words
            )
            if given.get(col, 0.0) >= _GIVEN or (is_label and _says(match, row, col)):
                score -= 100.0
            elif not match.text[row][col].strip(_BLANK):
                score -= _EMPTY
            places.append(Place(row, col, score))
    return sorted(places, key=lambda place: -place.score)


def column_bonus(match: Match, asked: Wanted) -> dict[int, float]:
    """What columns gain by what is asked for: "which city", "who", "when", "where", "how many"."""
    bonus: dict[int, float] = {}
    noun = set(words(asked.noun)) if asked.names else set()
    text_cols = [col for col in range(match.grid.num_cols) if col not in match.numeric_cols]
    for col, texts in match.cols.items():
        own = set(words(texts[-1])) if texts else set()
        if own & noun:
            bonus[col] = _NOUN_BONUS * (1 + len(own & noun) / len(own))
        elif asked.where and own & _PLACE:
            bonus[col] = _KIND_BONUS
    if asked.when:
        bonus |= {col: bonus.get(col, 0.0) + _KIND_BONUS for col in match.cols if _is_time(match, col)}
    if asked.who and not bonus and text_cols:
        bonus[text_cols[0]] = _KIND_BONUS
    if _MANY.search(match.asked.text):
        for col in match.numeric_cols:
            if col >= match.grid.num_header_cols:
                bonus[col] = bonus.get(col, 0.0) + _KIND_BONUS
    return bonus


def _says(match: Match, row: int, col: int) -> bool:
    """Whether the question says most of a label."""
    own = words(match.text[row][col])
    return bool(own) and sum(word in match.asked.weights for word in own) >= _GIVEN * len(own)


def _is_time(match: Match, col: int) -> bool:
    filled = [text for row in list(match.rows)[:30] if (text := match.text[row][col].strip())]
    times = sum(bool(_YEAR.fullmatch(text)) or parse_date(text) is not None for text in filled)
    return bool(filled) and times > len(filled) / 2
