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


class Order(NamedTuple):
    """Rows or columns in the order in which they are taken, so that each comes after those it requires.

    Attributes:
        positions: Their places in the grid.
        scores: Floats[N], never rising after the first ``always``: one that others require has at least their
            score.
        always: How many of the first are taken whatever the setting.
    """

    positions: list[int]
    scores: Floats
    always: int


def ordered(
    scores: Mapping[int, float],
    requires: Mapping[int, Collection[int]] | None = None,
    always: Collection[int] = (),
) -> Order:
    """Rows or columns by score; equal ones as they stand in the table.

    Args:
        scores: Score of each position, >= 0.
        requires: Position -> those that come along with it
            (:class:`tabrag.tables.subtable.Requirements`).
        always: Positions to take whatever the setting.
    """
    requires = requires or {}
    kept = {position for position in always if position in scores}
    kept |= {other for position in kept for other in requires.get(position, ()) if other in scores}
    raised = dict(scores)
    for position, others in requires.items():
        for other in others:
            if position in scores and other in scores:
                raised[other] = max(raised[other], scores[position])

    def place(position: int) -> tuple[bool, float, int, int]:
        return position not in kept, -raised[position], len(requires.get(position, ())), position

    positions = sorted(scores, key=place)
    return Order(positions, np.array([raised[position] for position in positions], dtype=float), len(kept))


def walk(rows: Order, cols: Order, method: Method) -> Walk:
    """The states of one table.

    Levels by method, for a row or column of score ``s`` on an axis whose best score is ``b``:

    - ``relative``: ``s / b``;
    - ``absolute``: ``s``;
    - ``mass``: one less the share of the axis's scores that better ones hold, so that a setting of 0.1 takes
      rows until 90 % of the mass is in;
    - ``top_k``: minus the number of rows, and of columns;
    - ``budget``: minus the number of body cells once it is in, taken in the order of ``relative``.
    """
    levels = np.concatenate([_levels(axis, method) for axis in (rows, cols)])
    order = np.argsort(-levels, kind="stable")
    is_row = order < len(rows.positions)
    num_rows, num_cols = np.cumsum(is_row), np.cumsum(~is_row)
    levels = levels[order]
    if method == "budget":
        levels = np.where(np.isinf(levels), levels, -(num_rows * num_cols).astype(float))
    start = max(int(np.isinf(levels).sum()) - 1, 0)
    return Walk(levels[start:], num_rows[start:], num_cols[start:])


def _levels(axis: Order, method: Method) -> Floats:
    scores = axis.scores
    if method == "top_k":
        levels = -np.arange(1, len(scores) + 1, dtype=float)
    elif method == "absolute":
        levels = scores.copy()
    elif method == "mass":
        total = scores.sum()
        shares = scores / total if total > 0 else np.full(len(scores), 1 / max(len(scores), 1))
        levels = 1.0 - (np.cumsum(shares) - shares)
    else:
        best = scores.max(initial=0.0)
        levels = scores / best if best > 0 else np.ones(len(scores))
    levels[: max(axis.always, 1)] = np.inf
    return levels
