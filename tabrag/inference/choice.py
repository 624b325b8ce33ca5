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

Method = Literal["gain", "relative", "absolute", "mass", "top_k", "budget"]
METHODS: tuple[Method, ...] = ("gain", "relative", "absolute", "mass", "top_k", "budget")
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
EVEN = 0.05
"""Share of an even chance in what ``gain`` expects of a row or column, since no score is sure."""


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
        own: Floats[N], the scores as they were given.
        always: How many of the first are taken whatever the setting.
    """

    positions: list[int]
    scores: Floats
    own: Floats
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
    levels, own = (np.array([of[position] for position in positions], dtype=float) for of in (raised, scores))
    return Order(positions, levels, own, len(kept))


def walk(rows: Order, cols: Order, method: Method) -> Walk:
    """The states of one table.

    Levels by method, for a row or column of score ``s`` on an axis whose best score is ``b``:

    - ``gain``: how much likelier the table holds the answer for each further body cell, along the states that
      are the best ones of their size. The answer's row is taken for each row with the share of its score, the
      column likewise and by itself, both mixed with an even chance (``EVEN``);
    - ``relative``: ``s / b``;
    - ``absolute``: ``s``;
    - ``mass``: one less the share of the axis's scores that better ones hold, so that a setting of 0.1 takes
      rows until 90 % of the mass is in;
    - ``top_k``: minus the number of rows, and of columns;
    - ``budget``: minus the number of body cells once it is in, taken in the order of ``relative``.
    """
    num_rows, num_cols = len(rows.positions), len(cols.positions)
    if not num_rows or not num_cols:
        return Walk(np.array([np.inf]), np.array([num_rows]), np.array([num_cols]))
    if method == "gain":
        return _gain(rows, cols)
    levels = np.concatenate([_levels(axis, method) for axis in (rows, cols)])
    order = np.argsort(-levels, kind="stable")
    is_row = order < num_rows
    taken_rows, taken_cols = np.cumsum(is_row), np.cumsum(~is_row)
    levels = levels[order]
    if method == "budget":
        levels = np.where(np.isinf(levels), levels, -(taken_rows * taken_cols).astype(float))
    start = int(np.isinf(levels).sum()) - 1
    return Walk(levels[start:], taken_rows[start:], taken_cols[start:])


def _gain(rows: Order, cols: Order) -> Walk:
    """States on the upper hull of chance over cells: each is the best for some price of a cell."""
    chances_R, chances_C = _chances(rows), _chances(cols)
    first_row, first_col = max(rows.always, 1) - 1, max(cols.always, 1) - 1
    chances_RC = np.outer(chances_R, chances_C)[first_row:, first_col:]
    cells_RC = np.outer(np.arange(1, len(chances_R) + 1), np.arange(1, len(chances_C) + 1))
    cells_RC = cells_RC[first_row:, first_col:]
    order = np.lexsort((-chances_RC.ravel(), cells_RC.ravel()))
    cells, chances = cells_RC.ravel()[order], chances_RC.ravel()[order]
    better = np.append(True, chances[1:] > np.maximum.accumulate(chances)[:-1])
    order, cells, chances = order[better], cells[better].astype(float), chances[better]
    hull: list[int] = []
    slopes: list[float] = []
    for state in range(len(order)):
        while hull:
            slope = (chances[state] - chances[hull[-1]]) / (cells[state] - cells[hull[-1]])
            if slope < slopes[-1]:
                break
            hull.pop()
            slopes.pop()
        slopes.append(slope if hull else np.inf)
        hull.append(state)
    row_places, col_places = np.unravel_index(order[hull], cells_RC.shape)
    return Walk(np.array(slopes), row_places + first_row + 1, col_places + first_col + 1)


def _chances(axis: Order) -> Floats:
    """The chance that the answer is among the first n, for each n from 1."""
    even = np.full(len(axis.own), 1 / max(len(axis.own), 1))
    total = axis.own.sum()
    return np.cumsum(even if total <= 0 else (1 - EVEN) * axis.own / total + EVEN * even)


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
