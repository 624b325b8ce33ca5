"""Rows of a table that a writer set as lines within one row, aligned by position alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tabrag.tables.kinds import Kind, cell_kind

Region = tuple[int, int, int, int]
_MIN_LINES = 3
_NUMERIC = (Kind.NUMBER, Kind.MISSING, Kind.PERIOD)


def split_stacked(
    cells: Sequence[Sequence[Sequence[str]]], merged: Sequence[Region]
) -> tuple[list[list[list[str]]], list[Region], bool]:
    """Split rows whose cells are stacks of lines of one height, where a column of such lines holds numbers.

    Lines are aligned from the top; blank ones count: they stand for empty cells. Where all cells have a blank
    line in one place and are not equally high, what is parted by blank lines below it is aligned by its
    order: labels there may have been wrapped. A row that is part of a cell merged over rows stays whole.

    Args:
        cells: Lines of each cell, row by row; blank lines at the end of a cell do not matter.
        merged: Regions ``(first_row, last_row, first_col, last_col)``, inclusive.

    Returns:
        The rows, the regions in them, and whether anything was split.
    """
    is_fixed = {row for region in merged if region[1] > region[0] for row in range(region[0], region[1] + 1)}
    starts = [0]
    rows: list[list[list[str]]] = []
    for row, texts in enumerate(cells):
        stacked = [] if row in is_fixed else _unstacked([_without_end(lines) for lines in texts])
        rows += stacked or [[list(lines) for lines in texts]]
        starts.append(len(rows))
    if len(rows) == len(cells):
        return rows, list(merged), False
    regions = []
    for first_row, last_row, first_col, last_col in merged:
        if last_row > first_row:
            regions.append((starts[first_row], starts[last_row + 1] - 1, first_col, last_col))
        else:
            lines = range(starts[first_row], starts[first_row + 1])
            regions += [(row, row, first_col, last_col) for row in lines]
    return rows, regions, True


def _unstacked(stacks: Sequence[Sequence[str]]) -> list[list[list[str]]]:
    """The rows that are stacked in one; none where it is an ordinary row."""
    filled = [stack for stack in stacks if stack]
    if len(filled) < 2 or not any(map(_is_numeric, filled[1:])):
        return []
    height = max(map(len, filled))
    if all(len(stack) == height for stack in filled):
        return _aligned(stacks, height) if height >= _MIN_LINES else []
    head = next((place for place in range(_MIN_LINES, height) if _is_blank(filled, place)), 0)
    if not head or any(sum(map(_is_said, stack[:head])) < _MIN_LINES for stack in filled):
        return []
    tails = [_parts(stack[head:]) for stack in stacks]
    num_parts = max(map(len, tails), default=0)
    labels = next(tail for stack, tail in zip(stacks, tails, strict=True) if stack)
    rows = _aligned(stacks, head)
    if any(len(tail) not in (0, num_parts) for tail in tails) or len(labels) != num_parts:
        return [*rows, [[line for part in tail for line in part] for tail in tails]]
    return rows + [[tail[place] if tail else [""] for tail in tails] for place in range(num_parts)]


def _aligned(stacks: Sequence[Sequence[str]], height: int) -> list[list[list[str]]]:
    """One row a line, from the top."""
    return [[[stack[place]] if place < len(stack) else [""] for stack in stacks] for place in range(height)]


def _parts(lines: Sequence[str]) -> list[list[str]]:
    """Lines that blank ones part from others."""
    return [list(group) for is_said, group in groupby(lines, key=_is_said) if is_said]


def _is_blank(stacks: Sequence[Sequence[str]], place: int) -> bool:
    return not any(_is_said(stack[place]) for stack in stacks if place < len(stack))


def _is_said(line: str) -> bool:
    return bool(line.strip())


def _is_numeric(lines: Sequence[str]) -> bool:
    kinds = [cell_kind(line) for line in lines if line.strip()]
    return len(kinds) >= _MIN_LINES and 2 * sum(kind in _NUMERIC for kind in kinds) > len(kinds)


def _without_end(lines: Sequence[str]) -> Sequence[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]
