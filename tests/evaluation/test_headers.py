"""Figures of header detection: what counts as right, and what the finder is allowed to see."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from published import whole
from tiny_tables import sales

from tabrag.data.sources import aitqa, imtqa
from tabrag.evaluation.headers import (
    annotated_sections,
    evaluate_headers,
    half,
    header_cells,
    links,
    plain_grid,
)
from tabrag.tables.grid import make_grid
from tabrag.types import Grid, Table


def grid() -> Grid:
    annotated = sales().grid
    assert annotated is not None
    return annotated


def test_the_annotation_is_kept_back() -> None:
    seen: list[Grid] = []

    def detect(plain: Grid) -> Grid:
        seen.append(plain)
        return plain

    evaluate_headers([sales()], detect=detect)
    evaluate_headers([sales()], detect=detect, spans=False)
    for plain in seen:
        assert (plain.num_header_rows, plain.num_header_cols) == (0, 0)
        assert plain.top_paths is None and plain.left_paths is None and plain.cells == grid().cells
    assert seen[0].merged == grid().merged and grid().merged and seen[1].merged == []


def test_the_annotation_itself_is_right_and_nothing_found_is_wrong() -> None:
    best = evaluate_headers([sales()], detect=lambda _: grid()).figures()
    assert best["header_rows"] == best["header_cols"] == best["both"] == 100
    assert best["header_cells"]["f1"] == best["links"]["f1"] == best["section_rows"]["f1"] == 100
    worst = evaluate_headers([sales()], detect=lambda plain: plain)
    assert worst.figures()["both"] == worst.figures()["links"]["f1"] == 0
    assert worst.misses[0]["annotated"] == [2, 1] and worst.misses[0]["found"] == [0, 0]


def test_links_and_cells_by_hand() -> None:
    assert links(grid()) == {
        ((1, 1), (0, 1)),
        ((1, 2), (0, 1)),
        ((1, 3), (0, 3)),
        ((3, 0), (2, 0)),
    }
    assert annotated_sections(grid()) == {2}
    assert header_cells(grid()) == {(0, 1), (0, 3), (1, 1), (1, 2), (1, 3), (2, 0), (3, 0)}
    by_size = replace(grid(), top_paths=None, left_paths=None)
    assert header_cells(by_size, on_paths=False) == header_cells(grid()) | {(0, 0)}


def test_one_header_row_less_costs_its_cells_and_links() -> None:
    found = make_grid(grid().cells, merged=grid().merged, num_header_rows=1, num_header_cols=1)
    scores = evaluate_headers([sales()], detect=lambda _: found)
    assert (scores.rows, scores.cols, scores.both) == (0, 1, 0)
    assert (scores.links.right, scores.links.annotated) == (1, 4)
    assert scores.cells.right < scores.cells.annotated


def test_columns_where_the_annotation_has_some() -> None:
    none = Table(id="list", grid=make_grid([["a", "b"], ["1", "2"]], num_header_rows=1))
    found = make_grid([["a", "b"], ["1", "2"]], num_header_rows=1, num_header_cols=1)
    scores = evaluate_headers([none, sales()], detect=lambda plain: found if plain.num_cols == 2 else grid())
    figures = scores.figures()
    assert (figures["header_cols"], figures["header_cols_where_some"]) == (50, 100)
    assert evaluate_headers([none], detect=lambda _: found).figures()["links"]["f1"] is None


def test_halves_share_no_table_and_are_about_equal() -> None:
    halves = [half(f"table-{number}") for number in range(1000)]
    assert halves == [half(f"table-{number}") for number in range(1000)]
    assert set(halves) == {"develop", "report"} and 450 < halves.count("report") < 550


def test_plain_grid_of_a_table_without_spans_is_equal() -> None:
    plain = make_grid([["a", "b"], ["1", "2"]])
    assert plain_grid(plain) == plain_grid(plain, spans=False) == plain


@pytest.mark.parametrize(("spans", "least"), [(True, (95, 95, 93, 92)), (False, (93, 95, 90, 65))])
def test_hitab(data_root: Path, spans: bool, least: tuple[int, int, int, int]) -> None:
    """Tables of the questions of train; every eighth one."""
    data = whole("hitab", data_root)
    ids = {item for items in data.qrels["train"].values() for item in items}
    tables = [table for table in data.tables if table.id in ids][::8]
    figures = evaluate_headers(tables, spans=spans).figures()
    assert figures["num_tables"] > 300
    found = [figures["header_rows"], figures["header_cols"], figures["both"], figures["links"]["f1"]]
    assert all(value >= bound for value, bound in zip(found, least, strict=True)), figures


def test_aitqa(data_root: Path) -> None:
    """The half for development. Lists have no annotated row headers here, but in the other data sets."""
    tables = [table for table in aitqa.read(data_root / "aitqa").tables if half(table.id) == "develop"]
    figures = evaluate_headers(tables).figures()
    assert figures["num_tables"] > 50 and figures["header_rows"] > 98
    assert figures["header_cols_where_some"] > 98 and figures["header_cols"] > 84
    assert figures["links"]["f1"] > 98


def test_imtqa(data_root: Path) -> None:
    """Every second table of the half for development."""
    tables = [table for table in imtqa.read(data_root / "imtqa").tables if half(table.id) == "develop"][::2]
    figures = evaluate_headers(tables).figures()
    assert figures["num_tables"] > 250
    assert figures["header_rows"] > 90 and figures["header_cols"] > 90
