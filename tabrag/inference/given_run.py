"""Candidates that are known already, in the place of the first stage: from a run file, or the gold tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tabrag.evaluation.runs import read_run
from tabrag.files import sha256_json
from tabrag.types import Candidate, Query, Run

if TYPE_CHECKING:
    from tabrag.data.folder import DataFolder

GOLD = "gold"
"""In place of a run file: the relevant tables of each query."""


class GivenRun:
    """Called with queries it gives their candidates, none for a query that it does not know.

    Args:
        run: A run file, or :data:`GOLD`.
        data: The data set folder, for the judgements of all its splits.
        k: Candidates a query at most.

    Raises:
        UserError: The run file is missing or broken, or the folder's judgements are.
    """

    def __init__(self, run: str, data: DataFolder, *, k: int) -> None:
        candidates = _gold(data) if run == GOLD else read_run(run)
        self._run: Run = {query_id: found[:k] for query_id, found in candidates.items()}

    def __call__(self, queries: Sequence[Query]) -> Run:
        return {query.id: self._run.get(query.id, []) for query in queries}

    def settings(self) -> dict[str, Any]:
        """What stands for all candidates."""
        found = {
            query_id: [candidate.item_id for candidate in candidates]
            for query_id, candidates in self._run.items()
        }
        return {"run": sha256_json(found)}


def _gold(data: DataFolder) -> Run:
    """The relevant items of each judged query, highest grade first."""
    return {
        query_id: [
            Candidate(item_id=item_id, score=float(grade), stage=GOLD)
            for item_id, grade in sorted(grades.items(), key=lambda pair: -pair[1])
            if grade > 0
        ]
        for split in data.splits
        for query_id, grades in data.qrels(split).items()
    }
