"""What a reader without a language model finds in one table."""

from __future__ import annotations

from dataclasses import dataclass

from tabrag.types import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An answer from the cells of a table.

    Attributes:
        text: The answer, as it stands in the table or as it was computed.
        cells: The cells it comes from: the answer's own first, then those that were compared or computed
            with.
        certainty: 0..1. Of the cell reader the probability of its choices. Of the rule reader how clearly the
            chosen row and column lead over the next best: no probability by its making; the clearer the lead,
            the more often the answer is right.
        operator: How the answer follows from the cells, see :mod:`tabrag.tables.programs`; ``header`` for a
            header.
        support: 0..1. Of the rule reader the share of the question's words that the table says where the
            answer stands or in its titles.
        formula: The arithmetic with its numbers; None where nothing was computed.
    """

    text: str
    cells: list[Cell]
    certainty: float
    operator: str = "cell"
    formula: str | None = None
    support: float = 1.0
