from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.data.content import spelled_out
from tabrag.data.near_duplicates import MAX_HOLDERS, MIN_SHARED, MIN_SIMILARITY, near_duplicates
from tabrag.tables.grid import make_grid
from tabrag.types import Table

ROWS = [[f"city {n}", f"land {n}", f"{n}00"] for n in range(1, 7)]


def _table(table_id: str, body: list[list[str]], *, title: str = "", **grid: Any) -> Table:
    header = [["city", "land", "people", "area"][: len(body[0])]]
    settings = {"num_header_rows": 1} | grid
    return Table(id=table_id, title=title or table_id, grid=make_grid([*header, *body], **settings))


def _found(*tables: Table) -> list[tuple[str, tuple[str, ...], float]]:
    return [(group.kind, group.table_ids, group.similarity) for group in near_duplicates(tables)]


def test_the_same_cells_under_another_title_in_another_spelling() -> None:
    other = [[cell.upper().replace(" ", " - ") for cell in row] for row in ROWS]
    assert _found(_table("a", ROWS), _table("b", other)) == [("cells", ("a", "b"), 1.0)]


def test_a_part_of_a_table_and_one_with_another_column_are_near_duplicates() -> None:
    part = _table("part", ROWS[:4])
    wider = _table("wider", [[*row, f"{n} km"] for n, row in enumerate(ROWS)])
    found = _found(_table("whole", ROWS), part, wider)
    assert found == [
        ("cells", ("whole", "part"), 1.0),
        ("cells", ("whole", "wider"), 1.0),
        ("cells", ("part", "wider"), 1.0),
    ]


def test_the_similarity_is_the_shared_part_of_the_smaller_table() -> None:
    # 12 pairs of neighbours each; the rows that differ share none.
    for num_same, similarity in ((4, 0.6667), (3, 0.5), (2, None)):
        mixed = [*ROWS[:num_same], *([f"{c}!x" for c in row] for row in ROWS[num_same:])]
        pairs = [group for group in _found(_table("a", ROWS), _table("b", mixed)) if group[0] == "cells"]
        assert pairs == ([] if similarity is None else [("cells", ("a", "b"), similarity)])


def test_common_pairs_and_few_pairs_do_not_count() -> None:
    medals = [["1", "0"], ["0", "1"], ["1", "1"], ["0", "0"]]
    many = [
        _table(f"m{n}", [[f"state {n}-{k}", *row] for k, row in enumerate(medals)])
        for n in range(MAX_HOLDERS + 1)
    ]
    assert _found(*many) == []
    few = [_table(name, [["x", "y", name]]) for name in ("a", "b")]
    assert MIN_SHARED > 1 and _found(*few) == []
    assert _found(_table("a", [["x", "y"]]), _table("b", [["x", "y"]])) == [("cells", ("a", "b"), 1.0)]


@pytest.mark.parametrize("num_copies", [MAX_HOLDERS, MAX_HOLDERS + 1, 3 * MAX_HOLDERS])
def test_a_table_of_many_near_copies_is_found(num_copies: int) -> None:
    rows = [*ROWS, *([f"town {n}", f"land {n}", f"{n}11"] for n in range(4))]
    copies = [_table(f"c{n}", [*rows[: 10 - n % 2], [f"note {n}", "own", f"{n}"]]) for n in range(num_copies)]
    part = _table("part", rows[:6])
    other = _table("other", [["else", f"{n}", f"{n * 7}"] for n in range(8)])
    ids = [table.id for table in copies]
    wanted = {*combinations(ids, 2), *((name, "part") for name in ids)}
    for tables in ([*copies, part, other], [part, other, *copies]):
        found = {group[1] for group in _found(*tables) if group[0] == "cells"}
        assert {frozenset(pair) for pair in found} == {frozenset(pair) for pair in wanted}


def test_merged_regions_count_as_spelled_out() -> None:
    blank = _table("a", [["x", "", "1"], ["", "", "2"], *ROWS], merged=[(1, 2, 0, 1)])
    full = _table("b", [["x", "x", "1"], ["x", "x", "2"], *ROWS])
    assert blank.grid is not None
    assert spelled_out(blank.grid.cells, blank.grid.merged)[1:3] == [["x", "x", "1"], ["x", "x", "2"]]
    assert _found(blank, full) == [("cells", ("a", "b"), 1.0)]


def test_the_same_title_and_headers_with_other_figures_are_a_group() -> None:
    tables = [_table(name, [[f"{name}1", f"{name}2"]], title="Trade") for name in "abc"]
    others = [_table("d", [["d1", "d2"]], title="Fishing"), Table(id="e"), Table(id="f")]
    # 2 header cells of 6 different cells are shared
    assert _found(*tables, *others) == [("headers", ("a", "b", "c"), 0.3333)]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=3, max_size=3), min_size=1, max_size=6),
        min_size=2,
        max_size=6,
    )
)
def test_pairs_are_those_of_a_plain_comparison_of_all(bodies: list[list[list[str]]]) -> None:
    tables = [Table(id=str(n), title=str(n), grid=make_grid(body)) for n, body in enumerate(bodies)]

    def neighbours(body: list[list[str]]) -> set[tuple[str, str]]:
        single = [[cell for n, cell in enumerate(row) if not n or cell != row[n - 1]] for row in body]
        return {pair for row in single for pair in zip(row, row[1:] or [""], strict=False)}

    expected = {}
    for first, second in combinations(range(len(bodies)), 2):
        one, two = neighbours(bodies[first]), neighbours(bodies[second])
        similarity = len(one & two) / min(len(one), len(two))
        if len(one & two) >= MIN_SHARED and similarity >= MIN_SIMILARITY:
            expected[str(first), str(second)] = round(similarity, 4)
        if {c for row in bodies[first] for c in row} == {c for row in bodies[second] for c in row}:
            expected[str(first), str(second)] = 1.0
    found = near_duplicates(tables)
    assert {group.table_ids: group.similarity for group in found if group.kind == "cells"} == expected
