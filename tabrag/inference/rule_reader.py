"""Answering from a table by the words of its headers and cells: no language model, no training.

Tried in this order, what a question's words ask for (:mod:`tabrag.inference.rule_asked`):

1. several rows or columns named side by side: their values in the question's order, or what is computed of
   them (difference, change in percent, sum, average, ratio);
2. a comparison of two named alternatives ("which is higher, A or B");
3. an extreme ("which X has the highest Y", "in which year"), the first or the last;
4. the row next to a named one;
5. how many rows have what is named;
6. the sum or average of a column in a list of records;
7. the cell where the best row and the best column meet; a column whose cell in the row stands in the
   question is given, not asked for.

Certainty is how clearly the chosen row and column lead over the next best, times the share of the question's
words that the table says at all.
"""

from __future__ import annotations

from dataclasses import replace

from tabrag.inference.found import Found
from tabrag.inference.number_cues import cues_of
from tabrag.inference.rule_asked import Wanted, wanted
from tabrag.inference.rule_compare import alternative
from tabrag.inference.rule_compute import several
from tabrag.inference.rule_extremes import extreme, first_or_last, found_at
from tabrag.inference.rule_lookup import look_up
from tabrag.inference.rule_match import Match, match
from tabrag.inference.rule_sets import count, neighbour
from tabrag.inference.rule_whole import whole_column
from tabrag.inference.rule_words import words
from tabrag.tables.lexical import certainty
from tabrag.types import Grid

_WAYS = (alternative, several, extreme, first_or_last, neighbour, count, whole_column)


def read_cell(grid: Grid, question: str, *, about: str = "") -> Found | None:
    """The answer to ``question``; None where the grid has no body cell.

    Args:
        grid: A table.
        question: The question.
        about: What is said about the table: titles, caption, name of the file.
    """
    compared = match(grid, question)
    if not compared.rows or not len(compared.body_cols):
        return None
    asked = wanted(question)
    found = next((found for way in _WAYS if (found := way(compared, asked)) is not None), None)
    if found is None:
        found = _value(compared, asked)
    support = _support(compared, found, about)
    return replace(found, support=support, certainty=found.certainty * support)


def _value(compared: Match, asked: Wanted) -> Found:
    place = look_up(compared, asked)[0]
    found = found_at(compared, [(place.row, place.col)], operator="cell")
    rows, cols = compared.row_fits, compared.col_fits
    lead = certainty({row: rows[row].score for row in rows}) * certainty(
        {col: cols[col].score for col in compared.body_cols}
    )
    text = found.text
    value = compared.value(place.row, place.col)
    if value is not None and value.number < 0 and cues_of(compared.asked.text).unsigned:
        text = text.strip().lstrip("-−–").strip("()")
    return replace(found, text=text, certainty=lead)


def _support(compared: Match, found: Found, about: str) -> float:
    """The weight of the question's words that rows, columns and titles say, over that of all of them."""
    weights = {word: weight for word, weight in compared.asked.weights.items() if compared.asked.says(word)}
    said: set[str] = set()
    for row, col in found.cells:
        said.update(compared.row_fits[row].words if row in compared.row_fits else ())
        said.update(compared.col_fits[col].words)
    inside = sum(weight for word, weight in weights.items() if word in said)
    if not inside:
        return 0.0
    said.update(words(about))
    return sum(weight for word, weight in weights.items() if word in said) / sum(weights.values())
