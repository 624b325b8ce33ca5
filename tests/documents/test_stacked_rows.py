"""Rows that were set as lines of one row."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.stacked_rows import split_stacked


def test_lines_of_one_height_become_rows() -> None:
    rows, merged, is_split = split_stacked(
        [[["", ""], ["2019"], []], [["a", "b", "", "c"], ["1", "", "2", "3", ""], ["x", "", "", ""]]],
        [(0, 0, 1, 2)],
    )
    # The third column is not as high as the others.
    assert not is_split and len(rows) == 2 and merged == [(0, 0, 1, 2)]
    rows, merged, is_split = split_stacked(
        [[[""], ["2019"], []], [["a", "b", "", "c"], ["1", "", "2", "3", ""], []]],
        [(0, 0, 1, 2), (1, 1, 1, 2)],
    )
    assert is_split and [[cell[0] if cell else "" for cell in row] for row in rows[1:]] == [
        ["a", "1", ""],
        ["b", "", ""],
        ["", "2", ""],
        ["c", "3", ""],
    ]
    assert merged == [(0, 0, 1, 2), *((row, row, 1, 2) for row in (1, 2, 3, 4))]


def test_parts_below_a_blank_line_are_aligned_by_order() -> None:
    labels = ["Income", "Tax", "Net", "", "Child", "benefit", "", "Total"]
    rows, _, is_split = split_stacked([[labels, ["5", "1", "4", "", "", "", "9", "", "", "7"]]], [])
    assert is_split and [row[0] for row in rows[3:]] == [["Child", "benefit"], ["Total"]]
    assert [row[1] for row in rows] == [["5"], ["1"], ["4"], ["9"], ["7"]]
    # Where their number differs they stay together.
    rows, _, _ = split_stacked([[labels, ["5", "1", "4", "", "9"]]], [])
    assert rows[3] == [["Child", "benefit", "Total"], ["9"]]


def test_prose_and_lists_stay_whole() -> None:
    for cells in (
        [["first", "second", "third"], ["one", "two", "three"]],
        [["a", "b"], ["1", "2"]],
        [["a", "b", "c"], ["1", "2"]],
        [["a", "b", "c"], []],
    ):
        rows, _, is_split = split_stacked([cells], [])
        assert not is_split and rows == [cells]


def test_cells_merged_over_rows_stay_whole() -> None:
    stack = [["a", "b", "c"], ["1", "2", "3"]]
    assert split_stacked([stack, [["d"], ["4"]]], [])[2]
    assert not split_stacked([stack, [[], ["4"]]], [(0, 1, 0, 0)])[2]


_lines = st.lists(st.sampled_from(["", "1", "2,5", "word"]), max_size=5)


@given(
    cells=st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(_lines, min_size=width, max_size=width), max_size=4)
    )
)
def test_no_line_is_lost(cells: list[list[list[str]]]) -> None:
    rows, merged, _ = split_stacked(cells, [])
    assert merged == []
    for col in range(len(cells[0]) if cells else 0):
        before = [line for row in cells for line in row[col] if line]
        assert [line for row in rows for line in row[col] if line] == before
