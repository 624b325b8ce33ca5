"""Rows and columns that hold the largest or smallest value where a question asks for it.

Headers do not say which row wins "which country has the most ...": a classifier that reads headers alone
could only keep all of them. The values say it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tabrag.tables.axes import Axis, AxisHeader, axis_headers
from tabrag.tables.grid import owner_map
from tabrag.tables.header_scores import HeaderScores
from tabrag.tables.lexical import TOTALS, asked_direction, words
from tabrag.tables.spans import Region, first_cell
from tabrag.tables.values import infer_number_format, parse_value
from tabrag.types import Cell, Grid, HeaderPath

_NUM_LINES = 2
"""Columns, best first, in which the extreme row is looked for; likewise rows."""


def extremes(grid: Grid, question: str, scores: HeaderScores) -> dict[Axis, set[int]]:
    """The rows and columns of extreme values, by grid position; none where the question asks for no extreme.

    In each of the two likeliest columns: the extreme row of the table, and that of the likeliest row's group
    (the rows under the same parent). Totals and parents of other rows take no part, since they hold the sum
    of what is compared. The same with rows and columns changed over.
    """
    kept: dict[Axis, set[int]] = {"row": set(), "col": set()}
    direction = asked_direction(question)
    if not direction:
        return kept
    rows, cols = axis_headers(grid, "row"), axis_headers(grid, "col")
    owners = owner_map(grid)
    for col in _best(scores.cols):
        values = _values(grid, owners, [(row.position, col) for row in rows], by_row=True)
        kept["row"] |= _winners(rows, values, scores.rows, direction)
    for row in _best(scores.rows):
        values = _values(grid, owners, [(row, col.position) for col in cols], by_row=False)
        kept["col"] |= _winners(cols, values, scores.cols, direction)
    return kept


def _best(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda position: -scores[position])[:_NUM_LINES]


def _values(
    grid: Grid, owners: dict[Cell, Region], cells: Sequence[Cell], *, by_row: bool
) -> dict[int, float]:
    """The numbers of a column by row, or those of a row by column."""
    seen = {cell: first_cell(owners, *cell) for cell in cells}
    texts = {cell: grid.cells[row][col] for cell, (row, col) in seen.items()}
    number_format = infer_number_format(texts.values())
    values = {cell: parse_value(text, number_format) for cell, text in texts.items()}
    return {cell[0 if by_row else 1]: value.number for cell, value in values.items() if value is not None}


def _winners(
    headers: Sequence[AxisHeader], values: Mapping[int, float], scores: Mapping[int, float], direction: int
) -> set[int]:
    """Positions of the extreme value of the axis, and of the likeliest position's group."""
    parents: set[HeaderPath] = {
        header.path[:length] for header in headers for length in range(1, len(header.path))
    }
    compared = {
        header.position: header.path[:-1]
        for header in headers
        if header.position in values
        and header.path not in parents
        and not (header.path and TOTALS & set(words(header.texts[-1])))
    }
    likeliest = max(compared, key=lambda position: scores[position], default=None)
    groups = [list(compared)]
    if likeliest is not None:
        groups.append([position for position in compared if compared[position] == compared[likeliest]])
    return {max(group, key=lambda position: values[position] * direction) for group in groups if group}
