"""Rows and columns by their header paths, and the cells that a question names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_tables import sales

from tabrag.tables.axes import axis_headers, named_cells
from tabrag.tables.grid import make_grid, section_rows


def test_paths_without_section_rows() -> None:
    grid = sales().grid
    assert grid is not None and section_rows(grid) == [2]
    rows, cols = axis_headers(grid, "row"), axis_headers(grid, "col")
    assert [(row.position, row.texts) for row in rows] == [(3, ("citrus", "lemon"))]
    assert [(col.position, col.texts) for col in cols] == [
        (1, ("2019", "north")),
        (2, ("2019", "south")),
        (3, ("2020", "north")),
    ]
    assert rows[0].path == ((2, 0), (3, 0))


def test_a_row_without_header_is_known_by_its_cells() -> None:
    grid = make_grid([["a", "b", "c", "d", "e"], ["", "1", "2", "3", "4"], ["x", "5", "6", "7", "8"]])
    rows = axis_headers(grid, "row")
    assert [(row.path, row.texts) for row in rows[1:]] == [
        ((), ("1", "2", "3", "4")),
        ((), ("x", "5", "6", "7")),
    ]
    assert axis_headers(grid, "col")[4].texts == ("e", "4", "8")


def test_a_body_of_section_rows_alone_keeps_them() -> None:
    grid = make_grid([["h", "i"], ["a", ""], ["b", ""]], num_header_rows=1)
    assert section_rows(grid) == [1, 2]
    assert [row.position for row in axis_headers(grid, "row")] == [1, 2]


def test_blank_headers_of_a_path_are_dropped() -> None:
    grid = make_grid(
        [["", "p"], ["r", "1"]], num_header_rows=1, num_header_cols=1, left_paths=[(), ((0, 0), (1, 0))]
    )
    row = axis_headers(grid, "row")[0]
    assert (row.path, row.texts) == (((1, 0),), ("r",))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("in which year did he run for 149 yards?", [(1, 1)]),
        ("who had 1234 points, and who 1,500?", [(1, 2), (2, 2)]),
        ("when did Real Madrid play?", [(2, 1)]),
        ("how many in madrid?", []),
        ("did 7 games give 49 points?", []),
    ],
)
def test_named_cells(question: str, expected: list[tuple[int, int]]) -> None:
    grid = make_grid(
        [["year", "a", "b"], ["2016", "149.0", "1,234"], ["2017", "Real Madrid", "1500"], ["2018", "7", "x"]],
        num_header_rows=1,
        num_header_cols=1,
    )
    assert named_cells(grid, question) == expected


@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(
            st.lists(st.text("ab 1", max_size=3), min_size=width, max_size=width), min_size=1, max_size=6
        )
    ),
    st.integers(0, 2),
    st.integers(0, 2),
)
def test_every_body_row_and_column_is_there_once(cells: list[list[str]], top: int, left: int) -> None:
    grid = make_grid(cells, num_header_rows=min(top, len(cells)), num_header_cols=min(left, len(cells[0])))
    cols = [col.position for col in axis_headers(grid, "col")]
    assert cols == list(range(grid.num_header_cols, grid.num_cols))
    rows = [row.position for row in axis_headers(grid, "row")]
    body = list(range(grid.num_header_rows, grid.num_rows))
    assert rows == sorted(set(rows)) and set(rows) <= set(body)
    assert bool(rows) == bool(body)
    assert set(body) - set(rows) <= set(section_rows(grid))
