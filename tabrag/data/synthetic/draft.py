"""A question before it gets its id, and the references and numbers that its formula and answer are made of.

A formula is an arithmetic expression over cells in A1 notation: the letter is the grid's column, the number
its row counted from 1, header rows included ("B3" is ``cells[2][1]``). It uses ``+ - * /``, parentheses,
``MAX(..., ...)``, ``MIN(..., ...)`` and comparisons, which count 1 when true and 0 when false. Where the
answer is a label (comparison, superlative), the formula gives the number of the row or column that is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tabrag.data.synthetic.sheet import Sheet, Slot
from tabrag.types import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A question or statement on one table.

    Attributes:
        kind: ``lookup``, ``comparison``, ``difference``, ``sum``, ``share``, ``superlative``, ``count``,
            ``change``, ``percent_change`` or ``statement``.
        text: The question.
        answer: Its answer; for a statement "".
        slots: The values that it needs.
        formula: How the answer follows from them.
        label: For a statement: ``SUPPORTED`` or ``REFUTED``.
    """

    kind: str
    text: str
    answer: str
    slots: Sequence[Slot]
    formula: str
    label: str | None = None


def reference(cell: Cell) -> str:
    """A cell in A1 notation: ``(2, 1)`` is ``B3``."""
    row, col = cell
    letters = ""
    col += 1
    while col:
        col, rest = divmod(col - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def references(sheet: Sheet, slots: Iterable[Slot]) -> list[str]:
    """The references of some slots."""
    return [reference(sheet.cells[slot]) for slot in slots]


def number(value: float, decimals: int) -> str:
    """A computed number as an answer says it: "1,234.5", "-0.3"; never "-0"."""
    text = f"{value:,.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.,") else text


def is_tie(value: float, decimals: int) -> bool:
    """Whether rounding to ``decimals`` is within a hair of going the other way."""
    scaled = abs(value) * 10**decimals
    return abs(scaled - int(scaled) - 0.5) < 1e-6
