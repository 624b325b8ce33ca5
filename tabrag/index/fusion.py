"""Several rankings into one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tabrag.documents.part import document_of
from tabrag.errors import UserError
from tabrag.types import Candidate, Run

_BEST = 3
"""Parts that speak for their document."""


def rrf(runs: Sequence[Run], *, k: float = 60, weights: Sequence[float] | None = None, depth: int) -> Run:
    """Reciprocal rank fusion: an item scores the sum of ``weight / (k + rank)`` over its lists.

    Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
    Methods", SIGIR 2009. Ranks count from 1 by the order of each list; of an item that a list names twice
    only the first place counts; a list that lacks an item adds nothing. Equal scores are ordered by the best
    single rank, then by item id. Sums are exactly rounded, so the order of the runs changes nothing.

    Args:
        runs: At least one; each candidate list best first.
        k: The constant, at least 0. A small one lets a single first place beat agreement. Recorded in each
            candidate's stage.
        weights: One number >= 0 a run; all 1 where None.
        depth: Number of candidates to keep a query, at least 1.

    Returns:
        A run over all queries of the runs, in order of first appearance.

    Raises:
        UserError: A setting is out of range.
    """
    if not (math.isfinite(k) and k >= 0):
        raise UserError(f"the fusion constant k is {k}: it must be a number >= 0 (60 is usual)")
    _check_depth(depth)
    weights = _weights(runs, weights)
    query_ids = dict.fromkeys(query_id for run in runs for query_id in run)
    stage = f"rrf(k={k:g})"
    return {
        query_id: _fuse([run.get(query_id, []) for run in runs], weights, k=k, depth=depth, stage=stage)
        for query_id in query_ids
    }


def convex(
    runs: Sequence[Run],
    *,
    minima: Sequence[float | None],
    weights: Sequence[float] | None = None,
    depth: int,
) -> Run:
    """Convex combination of normalised scores: what rank fusion forgets is how far apart scores are.

    Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023, section 3, with
    its theoretical min-max normalisation: ``(score - minimum) / (best score - minimum)``, where the minimum
    is the least that the scoring function can give. An item that a list lacks counts like the last of that
    list. Equal scores are ordered by the best single rank, then by item id.

    Args:
        runs: At least one; each candidate list best first.
        minima: The least score of each run's kind (0 of BM25, -1 of cosine); the last candidate's where None.
        weights: One number >= 0 a run, not all 0; they are scaled to sum to 1; all alike where None.
        depth: Number of candidates to keep a query, at least 1.

    Returns:
        A run over all queries of the runs, in order of first appearance; scores 0..1.

    Raises:
        UserError: A setting is out of range.
    """
    _check_depth(depth)
    weights = _weights(runs, weights)
    total = math.fsum(weights)
    if total == 0:
        raise UserError("fusion.weights are all 0: one index at least must count")
    shares = [weight / total for weight in weights]
    query_ids = dict.fromkeys(query_id for run in runs for query_id in run)
    return {
        query_id: _combine([run.get(query_id, []) for run in runs], minima, shares, depth=depth)
        for query_id in query_ids
    }


def with_documents(run: Run, *, weight: float, depth: int) -> Run:
    """Parts of documents in the order of their own score and of their document's.

    Near-duplicates (reports of one company and other years) have parts that are alike; the question's words
    for company and year stand in many parts of the right one. Within each query a part's score is scaled to
    0..1; a document's is the mean of its three best parts', scaled likewise; ``s = (part + w document) / (1 +
    w)``. An item that is no part is its own document.

    Args:
        run: Candidates, best first, deeper than what is kept.
        weight: ``w``, 0 or more.
        depth: Number of candidates to keep a query, at least 1.

    Raises:
        UserError: A setting is out of range.
    """
    _check_depth(depth)
    if not (math.isfinite(weight) and weight >= 0):
        raise UserError(f"fusion.document_weight is {weight}: it must be 0 or more")
    return {query_id: _by_document(candidates, weight)[:depth] for query_id, candidates in run.items()}


def _by_document(candidates: Sequence[Candidate], weight: float) -> list[Candidate]:
    own = _scaled({one.item_id: one.score for one in candidates})
    parts: dict[str, list[float]] = {}
    for item_id, score in sorted(own.items(), key=lambda pair: -pair[1]):
        parts.setdefault(document_of(item_id), []).append(score)
    # Three places, whether filled or not: a document with one good part is no better than one with three.
    documents = _scaled({name: math.fsum(scores[:_BEST]) / _BEST for name, scores in parts.items()})
    scores = {
        item: (score + weight * documents[document_of(item)]) / (1 + weight) for item, score in own.items()
    }
    ranks = {one.item_id: rank for rank, one in enumerate(candidates)}
    order = sorted(candidates, key=lambda one: (-scores[one.item_id], ranks[one.item_id]))
    return [
        Candidate(item_id=one.item_id, score=scores[one.item_id], stage=f"{one.stage}+documents")
        for one in order
    ]


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores from 0 to 1; 1 where all are the same."""
    least, most = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {item: (score - least) / (most - least) if most > least else 1.0 for item, score in scores.items()}


