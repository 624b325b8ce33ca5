"""Which of two named alternatives has more: "which is higher, A or B"."""

from __future__ import annotations

import re

from tabrag.inference.found import Found
from tabrag.inference.rule_asked import Wanted
from tabrag.inference.rule_extremes import found_at
from tabrag.inference.rule_lookup import look_up
from tabrag.inference.rule_match import Fit, Match, path_fits
from tabrag.inference.rule_words import asked_words
from tabrag.tables.grid import left_paths, top_paths
from tabrag.types import Cell

_IS = re.compile(r"\W*(?:is|are|was|were|did|does|do|has|have|had)\b", re.IGNORECASE)


def alternative(match: Match, asked: Wanted) -> Found | None:
    """Header and value of the winner of "A or B", then the value of the other; both are rows or columns."""
    names = asked.names or _IS.match(match.asked.text)
    if not asked.direction or not names or asked.quantity or " or " not in match.asked.text:
        return None
    before, after = match.asked.text.rsplit(" or ", 1)
    place = next((one for one in look_up(match, asked) if match.value(one.row, one.col) is not None), None)
    if place is None:
        return None
    pairs = []
    body = {col: match.cols[col] for col in match.body_cols}
    for axis, paths, fits in (
        (0, {row: match.label(row) for row in match.rows}, match.row_fits),
        (1, body, match.col_fits),
    ):
        of_second = path_fits(paths, asked_words(after))
        second = _best(of_second, fits)
        of_first = path_fits(
            {key: texts for key, texts in paths.items() if key != second}, asked_words(before)
        )
        first = _best(of_first, fits)
        if first is not None and second is not None:
            pairs.append((of_second[second].score + of_first[first].score, axis, first, second))
    if not pairs:
        return None
    _, axis, *keys = max(pairs, key=lambda pair: pair[0])
    cells: list[Cell] = [(key, place.col) if axis == 0 else (place.row, key) for key in keys]
    values = [match.value(*cell) for cell in cells]
    if values[0] is None or values[1] is None:
        return None
    wins_first = (values[0].number - values[1].number) * asked.direction > 0
    winner, other = cells if wins_first else cells[::-1]
    path = left_paths(match.grid)[winner[0]] if axis == 0 else top_paths(match.grid)[winner[1]]
    if not path and axis == 0 and (name := match.name_col(winner[0])) is not None:
        path = ((winner[0], name),)
    operator = "argmax" if asked.direction > 0 else "argmin"
    return found_at(match, [path[-1], winner, other], operator=operator) if path else None


def _best(fits: dict[int, Fit], all_fits: dict[int, Fit]) -> int | None:
    """The best position; of equal ones that which fits the whole question better."""
    scored = {key: fit.score for key, fit in fits.items() if fit.words}
    return max(scored, key=lambda key: (scored[key], all_fits[key].score), default=None)
