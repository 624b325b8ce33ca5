"""How many rows there are of something, and what stands next to a named row, in tables of records."""

from __future__ import annotations

import re
from collections.abc import Callable

from tabrag.inference.found import Found
from tabrag.inference.rule_asked import Wanted
from tabrag.inference.rule_extremes import conditioned, found_at
from tabrag.inference.rule_lookup import column_bonus
from tabrag.inference.rule_match import Match
from tabrag.inference.rule_words import words
from tabrag.tables.grid import left_paths
from tabrag.tables.values import parse_value

_NUMBER = (
    r"(?P<number>[$€£]?\d[\d,.]*(?:\s*(?:million|billion|thousand|%))?|one|two|three|four|five|six|seven"
    r"|eight|nine|ten)"
)
_BOUNDS: tuple[tuple[re.Pattern[str], Callable[[float, float], bool]], ...] = tuple(
    (re.compile(rf"\b(?:{words_})\s+(?:the\s+|year\s+)?{_NUMBER}\b(?P<behind>[^,.?]*)", re.IGNORECASE), test)
    for words_, test in (
        (r"(?:at\s+least|no\s+(?:less|fewer)\s+than|not\s+less\s+than)", lambda have, bound: have >= bound),
        (r"(?:at\s+most|no\s+more\s+than|not\s+more\s+than|up\s+to)", lambda have, bound: have <= bound),
        (
            r"(?:more|greater|higher|larger|bigger|longer|later)\s+than|over|above|exceed(?:ing|ed|s)?|after|since",
            lambda have, bound: have > bound,
        ),
        (
            r"(?:less|fewer|lower|smaller|shorter|earlier)\s+than|under|below|before",
            lambda have, bound: have < bound,
        ),
    )
)
_WORDS = {
    word: place for place, word in enumerate("zero one two three four five six seven eight nine ten".split())
}
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_NUMBER_OF = re.compile(r"\b(?:no\.?|num(?:ber)?|count)\s+of\b|#\s*of\b", re.IGNORECASE)
_MAX_CELLS = 40
_LISTED = re.compile(
    r"\b(?:listed|directly|right|immediately|just|next|come|comes|came)\b(?:\s+\w+)?\s*(?:before|after|above|below|to)?\b",
    re.IGNORECASE,
)


def count(match: Match, asked: Wanted) -> Found | None:
    """How many rows have what the question names, where no column has such a number.

    None where it does not ask for a number of rows: where a column of numbers is what it asks for, or where
    it names no condition and no kind of row.
    """
    if not asked.counts or not is_list(match):
        return None
    bonus = column_bonus(match, asked)
    noun = _counted(match)
    numbers = [col for col in match.numeric_cols if _is_meant(match, col, noun)]
    rows = conditioned(match)
    bound = _bound(match, rows)
    whole = len([row for row in match.rows if row not in match.parents])
    if bound is not None:
        within, col = bound
        if not within:  # that nothing is within the bound shows in the whole column
            compared = [(row, col) for row in rows][:_MAX_CELLS]
            return Found(text="0", cells=compared, certainty=0.3, operator="count")
        rows = within
    elif numbers or len(rows) == whole and not _is_kind(match, noun):
        return None
    elif any(col in match.numeric_cols for col in bonus) and (len(rows) == 1 or _names_one_row(match)):
        return None
    if not rows:
        return None
    cells = [(row, match.name_col(row) or 0) for row in rows]
    return Found(text=str(len(rows)), cells=cells[:_MAX_CELLS], certainty=0.5, operator="count")


def neighbour(match: Match, asked: Wanted) -> Found | None:
    """The name of the row that stands next to the one that the question names."""
    if not asked.order or not asked.names or (asked.quantity and not _LISTED.search(match.asked.text)):
        return None
    ranked = sorted(match.row_fits, key=lambda row: -match.row_fits[row].score)
    if not ranked or match.row_fits[ranked[0]].score <= 0:
        return None
    rows = list(match.rows)
    place = rows.index(ranked[0]) + asked.order
    if not 0 <= place < len(rows):
        return None
    row = rows[place]
    given = match.named.get(ranked[0], {})
    bonus = column_bonus(match, asked)
    col = max(bonus, key=lambda one: bonus[one], default=max(given, key=lambda one: given[one], default=None))
    if col is None:
        path = left_paths(match.grid)[row]
        return found_at(match, [path[-1]], operator="cell") if path else None
    return found_at(match, [(row, col)], operator="cell")


def _names_one_row(match: Match) -> bool:
    """Whether one row fits the question better than all others: its value is asked for."""
    best = sorted((fit.score for fit in match.row_fits.values()), reverse=True)[:2]
    return bool(best) and best[0] > 0 and (len(best) == 1 or best[0] > best[1])


def is_list(match: Match) -> bool:
    """Whether each row is a record: no levels of row headers, and one header row."""
    return match.grid.num_header_rows <= 1 and all(len(texts) <= 1 for texts in match.rows.values())


def _counted(match: Match) -> set[str]:
    found = re.search(
        r"\bhow\s+many\s+([^?]*)|\b(?:number|count|amount)\s+of\s+([^?]*)", match.asked.text, re.IGNORECASE
    )
    return set(words(" ".join((found[1] or found[2] or "").split()[:3]))) if found else set()


def _is_meant(match: Match, col: int, noun: set[str]) -> bool:
    """Whether a column of numbers is asked for: by what is counted, or by most words of its header."""
    if _NUMBER_OF.search(" ".join(match.cols[col][-1:])):
        return True
    said = match.col_fits[col].words
    own = set(words(" ".join(match.cols[col][-1:])))
    return bool(noun & said.keys()) or len(said) >= max(2, len(own) / 2)


def _is_kind(match: Match, noun: set[str]) -> bool:
    """Whether what is counted are the rows: it is the header of a column of texts."""
    return any(
        set(words(" ".join(texts))) & noun
        for col, texts in match.cols.items()
        if col not in match.numeric_cols
    )


def _bound(match: Match, rows: list[int]) -> tuple[list[int], int] | None:
    """The rows within a bound that the question sets ("more than 5 goals", "after 2000"), and its column."""
    for pattern, test in _BOUNDS:
        found = pattern.search(match.asked.text)
        if found is None:
            continue
        written = found["number"].casefold()
        value = _WORDS.get(written)
        number = float(value) if value is not None else getattr(parse_value(written), "number", None)
        if number is None:
            continue
        col = _bounded_col(match, rows, words(found["behind"]), is_year=_YEAR.fullmatch(written) is not None)
        if col is None:
            continue
        kept = [row for row in rows if (have := _number(match, row, col)) is not None and test(have, number)]
        return kept, col
    return None


def _bounded_col(match: Match, rows: list[int], behind: tuple[str, ...], *, is_year: bool) -> int | None:
    cols = [
        col
        for col in range(match.grid.num_cols)
        if sum(_number(match, row, col) is not None for row in rows) > len(rows) / 2
    ]
    if is_year:
        years = [col for col in cols if _YEAR.search(" ".join(match.text[row][col] for row in rows[:3]))]
        return years[0] if years else None
    scores = {
        col: sum(count for word, count in match.col_fits[col].words.items() if word in behind) for col in cols
    }
    best = max(scores, key=lambda col: (scores[col], match.col_fits[col].score), default=None)
    if best is None or (not scores[best] and not match.col_fits[best].words):
        return None
    return best


def _number(match: Match, row: int, col: int) -> float | None:
    value = match.value(row, col)
    if value is not None:
        return value.number
    year = _YEAR.findall(match.text[row][col])
    return float(year[-1]) if len(year) == 1 else None
