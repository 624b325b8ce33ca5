"""Weights under which the right one of several alternatives is most likely.

The conditional logit of McFadden, "Conditional logit analysis of qualitative choice behavior", 1974: ``P(i) =
exp(w x_i) / sum_j exp(w x_j)`` over the alternatives of one choice.

Shapes: ``C`` alternatives of a choice, ``F`` features.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_RIDGE = 1e-2
"""Of a squared weight, in units of the features' spread, for one choice: features that are alike share."""


def fit_conditional_logit(
    choices: Sequence[tuple[np.ndarray, np.ndarray]], *, num_steps: int = 50
) -> np.ndarray:
    """Weights, float64 [F].

    Args:
        choices: For each choice the features, float [C, F], and which alternatives are right, bool [C]; one
            at least is. Several right ones share their probability.
        num_steps: Newton steps at most.
    """
    every = np.concatenate([features for features, _ in choices])
    spread = every.std(axis=0)
    spread[spread == 0] = 1.0
    scaled = [(features / spread, right) for features, right in choices]
    ridge = _RIDGE * len(choices) ** 0.5
    weights = np.zeros(every.shape[1])
    loss = _loss(scaled, weights, ridge)
    for _ in range(num_steps):
        gradient, curvature = ridge * weights, ridge * np.eye(len(weights))
        for features, right in scaled:
            chances = _softmax(features @ weights)
            among = np.where(right, chances, 0.0) / chances[right].sum()
            gradient += features.T @ (chances - among)
            centred = features - chances @ features
            curvature += centred.T @ (centred * chances[:, None])
        step, size = np.linalg.solve(curvature, gradient), 1.0
        while size > 1e-6 and (new := _loss(scaled, weights - size * step, ridge)) > loss:
            size /= 2
        if size <= 1e-6 or loss - new < 1e-9 * max(1.0, loss):
            break
        weights, loss = weights - size * step, new
    return weights / spread


def _softmax(values: np.ndarray) -> np.ndarray:
    raised = np.exp(np.maximum(values - values.max(), -500.0))
    return raised / raised.sum()


def _loss(choices: Sequence[tuple[np.ndarray, np.ndarray]], weights: np.ndarray, ridge: float) -> float:
    missed = sum(-np.log(_softmax(features @ weights)[right].sum()) for features, right in choices)
    return float(missed + ridge / 2 * weights @ weights)
