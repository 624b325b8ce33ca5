"""How fast a header classifier cuts tables down."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from tabrag.errors import UserError
from tabrag.inference.config import RefineConfig
from tabrag.inference.refine import Refine, load_scorer
from tabrag.tables.axes import AXES, axis_headers
from tabrag.tables.subtable import subtable
from tabrag.types import Grid, Table

NUM_ROWS, NUM_COLS = 30, 10


def measure_refining(
    tables: Iterable[Table],
    questions: Sequence[str],
    *,
    checkpoint: str,
    num_pairs: int = 1000,
    repeats: int = 3,
    dtype: str = "auto",
) -> dict[str, Any]:
    """Refine tables of 30 x 10 cells, headers included, each with a question.

    Args:
        tables: Those of at least that size are cut to it; they are taken in turn, with other questions,
            until there are ``num_pairs``.
        questions: Taken in turn.
        checkpoint: A header classifier; reading it does not count.
        num_pairs: (question, table) pairs, refined in one call.
        repeats: Rounds; the best counts.
        dtype: See :class:`tabrag.inference.config.RefineConfig`.

    Returns:
        ``tables_per_s``, ``seconds``, ``cpu_ms_a_table`` (of all threads, in the round with the least), mean
        ``tokens_a_table``, ``body_cells_removed`` (0..1), the number of different tables, and the setting.

    Raises:
        UserError: No table is large enough, there are no questions, or nothing to measure is asked for.
    """
    if num_pairs < 1 or repeats < 1:
        raise UserError(f"num_pairs={num_pairs}, repeats={repeats}: both must be at least 1")
    grids = [grid for table in tables if (grid := _cut(table.grid)) is not None]
    if not grids or not questions:
        raise UserError(
            f"the data has {len(questions)} questions and {len(grids)} tables of {NUM_ROWS} x {NUM_COLS} "
            "cells or more: name a folder that has both, for example  --data=datasets/hitab"
        )
    pairs = [(questions[n % len(questions)], grids[n % len(grids)]) for n in range(num_pairs)]
    config = RefineConfig(checkpoint=checkpoint, dtype=dtype)
    scorer = load_scorer(checkpoint, dtype=dtype)
    stage = Refine(config, scorer=scorer)
    stage(pairs[: min(50, num_pairs)])
    seconds = cpu_seconds = float("inf")
    for _ in range(repeats):
        since, cpu_since = time.perf_counter(), time.process_time()
        refined = stage(pairs)
        seconds = min(seconds, time.perf_counter() - since)
        cpu_seconds = min(cpu_seconds, time.process_time() - cpu_since)
    inputs = scorer.model.inputs  # type: ignore[attr-defined]
    tokens = sum(
        len(window)
        for question, grid in pairs
        for axis in AXES
        for window in inputs.windows(question, grid, axis)[1]
    )
    before = sum(len(one.scores.rows) * len(one.scores.cols) for one in refined)
    after = sum(_num_body_cells(one.part.grid) for one in refined)
    return {
        "tables_per_s": round(num_pairs / seconds, 1),
        "seconds": round(seconds, 2),
        "cpu_ms_a_table": round(1000 * cpu_seconds / num_pairs, 2),
        "tokens_a_table": round(tokens / num_pairs, 1),
        "body_cells_removed": round(1 - after / before, 3),
        "different_tables": len(grids),
        "num_pairs": num_pairs,
        "threads": torch.get_num_threads(),
        "dtype": dtype,
    }


def _cut(grid: Grid | None) -> Grid | None:
    """The upper left 30 x 10 cells of a grid; None where it is smaller, or its headers need more."""
    if grid is None or grid.num_rows < NUM_ROWS or grid.num_cols < NUM_COLS:
        return None
    part = subtable(grid, range(NUM_ROWS), range(NUM_COLS)).grid
    return part if (part.num_rows, part.num_cols) == (NUM_ROWS, NUM_COLS) else None


def _num_body_cells(grid: Grid) -> int:
    return len(axis_headers(grid, "row")) * len(axis_headers(grid, "col"))
