from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tiny_tables import write_gz

from tabrag.data.prepare import prepare
from tabrag.data.sources import multihiertt
from tabrag.data.sources.multihiertt import spelled_out_spans
from tabrag.data.validate import validate
from tabrag.tables.grid import make_grid, path_texts, top_paths


def test_repeated_texts_are_spans() -> None:
    cells = [
        ["", "2010", "2010", "2009", "2009"],
        ["", "Buy", "Sell", "Sell", "Buy"],
        ["", "(millions)", "(millions)", "(millions)", "(millions)"],
        ["Euro", "1", "1", "2", "2"],
    ]
    assert spelled_out_spans(cells, 3) == [(0, 0, 1, 2), (0, 0, 3, 4), (2, 2, 1, 4)]


def test_equal_leaves_under_different_headers_stay_apart() -> None:
    cells = [
        ["", "A", "B", "B"],
        ["", "Sales", "Sales", "Sales"],
        ["", "x", "Cost", "Cost"],
        ["r", "1", "2", "3"],
    ]
    assert spelled_out_spans(cells[:2], 2) == [(0, 0, 2, 3), (1, 1, 1, 3)]  # fills the row: a unit, a subject
    assert spelled_out_spans([cells[0], ["", "Sales", "Sales", "Cost"]], 2) == [(0, 0, 2, 3)]


def test_labels_over_several_columns_and_headers_over_several_rows_are_one() -> None:
    cells = [
        ["Item", "Item", "2010"],
        ["Item", "Item", "Total"],
        ["Net income", "Net income", "5"],
        ["7", "7", "7"],
    ]
    assert spelled_out_spans(cells, 2) == [(0, 1, 0, 1), (2, 2, 0, 1)]  # equal numbers are no label


@given(
    st.lists(st.lists(st.sampled_from(["", "a", "b", "1"]), min_size=4, max_size=4), min_size=1, max_size=6)
)
def test_spans_always_make_a_grid_and_lose_no_text(cells: list[list[str]]) -> None:
    grid = make_grid(cells, merged=spelled_out_spans(cells, min(3, len(cells))))
    for region in grid.merged:
        texts = {
            cells[row][col]
            for row in range(region[0], region[1] + 1)
            for col in range(region[2], region[3] + 1)
        }
        assert texts == {grid.cells[region[0]][region[2]]} != {""}


def test_documents_have_no_questions_and_tables_at_their_places(tmp_path: Path) -> None:
    cells = [["", "2010", "2010"], ["", "Buy", "Sell"], ["Euro", "$1", "$2"], ["Yen", "3", "4"]]
    table = {"type": "table", "table_id": "x", "cells": cells}
    blocks = [table, {"type": "paragraph", "text": "Between."}, table, {"type": "paragraph", "text": " "}]
    write_gz(
        tmp_path, "documents", [{"id": "mh-1", "split": "train", "examples": ["e1", "e2"], "blocks": blocks}]
    )
    data = multihiertt.read(tmp_path)
    (document,) = data.documents
    assert [block.table or block.text for block in document.blocks] == ["mh-1#t1", "Between.", "mh-1#t2"]
    first, _ = data.tables
    assert first.grid is not None
    assert [path_texts(first.grid, path) for path in top_paths(first.grid)] == [
        [],
        ["2010", "Buy"],
        ["2010", "Sell"],
    ]
    assert (data.queries, data.qrels) == ([], {})
    assert data.repairs == {"tables with repeated texts merged into spans": 2}


def test_a_real_sample_makes_a_folder_without_fault(data_root: Path, tmp_path: Path) -> None:
    figures = prepare(multihiertt.read(data_root / "multihiertt", limit=60), tmp_path / "out")
    assert figures["documents"] == 60 and figures["tables"] > 150
    assert figures["repairs"]["tables with repeated texts merged into spans"] > 60
    assert validate(tmp_path / "out") == []
