"""From scores of rows and columns to a choice: in which order a table grows as a bound is loosened.

Every way to choose is the same walk: rows and columns are taken by score, best first, and each state of the
walk (so many rows, so many columns) has a level, which falls from state to state. A setting picks the last
state whose level it allows. The walk is all that the trade-off between cells removed and answers kept needs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Method = Literal["relative", "absolute", "mass", "top_k", "budget"]
METHODS: tuple[Method, ...] = ("relative", "absolute", "mass", "top_k", "budget")
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Walk(NamedTuple):
    """The states of one table, smallest first; ``S`` of them.

    Attributes:
        levels: Floats[S], never rising; the first is infinite, since no setting gives less.
        num_rows: Ints[S], rows taken, at least 1 where the table has any.
        num_cols: Ints[S], columns taken, likewise.
    """

    levels: Floats
    num_rows: Ints
    num_cols: Ints

    def at(self, setting: float) -> tuple[int, int]:
        """Rows and columns of the last state whose level is at least ``setting``."""
        state = int(np.searchsorted(-self.levels, -setting, side="right")) - 1
        return int(self.num_rows[max(state, 0)]), int(self.num_cols[max(state, 0)])


def ranked(scores: Mapping[int, float], always: Collection[int] = ()) -> list[int]:
    """Positions in the order in which they are taken: those of ``always``, then by score; equal ones as they
    stand in the table."""
    return sorted(scores, key=lambda position: (position not in always, -scores[position], position))


def walk(rows: Floats, cols: Floats, method: Method, *, always_rows: int = 0, always_cols: int = 0) -> Walk:
    """The states of one table.

    Levels by method, for a row or column of score ``s`` on an axis whose best score is ``b``:

    - ``relative``: ``s / b``;
    - ``absolute``: ``s``;
    - ``mass``: one less the share of the axis's scores that better ones hold, so that a setting of 0.1 takes
      rows until 90 % of the mass is in;
    - ``top_k``: minus the number of rows, and of columns;
    - ``budget``: minus the number of body cells once it is in, taken in the order of ``relative``.

    Args:
        rows: Floats[R], scores in the order of :func:`ranked`.
        cols: Floats[C], likewise.
        method: How levels are given.
        always_rows: How many of the first rows are taken whatever the setting.
        always_cols: The same for columns.
    """
    first = (max(always_rows, min(len(rows), 1)), max(always_cols, min(len(cols), 1)))
    row_levels, col_levels = _levels(rows, method, first[0]), _levels(cols, method, first[1])
    levels = np.concatenate([row_levels, col_levels])
    order = np.argsort(-levels, kind="stable")
    is_row = order < len(rows)
    num_rows, num_cols = np.cumsum(is_row), np.cumsum(~is_row)
    levels = levels[order]
    if method == "budget":
        levels = np.where(np.isinf(levels), levels, -(num_rows * num_cols).astype(float))
    start = max(sum(first) - 1, 0)
    return Walk(levels[start:], num_rows[start:], num_cols[start:])


def _levels(scores: Floats, method: Method, always: int) -> Floats:
    if method == "top_k":
        levels = -np.arange(1, len(scores) + 1, dtype=float)
    elif method == "absolute":
        levels = scores.astype(float)
    else:
        total = scores.sum() if method == "mass" else scores.max(initial=0.0)
        shares = scores / total if total > 0 else np.ones(len(scores))
        if method == "mass":
            shares = shares if total > 0 else shares / max(len(shares), 1)
            shares = 1.0 - np.concatenate([[0.0], np.cumsum(shares)[:-1]]) if len(shares) else shares
        levels = shares
    levels[:always] = np.inf
    return levels
