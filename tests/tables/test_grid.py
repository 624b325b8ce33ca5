"""Grids: checks, merged regions and header paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.tables.grid import (
    cell_text,
    corner_paths,
    left_paths,
    make_grid,
    owner,
    path_texts,
    section_rows,
    top_paths,
)
from tabrag.types import Grid


def sales_grid() -> Grid:
    return make_grid(
        [
            ["", "", "Sales", ""],
            ["Region", "Shop", "2020", "2021"],
            ["North", "A", "1", "2"],
            ["", "B", "3", "4"],
        ],
        merged=[(0, 0, 2, 3), (2, 3, 0, 0)],
        num_header_rows=2,
        num_header_cols=2,
    )


def test_spanning_header_stands_once_in_each_path() -> None:
    """Report H01: 'Sales' over two years, 'North' beside two rows."""
    grid = sales_grid()
    texts = [path_texts(grid, path) for path in top_paths(grid)]
    assert texts == [[], [], ["Sales", "2020"], ["Sales", "2021"]]
    assert [path_texts(grid, path) for path in left_paths(grid)] == [[], [], ["North", "A"], ["North", "B"]]
    assert [path_texts(grid, path) for path in corner_paths(grid)] == [["Region"], ["Shop"]]
    assert owner(grid, 3, 0) == (2, 0) and cell_text(grid, 3, 0) == "North" and grid.cells[3][0] == ""


def test_region_over_rows_and_columns_of_the_header_is_one_level() -> None:
    grid = make_grid(
        [["a", "Wide", ""], ["", "", ""], ["", "x", "y"], ["r", "1", "2"]],
        merged=[(0, 2, 0, 0), (0, 1, 1, 2)],
        num_header_rows=3,
        num_header_cols=1,
    )
    assert top_paths(grid) == [(), ((0, 1), (2, 1)), ((0, 1), (2, 2))]


def test_section_rows_are_a_level_of_the_rows_below() -> None:
    """Report H03: a full-width label is a level until the next one."""
    grid = make_grid(
        [
            ["Region", "2020", "2021"],
            ["World", "9", "9"],
            ["Europe", "", ""],
            ["France", "1", "2"],
            ["Spain", "3", "4"],
            ["Asia", "", ""],
            ["Japan", "5", "6"],
        ],
        merged=[(2, 2, 0, 2)],
        num_header_rows=1,
        num_header_cols=1,
    )
    assert section_rows(grid) == [2, 5]
    assert [path_texts(grid, path) for path in left_paths(grid)] == [
        [],
        ["World"],
        ["Europe"],
        ["Europe", "France"],
        ["Europe", "Spain"],
        ["Asia"],
        ["Asia", "Japan"],
    ]


def test_a_total_of_all_sections_is_in_none() -> None:
    rows = [["", "n"], ["Fruit", ""], ["plum", "1"], ["Veg", ""], ["leek", "2"], ["Total", "3"]]

    def last_paths(cells: list[list[str]]) -> list[list[str]]:
        grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
        return [path_texts(grid, path) for path in left_paths(grid)[-2:]]

    assert last_paths(rows) == [["Veg", "leek"], ["Total"]]
    with_own = [*rows[:3], ["Total", "1"], *rows[3:]]
    assert last_paths(with_own) == [["Veg", "leek"], ["Veg", "Total"]]
    one_section = [rows[0], *rows[3:]]
    assert last_paths(one_section) == [["Veg", "leek"], ["Veg", "Total"]]


def test_row_of_span_starts_is_no_section() -> None:
    grid = make_grid(
        [["Year", "Month", "Cost"], ["2025", "", ""], ["", "May", "1"], ["2026", "May", "2"]],
        merged=[(1, 2, 0, 0)],
        num_header_rows=1,
        num_header_cols=2,
    )
    assert section_rows(grid) == []
    assert [path_texts(grid, path) for path in left_paths(grid)][2:] == [["2025", "May"], ["2026", "May"]]


def test_value_that_reaches_down_keeps_a_row_from_being_a_section() -> None:
    cells = [["h", "v"], ["a", "1"], ["b", ""]]
    assert section_rows(make_grid(cells, num_header_rows=1, num_header_cols=1)) == [2]
    spanned = make_grid(cells, merged=[(1, 2, 1, 1)], num_header_rows=1, num_header_cols=1)
    assert section_rows(spanned) == []


def test_equal_names_are_kept_apart_by_position() -> None:
    """Report H08: two columns 'Total' have two paths of one text."""
    grid = make_grid([["", "Total", "Total"], ["a", "1", "2"]], num_header_rows=1, num_header_cols=1)
    first, second = top_paths(grid)[1:]
    assert first != second
    assert path_texts(grid, first) == path_texts(grid, second) == ["Total"]


def test_annotated_paths_go_before_the_rule() -> None:
    grid = make_grid(
        [["x", "a", "b"], ["r", "1", "2"], ["s", "3", "4"]],
        num_header_rows=1,
        num_header_cols=1,
        top_paths=[(), ((0, 1),), ((0, 1), (0, 2))],
        left_paths=[(), ((1, 0),), ((1, 0), (2, 0))],
    )
    assert path_texts(grid, top_paths(grid)[2]) == ["a", "b"]
    assert path_texts(grid, left_paths(grid)[2]) == ["r", "s"]


def test_text_of_a_region_moves_to_its_first_cell() -> None:
    grid = make_grid([["", "a"], ["a", "a"]], merged=[(0, 1, 0, 1)])
    assert grid.cells == [["a", ""], ["", ""]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cells": []}, "at least one row"),
        ({"cells": [[]]}, "at least one row"),
        ({"cells": [["a", "b"], ["c"]]}, "row 1 has 1 cells"),
        ({"cells": [["a", None]]}, r"cell \(0, 1\) is None"),
        ({"cells": [["a", "b"]], "merged": [(0, 1, 0, 0)]}, "does not lie inside"),
        ({"cells": [["a", "b", "c"]], "merged": [(0, 0, 0, 1), (0, 0, 1, 2)]}, "overlap"),
        ({"cells": [["a"]], "num_header_rows": 2}, "num_header_rows is 2"),
        ({"cells": [["a", "b"]], "top_paths": [()]}, "top_paths has 1 paths"),
        ({"cells": [["a"]], "left_paths": [((3, 0),)]}, "outside the grid"),
    ],
)
def test_faults_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_grid(arguments.pop("cells"), **arguments)


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """Grids with up to three merged regions; the texts are unique, so that a path tells its cells."""
    num_rows, num_cols = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    cells = [
        [draw(st.sampled_from(["", f"t{row}.{col}"])) for col in range(num_cols)] for row in range(num_rows)
    ]
    merged: list[tuple[int, int, int, int]] = []
    for _ in range(draw(st.integers(0, 3))):
        first_row, first_col = draw(st.integers(0, num_rows - 1)), draw(st.integers(0, num_cols - 1))
        region = (
            first_row,
            draw(st.integers(first_row, num_rows - 1)),
            first_col,
            draw(st.integers(first_col, num_cols - 1)),
        )
        if not any(
            region[0] <= other[1]
            and other[0] <= region[1]
            and region[2] <= other[3]
            and other[2] <= region[3]
            for other in merged
        ):
            merged.append(region)
    return make_grid(
        cells,
        merged=merged,
        num_header_rows=draw(st.integers(0, num_rows)),
        num_header_cols=draw(st.integers(0, num_cols)),
    )


@given(grids())
def test_paths_hold_each_header_once_and_in_order(grid: Grid) -> None:
    tops, lefts = top_paths(grid), left_paths(grid)
    assert len(tops) == grid.num_cols and len(lefts) == grid.num_rows
    assert all(not path for path in tops[: grid.num_header_cols] + lefts[: grid.num_header_rows])
    for path in tops + lefts:
        assert len(set(path)) == len(path)
        assert all(grid.cells[row][col] for row, col in path)
    for col, path in enumerate(tops[grid.num_header_cols :], start=grid.num_header_cols):
        expected = {cell_text(grid, row, col) for row in range(grid.num_header_rows)} - {""}
        assert set(path_texts(grid, path)) == expected
        assert [row for row, _ in path] == sorted(row for row, _ in path)
    for row, path in enumerate(lefts[grid.num_header_rows :], start=grid.num_header_rows):
        expected = {cell_text(grid, row, col) for col in range(grid.num_header_cols)} - {""}
        assert expected <= set(path_texts(grid, path)) or row in section_rows(grid)
