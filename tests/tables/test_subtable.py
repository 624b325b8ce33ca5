from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.data.sources import hitab
from tabrag.tables.axes import axis_headers
from tabrag.tables.grid import (
    cell_text,
    left_paths,
    make_grid,
    owner,
    path_texts,
    section_rows,
    top_paths,
)
from tabrag.tables.subtable import Requirements, Subtable, requirements, subtable
from tabrag.types import Grid

CROPS = make_grid(
    [
        ["crop", "2019", "", "2020", ""],
        ["", "tons", "share", "tons", "share"],
        ["North", "", "", "", ""],
        ["wheat", "1", "2", "3", "4"],
        ["rye", "5", "6", "7", "8"],
        ["South", "", "", "", ""],
        ["wheat", "9", "10", "11", "12"],
    ],
    merged=[(0, 1, 0, 0), (0, 0, 1, 2), (0, 0, 3, 4), (5, 5, 0, 4)],
    num_header_rows=2,
    num_header_cols=1,
)


def check(part: Subtable) -> None:
    """What must hold of every part."""
    grid, whole = part.grid, part.whole
    assert (grid.num_rows, grid.num_cols) == (len(part.rows), len(part.cols))
    assert list(part.rows) == sorted(set(part.rows)) and list(part.cols) == sorted(set(part.cols))
    assert part.rows[: grid.num_header_rows] == tuple(range(whole.num_header_rows))
    assert part.cols[: grid.num_header_cols] == tuple(range(whole.num_header_cols))
    for row in range(grid.num_rows):
        for col in range(grid.num_cols):
            assert cell_text(grid, row, col) == cell_text(whole, part.rows[row], part.cols[col])
            first_row, first_col = part.original((row, col))
            assert owner(whole, first_row, first_col) == (first_row, first_col)
            assert cell_text(grid, row, col) == whole.cells[first_row][first_col]
    for paths, kept in ((left_paths, part.rows), (top_paths, part.cols)):
        before, after = paths(whole), paths(grid)
        for place, position in enumerate(kept):
            assert [cell_text(grid, *cell) for cell in after[place]] == [
                cell_text(whole, *cell) for cell in before[position]
            ]
    make_grid(grid.cells, merged=grid.merged, top_paths=grid.top_paths, left_paths=grid.left_paths)


def test_headers_and_sections_come_along_and_merged_text_moves():
    part = subtable(CROPS, [6], [2, 4])
    check(part)
    assert part.grid.cells == [
        ["crop", "2019", "2020"],
        ["", "share", "share"],
        ["South", "", ""],
        ["wheat", "10", "12"],
    ]
    assert part.grid.merged == [(0, 1, 0, 0), (2, 2, 0, 2)]
    assert part.original((0, 1)) == (0, 1) and part.original((3, 2)) == (6, 4)
    assert part.original((2, 1)) == (5, 0)
    assert path_texts(part.grid, left_paths(part.grid)[3]) == ["South", "wheat"]


def test_parents_of_indented_rows_come_along():
    cells = [["", "2019"], ["all", "9"], ["men", "4"], ["young", "1"], ["women", "5"]]
    paths = [(), ((1, 0),), ((1, 0), (2, 0)), ((1, 0), (2, 0), (3, 0)), ((1, 0), (4, 0))]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1, left_paths=paths)
    assert requirements(grid) == Requirements(
        rows={2: frozenset({1}), 3: frozenset({1, 2}), 4: frozenset({1})},
    )
    part = subtable(grid, [3], [1])
    check(part)
    assert part.rows == (0, 1, 2, 3)


def test_a_unit_that_is_merged_over_all_columns_asks_for_none_of_them():
    cells = [["", "a", "b", "c"], ["", "percent", "", ""], ["x", "1", "2", "3"], ["y", "4", "5", "6"]]
    paths = [(), ((1, 1),), ((1, 1), (2, 0)), ((1, 1), (3, 0))]
    over_all, alone = (
        make_grid(cells, merged=merged, num_header_rows=1, num_header_cols=1, left_paths=paths)
        for merged in ([(1, 1, 1, 3)], [])
    )
    part = subtable(over_all, [3], [3])
    check(part)
    assert part.grid.cells == [["", "c"], ["", "percent"], ["y", "6"]]
    assert not requirements(over_all).fixed_cols
    assert requirements(alone).fixed_cols == {1} and subtable(alone, [3], [3]).cols == (0, 1, 3)


