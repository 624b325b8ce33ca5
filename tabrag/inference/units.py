"""In which unit and scale a table states a number: what its cell, its headers or its title say."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from tabrag.evaluation.answer_values import number
from tabrag.tables.grid import cell_text, corner_paths, left_paths, path_texts, top_paths
from tabrag.tables.values import Value, parse_value
from tabrag.types import Cell, Table

SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

_BEFORE = r"(?:\b(?:in|of)\s+|[(,:$€£¥]\s*|\b(?:USD|EUR|GBP|dollars?|euros?|pounds?)\s+)"
_SCALE = re.compile(
    rf"\b(?P<plural>thousand|million|billion|trillion)s\b|{_BEFORE}(?P<single>thousand|million|billion|trillion)\b"
    rf"|(?P<zeros>\b000'?s?\b(?!\s*\d)|\(\s*'?000'?s?\s*\))|[$€£]\s*(?P<letter>m|mn|bn|k)\b",
    re.IGNORECASE,
)
_NOT_SCALE = re.compile(r"\d[\d.,]*\s*$")
_LETTERS = {"k": "thousand", "m": "million", "mn": "million", "bn": "billion"}
_PERCENT = re.compile(r"%|\b(?:per\s?cent|percentages?|pct)\b(?!\s+points?)", re.IGNORECASE)
_CURRENCY = re.compile(r"(?:US|A|C|HK|NZ)?\$|[€£¥₹]|\b(?:USD|EUR|GBP|JPY|CNY|INR|AUD|CAD|CHF)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What is said about a number.

    Attributes:
        scale: ``thousand``, ``million``, ``billion``, ``trillion``, or empty.
        percent: Whether it is a percentage.
        currency: The sign or code as printed, or empty.
    """

    scale: str = ""
    percent: bool = False
    currency: str = ""


def unit_of_text(text: str) -> Unit:
    """What a header, caption or title says: ``Revenue ($ millions)``, ``in thousands``, ``share (%)``.

    A scale word that belongs to a number of the text ("cities over one million", "5 million") does not count.
    """
    found = next(
        (match for match in _SCALE.finditer(text) if not _NOT_SCALE.search(text[: match.start()])), None
    )
    currency = _CURRENCY.search(text)
    return Unit(
        scale="" if found is None else _scale_name(found),
        percent=_PERCENT.search(text) is not None,
        currency="" if currency is None else currency[0],
    )


def unit_at(table: Table, cell: Cell) -> Unit:
    """What the table says about the number in a cell; what stands nearer to it counts before what is further.

    The cell comes first, then its column's and its row's headers from the innermost one, the corner, and at
    last caption and title, which tell scale and currency but not whether this number is a percentage. A
    percentage has neither.
    """
    grid = table.grid
    assert grid is not None
    row, col = cell
    value = parse_value(cell_text(grid, row, col))
    if value is not None and (value.percent or value.scale != 1):
        return Unit(percent=value.percent, currency=value.currency)
    scale, currency = "", "" if value is None else value.currency
    paths = [top_paths(grid)[col], left_paths(grid)[row], *corner_paths(grid)]
    for text in [text for path in paths for text in reversed(path_texts(grid, path))]:
        said = unit_of_text(text)
        if said.percent and not scale and not currency:
            return Unit(percent=True)
        scale, currency = scale or said.scale, currency or said.currency
    for text in (table.caption, table.title):
        said = unit_of_text(text)
        scale, currency = scale or said.scale, currency or said.currency
    return Unit(scale=scale, currency=currency)


def cells_in_other_units(table: Table, wanted: Value) -> list[Cell]:
    """Cells that hold a number in another writing than ``wanted``.

    These are cells where only one of the two has a percent sign or a scale word, where the units differ, and
    those whose header says the scale: 1.2 below "$ millions" for 1,200,000.
    """
    grid = table.grid
    found = []
    for cell in [(row, col) for row in range(grid.num_rows) for col in range(grid.num_cols)] if grid else ():
        value = number(grid.cells[cell[0]][cell[1]]) if grid else None
        if value is None:
            continue
        alike = (wanted.number, wanted.number / wanted.scale)
        if any(is_close(value.number, one) for one in alike) or any(
            is_close(value.number * factor, wanted.number) and unit_at(table, cell).scale == name
            for name, factor in SCALES.items()
        ):
            found.append(cell)
    return found


def is_close(left: float, right: float) -> bool:
    """Whether two numbers are the same but for rounding of the computer."""
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)


def _scale_name(match: re.Match[str]) -> str:
    if match["zeros"]:
        return "thousand"
    return _LETTERS.get((match["letter"] or "").lower()) or (match["plural"] or match["single"]).lower()
