"""Selection of the best columns of blocks of scores."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.index.best import GAP, Best, DeviceBest, pack, unpack


def reference(scores: np.ndarray, num_kept: int) -> tuple[np.ndarray, np.ndarray]:
    """By a full sort; equal scores by ascending row."""
    rows = np.lexsort((np.broadcast_to(np.arange(scores.shape[1]), scores.shape), -scores), axis=-1)
    rows = rows[:, :num_kept]
    return np.take_along_axis(scores, rows, axis=1), rows


@settings(max_examples=60, deadline=None)
@given(
    widths=st.lists(st.integers(1, 70), min_size=1, max_size=5),
    num_kept=st.integers(1, 60),
    steps=st.sampled_from([2, 50, 10**6]),
    seed=st.integers(0, 1000),
)
def test_equals_a_full_sort(widths: list[int], num_kept: int, steps: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    num_kept = min(num_kept, sum(widths))
    scores = (generator.integers(-steps, steps + 1, size=(4, sum(widths))) / steps).astype(np.float32)
    best, on_device = Best(4, num_kept), DeviceBest(4, num_kept, device=torch.device("cpu"))
    buffer, first = torch.empty(4, max(widths) + GAP), 0
    for width in widths:
        block = buffer[:, :width]
        block[:] = torch.from_numpy(scores[:, first : first + width])
        best.add(block, first)
        on_device.add(block, first)
        first += width
    expected_scores, expected_rows = reference(scores, num_kept)
    found_scores, found_rows = best.sorted()
    assert found_scores.dtype == np.float32 and found_rows.dtype == np.int64
    assert (found_scores == expected_scores).all() and (found_rows == expected_rows).all()
    device_scores, device_rows = on_device.sorted()
    assert (device_scores == expected_scores).all()
    assert (np.take_along_axis(scores, device_rows, axis=1) == expected_scores).all()


@pytest.mark.parametrize("num_kept", [3, 300, 1500])
def test_blocks_of_many_groups(num_kept: int) -> None:
    scores = np.random.default_rng(num_kept).normal(size=(9, 6001)).astype(np.float32)
    best = Best(9, num_kept)
    for first in range(0, 6001, 2000):
        best.add(torch.from_numpy(scores[:, first : first + 2000].copy()), first)
    expected_scores, expected_rows = reference(scores, num_kept)
    assert len(np.unique(expected_rows // 2000)) >= 3
    found_scores, found_rows = best.sorted()
    assert (found_scores == expected_scores).all() and (found_rows == expected_rows).all()


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=2, max_size=20), st.integers(0, 2**32 - 30))
def test_keys_order_scores_then_rows(values: list[float], first: int) -> None:
    scores = np.array(values, np.float32)
    rows = np.arange(first, first + len(scores))
    keys = pack(scores, rows)
    back = unpack(keys)
    assert (back[0] == scores).all() and (back[1] == rows).all()
    assert (np.argsort(-keys) == np.lexsort((rows, -scores))).all()
