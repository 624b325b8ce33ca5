"""How much the rank before reranking counts beside the reranker's own score, chosen on judged queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.evaluation.calibration import expected_calibration_error, fit_platt, reliability
from tabrag.models.blend import Blend

RANK_WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0)


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """The candidates of a query, best first before reranking.

    Attributes:
        scores: The model's log-odds of each.
        relevant: Whether each is relevant.
    """

    scores: tuple[float, ...]
    relevant: tuple[bool, ...]


def fit_blend(queries: Sequence[JudgedQuery]) -> Blend:
    """The blend with the best mean reciprocal rank, calibrated by maximum likelihood.

    Of weights that do equally well the smallest counts. Slope and offset stay 1 and 0 where the candidates
    hold nothing relevant, or nothing else.
    """
    weight = max(RANK_WEIGHTS, key=lambda one: (mean_reciprocal_rank(queries, Blend(one)), -one))
    ranked = [
        (Blend(weight).log_odds(score, rank), is_relevant)
        for query in queries
        for rank, (score, is_relevant) in enumerate(zip(query.scores, query.relevant, strict=True), start=1)
    ]
    outcomes = [is_relevant for _, is_relevant in ranked]
    if len(set(outcomes)) < 2:
        return Blend(weight)
    scale, bias = fit_platt([score for score, _ in ranked], outcomes)
    return Blend(weight, scale, bias) if scale > 0 else Blend(weight)


def mean_reciprocal_rank(queries: Sequence[JudgedQuery], blend: Blend) -> float:
    """Over all queries, those without a relevant candidate included."""
    return sum(1 / rank for query in queries if (rank := best_rank(query, blend))) / max(1, len(queries))


def hit_rate(queries: Sequence[JudgedQuery], blend: Blend, *, k: int) -> float:
    """The share of all queries with a relevant candidate among the first ``k``."""
    return sum(0 < best_rank(query, blend) <= k for query in queries) / max(1, len(queries))


def calibration_error(queries: Sequence[JudgedQuery], blend: Blend) -> float:
    """The expected calibration error of P(True) over all candidates."""
    pairs = [
        (blend.probability(score, rank), is_relevant)
        for query in queries
        for rank, (score, is_relevant) in enumerate(zip(query.scores, query.relevant, strict=True), start=1)
    ]
    return expected_calibration_error(reliability(*zip(*pairs, strict=True))) if pairs else 0.0


def best_rank(query: JudgedQuery, blend: Blend) -> int:
    """The rank of the best relevant candidate after reranking, 0 where there is none; ties count against
    it.
    """
    values = [blend.log_odds(score, rank) for rank, score in enumerate(query.scores, start=1)]
    hits = [value for value, is_relevant in zip(values, query.relevant, strict=True) if is_relevant]
    if not hits:
        return 0
    others = (value for value, is_relevant in zip(values, query.relevant, strict=True) if not is_relevant)
    return 1 + sum(value >= max(hits) for value in others)
