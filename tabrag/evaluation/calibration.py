"""Whether probabilities mean what they say, and how scores become probabilities.

Expected calibration error: Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural Networks", 2017,
equation 3. Scaling by slope and offset: Platt, "Probabilistic Outputs for Support Vector Machines", 1999.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tabrag.errors import UserError


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions of like probability.

    Attributes:
        low: Lower bound of the probability; the upper one belongs to the next bin.
        high: Upper bound.
        count: Predictions in it.
        mean: Their mean probability; 0 where there is none.
        share: The share of them that came true; 0 where there is none.
    """

    low: float
    high: float
    count: int
    mean: float
    share: float


def reliability(chances: Sequence[float], outcomes: Sequence[bool], *, num_bins: int = 10) -> list[Bin]:
    """Bins of equal width over 0..1.

    Raises:
        UserError: No prediction, as many outcomes as predictions are not given, or a probability outside
            0..1.
    """
    values, truths = np.asarray(chances, dtype=float), np.asarray(outcomes, dtype=float)
    if values.shape != truths.shape or values.ndim != 1 or not len(values):
        raise UserError(f"calibration of {len(values)} probabilities by {len(truths)} outcomes: give as many")
    if not ((values >= 0) & (values <= 1)).all():
        raise UserError("calibration: a probability does not lie in 0..1; are these scores of a reranker?")
    places = np.minimum((values * num_bins).astype(int), num_bins - 1)
    bins = []
    for number in range(num_bins):
        inside = places == number
        count = int(inside.sum())
        mean, share = (float(values[inside].mean()), float(truths[inside].mean())) if count else (0.0, 0.0)
        bins.append(Bin(number / num_bins, (number + 1) / num_bins, count, mean, share))
    return bins


def expected_calibration_error(bins: Sequence[Bin]) -> float:
    """The mean distance of probability and share over the predictions, 0..1."""
    total = sum(one.count for one in bins)
    return math.fsum(one.count * abs(one.mean - one.share) for one in bins) / max(1, total)


def fit_platt(
    scores: Sequence[float], outcomes: Sequence[bool], *, num_steps: int = 50
) -> tuple[float, float]:
    """Slope and offset whose log-odds ``slope * score + offset`` make the outcomes most likely.

    Newton's method, with Platt's smoothed targets, so that scores which part the outcomes stay finite.

    Raises:
        UserError: All outcomes are alike: there is nothing to fit.
    """
    values, truths = np.asarray(scores, dtype=float), np.asarray(outcomes, dtype=bool)
    positive, negative = int(truths.sum()), int((~truths).sum())
    if not positive or not negative:
        raise UserError("calibration needs relevant and irrelevant candidates: none of one kind was found")
    targets = np.where(truths, (positive + 1) / (positive + 2), 1 / (negative + 2))
    inputs = np.stack([values, np.ones_like(values)], axis=1)
    weights = np.array([1.0 if values.std() > 0 else 0.0, math.log(positive / negative)])
    loss = _loss(inputs @ weights, targets)
    for _ in range(num_steps):
        chances = 1 / (1 + np.exp(-np.clip(inputs @ weights, -500, 500)))
        gradient = inputs.T @ (chances - targets)
        curvature = (inputs * (chances * (1 - chances))[:, None]).T @ inputs + 1e-9 * np.eye(2)
        step, size = np.linalg.solve(curvature, gradient), 1.0
        while size > 1e-6 and (new := _loss(inputs @ (weights - size * step), targets)) > loss:
            size /= 2
        if size <= 1e-6:
            break
        weights, loss = weights - size * step, new
    return float(weights[0]), float(weights[1])


def _loss(logits: np.ndarray, targets: np.ndarray) -> float:
    return float((np.logaddexp(0, logits) - targets * logits).sum())
