"""What refinement costs and saves: body cells removed against questions that keep every answer cell.

Body cells are those below the header rows and right of the header columns, rows that only label a section
left out; so THoRR (Kim et al., 2024) counts its 153.88 cells a table, of which 58.03 stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tabrag.inference.choice import Method, walk
from tabrag.inference.config import RefineConfig
from tabrag.inference.refine import counts, kept_by_rule, orders
from tabrag.tables.grid import left_paths, owner_map, top_paths
from tabrag.tables.header_scores import HeaderScores
from tabrag.tables.subtable import Requirements, requirements
from tabrag.types import Cell, Grid

Floats = npt.NDArray[np.float64]
DEFAULT: Method = "gain"


class Need(NamedTuple):
    """What keeps one answer cell: one of these rows together with one of these columns; None: any."""

    rows: frozenset[int] | None
    cols: frozenset[int] | None


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its gold table.

    Attributes:
        scores: Scores of all body rows and body columns.
        needs: What keeps its answer cells, from :func:`needs`.
        requires: What comes along with rows and columns, from
            :func:`tabrag.tables.subtable.requirements` of its table; without it these are not counted.
        always_rows: Rows that a rule keeps.
        always_cols: Columns that a rule keeps.
    """

    scores: HeaderScores
    needs: tuple[Need, ...]
    requires: Requirements = Requirements()
    always_rows: frozenset[int] = frozenset()
    always_cols: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Curve:
    """The trade-off of one way to choose, from the smallest tables to the whole ones; ``P`` points.

    Attributes:
        settings: Floats[P], the setting of each point, falling.
        removed: Floats[P], share of all body cells that is removed, 0..1.
        mean_removed: Floats[P], mean over the questions of the share removed, 0..1.
        kept: Floats[P], share of the questions that keep every answer cell, 0..1.
    """

    settings: Floats
    removed: Floats
    mean_removed: Floats
    kept: Floats


def needs(grid: Grid, cells: Iterable[Cell]) -> tuple[Need, ...]:
    """What keeps answer cells in a refined table.

    A body cell needs its row and its column (any of those of its merged region). A row header or the label of
    a section needs a row with it in its path, a column header a column with it in its path, and a cell of the
    corner nothing.
    """
    owners = owner_map(grid)
    lefts, tops = left_paths(grid), top_paths(grid)

    def first(cell: Cell) -> Cell:
        region = owners.get(cell)
        return cell if region is None else (region[0], region[2])

    def need(cell: Cell) -> Need:
        first_row, last_row, first_col, last_col = owners.get(cell, (cell[0], cell[0], cell[1], cell[1]))
        rows = frozenset(range(max(first_row, grid.num_header_rows), last_row + 1))
        cols = frozenset(range(max(first_col, grid.num_header_cols), last_col + 1))
        named_rows = frozenset(row for row, path in enumerate(lefts) if first(cell) in map(first, path))
        named_cols = frozenset(col for col, path in enumerate(tops) if first(cell) in map(first, path))
        return Need(
            rows | named_rows if last_row >= grid.num_header_rows else None,
            cols | named_cols if last_col >= grid.num_header_cols and not named_rows else None,
        )

    return tuple(need(cell) for cell in dict.fromkeys(cells))


def case_of(
    scores: HeaderScores,
    grid: Grid,
    question: str,
    answer_cells: Iterable[Cell],
    rules: RefineConfig | None = None,
) -> Case:
    """A question's gold table with the answer cells that it must keep.

    Args:
        scores: Of its body rows and body columns.
        grid: The table.
        question: The question.
        answer_cells: Cells that hold the answer or make it up.
        rules: Whose rules (``keep_...``) apply; those of the default settings where None.
    """
    rows, cols = kept_by_rule(grid, question, scores, rules or RefineConfig())
    return Case(scores, needs(grid, answer_cells), requirements(grid), rows, cols)


