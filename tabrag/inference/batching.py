"""Batches by cost: entries of like length together, so that little of a batch is padding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from tabrag.errors import UserError

A = TypeVar("A")
B = TypeVar("B")


def token_batches(lengths: Sequence[int] | np.ndarray, *, batch_tokens: int) -> list[np.ndarray]:
    """Split rows into batches that hold at most ``batch_tokens`` positions, padding included.

    Args:
        lengths: Positions of each row.
        batch_tokens: The budget; a longer row makes a batch of its own.

    Returns:
        Row numbers of each batch, the longest rows first (what does not fit into memory then fails at once);
        rows of the same length keep their order. Each row occurs exactly once.

    Raises:
        UserError: The budget is not positive.
    """
    if batch_tokens < 1:
        raise UserError(f"batch_tokens {batch_tokens} is not 1 or more")
    sizes = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-sizes, kind="stable")
    batches = []
    start = 0
    while start < len(order):
        count = max(1, batch_tokens // max(1, int(sizes[order[start]])))
        batches.append(order[start : start + count])
        start += count
    return batches


def ahead(make: Callable[[A], B], values: Iterable[A], *, num_ahead: int = 2) -> Iterator[B]:
    """``map(make, values)`` with the next results made in a thread while the caller works on this one."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        waiting: list[Future[B]] = []
        try:
            for value in values:
                waiting.append(pool.submit(make, value))
                if len(waiting) > num_ahead:
                    yield waiting.pop(0).result()
            while waiting:
                yield waiting.pop(0).result()
        finally:
            for future in waiting:
                future.cancel()
