"""The conditional logit finds the weights that made the choices, and stays finite where nothing bounds it."""

from __future__ import annotations

import numpy as np
import pytest

from tabrag.evaluation.conditional_logit import fit_conditional_logit


def _choices(weights: np.ndarray, *, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    numbers = np.random.default_rng(0)
    made = []
    for _ in range(count):
        features = numbers.normal(size=(6, len(weights))) * np.array([1.0, 50.0])
        logits = features @ weights
        chances = np.exp(logits - logits.max())
        right = numbers.choice(6, p=chances / chances.sum())
        made.append((features, np.arange(6) == right))
    return made


def test_it_finds_the_weights_whatever_their_units() -> None:
    weights = np.array([1.5, -0.02])
    found = fit_conditional_logit(_choices(weights, count=2000))
    assert found == pytest.approx(weights, rel=0.1)


def test_what_parts_the_alternatives_and_what_is_constant_stay_finite() -> None:
    features = np.array([[1.0, 7.0], [0.0, 7.0]])
    found = fit_conditional_logit([(features, np.array([True, False]))] * 5)
    assert np.isfinite(found).all() and found[0] > 1 and found[1] == pytest.approx(0.0)


def test_several_right_ones_share() -> None:
    features = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    found = fit_conditional_logit([(features, np.array([True, True, False]))] * 20)
    assert found[0] == pytest.approx(found[1]) and found[0] > 1