def _combine(
    lists: Sequence[Sequence[Candidate]],
    minima: Sequence[float | None],
    shares: Sequence[float],
    *,
    depth: int,
) -> list[Candidate]:
    """Combine the lists of one query."""
    parts: list[tuple[dict[str, float], float]] = []
    best_rank: dict[str, int] = {}
    for candidates, minimum in zip(lists, minima, strict=True):
        scores: dict[str, float] = {}
        for rank, candidate in enumerate(candidates, start=1):
            scores.setdefault(candidate.item_id, candidate.score)
            best_rank[candidate.item_id] = min(rank, best_rank.get(candidate.item_id, rank))
        values = scores.values()
        least = min(values, default=0.0) if minimum is None else minimum
        spread = max(values, default=least) - least
        normal = {item: (score - least) / spread if spread > 0 else 1.0 for item, score in scores.items()}
        parts.append((normal, min(normal.values(), default=0.0)))
    scores = {
        item: math.fsum(
            share * normal.get(item, last) for share, (normal, last) in zip(shares, parts, strict=True)
        )
        for item in best_rank
    }
    order = sorted(scores, key=lambda item: (-scores[item], best_rank[item], item))
    return [Candidate(item_id=item, score=scores[item], stage="convex") for item in order[:depth]]


def _weights(runs: Sequence[Run], weights: Sequence[float] | None) -> list[float]:
    weights = [1.0] * len(runs) if weights is None else list(weights)
    if len(weights) != len(runs) or not all(math.isfinite(weight) and weight >= 0 for weight in weights):
        raise UserError(f"fusion needs one weight >= 0 for each of the {len(runs)} runs, found {weights}")
    return weights


def _check_depth(depth: int) -> None:
    if depth < 1:
        raise UserError(f"depth is {depth}, but at least one candidate must be kept: set depth >= 1")


def _fuse(
    lists: Sequence[Sequence[Candidate]], weights: Sequence[float], *, k: float, depth: int, stage: str
) -> list[Candidate]:
    """Fuse the lists of one query."""
    shares: dict[str, list[float]] = {}
    best_rank: dict[str, int] = {}
    for candidates, weight in zip(lists, weights, strict=True):
        distinct = dict.fromkeys(candidate.item_id for candidate in candidates)
        for rank, item_id in enumerate(distinct, start=1):
            shares.setdefault(item_id, []).append(weight / (k + rank))
            best_rank[item_id] = min(rank, best_rank.get(item_id, rank))
    scores = {item_id: math.fsum(values) for item_id, values in shares.items()}
    order = sorted(scores, key=lambda item_id: (-scores[item_id], best_rank[item_id], item_id))
    return [Candidate(item_id=item_id, score=scores[item_id], stage=stage) for item_id in order[:depth]]
