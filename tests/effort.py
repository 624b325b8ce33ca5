"""Bounds on the time of a call that hold on every machine, however slow or busy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

# CPU seconds that :func:`_yardstick` takes on a core of 2024; the bounds of tests are seconds of that core.
_USUAL = 0.014


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """The block needs no more CPU time than a usual core has in so many seconds.

    Time is measured in units of a fixed piece of work, done before and after the block: a slower core needs
    longer for both, and what other programs take does not count.

    Args:
        seconds: Several times what the block needs; a fault of the kind that it guards against, as work that
            grows with the square of the input, needs many times more.
    """
    before = _yardstick()
    start = time.process_time()
    yield
    used = time.process_time() - start
    unit = max(before, _yardstick()) / _USUAL
    assert used <= seconds * unit, f"{used:.2f} s of CPU time, more than {seconds} x {unit:.2f}"


def _yardstick() -> float:
    """CPU seconds of some work of the kind that parsers do: dictionaries, strings and numbers."""
    start = time.process_time()
    counts: dict[str, int] = {}
    for number in range(100_000):
        word = str(number % 1000)
        counts[word] = counts.get(word, 0) + len(word)
    return time.process_time() - start
