"""How much the ranking before reranking counts beside the reranker's own score, chosen on judged queries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tabrag.evaluation.calibration import expected_calibration_error, fit_platt, reliability
from tabrag.evaluation.conditional_logit import fit_conditional_logit
from tabrag.models.blend import Blend, ScoreBlend, common_stage, gaps
from tabrag.types import Candidate

RANK_WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0)
NUM_FOLDS = 5


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """The candidates of a query, best first before reranking.

    Attributes:
        scores: The model's log-odds of each.
        relevant: Whether each is relevant.
        before: The score of each before reranking; empty where only the ranks are known, or count.
        stage: Where those scores come from.
    """

    scores: tuple[float, ...]
    relevant: tuple[bool, ...]
    before: tuple[float, ...] = ()
    stage: str = ""

    @classmethod
    def of(
        cls, candidates: Sequence[Candidate], *, scores: Sequence[float], grades: Mapping[str, int]
    ) -> JudgedQuery:
        """Of the candidates before reranking; their scores count where they have one scale.

        Args:
            candidates: Best first.
            scores: The model's log-odds of each.
            grades: Item id -> grade; above 0 is relevant.
        """
        stage = common_stage(candidates)
        return cls(
            scores=tuple(scores),
            relevant=tuple(grades.get(one.item_id, 0) > 0 for one in candidates),
            before=() if stage is None else tuple(one.score for one in candidates),
            stage=stage or "",
        )


def fit_blend(queries: Sequence[JudgedQuery]) -> Blend:
    """The blend with the best mean reciprocal rank by ranks, calibrated by maximum likelihood.

    Of weights that do equally well the smallest counts. Where the scores before are known and of one stage,
    a blend with them is fitted as well (:func:`fit_score_blend`) and kept if it ranks better on queries that
    it was not fitted on. Slope and offset stay 1 and 0 where the candidates hold nothing relevant, or nothing
    else.
    """
    blend = _fit_rank_blend(queries)
    scores = fit_score_blend(queries)
    if scores is None:
        return blend
    by_rank = cross_validate(queries, with_scores=False)
    by_score = cross_validate(queries, with_scores=True)
    return replace(blend, scores=scores) if by_score["MRR"] > by_rank["MRR"] else blend


def fit_score_blend(queries: Sequence[JudgedQuery]) -> ScoreBlend | None:
    """Weights of score, rank and score before under which the relevant candidates are most likely; None where
    the scores before are not known, or the model's own score speaks against what is relevant.
    """
    stages = {query.stage for query in queries if query.scores}
    usable = [query for query in queries if any(query.relevant) and len(query.scores) > 1]
    if len(stages) != 1 or not usable or any(len(q.before) != len(q.scores) for q in queries):
        return None
    weights = fit_conditional_logit([(_features(query), np.array(query.relevant)) for query in usable])
    own, rank, gap = (float(value) for value in weights)
    if own <= 0:
        return None
    raw = ScoreBlend(stages.pop(), max(0.0, -gap / own), max(0.0, -rank / own))
    found = _calibration(queries, Blend(scores=raw))
    return raw if found is None else replace(raw, scale=found[0], bias=found[1])


def cross_validate(queries: Sequence[JudgedQuery], *, with_scores: bool) -> dict[str, float]:
    """``Hit@1``, ``Hit@5``, ``MRR`` and ``ECE`` (0..1) of blends on queries that they were not fitted on.

    Args:
        queries: At least as many as folds; every fifth one makes a fold.
        with_scores: Whether scores before reranking count, where they can.
    """
    weighted: dict[str, float] = dict.fromkeys(("Hit@1", "Hit@5", "MRR", "ECE"), 0.0)
    for fold in range(NUM_FOLDS):
        own = queries[fold::NUM_FOLDS]
        others = [query for place, query in enumerate(queries) if place % NUM_FOLDS != fold]
        blend = _fit_rank_blend(others)
        if with_scores:
            blend = replace(blend, scores=fit_score_blend(others))
        for name, value in ranking_figures(own, blend).items():
            weighted[name] += value * len(own)
    return {name: value / max(1, len(queries)) for name, value in weighted.items()}


def ranking_figures(queries: Sequence[JudgedQuery], blend: Blend) -> dict[str, float]:
    """``Hit@1``, ``Hit@5``, ``MRR`` and ``ECE`` of a blend, 0..1."""
    return {
        "Hit@1": hit_rate(queries, blend, k=1),
        "Hit@5": hit_rate(queries, blend, k=5),
        "MRR": mean_reciprocal_rank(queries, blend),
        "ECE": calibration_error(queries, blend),
    }


def mean_reciprocal_rank(queries: Sequence[JudgedQuery], blend: Blend) -> float:
    """Over all queries, those without a relevant candidate included."""
    return sum(1 / rank for query in queries if (rank := best_rank(query, blend))) / max(1, len(queries))


def hit_rate(queries: Sequence[JudgedQuery], blend: Blend, *, k: int) -> float:
    """The share of all queries with a relevant candidate among the first ``k``."""
    return sum(0 < best_rank(query, blend) <= k for query in queries) / max(1, len(queries))


def calibration_error(queries: Sequence[JudgedQuery], blend: Blend) -> float:
    """The expected calibration error of P(True) over all candidates."""
    pairs = [
        (1 / (1 + math.exp(-max(value, -500.0))), is_relevant)
        for query in queries
        for value, is_relevant in zip(_log_odds(query, blend), query.relevant, strict=True)
    ]
    return expected_calibration_error(reliability(*zip(*pairs, strict=True))) if pairs else 0.0


def best_rank(query: JudgedQuery, blend: Blend) -> int:
    """The rank of the best relevant candidate after reranking, 0 where there is none; ties count against
    it.
    """
    values = _log_odds(query, blend)
    hits = [value for value, is_relevant in zip(values, query.relevant, strict=True) if is_relevant]
    if not hits:
        return 0
    others = (value for value, is_relevant in zip(values, query.relevant, strict=True) if not is_relevant)
    return 1 + sum(value >= max(hits) for value in others)


def _fit_rank_blend(queries: Sequence[JudgedQuery]) -> Blend:
    weight = max(RANK_WEIGHTS, key=lambda one: (mean_reciprocal_rank(queries, Blend(one)), -one))
    found = _calibration(queries, Blend(weight))
    return Blend(weight) if found is None else Blend(weight, *found)


def _calibration(queries: Sequence[JudgedQuery], blend: Blend) -> tuple[float, float] | None:
    """Slope, greater than 0, and offset for the log-odds of a blend without them; None without either."""
    ranked = [pair for query in queries for pair in zip(_log_odds(query, blend), query.relevant, strict=True)]
    outcomes = [is_relevant for _, is_relevant in ranked]
    if len(set(outcomes)) < 2:
        return None
    scale, bias = fit_platt([score for score, _ in ranked], outcomes)
    return (scale, bias) if scale > 0 else None


def _features(query: JudgedQuery) -> np.ndarray:
    """Score, ``ln(rank)`` and gap of each candidate, float64 [C, 3]."""
    ranks = np.log(np.arange(1, len(query.scores) + 1))
    return np.stack(
        [np.array(query.scores), ranks, np.array(gaps(query.before, stage=query.stage), dtype=float)], axis=1
    )


def _log_odds(query: JudgedQuery, blend: Blend) -> list[float]:
    usable = blend.scores is not None and query.stage == blend.scores.stage and query.before
    before = gaps(query.before, stage=query.stage) if usable else [None] * len(query.scores)
    return [
        blend.log_odds(score, rank, gap)
        for rank, (score, gap) in enumerate(zip(query.scores, before, strict=True), start=1)
    ]
