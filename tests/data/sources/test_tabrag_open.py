from __future__ import annotations

from pathlib import Path

import pytest
from tiny_tables import write_gz

from tabrag.data.folder import DataFolder
from tabrag.data.pictures import picture_name
from tabrag.data.prepare import prepare
from tabrag.data.sources import tabrag_open
from tabrag.data.validate import validate
from tabrag.errors import UserError


def _write_sets(root: Path) -> None:
    """Two tables a set; the questions of each split ask about the first one."""
    more = {"top_header_rows": 1, "left_header_cols": 0, "merged_regions": None, "header_cells": {}}
    trees = {"top_header_tree": [], "left_header_tree": []}
    asked = {"answers": ["1"], "answer_cells": [], "evidence_cells": [], "answer_nodes": []}
    gold = {"gold_top_paths": [], "gold_left_paths": []}
    for name, splits in tabrag_open.SETS.items():
        tables = [
            {"id": f"t{n}", "title": f"{name} tables {n}", "cells": [["word", "size"], [f"{name}{n}x", "1"]]}
            for n in range(2)
        ]
        write_gz(root / name, "tables", [table | more | trees for table in tables])
        labels = {"tabfact": 1, "infotabs": "entail"}
        for number, split in enumerate([*splits, "seen_tables"]):
            text = f"what is the size of {name} ?"
            row = {"id": f"{split}-{number}", "question": text, "statement": text, "table_id": "t0"}
            write_gz(root / name, split, [row | asked | gold | {"label": labels.get(name)}])


def test_all_sets_become_one_folder(tmp_path: Path) -> None:
    _write_sets(tmp_path / "data")
    figures = prepare(tabrag_open.read(tmp_path / "data"), tmp_path / "out", render=True, num_workers=1)
    assert validate(tmp_path / "out", images=True) == []
    folder = DataFolder(tmp_path / "out")
    assert (figures["status"], len(folder.tables)) == ("ok", 14)
    assert {query.data_set for query in folder.queries.values()} == set(tabrag_open.SETS)
    # Each set asks about one table in all splits: what is in test leaves nothing for dev and train.
    assert {query_id.split("/")[0] for query_id in folder.qrels("test")} == set(tabrag_open.SETS) - {"ottqa"}
    assert [query_id for query_id in folder.qrels("test") if query_id.startswith("infotabs")] == [
        "infotabs/test_alpha1-2",
        "infotabs/test_alpha2-3",
        "infotabs/test_alpha3-4",
    ]
    assert list(folder.qrels("dev")) == ["ottqa/dev-1"] and folder.splits == ["dev", "test"]
    assert not any("seen_tables" in query_id for query_id in folder.queries)
    table = folder.tables["wtq/t1"]
    assert table.metadata["data_set"] == "wtq"
    assert folder.image_path(table).name == picture_name("wtq/t1") and "/" not in picture_name("wtq/t1")


def test_the_card_tells_licences_rules_and_counts(tmp_path: Path) -> None:
    _write_sets(tmp_path / "data")
    card = tabrag_open.read(tmp_path / "data").card
    assert card.licence == "other" and "union" in card.terms
    for licence in ("c-uda", "cc-by-sa-4.0", "mit", "apache-2.0"):
        assert f"| {licence} |" in card.note
    assert "| hitab | train | 1 | 0 | 1 | 0 | 0 |" in card.note
    assert "| all | test | 8 | 0 | 0 | 0 | 8 |" in card.note
    assert "| all | 14 | 0 | 14 |" in card.note
    prepare(tabrag_open.read(tmp_path / "data"), tmp_path / "out")
    readme = (tmp_path / "out" / "README.md").read_text()
    assert "licence: other; the union of" in readme and card.note in readme


def test_a_limit_is_shared_by_the_sets(tmp_path: Path) -> None:
    _write_sets(tmp_path)
    assert [table.id for table in tabrag_open.read(tmp_path, limit=9).tables] == [
        *("hitab/t0", "hitab/t1", "wtq/t0", "wtq/t1"),
        *("tabfact/t0", "infotabs/t0", "fetaqa/t0", "ottqa/t0", "imtqa/t0"),
    ]
    assert [table.id for table in tabrag_open.read(tmp_path, limit=2).tables] == ["hitab/t0", "wtq/t0"]
    with pytest.raises(UserError, match="--limit 0: give 1 or more"):
        tabrag_open.read(tmp_path, limit=0)
    (tmp_path / "fetaqa" / "dev.jsonl.gz").unlink()
    with pytest.raises(UserError, match=r"fetaqa/dev.jsonl.gz: FeTaQA needs this file"):
        tabrag_open.read(tmp_path)


def test_a_real_set_repeats_tables_and_none_of_test_is_trained_on(data_root: Path) -> None:
    (part,) = tabrag_open.read_parts(data_root, names=("imtqa",))
    data = tabrag_open.pooled([part])
    tables = {split: {item for g in qrels.values() for item in g} for split, qrels in data.qrels.items()}
    assert all(len(found) > 90 for found in tables.values())
    same = [set(group.table_ids) for group in data.near_duplicates if group.kind == "cells"]
    assert len(same) > 50 and sum("merged" in table.metadata for table in data.tables) > 5
    assert any(len([1 for found in tables.values() if found & pair]) == 1 for pair in same)
    for pair in same:
        assert len([split for split, found in tables.items() if found & pair]) <= 1, pair
    assert not tables["train"] & tables["test"] and not tables["dev"] & tables["test"]
    asked = {query.id: query.text for query in part.data.queries}
    left = {query.id for query in data.queries}
    assert asked["NQEhM1Lt_4"] == "What devices are counted?" and "imtqa/NQEhM1Lt_4" not in left
    assert "fast moving speed" in asked["Xew5NYH5_3"] and "imtqa/Xew5NYH5_3" in left
