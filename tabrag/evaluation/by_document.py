"""Runs of chunks, pages, nodes and tables judged by the documents that these belong to."""

from __future__ import annotations

from typing import Literal

from tabrag.documents.part import document_of
from tabrag.types import Candidate, Qrels, Run

By = Literal["item", "document"]
"""What is judged: the items of a run as they are, or their documents."""


def run_by_document(run: Run) -> Run:
    """The documents of a run's candidates, each with the score and stage of its best candidate.

    Args:
        run: Candidates in any order.

    Returns:
        A run in the order of the candidates, the best first, equal ones as they stood; an item that is no
        part and no table of a document stays.
    """
    return {query_id: _documents(candidates) for query_id, candidates in run.items()}


def qrels_by_document(qrels: Qrels) -> Qrels:
    """The judgements of documents: of each the highest grade of itself, its parts and its tables."""
    judged: Qrels = {}
    for query_id, grades in qrels.items():
        best = judged.setdefault(query_id, {})
        for item_id, grade in grades.items():
            name = document_of(item_id)
            best[name] = max(grade, best.get(name, grade))
    return judged


def has_parts_alone(run: Run, qrels: Qrels) -> bool:
    """Whether no item of a run is judged, and the document of one is: judged by item, all figures are 0."""
    judged = {item_id for grades in qrels.values() for item_id in grades}
    named = {one.item_id for candidates in run.values() for one in candidates}
    return not named & judged and any(document_of(item_id) in judged for item_id in named)


def _documents(candidates: list[Candidate]) -> list[Candidate]:
    found: dict[str, Candidate] = {}
    for one in sorted(candidates, key=lambda one: -one.score):
        name = document_of(one.item_id)
        found.setdefault(name, Candidate(item_id=name, score=one.score, stage=one.stage))
    return list(found.values())
