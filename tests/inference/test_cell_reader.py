"""Decoding: scores become the most likely program that has a result, in the table's own coordinates."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.inference.cell_reader import CellAnswerer, answer_of
from tabrag.models.cell_reader import CHOICES, CellLogits, CellReader
from tabrag.models.config import CellReaderConfig
from tabrag.models.inputs.cell_table import CellTable
from tabrag.tables.grid import make_grid
from tabrag.tables.header_scores import HeaderScores
from tabrag.types import Grid

GRID = make_grid(
    [
        ["region", "year", "men", "women"],
        ["east", "2010", "12.5", "10.1"],
        ["east", "2011", "-4", "n/a"],
        ["west", "2010", "7", "0"],
    ],
    merged=[(1, 2, 0, 0)],
    num_header_rows=1,
    num_header_cols=2,
)


@pytest.fixture(scope="module")
def model() -> CellReader:
    torch.manual_seed(0)
    return CellReader.from_config(
        CellReaderConfig(backbone="offline:tiny-bert", width=16, max_length=96)
    ).eval()


@pytest.fixture(scope="module")
def table(model: CellReader) -> CellTable:
    found = model.inputs.table("how many men in the east in 2010?", GRID)
    assert found is not None and found.numbers.shape == (3, 2)
    return found


def _logits(
    table: CellTable,
    choice: str,
    *,
    first: tuple[int, int] | None = None,
    second: tuple[int, int] | None = None,
    members: tuple[tuple[int, int], ...] = (),
    header: int = 0,
) -> CellLogits:
    """Scores that leave no doubt."""
    choices = torch.zeros(len(CHOICES))
    choices[CHOICES.index(choice)] = 9.0
    cells = torch.full((3, *table.numbers.shape), -9.0)
    for role, cell in enumerate((first, second)):
        if cell is not None:
            cells[role][cell] = 9.0
    for cell in members:
        cells[2][cell] = 9.0
    headers = torch.full((len(table.cols.nodes) + len(table.rows.nodes),), -9.0)
    headers[header] = 9.0
    return CellLogits(choices, cells, headers)


def test_each_kind_of_program(table: CellTable) -> None:
    found = answer_of(GRID, table, _logits(table, "cell", first=(0, 1)))
    assert found is not None and (found.text, found.cells, found.formula) == ("10.1", [(1, 3)], None)
    assert 0.99 < found.certainty <= 1
    found = answer_of(GRID, table, _logits(table, "change", first=(0, 0), second=(0, 1)))
    assert found is not None and (found.text, found.formula) == ("0.237624", "(12.5 - 10.1) / 10.1")
    assert found.cells == [(1, 2), (1, 3)]
    found = answer_of(GRID, table, _logits(table, "sum", members=((0, 0), (1, 0), (2, 0))))
    assert found is not None and (found.text, found.formula) == ("15.5", "sum(12.5, -4, 7)")
    found = answer_of(GRID, table, _logits(table, "argmin", members=((0, 0), (1, 0), (2, 0))))
    assert found is not None and (found.text, found.cells[:2]) == ("2011", [(2, 1), (2, 2)])
    nodes = [node.cell for node in (*table.cols.nodes, *table.rows.nodes)]
    found = answer_of(GRID, table, _logits(table, "header", header=nodes.index((3, 0))))
    assert found is not None and (found.text, found.operator) == ("west", "header")


def test_a_program_without_a_result_gives_way_to_the_next(table: CellTable) -> None:
    logits = _logits(table, "ratio", first=(2, 0), second=(2, 1))  # 7 / 0
    logits.choice[CHOICES.index("cell")] = 5.0
    found = answer_of(GRID, table, logits)
    assert found is not None and (found.text, found.operator) == ("7", "cell")
    assert found.certainty < 0.1
    logits = _logits(table, "negate", first=(1, 1))  # n/a is no number
    found = answer_of(GRID, table, logits)
    assert found is not None and found.operator == "negate" and found.cells != [(2, 3)]


@given(st.integers(0, 2**16), st.sampled_from(CHOICES))
@settings(max_examples=60, deadline=None)
def test_any_scores_give_a_sound_answer(model: CellReader, table: CellTable, seed: int, choice: str) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = _logits(table, choice)
    drawn = CellLogits(*(values + 3 * torch.randn(values.shape, generator=generator) for values in logits))
    found = answer_of(GRID, table, drawn)
    assert found is not None and found.text.strip() and 0 <= found.certainty <= 1
    assert len(set(found.cells)) == len(found.cells) > 0
    assert all(0 <= row < GRID.num_rows and 0 <= col < GRID.num_cols for row, col in found.cells)


def test_batches_give_what_single_tables_give(model: CellReader) -> None:
    large = make_grid(
        [["", *(f"c{col}" for col in range(6))]]
        + [[f"row {row}", *(str(row * col + 1) for col in range(6))] for row in range(9)],
        num_header_rows=1,
        num_header_cols=1,
    )
    pairs = [("men in 2010?", GRID), ("row 3 of c2?", large), ("how many?", make_grid([["7"]]))]
    together = CellAnswerer(model)(pairs)
    alone = [CellAnswerer(model, batch_tokens=1)([pair])[0] for pair in pairs]
    for one, other in zip(together, alone, strict=True):
        assert one is not None and other is not None
        assert (one.text, one.cells, one.operator) == (other.text, other.cells, other.operator)
        assert math.isclose(one.certainty, other.certainty, rel_tol=1e-4)
    assert len({found.text for found in together if found}) > 1


@pytest.mark.parametrize(
    "grid",
    [
        make_grid([["a", "b"]], num_header_rows=1),
        make_grid([["", ""], ["", ""]]),
        make_grid([["", ""], ["", ""]], num_header_rows=1, num_header_cols=1),
        make_grid([["x"]], num_header_cols=1),
    ],
)
def test_a_grid_without_values_gives_none(model: CellReader, grid: Grid) -> None:
    assert CellAnswerer(model)([("how many?", grid)]) == [None]


def test_a_long_table_shows_its_best_rows_and_columns(model: CellReader) -> None:
    cells = [["", *(f"measure {col}" for col in range(12))]]
    cells += [[f"region number {row}", *(str(row * 100 + col) for col in range(12))] for row in range(400)]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    whole = model.inputs.table("measure 7 of region number 333?", grid)
    assert whole is not None and len(whole) > 10 * 96
    by_words = model.inputs.fit(whole)
    assert len(by_words) <= 96 and 334 in by_words.rows.positions and 8 in by_words.cols.positions
    by_scores = model.inputs.fit(whole, {5: 1.0}, {2: 1.0})
    assert 5 in by_scores.rows.positions and 2 in by_scores.cols.positions
    scores = HeaderScores({5: 1.0}, {2: 1.0})
    found = CellAnswerer(model)([("measure 7 of region number 333?", grid)], [scores])[0]
    assert found is not None and all(grid.cells[row][col] for row, col in found.cells)
