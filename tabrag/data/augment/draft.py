"""A question before it gets its id."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tabrag.data.augment.facts import Facts, Line
from tabrag.types import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A question, statement or row of key words on one table.

    Attributes:
        kind: ``lookup``, ``anchored``, ``superlative``, ``comparison``, ``difference``, ``sum``, ``share``,
            ``count``, ``statement``, ``keywords`` or ``overview``.
        text: What is asked.
        answers: Answers; empty for a statement and where a whole row or table is asked for.
        cells: The cells that hold or give the answer.
        rows: The rows that are asked about; their header cells are gold.
        columns: The same for columns.
        formula: How the answer follows from the cells, in A1 notation; None where no arithmetic does it.
        task: ``qa``, ``verify`` or ``describe``.
        label: For a statement: ``SUPPORTED`` or ``REFUTED``.
        hides_answer: Whether a text that quotes one of the answers gives it away.
    """

    kind: str
    text: str
    answers: list[str]
    cells: list[Cell]
    rows: list[Line] = field(default_factory=list)
    columns: list[Line] = field(default_factory=list)
    formula: str | None = None
    task: str = "qa"
    label: str | None = None
    hides_answer: bool = True


Maker = Callable[[Facts, random.Random], Draft | None]
"""Draws a question, or None where the table has none of that kind at the place that was drawn."""
