"""Questions and tables as the cell reader sees them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.models.inputs.cell_batch import collate
from tabrag.models.inputs.cell_table import CellTableInputs, best_within
from tabrag.models.io import resolve
from tabrag.tables.axes import axis_headers
from tabrag.tables.grid import make_grid

GRID = make_grid(
    [
        ["", "men", "", "women", ""],
        ["", "2010", "2011", "2010", "2011"],
        ["east", "1,200", "60%", "", "4"],
        ["all regions", "-4", "5", "x", "7"],
    ],
    merged=[(0, 0, 1, 2), (0, 0, 3, 4)],
    num_header_rows=2,
    num_header_cols=1,
)


@pytest.fixture(scope="module")
def inputs() -> CellTableInputs:
    return CellTableInputs.load(resolve("offline:tiny-bert"), max_length=128, header_length=8)


def test_headers_are_written_once_and_known_by_path(inputs: CellTableInputs) -> None:
    table = inputs.table("women in 2011?", GRID)
    assert table is not None
    cells = [node.cell for node in table.cols.nodes]
    assert cells == [(0, 1), (1, 1), (1, 2), (0, 3), (1, 3), (1, 4)]
    assert table.cols.paths == ((0, 1), (0, 2), (3, 4), (3, 5))
    assert [node.cell for node in table.rows.nodes] == [(2, 0), (3, 0)]
    batch = collate(inputs, [table])
    ids, header_of, kinds = (batch[name][0].tolist() for name in ("input_ids", "header_of", "kinds"))
    assert (
        len(ids) == len(table) + 4 and max(header_of) == 7 and header_of.count(-1) == 4 + len(table.question)
    )
    for number, node in enumerate((*table.cols.nodes, *table.rows.nodes)):
        assert tuple(one for one, of in zip(ids, header_of, strict=True) if of == number) == node.ids
    first = [kinds[header_of.index(number)] for number in range(8)]
    assert first == [1, 2, 2, 1, 2, 2, 5, 5]
    assert batch["col_parents"][0].sum(dim=1).tolist() == [1.0] * 4 and batch["col_paths"][0, 3, 5] == 1
    assert not batch["row_parents"].any()


def test_facts(inputs: CellTableInputs) -> None:
    table = inputs.table("how many women in 2011, not 60%, in all regions?", GRID)
    assert table is not None
    blank, number, negative, percent, named, _ = np.moveaxis(table.cells, 2, 0)
    assert blank.tolist() == [[0, 0, 1, 0], [0, 0, 0, 0]] and number.sum() == 6
    assert negative[1].tolist() == [1, 0, 0, 0] and percent[0].tolist() == [0, 1, 0, 0]
    assert named.tolist() == [[0, 1, 0, 0], [0, 0, 0, 0]]
    assert table.numbers[0, 0] == 1200 and np.isnan(table.numbers[1, 2])
    assert table.cols.facts[:, 1].tolist() == [0, 0, 0, 1]  # women > 2011 shares the most words
    assert table.rows.facts[:, 5].tolist() == [0, 1]  # says "all"
    assert (table.rows.facts >= 0).all() and (table.rows.facts <= 1).all()


def test_a_part_keeps_headers_facts_and_numbers_together(inputs: CellTableInputs) -> None:
    table = inputs.table("women in 2011?", GRID)
    assert table is not None
    part = table.keep([1], [0, 3])
    assert [node.cell for node in part.cols.nodes] == [(0, 1), (1, 1), (0, 3), (1, 4)]
    assert part.cols.paths == ((0, 1), (2, 3)) and part.cols.positions == (1, 4)
    assert part.numbers.tolist() == [[-4, 7]] and part.cells.shape[:2] == (1, 2)
    assert part.rows.facts.tolist() == table.rows.facts[[1]].tolist()
    assert table.keep([0, 1], range(4)) is not table and len(table.keep([0, 1], range(4))) == len(table)


def test_no_header_at_all(inputs: CellTableInputs) -> None:
    table = inputs.table("?", make_grid([["a", "1"], ["b", "2"]]))
    assert table is not None and [node.cell for node in table.rows.nodes] == [None, None]
    assert not collate(inputs, [table])["header_mask"].any()
    assert inputs.table("?", make_grid([["a", "b"]], num_header_rows=1)) is None


@given(st.integers(1, 30), st.integers(1, 12), st.integers(0, 80), st.integers(0, 60))
@settings(max_examples=40, deadline=None)
def test_any_table_fits_into_an_input(
    inputs: CellTableInputs, num_rows: int, num_cols: int, header_size: int, question_size: int
) -> None:
    cells = [["", *(f"{'c ' * header_size}{col}" for col in range(num_cols))]]
    cells += [
        [f"{'r ' * header_size}{row}", *(str(row + col) for col in range(num_cols))]
        for row in range(num_rows)
    ]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    whole = inputs.table("what " * question_size, grid)
    assert whole is not None and len(whole.rows.positions) == len(axis_headers(grid, "row"))
    table = inputs.fit(whole)
    assert len(table.rows.positions) >= 1 and len(table.cols.positions) >= 1
    assert collate(inputs, [table])["input_ids"].shape[1] <= 128
    if len(whole) + 4 <= 128:
        assert table is whole


def test_what_must_stay_stays_and_the_best_come_next(inputs: CellTableInputs) -> None:
    grid = make_grid(
        [["", "n"], *([f"row {n}", str(n)] for n in range(9))], num_header_rows=1, num_header_cols=1
    )
    table = inputs.table("?", grid)
    assert table is not None
    size = len(table.rows.nodes[0].ids)
    scores = {position: float(position) for position in table.rows.positions}
    assert best_within(table.rows, scores, 3 * size) == [6, 7, 8]
    assert best_within(table.rows, scores, 3 * size, always=[0]) == [0, 7, 8]
    assert best_within(table.rows, scores, 0) == [8] and best_within(table.rows, scores, 0, always=[2]) == [2]
