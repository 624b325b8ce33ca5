"""Threads that compute on one core each."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info

from tabrag.index.threads import in_threads


def blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.fixture()
def three_threads() -> object:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_each_computes_on_one_core(three_threads: object) -> None:
    np.ones((2, 2)) @ np.ones((2, 2))
    before = blas_threads()
    barrier = threading.Barrier(3, timeout=20)

    def work(number: int) -> tuple[int, int, list[int]]:
        barrier.wait()  # passes only where all three run at the same time
        return number, torch.get_num_threads(), blas_threads()

    found = in_threads(work, [5, 6, 7], 3)
    assert [number for number, _, _ in found] == [5, 6, 7]
    assert {threads for _, threads, _ in found} == {1}
    assert all(set(threads) <= {1} for _, _, threads in found)
    assert blas_threads() == before and torch.get_num_threads() == 3
    fresh: list[int] = []
    thread = threading.Thread(target=lambda: fresh.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    assert fresh == [3]


def test_a_fault_leaves_all_as_it_was(three_threads: object) -> None:
    before = blas_threads()
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda number: 1 // number, [1, 0], 3)
    assert blas_threads() == before and torch.get_num_threads() == 3
