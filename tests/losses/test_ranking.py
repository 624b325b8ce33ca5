"""Losses of a reranker: against their definitions, group by group."""

from __future__ import annotations

import math

import torch

from tabrag.losses.ranking import group_softmax, pointwise

GROUPS = torch.tensor([0, 1, 0, 1, 1])
POSITIVE = torch.tensor([False, True, True, False, False])


def test_group_softmax_is_the_sum_of_each_groups_cross_entropy() -> None:
    torch.manual_seed(0)
    scores = torch.randn(5, dtype=torch.float64, requires_grad=True)
    found = group_softmax(scores, group_P=GROUPS, positive_P=POSITIVE)
    expected = sum(
        torch.nn.functional.cross_entropy(scores[GROUPS == group][None].float(), torch.tensor([place]))
        for group, place in ((0, 1), (1, 0))
    )
    assert 0.5 < found.item() and torch.allclose(found, expected, atol=1e-6)
    found.backward()
    assert (
        scores.grad is not None and scores.grad[POSITIVE].lt(0).all() and scores.grad[~POSITIVE].gt(0).all()
    )
    assert abs(scores.grad[GROUPS == 0].sum()) < 1e-6  # a shift of a whole group changes nothing


def test_group_softmax_of_huge_scores_is_finite() -> None:
    scores = torch.tensor([1e4, -1e4, -1e4, 1e4, 0.0], requires_grad=True)
    found = group_softmax(scores, group_P=GROUPS, positive_P=POSITIVE)
    assert math.isclose(found.item(), 4e4, rel_tol=1e-6)
    found.backward()
    assert scores.grad is not None and scores.grad.isfinite().all()


def test_pointwise_counts_each_group_alike() -> None:
    scores = torch.tensor([0.3, -2.0, 1.0, 0.0, 4.0])

    def one(score: float, is_positive: bool) -> float:
        return math.log1p(math.exp(-score if is_positive else score))

    pairs = list(zip(scores.tolist(), POSITIVE.tolist(), GROUPS.tolist(), strict=True))
    expected = sum(
        sum(losses) / len(losses)
        for losses in ([one(s, p) for s, p, g in pairs if g == group] for group in (0, 1))
    )
    found = pointwise(scores, positive_P=POSITIVE, group_P=GROUPS).item()
    assert expected > 1 and math.isclose(found, expected, rel_tol=1e-6)
