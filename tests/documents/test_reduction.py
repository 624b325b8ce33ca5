"""Neighbours stay neighbours in few dimensions, and equal vectors stay equal."""

from __future__ import annotations

import numpy as np
import pytest

from tabrag.documents.reduction import reduce


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("of_each", [30, 160], ids=["all eigenvectors", "the first eigenvectors"])
def test_topics_lie_apart(of_each: int) -> None:
    draws = np.random.default_rng(0)
    topics = draws.standard_normal((4, 64))
    unit = _unit(np.repeat(topics, of_each, axis=0) + 0.8 * draws.standard_normal((4 * of_each, 64)))
    reduced = reduce(unit, 10, seed=224)
    assert reduced.shape == (4 * of_each, 10) and np.square(reduced).mean() == pytest.approx(1.0)
    middles = reduced.reshape(4, of_each, 10).mean(axis=1)
    nearest = np.linalg.norm(reduced[:, None] - middles, axis=2).argmin(axis=1)
    assert (nearest == np.repeat(np.arange(4), of_each)).mean() > 0.99
    assert np.array_equal(reduced, reduce(unit, 10, seed=224))


def test_equal_vectors_have_equal_rows() -> None:
    draws = np.random.default_rng(0)
    unit = _unit(draws.standard_normal((30, 16)))
    twice = np.vstack([unit, unit[::-1] + 1e-9])
    reduced = reduce(twice, 5, seed=0)
    assert np.array_equal(reduced[:30], reduced[:29:-1]) and len(np.unique(reduced, axis=0)) == 30
    assert np.allclose(np.abs(reduced[:30]), np.abs(reduce(unit, 5, seed=0)), atol=1e-6)


def test_few_different_vectors() -> None:
    assert np.array_equal(reduce(np.zeros((7, 4)), 10, seed=0), np.zeros((7, 1)))
    two = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    reduced = reduce(two, 10, seed=0)
    assert reduced.shape == (3, 1) and reduced[0] == reduced[2] != reduced[1]
    opposite = reduce(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]), 10, seed=0)
    assert np.isfinite(opposite).all() and len(np.unique(opposite, axis=0)) == 3
