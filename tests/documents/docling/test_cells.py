"""Cells of Docling's tables, whatever their offsets say."""

from __future__ import annotations

import pytest
from docling_files import cell, rows_of
from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.docling.cells import read_cells, settle_headers
from tabrag.errors import UserError

_OFFSETS = st.one_of(st.integers(-3, 8), st.sampled_from([None, "1", 10**9, -(10**9), 1.5, True, 10**400]))
_CELLS = st.fixed_dictionaries(
    {
        "text": st.one_of(st.text(max_size=4), st.none(), st.integers()),
        **{f"{end}_{axis}_offset_idx": _OFFSETS for end in ("start", "end") for axis in ("row", "col")},
    },
    optional={name: st.booleans() for name in ("column_header", "row_header", "row_section")},
)


def table_data(cells: list[dict[str, object]], num_rows: object, num_cols: object) -> dict[str, object]:
    return {"table_cells": cells, "num_rows": num_rows, "num_cols": num_cols}


@given(st.lists(_CELLS, max_size=12), _OFFSETS, _OFFSETS)
def test_any_cells_give_a_grid_with_each_region_once_or_none(cells, num_rows, num_cols) -> None:
    try:
        table = read_cells(table_data(cells, num_rows, num_cols))
    except UserError as error:
        assert "too large" in str(error) or "have no place" in str(error)
        return
    if table is None:
        return
    assert len({len(row) for row in table.cells}) == 1
    taken = [
        (row, col)
        for first, last, left, right in table.merged
        for row in range(first, last + 1)
        for col in range(left, right + 1)
    ]
    assert len(taken) == len(set(taken))
    assert all(row < len(table.cells) and col < len(table.cells[0]) for row, col in taken)
    shown = " ".join(text for row in table.cells for text in row)
    num_said = sum(isinstance(one["text"], str) and bool(one["text"].strip()) for one in cells)
    assert shown.strip() or num_said == table.num_lost
    for marked in (True, False):
        if shown.strip():
            grid = settle_headers(table, marked=marked).grid
            assert 0 <= grid.num_header_rows <= grid.num_rows


def test_cells_of_a_grid_that_repeats_them() -> None:
    """Older files may have the grid alone, in which a cell stands at each of its positions."""
    wide = cell(0, 0, "Sales", cols=2, header=True)
    grid = [[wide, wide], [cell(1, 0, "a"), cell(1, 1, "1")]]
    table = read_cells({"grid": grid, "num_rows": 2, "num_cols": 2})
    assert table is not None
    assert (table.cells, table.merged) == ([["Sales", ""], ["a", "1"]], [(0, 0, 0, 1)])


def test_overlapping_cells_lose_no_text() -> None:
    cells = [cell(0, 0, "a", cols=2), cell(0, 1, "b"), cell(1, 0, "c"), cell(1, 1, "d", rows=3)]
    table = read_cells(table_data([*cells, cell(0, 2, "e", rows=2), cell(1, 1, "x", cols=2)], 2, 3))
    assert table is not None
    assert table.cells == [["a b", "", "e"], ["c", "d x", ""]]
    assert table.merged == [(0, 0, 0, 1), (0, 1, 2, 2)]


def test_cells_outside_are_counted_and_sizes_that_are_missing_are_found() -> None:
    cells = rows_of([["a", "b"], ["1", "2"]])
    outside = read_cells(table_data([*cells, cell(5, 0, "x"), cell(6, 0, "")], 2, 2))
    assert outside is not None and outside.num_lost == 1
    found = read_cells({"table_cells": cells})
    assert found is not None and found.cells == [["a", "b"], ["1", "2"]]
    assert read_cells(table_data([cell(0, 0, " ")], 3, 3)) is None


def test_a_huge_table_is_refused_and_huge_spans_take_no_time() -> None:
    with pytest.raises(UserError, match="too large"):
        read_cells(table_data([cell(0, 0, "x")], 10**6, 10**6))
    spans = [cell(row, 0, str(row), rows=10**6, cols=10**6) for row in range(900)]
    table = read_cells(table_data(spans, 1000, 1000))
    assert table is not None and sum(bool(row[0]) for row in table.cells) >= 1


def test_columns_begin_at_their_leftmost_cell() -> None:
    cells = rows_of([["a", "b"], ["1", "2"]])
    boxes = {"a": (10.0, 0, 20, 5), "b": (50.0, 0, 60, 5), "1": (8.0, 5, 20, 9), "2": (52.0, 5, 70, 9)}
    table = read_cells(table_data(cells, 2, 2), lambda entry: boxes.get(str(entry["text"])))
    assert table is not None and table.col_edges == [8.0, 50.0, 70.0]
    assert read_cells(table_data(cells, 2, 2)).col_edges == []  # type: ignore[union-attr]


def test_where_all_columns_are_marked_as_headers_of_rows_some_are_left_for_the_body() -> None:
    cells = [
        cell(row, col, f"{row}{col}", header=row == 0, stub=row > 0) for row in range(3) for col in (0, 1)
    ]
    table = read_cells(table_data(cells, 3, 2))
    assert table is not None and table.num_header_cols == 2
    grid = settle_headers(table, marked=True).grid
    assert grid.num_header_rows == 1 and grid.num_header_cols < 2
