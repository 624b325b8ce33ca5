"""The published data sets: one tiny handmade copy each, then the real one with the counts of its README."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from published import whole
from tiny_tables import write_gz

from tabrag.data.dataset import Dataset
from tabrag.data.folder import write_folder
from tabrag.data.sources import imtqa, source
from tabrag.data.validate import validate
from tabrag.errors import UserError
from tabrag.types import GoldHeaders, Query, Table

Row = dict[str, Any]


def _node(row: int, col: int, *children: Row) -> Row:
    return {"row": row, "col": col, "text": "", "children": list(children)}


def _table(table_id: str, cells: list[list[str]], **more: Any) -> Row:
    given = {"merged_regions": None, "top_header_rows": 1, "left_header_cols": None, "title": "T"}
    return {"id": table_id, "cells": cells, **given, **more}


def _read(name: str, folder: Path, tables: list[Row], **splits: list[Row]) -> tuple[Dataset, list[Table]]:
    write_gz(folder, "tables", tables)
    for split, rows in splits.items():
        write_gz(folder, split, rows)
    data = source(name).read(folder)
    found = list(data.tables)
    write_folder(
        folder / "out",
        tables=found,
        queries=data.queries,
        qrels=data.qrels,
        gold_headers=data.gold_headers,
        card=data.card,
    )
    assert validate(folder / "out") == []
    return data, found


def test_hitab_keeps_trees_regions_gold_headers_and_the_original_wording(tmp_path: Path) -> None:
    table = _table(
        "h/1",
        [["", "men", ""], ["", "2019", "2020"], ["work", "percent", ""], ["farm", "1", "2"]],
        merged_regions=[[0, 0, 1, 2], [2, 2, 1, 2]],
        top_header_rows=2,
        left_header_cols=1,
        source="statcan",
        top_header_tree=[_node(0, 1, _node(1, 1), _node(1, 2))],
        left_header_tree=[_node(2, 0, _node(2, 1, _node(3, 0)))],
    )
    question = {
        "id": "q1",
        "question": "old wording?",
        "question_corrected": "new wording?",
        "answers": ["2"],
        "answers_corrected": ["3"],
        "table_id": "h/1",
        "answer_cells": [[3, 2], [3, 2]],
        "answer_formulas": ["=C4", 7],
        "gold_top_paths": [[[0, 1], [1, 2]], [[0, 1], [1, 1]]],
        "gold_left_paths": [[[2, 0], [2, 1], [3, 0]]],
    }
    data, (found,) = _read("hitab", tmp_path, [table], train=[], dev=[], test=[question])
    assert found.grid is not None
    assert found.grid.top_paths == [(), ((0, 1), (1, 1)), ((0, 1), (1, 2))]
    assert found.grid.left_paths == [(), (), ((2, 0), (2, 1)), ((2, 0), (2, 1), (3, 0))]
    assert found.grid.merged == [(0, 0, 1, 2), (2, 2, 1, 2)]
    assert (found.grid.num_header_rows, found.grid.num_header_cols) == (2, 1)
    assert data.queries == [Query(id="q1", text="old wording?", answers=["2"])]
    assert data.qrels == {"train": {}, "dev": {}, "test": {"q1": {"h/1": 1}}}
    assert data.gold_headers == [
        GoldHeaders(
            query_id="q1",
            table_id="h/1",
            top=[(0, 1), (1, 2), (1, 1)],
            left=[(2, 0), (2, 1), (3, 0)],
            answer_cells=[(3, 2)],
            formula="=C4; 7",
        )
    ]


def test_aitqa_has_gold_headers_only_for_an_answer_cell_that_is_certain(tmp_path: Path) -> None:
    table = _table(
        "tab-0",
        [["Year", "Fuel"], ["2018", "9"], ["2019", "9"]],
        merged_regions=[],
        left_header_cols=0,
        top_header_tree=[_node(0, 0), _node(0, 1)],
        left_header_tree=[],
    )
    sure = {
        "id": "q-0",
        "question": "Fuel?",
        "answers": ["9"],
        "table_id": "tab-0",
        "answer_cell_candidates": [[1, 1]],
        "gold_top_paths": [[[0, 1]]],
        "gold_left_paths": [],
    }
    unsure = sure | {"id": "q-1", "answer_cell_candidates": [[1, 1], [2, 1]], "gold_top_paths": []}
    data, (found,) = _read("aitqa", tmp_path, [table], test=[sure, unsure])
    assert found.grid is not None and found.grid.top_paths == [((0, 0),), ((0, 1),)]
    assert [(gold.query_id, gold.top, gold.answer_cells) for gold in data.gold_headers] == [
        ("q-0", [(0, 1)], [(1, 1)])
    ]
    assert list(data.qrels["test"]) == ["q-0", "q-1"]


def test_wtq_blanks_repeated_texts_of_merged_cells(tmp_path: Path) -> None:
    table = _table(
        "csv/1.csv",
        [["year", "chart"], ["1990", "A"], ["1990", "B"]],
        merged_regions=[[1, 2, 0, 0]],
        section=["Music", "Albums"],
        caption="",
        url="https://en.wikipedia.org",
    )
    plain = _table("csv/2.csv", [["year"], ["1990"], ["1990"]], section=[], caption="c", url=None)
    row = {"id": "n-1", "question": "which?", "answers": ["A", "B"], "table_id": "csv/1.csv"}
    data, (merged, unknown) = _read(
        "wtq", tmp_path, [table, plain], train=[row], dev=[], test=[], seen_tables=[row | {"id": "n-2"}]
    )
    assert merged.grid is not None and unknown.grid is not None
    assert merged.grid.cells == [["year", "chart"], ["1990", "A"], ["", "B"]]
    assert unknown.grid.cells == [["year"], ["1990"], ["1990"]]
    assert (merged.section, unknown.caption, unknown.metadata) == ("Music > Albums", "c", {})
    assert data.queries[0].answers == ["A", "B"]
    assert data.qrels["seen_tables"] == {"n-2": {"csv/1.csv": 1}}


def test_tabfact_and_infotabs_are_statements_with_labels(tmp_path: Path) -> None:
    table = _table("t", [["a"], ["1"]], url=None)

    def row(number: int, label: object) -> Row:
        return {"id": f"s{number}", "statement": "a be 1", "label": label, "table_id": "t"}

    data, _ = _read("tabfact", tmp_path / "1", [table], train=[row(0, 1)], dev=[row(1, 0)], test=[])
    assert [(q.task, q.label, q.answers) for q in data.queries] == [
        ("verify", "SUPPORTED", []),
        ("verify", "REFUTED", []),
    ]
    data, _ = _read(
        "infotabs",
        tmp_path / "2",
        [table],
        train=[row(0, "entail")],
        dev=[row(1, "contradict")],
        test_alpha1=[row(2, "neutral")],
        test_alpha2=[],
        test_alpha3=[row(3, "neutral")],
    )
    assert [q.label for q in data.queries] == ["SUPPORTED", "REFUTED", "NOT ENOUGH INFO", "NOT ENOUGH INFO"]
    assert data.qrels["test_alpha3"] == {"s3": {"t": 1}}
    assert "test" not in data.qrels


def test_fetaqa_keeps_the_highlighted_cells(tmp_path: Path) -> None:
    table = _table("f", [["a", "b"], ["1", "2"]], section=["S"], url=None)
    row = {
        "id": "7",
        "question": "who?",
        "answers": ["It is 1."],
        "table_id": "f",
        "evidence_cells": [[1, 0]],
    }
    data, _ = _read("fetaqa", tmp_path, [table], train=[], dev=[row], test=[])
    assert data.queries == [Query(id="7", text="who?", answers=["It is 1."], task="qa")]
    assert data.gold_headers == [GoldHeaders(query_id="7", table_id="f", answer_cells=[(1, 0)])]


def test_ottqa_marks_answers_that_stand_in_the_table(tmp_path: Path) -> None:
    table = _table("o", [["a"], ["1"], ["2"]], intro="An intro.", section_text="", url="u", section=["S"])
    nodes = [
        {"text": "1", "cell": [1, 0], "passage_id": None, "where": "table"},
        {"text": "2", "cell": [2, 0], "passage_id": "/wiki/2", "where": "passage"},
    ]
    row = {"id": "x", "question": "who?", "answers": ["1"], "table_id": "o", "answer_nodes": nodes}
    only_passage = row | {"id": "y", "answer_nodes": nodes[1:]}
    data, (found,) = _read("ottqa", tmp_path, [table], dev=[row, only_passage])
    assert [(gold.query_id, gold.answer_cells) for gold in data.gold_headers] == [("x", [(1, 0)])]
    assert found.metadata == {"url": "u", "intro": "An intro."}


def test_imtqa_has_two_languages_and_header_sizes(tmp_path: Path) -> None:
    kinds = {
        "column_attribute": [[0, 0], [0, 1]],
        "row_attribute": [],
        "column_index": [],
        "row_index": [[1, 0]],
    }
    table = _table(
        "i",
        [["name", "sales"], ["Li", "5"]],
        cells_zh=[["姓名", "销售"], ["李", "5"]],
        type="vertical",
        top_header_rows=None,
        header_cells=kinds,
    )
    row = {
        "id": "i_1",
        "question": "sales of Li?",
        "question_zh": "李的销售?",
        "answers": ["5"],
        "answers_zh": ["5"],
        "table_id": "i",
        "answer_cells": [[1, 1]],
    }
    data, (found,) = _read("imtqa", tmp_path, [table], train=[row], dev=[], test=[])
    assert found.grid is not None
    assert (found.grid.num_header_rows, found.grid.num_header_cols) == (1, 1)
    assert data.queries[0].text == "sales of Li?"
    chinese = imtqa.read(tmp_path, language="zh")
    (grid,) = [table.grid for table in chinese.tables]
    assert grid is not None and grid.cells[0] == ["姓名", "销售"]
    assert (chinese.queries[0].text, list(chinese.card.languages)) == ("李的销售?", ["zh"])
    with pytest.raises(UserError, match="no language 'de'; choose from en, zh"):
        imtqa.read(tmp_path, language="de")


COUNTS = {
    "hitab": (3597, {"train": 7417, "dev": 1671, "test": 1284}),
    "aitqa": (113, {"test": 415}),
    "wtq": (2108, {"train": 11321, "dev": 2831, "test": 4144, "seen_tables": 3537}),
    "tabfact": (16573, {"train": 92283, "dev": 12792, "test": 12579}),
    "infotabs": (
        2540,
        {"train": 16538, "dev": 1800, "test_alpha1": 1800, "test_alpha2": 1800, "test_alpha3": 1800},
    ),
    "fetaqa": (4290, {"train": 1465, "dev": 1001, "test": 2003}),
    "ottqa": (8891, {"dev": 2214}),
    "imtqa": (1200, {"train": 3909, "dev": 464, "test": 627}),
}


@pytest.mark.parametrize("name", COUNTS)
def test_real_counts_are_those_of_the_readme(name: str, data_root: Path) -> None:
    num_tables, splits = COUNTS[name]
    data = whole(name, data_root) if name == "hitab" else source(name).read(data_root / name)
    assert {split: len(qrels) for split, qrels in data.qrels.items()} == splits
    assert len(data.queries) == len({query.id for query in data.queries}) == sum(splits.values())
    if num_tables <= 4000:  # grids of the others take long; their ids are checked by the sample below
        ids = {table.id for table in data.tables}
        assert len(ids) == num_tables
        assert {item for qrels in data.qrels.values() for grades in qrels.values() for item in grades} <= ids
        assert not data.repairs
    answered = Counter(bool(query.answers) or query.label is not None for query in data.queries)
    assert answered == {True: sum(splits.values())}


@pytest.mark.parametrize("name", COUNTS)
def test_a_real_sample_makes_a_folder_without_fault(name: str, data_root: Path, tmp_path: Path) -> None:
    data = source(name).read(data_root / name, limit=40)
    write_folder(
        tmp_path / "d",
        tables=data.tables,
        queries=data.queries,
        qrels=data.qrels,
        gold_headers=data.gold_headers,
        card=data.card,
    )
    assert validate(tmp_path / "d") == []
    assert all(data.qrels.values())  # the sample has questions of every split


def test_real_hitab_paths_agree_with_the_gold_headers(data_root: Path) -> None:
    data = source("hitab").read(data_root / "hitab", limit=150)
    tables = {table.id: table for table in data.tables}
    num_checked = num_other = 0
    for gold in data.gold_headers:
        grid = tables[gold.table_id].grid
        assert grid is not None and grid.top_paths is not None and grid.left_paths is not None
        for row, col in gold.answer_cells:
            if row >= grid.num_header_rows and col >= grid.num_header_cols:
                num_checked += 1
                num_other += not (
                    set(grid.top_paths[col]) <= set(gold.top) and set(grid.left_paths[row]) <= set(gold.left)
                )
    assert num_checked > 300
    assert num_other <= num_checked * 0.005  # 15 of 10,774 in the whole set: the answer is itself a header


def test_real_hitab_record_by_hand(data_root: Path) -> None:
    data = whole("hitab", data_root)
    (query,) = [query for query in data.queries if query.id == "510476dd6fe55a9c97d995c55e2b401e"]
    assert query.text.startswith(
        "how many percent of university graduates among second-generation black women"
    )
    assert query.answers == ["15.5"]
    (table,) = [table for table in data.tables if table.id == "1004"]
    assert table.grid is not None and table.grid.top_paths is not None and table.grid.left_paths is not None
    cells = table.grid.cells
    assert [cells[row][col] for row, col in table.grid.top_paths[2]] == ["women", "university degree only"]
    assert [cells[row][col] for row, col in table.grid.left_paths[7]] == ["country of ancestry", "jamaica"]
    (gold,) = [gold for gold in data.gold_headers if gold.query_id == query.id]
    assert gold.formula == "=C10-E10"
    assert [cells[row][col] for row, col in gold.answer_cells] == ["31.3", "15.8"]
    assert gold.top == [(0, 1), (1, 2), (0, 3), (1, 4)] and gold.left == [(6, 0), (7, 0)]
