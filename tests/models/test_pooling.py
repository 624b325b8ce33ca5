"""Pooling: padding never counts, zero stays zero."""

from __future__ import annotations

import torch

from tabrag.models.pooling import mean_pool, unit


def test_mean_ignores_padding() -> None:
    states = torch.randn(3, 5, 4)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0]])
    pooled = mean_pool(states, mask)
    for row, length in enumerate((5, 2, 1)):
        assert torch.allclose(pooled[row], states[row, :length].mean(0), atol=1e-6)
    assert not torch.allclose(pooled[1], states[1].mean(0), atol=1e-3)
    assert torch.allclose(mean_pool(states), states.mean(1))


def test_low_precision_sums_in_float32() -> None:
    states = torch.full((1, 4096, 2), 1.0009765625, dtype=torch.float16)
    pooled = mean_pool(states, torch.ones(1, 4096, dtype=torch.int64))
    assert pooled.dtype == torch.float32
    assert torch.allclose(pooled, torch.full((1, 2), 1.0009765625))
    states = torch.randn(2, 50, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(mean_pool(states, torch.ones(2, 50)), states.sum(1) / 50)


def test_nothing_to_pool_is_zero_not_nan() -> None:
    pooled = unit(mean_pool(torch.randn(1, 3, 4), torch.zeros(1, 3)))
    assert torch.equal(pooled, torch.zeros(1, 4))
    assert torch.allclose(unit(torch.tensor([[3.0, 4.0]])), torch.tensor([[0.6, 0.8]]))
