"""From a reranker's score and what ranked before it to P(True)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tabrag.errors import UserError
from tabrag.from_json import value_from_json
from tabrag.types import Candidate

RERANKED = "rerank"
"""The stage of reranked candidates, whose scores are probabilities."""
_LEAST = 1e-15  # nearer to 0 or 1 a difference of log-odds says nothing


@dataclass(frozen=True, slots=True)
class ScoreBlend:
    """A blend with the scores of one kind of run: how far a candidate lies below the best one.

    Attributes:
        stage: The candidates' stage in such a run (``convex``, ``bm25``, ...), whose scores have one scale.
        score_weight: What a difference of 1 in these scores counts, in units of the model's log-odds; behind
            another reranker, a difference of 1 in the log-odds of its probabilities.
        rank_weight: See :class:`Blend`.
        scale: See there.
        bias: See there.

    Raises:
        UserError: As of :class:`Blend`.
    """

    stage: str
    score_weight: float
    rank_weight: float = 0.0
    scale: float = 1.0
    bias: float = 0.0

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True)
class Blend:
    """How a model's score and the rank before become P(True), a probability.

    ``sigmoid(scale * (score - rank_weight * ln(rank)) + bias)``, with rank 1 for the best candidate. Behind
    runs of the kind that :attr:`scores` names it is ``sigmoid(scale * (score - rank_weight * ln(rank) -
    score_weight * gap) + bias)`` with that one's numbers, where ``gap`` is the best candidate's score before
    less the candidate's own.

    Attributes:
        rank_weight: What the rank counts, in units of the model's log-odds; 0 or more.
        scale: Slope, greater than 0: it changes no order.
        bias: Offset.
        scores: How scores of one kind of run count; None where ranks alone do.

    Raises:
        UserError: The slope is not above 0, or the weight of ranks is below 0.
    """

    rank_weight: float = 0.0
    scale: float = 1.0
    bias: float = 0.0
    scores: ScoreBlend | None = None

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def from_record(cls, values: Any, *, where: object) -> Blend:
        """Inverse of :func:`dataclasses.asdict`.

        Args:
            values: What ``blend`` is in a checkpoint's settings.
            where: Their file, for messages.

        Raises:
            UserError: A field is missing, unknown, no finite number or out of bounds.
        """
        blend: Blend = value_from_json(cls, values, where=where, key="blend")
        return blend

    def log_odds(self, score: float, rank: int, gap: float | None = None) -> float:
        """Log-odds of P(True).

        Args:
            score: The model's log-odds.
            rank: Counts from 1.
            gap: How far the score before lies below the best one's; None for another kind of run than that
                of :attr:`scores`.
        """
        form = self if gap is None or self.scores is None else self.scores
        value = score - form.rank_weight * math.log(rank)
        if isinstance(form, ScoreBlend):
            value -= form.score_weight * (gap or 0.0)
        return form.scale * value + form.bias

    def probability(self, score: float, rank: int, gap: float | None = None) -> float:
        """P(True), 0..1."""
        value = self.log_odds(score, rank, gap)
        return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))

    def gaps(self, candidates: Sequence[Candidate]) -> list[float | None]:
        """For each candidate of a query its ``gap``, or None for all where they are of another kind of run.

        Args:
            candidates: As they were before reranking, best first.
        """
        if self.scores is None or common_stage(candidates) != self.scores.stage:
            return [None] * len(candidates)
        return gaps([one.score for one in candidates], stage=self.scores.stage)

    def score(self, chance: float, rank: int, gap: float | None = None) -> float:
        """The model's log-odds from P(True): the inverse of :meth:`probability`."""
        form = self if gap is None or self.scores is None else self.scores
        return (logit(chance) - self.log_odds(0.0, rank, gap)) / form.scale


def _check(form: Blend | ScoreBlend) -> None:
    if not form.scale > 0:
        raise UserError(f"scale is {form.scale}, expected a number above 0")
    if not form.rank_weight >= 0:
        raise UserError(f"rank_weight is {form.rank_weight}, expected 0 or more")


def is_chance(candidate: Candidate) -> bool:
    """Whether a candidate's score is a reranker's P(True); those beyond its depth have scores below 0, and
    may bear its stage all the same, from a reranking before.
    """
    return candidate.stage == RERANKED and 0 <= candidate.score <= 1


def common_stage(candidates: Sequence[Candidate]) -> str | None:
    """The stage of candidates whose scores have one scale; None where they do not, or there are none."""
    stages = {one.stage for one in candidates}
    if len(stages) != 1 or (RERANKED in stages and not all(map(is_chance, candidates))):
        return None
    return stages.pop()


def gaps(scores: Sequence[float], *, stage: str) -> list[float | None]:
    """How far each score lies below the best one; of probabilities of a reranker, their log-odds."""
    values = [logit(score) for score in scores] if stage == RERANKED else scores
    best = max(values, default=0.0)
    return [best - value for value in values]


def logit(chance: float) -> float:
    """Log-odds of a probability."""
    chance = min(max(chance, _LEAST), 1 - _LEAST)
    return math.log(chance) - math.log1p(-chance)
