"""How likely a question needs each row and each column of a table: what refinement and reading go by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HeaderScores:
    """Scores of one (question, table) pair.

    Attributes:
        rows: Score of each body row by grid row, >= 0; rows that only label a section are left out.
        cols: Score of each body column by grid column, >= 0.
    """

    rows: dict[int, float]
    cols: dict[int, float]
