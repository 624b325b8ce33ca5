"""Arithmetic over cells that a question names side by side."""

from __future__ import annotations

import re

from tabrag.chat.calculator import CalculatorError
from tabrag.chat.formula import read_formula
from tabrag.chat.formula_shape import shape_of
from tabrag.inference.found import Found
from tabrag.inference.number_cues import cues_of, present
from tabrag.inference.rule_asked import Wanted
from tabrag.inference.rule_extremes import SET_CERTAINTY
from tabrag.inference.rule_lookup import Place, look_up
from tabrag.inference.rule_match import Match
from tabrag.inference.rule_pairs import Named, named_together
from tabrag.inference.rule_words import words
from tabrag.tables.grid import owner
from tabrag.tables.programs import CellProgram, run_program
from tabrag.types import Cell

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_PAIRS = ("percent_change", "difference", "ratio")
_FELL = re.compile(
    r"\b(?:decrease[ds]?|decline[ds]?|drop(?:ped)?|fell|fall|reduction|reduced)\b", re.IGNORECASE
)
_OWN_CHANGE = frozenset(words("change increase decrease growth decline reduction"))
_OF_CHANGES = re.compile(r"\bdifference\b|\bbetween\b|\bfrom\b.*\bto\b|\bcompared\b", re.IGNORECASE)
_HOW = re.compile(r"\W*how\s+(?:did|has|have|do|does)\b", re.IGNORECASE)
_NOT_LISTED = re.compile(
    r"^\W*(?:is|are|was|were|did|does|do|has|have|had)\b|\bor\b|\bthan\b|\b(?:before|after|next\s+to)\b",
    re.IGNORECASE,
)


def several(match: Match, asked: Wanted) -> Found | None:
    """The values that a question asks for of rows or columns that it names side by side: computed with where
    it asks for that, else listed in its order; None where it names fewer than two.
    """
    named = named_together(match)
    if named is None:
        return None
    cells = _cells(match, asked, named)
    if len(cells) < 2:
        return None
    computed = _computed(match, asked, named, cells)
    if computed is not None:
        return computed
    is_pair = asked.kind in _PAIRS and not _says_change(match, asked, cells)
    if is_pair or asked.superlative or _NOT_LISTED.search(match.asked.text):
        return None
    own = list(dict.fromkeys(owner(match.grid, *cell) for cell in cells))
    texts = [match.text[row][col] for row, col in own]
    if len(own) < 2 or not all(map(str.strip, texts)):
        return None
    return Found(text=", ".join(texts), cells=own, certainty=SET_CERTAINTY, operator="list")


def _cells(match: Match, asked: Wanted, named: Named) -> list[Cell]:
    if named.rows:
        best = look_up(match, asked, rows=named.lines)
        if not best:
            return []
        return [(row, best[0].col) for row in named.lines]
    chosen = set(named.lines)
    first: Place | None = next((place for place in look_up(match, asked) if place.col in chosen), None)
    return [] if first is None else [(first.row, col) for col in named.lines]


def _computed(match: Match, asked: Wanted, named: Named, cells: list[Cell]) -> Found | None:
    kind = asked.kind
    if kind == "value" or (kind in _PAIRS and len(cells) != 2):
        return None
    if kind in ("average", "sum") and _says_itself(match, cells, kind):
        return None
    if _says_change(match, asked, cells):
        return None
    operands = _later_first(match, named, cells) if kind in ("percent_change", "difference") else cells
    if kind == "difference" and _HOW.match(match.asked.text):
        first, second = (match.text[row][col].strip() for row, col in cells)
        if not first or not second:
            return None
        own = [owner(match.grid, *cell) for cell in cells]
        return Found(text=f"from {first} to {second}", cells=own, certainty=SET_CERTAINTY, operator="list")
    result = run_program(match.grid, CellProgram(kind, tuple(owner(match.grid, *cell) for cell in operands)))
    if result is None or result.formula is None:
        return None
    try:
        formula = read_formula(result.formula)
    except CalculatorError:
        return None
    cues = cues_of(match.asked.text)
    text = present(formula, shape_of(formula), cues)
    if kind == "difference" and not _signed(match):
        text = text.removeprefix("-")
    return Found(
        text=text, cells=list(result.cells), certainty=SET_CERTAINTY, operator=kind, formula=result.formula
    )


def _signed(match: Match) -> bool:
    return re.search(r"\bchange\b|\bincrease\b|\bgrowth\b", match.asked.text, re.IGNORECASE) is not None


def _says_itself(match: Match, cells: list[Cell], kind: str) -> bool:
    """Whether the table itself has the average or total: a header of the cells says so."""
    word = {"average": "mean", "sum": "total"}[kind]
    return any(word in head for head in _heads(match, cells))


def _says_change(match: Match, asked: Wanted, cells: list[Cell]) -> bool:
    """Whether each cell is a change itself ("growth rate" of this year and of last year), and the question
    asks for these, not for how they changed."""
    if asked.kind not in ("percent_change", "difference") or _OF_CHANGES.search(match.asked.text):
        return False
    return all(
        _OWN_CHANGE & (match.col_fits[col].words.keys() | match.row_fits[row].words.keys())
        for row, col in cells
    )


def _heads(match: Match, cells: list[Cell]) -> list[dict[str, float]]:
    return [match.col_fits[col].words for _, col in cells] + [match.row_fits[row].words for row, _ in cells]


def _later_first(match: Match, named: Named, cells: list[Cell]) -> list[Cell]:
    """The later year first, else the one that is named first."""
    heads = [" ".join(match.label(line) if named.rows else match.cols[line]) for line in named.lines]
    years = [found[-1] if (found := _YEAR.findall(head)) else "" for head in heads]
    if all(years) and years[0] != years[1]:
        return [cell for _, cell in sorted(zip(years, cells, strict=True), reverse=True)]
    if re.search(r"\bfrom\b.*\bto\b", match.asked.text, re.IGNORECASE):
        return cells[::-1]
    return cells
