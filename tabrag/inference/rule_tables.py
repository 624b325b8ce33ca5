"""Which of a question's best tables the rule reader answers from.

A retriever goes by titles and headers as a whole; whether one row and one column of a table say what is asked
shows when it is read. So the first few are read, and the one counts whose answer is supported best by the
question's words, weighed against its rank.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from tabrag.inference.found import Found
from tabrag.inference.rule_reader import read_cell
from tabrag.types import Grid, Table

NUM_TABLES = 10
"""Tables that are read for a question."""
_SCORE_WEIGHT = 0.5
"""What a retrieval score, over the best one, counts beside the support; chosen on HiTab's dev questions."""
MIN_SUPPORT = 0.1
"""Below this share of the question's words, nothing of the table fits the question."""


def best_table(
    question: str, tables: Sequence[tuple[Table, Grid]], scores: Sequence[float]
) -> tuple[int, Found] | None:
    """The place of the table whose answer counts, and that answer; None where none has an answer.

    Args:
        question: The question.
        tables: Its tables, the best first, each with the grid that is read of it.
        scores: Their retrieval scores.
    """
    found = []
    for place, ((table, grid), score) in enumerate(zip(tables, scores, strict=True)):
        one = read_cell(grid, question, about=about(table))
        if one is not None:
            prior = score / scores[0] if scores[0] > 0 else 1 / (place + 1)
            found.append((one.support + _SCORE_WEIGHT * prior, -place, one))
    if not found:
        return None
    _, place, answer = max(found, key=lambda one: one[:2])
    return -place, answer if answer.support >= MIN_SUPPORT else dataclasses.replace(answer, certainty=0.0)


def about(table: Table) -> str:
    """What is said about a table."""
    source = table.source
    return " ".join((table.title, table.page_title, table.section, table.caption, source.sheet, source.file))
