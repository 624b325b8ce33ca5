"""How far two rows of numbers go together: Pearson, Spearman and Kendall.

N numbers a row. All three are -1..1, and undefined (None) where a row is constant or shorter than 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def correlations(first: Sequence[float], second: Sequence[float]) -> dict[str, float | None]:
    """``pearson``, ``spearman`` and ``kendall`` of two rows of the same length."""
    if len(first) != len(second):
        raise ValueError(f"rows of {len(first)} and {len(second)} numbers cannot be compared")
    return {
        "pearson": pearson(first, second),
        "spearman": pearson(ranks(first), ranks(second)),
        "kendall": kendall(first, second),
    }


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Linear correlation."""
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    x_N, y_N = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    x_N, y_N = x_N - x_N.mean(), y_N - y_N.mean()
    # Lengths apart: the product of two small ones could become 0.
    found = float((x_N / np.linalg.norm(x_N)) @ (y_N / np.linalg.norm(y_N)))
    return max(-1.0, min(1.0, found))


def ranks(values: Sequence[float]) -> list[float]:
    """Places from 1 in ascending order; equal numbers share the mean of theirs."""
    ordered = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(ordered, start=1)))}
    last = {value: place for place, value in enumerate(ordered, start=1)}
    return [(first[value] + last[value]) / 2 for value in values]


def kendall(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b, which takes ties of either row into account."""
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    x_N, y_N = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    upper = np.triu_indices(len(x_N), k=1)
    x_P, y_P = (np.sign(one[:, None] - one[None, :])[upper] for one in (x_N, y_N))
    untied = math.sqrt(int(np.count_nonzero(x_P)) * int(np.count_nonzero(y_P)))
    return max(-1.0, min(1.0, float((x_P * y_P).sum()) / untied))
