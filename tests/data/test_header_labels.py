"""Which rows and columns count as needed by a question."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_tables import photo, sales, write_tiny

from tabrag.data.folder import DataFolder
from tabrag.data.header_labels import grid_of, header_examples, header_labels
from tabrag.data.prepare import prepare
from tabrag.data.sources import hitab
from tabrag.errors import UserError
from tabrag.tables.grid import make_grid
from tabrag.types import Cell, GoldHeaders, Grid


def _grid() -> Grid:
    """Years over two columns each; men and women, each with a total and two countries."""
    return make_grid(
        [
            ["", "2019", "", "2020", ""],
            ["", "n", "%", "n", "%"],
            ["men", "1", "2", "3", "4"],
            ["chad", "5", "6", "7", "8"],
            ["mali", "9", "10", "11", "12"],
            ["women", "13", "14", "15", "16"],
            ["chad", "17", "18", "19", "20"],
        ],
        merged=[(0, 0, 1, 2), (0, 0, 3, 4)],
        num_header_rows=2,
        num_header_cols=1,
        left_paths=[
            (),
            (),
            ((2, 0),),
            ((2, 0), (3, 0)),
            ((2, 0), (4, 0)),
            ((5, 0),),
            ((5, 0), (6, 0)),
        ],
    )


def _labels(
    *, cells: list[Cell], top: list[Cell] | None = None, left: list[Cell] | None = None
) -> tuple[list[int], list[int]]:
    gold = GoldHeaders(query_id="q", table_id="t", top=top or [], left=left or [], answer_cells=cells)
    found = header_labels(_grid(), gold)
    assert list(found) == ["row", "col"]
    return found["row"], found["col"]


def test_rows_and_columns_of_answer_cells_are_gold() -> None:
    rows, cols = _labels(cells=[(3, 1)], top=[(0, 1), (1, 1)], left=[(2, 0), (3, 0)])
    assert rows == [0, 1, 0, 0, 0]
    assert cols == [1, 0, 0, 0]


def test_links_off_the_paths_are_neither() -> None:
    rows, cols = _labels(cells=[(3, 1)], top=[(0, 1), (1, 1), (1, 4), (0, 3)], left=[(3, 0), (5, 0)])
    assert rows == [0, 1, 0, -1, -1]  # women, and the row below, hang on a link that is not the answer's
    assert cols == [1, 0, -1, -1]


def test_a_header_that_answers_takes_the_other_axis_from_the_links() -> None:
    rows, cols = _labels(cells=[(4, 0)], top=[(0, 3), (1, 4)], left=[(2, 0), (4, 0)])
    assert rows == [0, 0, 1, 0, 0]
    assert cols == [0, 0, 0, 1]  # the deepest link; its parent is on its path, so its sister is a negative


def test_all_below_a_linked_parent_where_no_deeper_link_is_known() -> None:
    _, cols = _labels(cells=[(4, 0)], top=[(0, 3)], left=[(4, 0)])
    assert cols == [0, 0, 1, 1]


def test_an_answer_in_the_column_headers() -> None:
    rows, cols = _labels(cells=[(0, 3)], top=[(0, 3)], left=[(6, 0)])
    assert rows == [0, 0, 0, 0, 1]
    assert cols == [0, 0, 1, 1]


def test_a_section_row_stands_for_what_it_heads() -> None:
    grid = sales().grid
    assert grid is not None
    gold = GoldHeaders(query_id="q", table_id="t", answer_cells=[(2, 0)])
    assert header_labels(grid, gold)["row"] == [1]


def test_examples_are_the_queries_with_gold_and_a_grid(tmp_path: Path) -> None:
    folder = DataFolder(write_tiny(tmp_path / "tiny"))
    examples = header_examples(folder, "train")
    assert [example.query_id for example in examples] == ["q1"]
    assert grid_of(folder, examples[0]).num_rows == 4
    with pytest.raises(UserError, match=r"no query of split 'dev' has gold headers.*hitab"):
        header_examples(folder, "dev")


def test_pictures_without_a_grid_are_left_out(tmp_path: Path) -> None:
    table = photo()
    table.id = sales().id
    folder = DataFolder(write_tiny(tmp_path / "tiny", [table]))
    with pytest.raises(UserError, match="no query of split 'train'"):
        header_examples(folder, "train")


def test_tables_without_a_body_are_left_out(tmp_path: Path) -> None:
    table = sales()
    assert table.grid is not None
    table.grid.num_header_rows = table.grid.num_rows
    table.grid.top_paths = table.grid.left_paths = None
    folder = DataFolder(write_tiny(tmp_path / "tiny", [table]))
    with pytest.raises(UserError, match="no query of split 'train'"):
        header_examples(folder, "train")


def test_hitab(data_root: Path, tmp_path: Path) -> None:
    """Nearly every question has a gold row and a gold column, and few headers are gold."""
    prepare(hitab.read(data_root / "hitab", limit=90), tmp_path / "hitab")
    folder = DataFolder(tmp_path / "hitab")
    examples = header_examples(folder, "train")
    assert len(examples) > 50
    labels = [header_labels(grid_of(folder, example), example.gold) for example in examples]
    for axis in ("row", "col"):
        assert sum(1 in found[axis] for found in labels) > 0.95 * len(labels)
        flat = [value for found in labels for value in found[axis]]
        assert 0.02 < flat.count(1) / len(flat) < 0.5 and flat.count(0) > len(flat) / 3
