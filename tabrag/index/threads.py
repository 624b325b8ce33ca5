"""Work of numpy and torch in threads that each compute on one core."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

import torch

A = TypeVar("A")
B = TypeVar("B")

_ONE_AT_A_TIME = Lock()
"""The limit of the BLAS library is the whole process's: two that set it and put it back would mix it up."""


def in_threads(work: Callable[[A], B], parts: Iterable[A], num_threads: int) -> list[B]:
    """``[work(part) for part in parts]`` in threads, in which matrix products and torch use one core each.

    The threads of numpy's BLAS and those of torch know nothing of each other: each waits in a loop for its
    next work and takes the core from the other.

    Args:
        work: Releases Python's lock most of the time, as numpy and torch do.
        parts: Arguments of the calls.
        num_threads: Threads; also what torch uses afterwards in the calling thread.
    """
    from threadpoolctl import threadpool_limits

    with _ONE_AT_A_TIME, threadpool_limits(limits=1, user_api="blas"):
        try:
            with ThreadPoolExecutor(num_threads, initializer=_use_one_core) as pool:
                return list(pool.map(work, parts))
        finally:
            torch.set_num_threads(num_threads)  # what threads set is the default of later ones


def _use_one_core() -> None:
    """Limit this thread: a BLAS library on OpenMP counts the threads of each thread apart."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=1, user_api="blas")
    torch.set_num_threads(1)