def curve(cases: Sequence[Case], method: Method = DEFAULT) -> Curve:
    """The trade-off over all settings of one way to choose.

    Args:
        cases: At least one question.
        method: See :func:`tabrag.inference.choice.walk`; one setting holds for all tables.
    """
    levels, cells, shares, kept = [], [], [], []
    total = 0
    for case in cases:
        rows, cols = orders(case.scores, case.requires, case.always_rows, case.always_cols)
        states = walk(rows, cols, method)
        least_rows = _least(rows.positions, [need.rows for need in case.needs])
        least_cols = _least(cols.positions, [need.cols for need in case.needs])
        holds = (states.num_rows >= least_rows) & (states.num_cols >= least_cols)
        size = len(rows.positions) * len(cols.positions)
        taken = states.num_rows * states.num_cols
        total += size
        levels.append(states.levels)
        cells.append(np.diff(taken, prepend=0))
        shares.append(np.diff(taken, prepend=0) / max(size, 1))
        kept.append(np.diff(holds.astype(int), prepend=0))
    flat = np.concatenate(levels)
    order = np.argsort(-flat, kind="stable")
    flat = flat[order]
    last = np.append(flat[1:] != flat[:-1], True)

    def sums(changes: list[Floats]) -> Floats:
        return np.cumsum(np.concatenate(changes)[order])[last]

    return Curve(
        settings=flat[last],
        removed=1.0 - sums(cells) / max(total, 1),
        mean_removed=1.0 - sums(shares) / len(cases),
        kept=sums(kept) / len(cases),
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one setting keeps.

    Attributes:
        cells: Body cells of a table, mean over the questions.
        kept_cells: Those that stay, mean over the questions.
        removed: Share of all body cells that is removed, 0..1.
        kept: Share of the questions that keep every answer cell, 0..1.
    """

    cells: float
    kept_cells: float
    removed: float
    kept: float


def outcome(cases: Sequence[Case], config: RefineConfig) -> Outcome:
    """What the settings of the stage keep; rules are taken from the cases, not from ``config``.

    Args:
        cases: At least one question.
        config: How rows and columns are chosen.
    """
    sizes, stay, answered = [], [], []
    for case in cases:
        rows, cols = orders(case.scores, case.requires, case.always_rows, case.always_cols)
        num_rows, num_cols = counts(rows, cols, config)
        sizes.append(len(rows.positions) * len(cols.positions))
        stay.append(num_rows * num_cols)
        answered.append(
            num_rows >= _least(rows.positions, [need.rows for need in case.needs])
            and num_cols >= _least(cols.positions, [need.cols for need in case.needs])
        )
    return Outcome(
        cells=sum(sizes) / len(cases),
        kept_cells=sum(stay) / len(cases),
        removed=1.0 - sum(stay) / max(sum(sizes), 1),
        kept=sum(answered) / len(cases),
    )


def kept_at(cases: Sequence[Case], removed: float = 0.75, *, method: Method = DEFAULT) -> float:
    """Share of the questions that keep every answer cell at the best single setting that removes at least
    ``removed`` of all body cells; 0 where none does."""
    found = curve(cases, method)
    enough = found.removed >= removed
    return float(found.kept[enough].max(initial=0.0))


def removed_at(cases: Sequence[Case], kept: float = 0.97, *, method: Method = DEFAULT) -> float:
    """Share of all body cells that is removed at the tightest single setting at which at least ``kept`` of
    the questions keep every answer cell; 0 where none does."""
    found = curve(cases, method)
    return float(found.removed[found.kept >= kept].max(initial=0.0))


def setting_keeping(cases: Sequence[Case], kept: float = 0.97, *, method: Method = DEFAULT) -> float:
    """The tightest single setting at which at least ``kept`` of the questions keep every answer cell."""
    found = curve(cases, method)
    finite = np.isfinite(found.settings)
    return float(found.settings[finite & (found.kept >= kept)].max(initial=0.0))


def _least(order: Sequence[int], wanted: Iterable[frozenset[int] | None]) -> float:
    """How many of the first positions hold one of each of the wanted sets."""
    places = {position: place for place, position in enumerate(order, start=1)}
    return max(
        (
            min((places[position] for position in some if position in places), default=np.inf)
            for some in wanted
            if some is not None
        ),
        default=0,
    )
