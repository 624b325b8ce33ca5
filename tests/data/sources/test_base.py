from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from tiny_tables import write_gz

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources import SOURCES, source
from tabrag.data.sources.base import grid_of, read_splits, rows, table_of, tree_paths
from tabrag.errors import UserError
from tabrag.types import Query


def _read(folder: Path, limit: int | None = None) -> Dataset:
    return read_splits(
        folder,
        card=Card(name="Set"),
        splits=("train", "test"),
        make_table=lambda row, repairs: table_of(row, grid_of(row, repairs)),
        make_query=lambda row: (Query(id=row["id"], text=row["question"]), None),
        limit=limit,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_gz(tmp_path, "tables", [{"id": f"t{n}", "cells": [["a"]]} for n in range(8)])
    write_gz(
        tmp_path, "train", [{"id": f"a{n}", "question": "?", "table_id": f"t{n // 2}"} for n in range(8)]
    )
    write_gz(tmp_path, "test", [{"id": "b0", "question": "?", "table_id": "t6"}])
    return tmp_path


def test_each_question_is_judged_on_its_table(folder: Path) -> None:
    data = _read(folder)
    assert [table.id for table in data.tables] == [f"t{n}" for n in range(8)]
    assert [table.id for table in data.tables] == [f"t{n}" for n in range(8)]  # may be read again
    assert data.qrels["test"] == {"b0": {"t6": 1}}
    assert data.qrels["train"]["a5"] == {"t2": 1}
    assert len(data.queries) == 9


def test_limit_keeps_tables_of_every_split_and_their_questions(folder: Path) -> None:
    data = _read(folder, limit=3)
    assert [table.id for table in data.tables] == ["t0", "t1", "t6"]
    assert [query.id for query in data.queries] == ["a0", "a1", "a2", "a3", "b0"]
    assert len(list(_read(folder, limit=7).tables)) == 7  # only five have questions
    assert len(list(_read(folder, limit=100).tables)) == 8
    with pytest.raises(UserError, match="--limit 0: give 1 or more"):
        _read(folder, limit=0)


def test_a_missing_file_is_named_with_what_is_there(folder: Path, tmp_path: Path) -> None:
    (folder / "test.jsonl.gz").unlink()
    with pytest.raises(
        UserError, match=r"test\.jsonl\.gz: Set needs this file, but the folder holds tables\.jsonl"
    ):
        _read(folder)
    with pytest.raises(
        UserError, match=r"train\.jsonl\.gz: Set needs this file, but there is no such folder"
    ):
        _read(tmp_path / "nowhere")


def test_broken_files_are_named(folder: Path) -> None:
    whole = (folder / "train.jsonl.gz").read_bytes()
    (folder / "train.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match=r"train\.jsonl\.gz: cannot be read to its end"):
        _read(folder)
    (folder / "train.jsonl.gz").write_bytes(gzip.compress(b'{"id": "a"}\n{"id": \n'))
    with pytest.raises(UserError, match=r"train\.jsonl\.gz:2: not a JSON object"):
        _read(folder)


def test_uncompressed_files_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "tables.jsonl").write_text('{"id": 1}\n\n{"id": 2}\n')
    assert [row["id"] for row in rows(tmp_path, "tables", data_set="Set")] == [1, 2]


def test_a_question_without_text_is_an_error(folder: Path) -> None:
    write_gz(folder, "test", [{"id": "b0", "question": " ", "table_id": "t6"}])
    with pytest.raises(UserError, match="question 'b0' of test .* has no text"):
        _read(folder)


def test_short_rows_and_empty_tables_follow_a_rule_that_is_counted() -> None:
    repairs: Counter[str] = Counter()
    assert grid_of({"cells": [["a", "b"], ["c"], []]}, repairs).cells == [["a", "b"], ["c", ""], ["", ""]]
    assert grid_of({"cells": []}, repairs).cells == [[""]]
    assert grid_of({"cells": [[], []]}, repairs).cells == [[""]]
    assert repairs == {"tables with short rows filled": 1, "empty tables kept as one blank cell": 2}


def test_repairs_are_counted_once_however_often_the_tables_are_read(tmp_path: Path) -> None:
    write_gz(tmp_path, "tables", [{"id": "t", "cells": [["a", "b"], ["c"]]}])
    write_gz(tmp_path, "train", [])
    write_gz(tmp_path, "test", [])
    data = _read(tmp_path)
    list(data.tables), list(data.tables)
    assert data.repairs == {"tables with short rows filled": 1}


def test_paths_run_to_the_deepest_node_of_a_column() -> None:
    def leaf(row: int, col: int) -> dict[str, object]:
        return {"row": row, "col": col, "children": []}

    tree = [{"row": 0, "col": 1, "children": [leaf(1, 1), leaf(1, 2)]}, leaf(0, 3)]
    assert tree_paths(tree, axis="col", count=5) == [
        (), ((0, 1), (1, 1)), ((0, 1), (1, 2)), ((0, 3),), ()
    ]  # fmt: skip


def test_every_source_is_there_and_an_unknown_one_names_them() -> None:
    for name in SOURCES:
        module = source(name)
        assert callable(module.make if name == "synthetic" else module.read)
        assert module.NAME and module.LICENCE
    with pytest.raises(UserError, match=r"unknown source 'hitap'; choose from hitab, aitqa, .*synthetic"):
        source("hitap")