def test_a_row_without_values_in_the_kept_columns_heads_no_others():
    cells = [["", "a", "b"], ["x", "", "1"], ["y", "2", "3"]]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    part = subtable(grid, [1, 2], [1])
    assert section_rows(part.grid) == [1] and not section_rows(grid)
    assert left_paths(part.grid) == [(), ((1, 0),), ((2, 0),)]


def test_the_whole_and_nothing_chosen_give_the_grid_itself():
    for rows, cols in ((range(7), range(5)), ([], []), ([0, 1], [0])):
        part = subtable(CROPS, rows, cols)
        assert part.grid is CROPS and part.rows == tuple(range(7))
        assert part.original((1, 0)) == (0, 0)


texts = st.sampled_from(["", "", "a", "b", "1"])


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """Any grid: headers of any size, merged regions anywhere, paths by rule or annotated at will."""
    num_rows, num_cols = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    cells = [[draw(texts) for _ in range(num_cols)] for _ in range(num_rows)]
    merged, taken = [], set()
    for _ in range(draw(st.integers(0, 4))):
        row, col = draw(st.integers(0, num_rows - 1)), draw(st.integers(0, num_cols - 1))
        last_row, last_col = draw(st.integers(row, num_rows - 1)), draw(st.integers(col, num_cols - 1))
        covered = {(r, c) for r in range(row, last_row + 1) for c in range(col, last_col + 1)}
        if not covered & taken:
            taken |= covered
            merged.append((row, last_row, col, last_col))
    header_rows, header_cols = draw(st.integers(0, num_rows)), draw(st.integers(0, num_cols))
    cell = st.tuples(st.integers(0, num_rows - 1), st.integers(0, num_cols - 1))
    path = st.lists(cell, max_size=3).map(tuple)
    lefts = draw(st.none() | st.lists(path, min_size=num_rows, max_size=num_rows))
    tops = draw(st.none() | st.lists(path, min_size=num_cols, max_size=num_cols))
    return make_grid(
        cells,
        merged=merged,
        num_header_rows=header_rows,
        num_header_cols=header_cols,
        left_paths=lefts,
        top_paths=tops,
    )


@settings(deadline=None, max_examples=300)
@given(grids(), st.data())
def test_any_part_keeps_texts_paths_and_order(grid: Grid, data: st.DataObject):
    rows = data.draw(st.sets(st.integers(0, grid.num_rows - 1)))
    cols = data.draw(st.sets(st.integers(0, grid.num_cols - 1)))
    part = subtable(grid, rows, cols)
    check(part)
    assert rows <= set(part.rows) and cols <= set(part.cols)
    assert part.grid.num_rows > grid.num_header_rows or grid.num_rows == grid.num_header_rows
    assert part.grid.num_cols > grid.num_header_cols or grid.num_cols == grid.num_header_cols


def test_published_tables_keep_no_more_than_their_paths_require(data_root: Path):
    whole = cut = 0
    for table in hitab.read(data_root / "hitab", limit=150).tables:
        grid = table.grid
        assert grid is not None
        needed = requirements(grid)
        rows = [header.position for header in axis_headers(grid, "row")][::3]
        cols = [header.position for header in axis_headers(grid, "col")][::2]
        part = subtable(grid, rows, cols)
        check(part)
        parents = {other for row in rows for other in needed.rows.get(row, ())}
        body = {row for row in part.rows[grid.num_header_rows :] if row not in section_rows(grid)}
        assert body == set(rows) | parents | needed.fixed_rows
        whole, cut = whole + grid.num_rows * grid.num_cols, cut + part.grid.num_rows * part.grid.num_cols
    assert 0.2 < cut / whole < 0.8
