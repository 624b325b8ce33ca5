"""Forms: tables of names and their values side by side, which have no header row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tabrag.tables.kinds import Kind
from tabrag.tables.look import Look
from tabrag.types import Cell

_MAX_ROWS = 60
"""Rows that are looked at."""
_MAX_NAME = 60
"""Longest name of a value, characters."""


def is_form(look: Look, start: int) -> bool:
    """Whether the rows from ``start`` on hold names and values: no row of them is a header.

    Args:
        look: The grid.
        start: The first row below the titles.
    """
    return _has_colons(look, start) or _has_single_values(look, start) or _has_pairs(look, start)


def _has_colons(look: Look, start: int) -> bool:
    """Whether two columns hold names that end in colons, and their values."""
    names = [look.grid.cells[row][0].rstrip() for row in range(start, look.num_rows)]
    return look.grid.num_cols == 2 and 2 * sum(name.endswith((":", "：")) for name in names) > len(names)


def _has_single_values(look: Look, start: int) -> bool:
    """Whether the first row has a label and one value over all other columns, and a row below it, too."""
    if start + 2 >= look.num_rows or not look.text(start + 1, 0).strip():
        return False
    rows = range(start, min(look.num_rows, start + _MAX_ROWS))
    return _is_single_value(look, start) and sum(_is_single_value(look, row) for row in rows) > 1


def _is_single_value(look: Look, row: int) -> bool:
    label = look.owners.get((row, 0), (row, row, 0, 0))
    last = look.grid.num_cols - 1
    value = look.owners.get((row, last))
    return (
        look.kinds[row][0] is Kind.TEXT
        and label[0] == label[1]
        and value == (row, row, label[3] + 1, last)
        and look.text(row, last).strip() != ""
    )


def _has_pairs(look: Look, start: int) -> bool:
    """Whether columns of names alternate with columns of values of all kinds.

    Names are short texts that occur once. Most columns of values hold texts both with and without digits. The
    first row must not look like names of columns: one of its values has a digit, which lets one such column
    do, or several words.
    """
    num_cols = look.grid.num_cols
    rows = [row for row in range(start, min(look.num_rows, start + _MAX_ROWS)) if not look.is_label(row)]
    if num_cols < 4 or num_cols % 2 or len(rows) < 3 or rows[0] != start:
        return False
    if any(_is_wide(look, start, col) for col in range(0, num_cols, 2)):
        return False
    names = [cell for cell in _cells(look, rows, range(0, num_cols, 2)) if not _is_wide(look, *cell)]
    if any(look.kinds[row][col] is not Kind.TEXT for row, col in names):
        return False
    texts = [look.grid.cells[row][col].strip() for row, col in names]
    if max(map(len, texts), default=_MAX_NAME + 1) > _MAX_NAME or 10 * len(set(texts)) < 9 * len(texts):
        return False
    columns = [_cells(look, rows[1:], [col]) for col in range(1, num_cols, 2)]
    is_mixed = [len({_has_digit(look, row, col) for row, col in cells}) == 2 for cells in columns]
    values = [look.grid.cells[start][col] for col in range(1, num_cols, 2)]
    if any(map(str.isdigit, "".join(values))):
        return any(is_mixed)
    return 2 * sum(is_mixed) > len(is_mixed) and any(len(value.split()) > 1 for value in values)


def _has_digit(look: Look, row: int, col: int) -> bool:
    return any(map(str.isdigit, look.grid.cells[row][col]))


def _is_wide(look: Look, row: int, col: int) -> bool:
    region = look.owners.get((row, col))
    return region is not None and region[3] > region[2]


def _cells(look: Look, rows: Sequence[int], cols: Iterable[int]) -> list[Cell]:
    """The filled cells that begin in these rows and columns."""
    return [(row, col) for row in rows for col in cols if look.grid.cells[row][col].strip()]
