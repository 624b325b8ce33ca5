"""Which rows and columns a question needs: the targets of the header classifier.

Gold are the rows and columns of the answer cells. Where the answers are headers themselves, the other axis is
known by the headers that the question links to: gold are those that lie deepest, or all below a linked
parent. Links off the answer's paths (a condition of the question, what it compares with) are neither gold nor
negative.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.tables.axes import AXES, Axis, AxisHeader, axis_headers
from tabrag.tables.grid import owner
from tabrag.types import Cell, GoldHeaders, Grid

GOLD, NEGATIVE, IGNORED = 1, 0, -1


@dataclass(frozen=True, slots=True)
class HeaderExample:
    """A question with the table that answers it, and where in it."""

    query_id: str
    text: str
    gold: GoldHeaders


def header_examples(folder: DataFolder, split: str, *, max_examples: int = 0) -> list[HeaderExample]:
    """The questions of a split whose gold headers or answer cells are known, in the order of the file.

    Tables without a body have no rows or columns to choose from and are left out.

    Args:
        folder: Data set folder with ``headers.jsonl``.
        split: Name of the split.
        max_examples: Keep every n-th one, so that at most about this many are left; 0 keeps all.

    Raises:
        UserError: There are none.
    """
    examples = [
        HeaderExample(query_id, folder.queries[query_id].text, gold)
        for query_id, grades in folder.qrels(split).items()
        for gold in folder.gold_headers.get(query_id, ())
        if grades.get(gold.table_id, 0) > 0 and _has_body(folder.tables[gold.table_id].grid)
    ]
    if not examples:
        raise UserError(
            f"{folder.path}: no query of split '{split}' has gold headers in headers.jsonl: use a data set "
            "that annotates them, for example hitab or synthetic"
        )
    step = -(-len(examples) // max_examples) if max_examples else 1
    return examples[::step]


def _has_body(grid: Grid | None) -> bool:
    return grid is not None and grid.num_header_rows < grid.num_rows and grid.num_header_cols < grid.num_cols


def grid_of(folder: DataFolder, example: HeaderExample) -> Grid:
    """The grid of an example's table; :func:`header_examples` leaves tables without one out."""
    grid = folder.tables[example.gold.table_id].grid
    assert grid is not None
    return grid


def header_labels(grid: Grid, gold: GoldHeaders) -> dict[Axis, list[int]]:
    """For each axis one label a header of :func:`tabrag.tables.axes.axis_headers`: gold, negative or
    ignored.
    """
    return {axis: _axis_labels(grid, gold, axis) for axis in AXES}


def _axis_labels(grid: Grid, gold: GoldHeaders, axis: Axis) -> list[int]:
    headers = axis_headers(grid, axis)
    linked = {owner(grid, *cell) for cell in (gold.left if axis == "row" else gold.top)}
    answers = _of_answers(grid, headers, gold.answer_cells, axis)
    if not answers:
        answers = _deepest(headers, linked)
    on_paths = {cell for header in headers if header.position in answers for cell in header.path}
    off_paths = linked - on_paths
    return [
        GOLD if header.position in answers else IGNORED if off_paths.intersection(header.path) else NEGATIVE
        for header in headers
    ]


def _of_answers(grid: Grid, headers: Sequence[AxisHeader], cells: Iterable[Cell], axis: Axis) -> set[int]:
    """Positions of the answer cells on this axis; a header that answers stands for what it heads."""
    positions = {header.position for header in headers}
    found: set[int] = set()
    for row, col in cells:
        position = row if axis == "row" else col
        is_header = row < grid.num_header_rows or col < grid.num_header_cols
        is_section = axis == "row" and position not in positions
        heads = _deepest(headers, {owner(grid, row, col)}) if is_header or is_section else set()
        found |= heads or positions & {position}
    return found


def _deepest(headers: Sequence[AxisHeader], linked: set[Cell]) -> set[int]:
    """Positions of the headers whose own level is linked; of all below a linked parent where none is."""
    own = {header.position for header in headers if header.path and header.path[-1] in linked}
    return own or {header.position for header in headers if linked.intersection(header.path)}
