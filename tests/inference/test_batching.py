"""Batches by cost."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.inference.batching import ahead, token_batches


@given(st.lists(st.integers(0, 600), max_size=60), st.integers(1, 2000))
def test_every_row_once_within_the_budget(lengths: list[int], budget: int) -> None:
    batches = token_batches(lengths, batch_tokens=budget)
    assert sorted(row for rows in batches for row in rows) == list(range(len(lengths)))
    for rows in batches:
        assert len(rows) == 1 or len(rows) * max(lengths[row] for row in rows) <= budget
    flat = [lengths[row] for rows in batches for row in rows]
    assert flat == sorted(flat, reverse=True)


def test_sorting_saves_padding() -> None:
    lengths = np.random.default_rng(0).integers(5, 256, 2000)
    by_length = token_batches(lengths, batch_tokens=4096)
    in_order = [np.arange(start, min(start + 32, 2000)) for start in range(0, 2000, 32)]

    def padding_share(batches: list[np.ndarray]) -> float:
        return 1 - lengths.sum() / sum(lengths[rows].max() * len(rows) for rows in batches)

    assert padding_share(by_length) < 0.03 < 0.4 < padding_share(in_order)


def test_budget_must_be_positive() -> None:
    with pytest.raises(UserError, match="batch_tokens 0"):
        token_batches([1], batch_tokens=0)


def test_ahead_keeps_order_works_ahead_and_passes_errors_on() -> None:
    made = []

    def make(value: int) -> int:
        made.append((value, threading.get_ident()))
        if value == 7:
            raise UserError("seven")
        return value * 10

    results = ahead(make, range(100), num_ahead=2)
    assert [next(results) for _ in range(5)] == [0, 10, 20, 30, 40]
    results.close()
    assert len(made) < 12  # what nobody asks for is not made
    assert {ident for _, ident in made} != {threading.get_ident()}
    assert list(ahead(make, [])) == []
    with pytest.raises(UserError, match="seven"):
        list(ahead(make, range(6, 9)))
