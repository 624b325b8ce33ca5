from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tiny_tables import sales

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset, without_tables
from tabrag.data.folder import DataFolder
from tabrag.data.prepare import prepare
from tabrag.data.validate import validate
from tabrag.errors import UserError
from tabrag.types import Block, Document, GoldHeaders, Query, Table


def _data() -> Dataset:
    return Dataset(
        card=Card(name="Set"),
        tables=[
            sales(),
            replace(sales(), id="more", title="More sales"),
            Table(id="bare", title="no grid"),
        ],
        queries=[Query(id=f"q{number}", text="?") for number in range(4)],
        qrels={
            "train": {"q0": {sales().id: 1, "bare": 1}, "q1": {"bare": 1}},
            "test": {"q2": {"more": 1}},
        },
        gold_headers=[
            GoldHeaders(query_id="q0", table_id=sales().id, top=[(0, 1)]),
            GoldHeaders(query_id="q1", table_id="bare"),
        ],
        failed=[{"file": "broken.csv", "reason": "odd"}],
        repairs=Counter({"rule": 2}),
    )


def test_rendering_leaves_no_table_without_a_picture(tmp_path: Path) -> None:
    figures = prepare(_data(), tmp_path / "d", render=True, num_workers=1)
    assert figures == {
        "out": str(tmp_path / "d"),
        "status": "partial",
        "tables": 2,
        "queries": 3,
        "headers": 1,
        "qrels/train": 1,
        "qrels/test": 1,
        "failed": 2,
        "repairs": {"rule": 2},
    }
    folder = DataFolder(tmp_path / "d")
    assert all(folder.image_path(table).is_file() for table in folder.tables)
    assert list(folder.queries) == ["q0", "q2", "q3"]  # q1 asked only about the table that is left out
    assert folder.qrels("train") == {"q0": {sales().id: 1}}
    failed = [json.loads(line) for line in (tmp_path / "d" / "failed.jsonl").open()]
    assert failed[0] == {"status": "failed", "file": "broken.csv", "reason": "odd"}
    assert failed[1]["table"] == "bare" and "grid" in failed[1]["reason"]
    assert validate(tmp_path / "d", images=True) == []


def test_without_rendering_all_tables_stay(tmp_path: Path) -> None:
    figures = prepare(_data(), tmp_path / "d")
    assert (figures["tables"], figures["queries"], figures["failed"]) == (3, 4, 1)
    assert DataFolder(tmp_path / "d").tables[sales().id] == sales()


def test_nothing_to_write_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    data = Dataset(card=Card(name="Set"), tables=[Table(id="bare")])
    with pytest.raises(UserError, match=r"Set: no table is left to write to .*: .*'bare'.* no grid"):
        prepare(data, tmp_path / "d", render=True, num_workers=1)
    assert not (tmp_path / "d").exists()


def test_without_tables_keeps_lazy_tables_lazy() -> None:
    data = _data()
    assert without_tables(data, set()) is data
    kept = without_tables(data, {"more"})
    assert [table.id for table in kept.tables] == [sales().id, "bare"] == [t.id for t in kept.tables]
    assert kept.qrels["test"] == {} and [query.id for query in kept.queries] == ["q0", "q1", "q3"]


def test_documents_are_written_beside_their_tables(tmp_path: Path) -> None:
    data = _data()
    blocks = [Block(kind="table", table=item) for item in (sales().id, "bare")]
    data.documents = [Document(id="d1", title="Years", blocks=[Block(kind="text", text="By year."), *blocks])]
    data.qrels["dev"] = {"q3": {"d1": 1}}
    data.queries[3] = Query(id="q3", text="?", evidence="both")
    figures = prepare(data, tmp_path / "plain")
    assert figures["documents"] == 1 and DataFolder(tmp_path / "plain").documents["d1"] == data.documents[0]
    prepare(data, tmp_path / "drawn", render=True, num_workers=1)
    assert validate(tmp_path / "drawn") == []
    drawn = DataFolder(tmp_path / "drawn")
    assert [block.table for block in drawn.documents["d1"].blocks] == [None, sales().id]  # "bare": no picture
    assert drawn.qrels("dev") == {"q3": {"d1": 1}} and drawn.queries["q3"].evidence == "both"
    assert "| documents | 1 |" in (drawn.path / "README.md").read_text(encoding="utf-8")
