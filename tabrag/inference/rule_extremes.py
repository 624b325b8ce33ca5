"""What is largest, smallest, first or last of the rows or columns that a question leaves open."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.evaluation.answer_dates import parse_date
from tabrag.inference.found import Found
from tabrag.inference.rule_asked import Wanted
from tabrag.inference.rule_lookup import Place, column_bonus, look_up
from tabrag.inference.rule_match import Match, is_total
from tabrag.inference.rule_words import header_words, words
from tabrag.tables.grid import left_paths, owner, top_paths
from tabrag.types import Cell

_ASKS_VALUE = re.compile(
    r"^\W*what(?:'s|\s+(?:is|was|were|are))\s+(?:the\s+)?"
    r"(?:highest|lowest|largest|smallest|most|least|greatest|maximum|minimum|best|longest|shortest)\b(?!\s+\w+ed\b)",
    re.IGNORECASE,
)
SET_CERTAINTY = 0.5
"""How sure a choice among many rows or columns is before the words that support it are counted."""
_END = re.compile(r"\b(?:first|earliest|oldest|last|latest|newest|most\s+recent)\b", re.IGNORECASE)
_TIME_NOUN = frozenset(words("year month quarter date day season period"))


def extreme(match: Match, asked: Wanted) -> Found | None:
    """The row or column header of an extreme value, or that value where it is asked for."""
    by_value = _ASKS_VALUE.search(match.asked.text) is not None
    if not asked.superlative or not (by_value or (asked.names and not asked.quantity)):
        return None
    places = look_up(match, asked.plain())
    if places and _is_header_word(match, places[0], asked.superlative):
        return None
    value_cols = [col for col in match.body_cols if col in match.numeric_cols]
    named_row = _named_row(match)
    if named_row is not None and len(value_cols) > 1 and _cols_open(match, asked, value_cols):
        return _over_cols(match, named_row, value_cols, asked, by_value)
    col = _value_col(match, [place.col for place in places])
    return None if col is None else _over_rows(match, col, asked, by_value)


def _value_col(match: Match, cols: Sequence[int]) -> int | None:
    """The best column of numbers that the question speaks of; else the one of totals, else the only one."""
    numeric = [col for col in dict.fromkeys(cols) if col in match.numeric_cols]
    said = [col for col in numeric if match.col_fits[col].words]
    totals = [col for col in numeric if is_total(match.cols[col])]
    return (said or totals or (numeric if len(numeric) == 1 or match.grid.num_header_cols else []) or [None])[
        0
    ]


def _is_header_word(match: Match, place: Place, word: str) -> bool:
    """Whether the superlative is part of a name: "the largest companies" is the header of a row."""
    heads = [*match.rows[place.row], *match.cols[place.col]]
    return any(re.search(rf"\b{word}\b", head, re.IGNORECASE) for head in heads)


def first_or_last(match: Match, asked: Wanted) -> Found | None:
    """The name of the first or last row by date, or as it is listed; of those that the question names."""
    if not asked.end or not asked.names:
        return None
    places = look_up(match, asked.plain())
    if places and all(_is_header_word(match, places[0], word) for word in _END.findall(match.asked.text)):
        return None
    rows = conditioned(match)
    if len(rows) < 2:
        return None
    times = [(col, keys) for col in range(match.grid.num_cols) if (keys := _times(match, rows, col))]
    bonus = column_bonus(match, asked)
    col = max(bonus, key=lambda one: bonus[one], default=None)
    if times and not re.search(r"\blist|\btable\b|\bchart\b", match.asked.text, re.IGNORECASE):
        time, keys = times[0]
        row = (max if asked.end > 0 else min)(keys, key=keys.__getitem__)
        cells = [(row, time)]
    else:
        row, cells = (rows[-1] if asked.end > 0 else rows[0]), []
    if times and col == times[0][0] and not asked.when and not set(words(asked.noun)) & _TIME_NOUN:
        col = next((one for one in sorted(bonus, key=lambda one: -bonus[one]) if one != col), None)
    if col is None or col not in bonus:
        col = match.name_col(row) if not match.rows[row] else None
        if col is None and not match.rows[row]:
            return None
    target = (row, col) if col is not None else left_paths(match.grid)[row][-1]
    return found_at(match, [target, *cells], operator="argmax" if asked.end > 0 else "argmin")


def conditioned(match: Match) -> list[int]:
    """The body rows, without totals, that have what the question names of cells; all where it names none."""
    rows = [row for row in match.rows if row not in match.parents]
    wholes: dict[int, set[int]] = {}
    for row, cells in match.named.items():
        for col, share in cells.items():
            if share >= 1.0 and row not in match.parents:
                wholes.setdefault(col, set()).add(row)
    kept = set(rows)
    for col in sorted(wholes, key=lambda one: -len(wholes[one])):
        if len(kept & wholes[col]) >= 1:
            kept &= wholes[col]
    return [row for row in rows if row in kept]


def found_at(match: Match, cells: Sequence[Cell], *, operator: str, formula: str | None = None) -> Found:
    """What the first of the cells says."""
    own = list(dict.fromkeys(owner(match.grid, *cell) for cell in cells))
    row, col = own[0]
    return Found(
        text=match.grid.cells[row][col],
        cells=own,
        certainty=SET_CERTAINTY,
        operator=operator,
        formula=formula,
    )


def _over_rows(match: Match, col: int, asked: Wanted, by_value: bool) -> Found | None:
    rows = _group(match)
    values = {
        row: value.number * asked.direction for row in rows if (value := match.value(row, col)) is not None
    }
    if not values:
        return None
    ranked = sorted(values, key=lambda row: -values[row])
    if by_value:
        return found_at(match, [(ranked[0], col)], operator="max" if asked.direction > 0 else "min")
    names: list[Cell] = []
    for row in ranked[: asked.top]:
        cell = _name(match, row, col, asked)
        if cell is not None:
            names.append(cell)
    if not names:
        return None
    operator = "argmax" if asked.direction > 0 else "argmin"
    if len(names) > 1:
        text = ", ".join(match.text[row][other] for row, other in names)
        return Found(text=text, cells=names, certainty=SET_CERTAINTY, operator=operator)
    return found_at(match, [names[0], (ranked[0], col)], operator=operator)


def _group(match: Match) -> list[int]:
    """The rows to compare: those below a header that the question names, or with cells that it names."""
    rows = conditioned(match)
    outer = {
        row: [word for text in match.rows[row][:-1] for word in header_words(text, match.asked)]
        for row in rows
    }
    shares = {
        row: sum(word in match.asked.weights for word in bag) / len(bag) for row, bag in outer.items() if bag
    }
    best = max(shares.values(), default=0.0)
    return [row for row in rows if shares.get(row) == best] if best >= 0.5 else rows


def _name(match: Match, row: int, col: int, asked: Wanted) -> Cell | None:
    bonus = {one: gain for one, gain in column_bonus(match, asked).items() if one != col}
    if bonus and max(bonus.values()) >= 0.5:
        return row, max(bonus, key=lambda one: bonus[one])
    path = left_paths(match.grid)[row]
    if path:
        return path[-1]
    names = [
        one
        for one in range(match.grid.num_cols)
        if one not in match.numeric_cols and match.text[row][one].strip()
    ]
    return (row, names[0]) if names else None


def _named_row(match: Match) -> int | None:
    """The best row, where the question says its innermost header."""
    ranked = sorted(match.row_fits, key=lambda row: -match.row_fits[row].score)
    if not ranked or not match.rows[ranked[0]] or match.row_fits[ranked[0]].score <= 0:
        return None
    own = header_words(match.rows[ranked[0]][-1], match.asked)
    said = [word for word in own if word in match.asked.weights]
    return ranked[0] if own and len(said) >= 0.5 * len(own) else None


def _cols_open(match: Match, asked: Wanted, cols: Sequence[int]) -> bool:
    """Whether the question leaves the columns open: it asks for a time and these are times, or says no word
    of theirs while it names a row."""
    noun = set(words(asked.noun))
    heads = [" ".join(match.cols[col][-1:]) for col in cols]
    timely = sum(
        bool(re.search(r"\b(?:1[5-9]|20)\d\d\b", head)) or parse_date(head) is not None for head in heads
    )
    if noun & _TIME_NOUN:
        return timely > len(heads) / 2
    labels = set().union(
        *(words(text) for col in range(match.grid.num_header_cols) for text in match.cols[col])
    )
    if noun & labels:
        return False
    return bool(noun) and all(not match.col_fits[col].words for col in cols)


def _over_cols(match: Match, row: int, cols: Sequence[int], asked: Wanted, by_value: bool) -> Found | None:
    paths = top_paths(match.grid)
    values = {
        col: value.number * asked.direction
        for col in cols
        if not is_total(match.cols[col]) and (value := match.value(row, col)) is not None
    }
    if not values:
        return None
    col = max(values, key=values.__getitem__)
    operator = "max" if asked.direction > 0 else "min"
    if by_value or not paths[col]:
        return found_at(match, [(row, col)], operator=operator)
    return found_at(match, [paths[col][-1], (row, col)], operator=f"arg{operator}")


def _times(match: Match, rows: Sequence[int], col: int) -> dict[int, tuple[int, int, int]]:
    """When each row is, where a column says so for most of them."""
    keys = {}
    for row in rows:
        text = match.text[row][col].strip()
        if year := re.fullmatch(r"(?:fy\s*)?((?:1[5-9]|20)\d\d)(?:\s*[-/–]\s*\d{2,4})?", text, re.IGNORECASE):
            keys[row] = (int(year[1]), 0, 0)
        elif (read := parse_date(text)) is not None:
            keys[row] = tuple(part or 0 for part in read[0])
    return keys if len(keys) > len(rows) / 2 else {}
