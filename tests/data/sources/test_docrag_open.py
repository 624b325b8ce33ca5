from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from tiny_tables import write_gz

from tabrag.data.document_copies import Groups
from tabrag.data.folder import DataFolder
from tabrag.data.prepare import prepare
from tabrag.data.sources import docrag_open
from tabrag.data.validate import validate
from tabrag.errors import UserError
from tabrag.types import Query

CELLS = [["", "2019", "2018"], ["Sales", "1,200", "1,100"], ["Cost", "700", "650"]]
FILL = " ".join(f"line {number} of the page has {number * 37 % 101} entries" for number in range(90))


def _write(root: Path) -> None:
    """One or two documents a set; the second document of MultiHiertt is a copy of FinQA's page."""
    table = {"type": "table", "cells": CELLS, "cells_finqa": CELLS, "table_id": "x"}

    def context(name: str, text: str) -> dict[str, Any]:
        blocks = [table, {"type": "paragraph", "text": text}]
        return {
            "id": name,
            "report": name,
            "order_known": True,
            "examples": [],
            "split": "dev",
            "blocks": blocks,
        }

    tat = {"scale": "", "answer_type": "span", "answer_from": "text", "derivation": "", "answers": ["blue"]}
    write_gz(root / "tatqa", "documents", [context("acme_2019", "Acme has zeppelins in blue.")])
    named = {"id": "1", "question": "What colour are the zeppelins of Acme?", "doc_id": "acme_2019"}
    generic = {"id": "2", "question": "How much in total?", "doc_id": "acme_2019"}
    write_gz(root / "tatqa", "dev", [tat | named, tat | generic])
    write_gz(root / "tatqa", "test", [])
    page = context("AB_2010", f"the gizmo fund grew . {FILL}") | {"id": "AB/2010/page_3.pdf"}
    fin = {
        "doc_id": page["id"],
        "report": "AB_2010",
        "answers": ["2"],
        "in_official_dev": False,
        "evidence": {},
    }
    program = {"program": "divide(1200, 700)", "question": "how large is the gizmo fund ?"}
    write_gz(root / "finqa", "documents", [page])
    write_gz(root / "finqa", "bench", [fin | program | {"id": "3"}])
    write_gz(root / "finqa", "dev", [])
    for name, word in (("hybridqa", "walrus"), ("ottqa", "ferret")):
        linked = {"cells": CELLS, "merged_regions": None, "top_header_rows": 1, "links": [[1, 0, ["/p"]]]}
        ids = [{"id": f"{word}_{number}", "title": f"{word} page"} for number in range(2)]
        write_gz(root / name, "tables", [linked | row for row in ids])
        write_gz(root / name, "passages", [{"id": "/p", "text": "A passage."}])
        asked = {"question": f"Which {word} page is it ?", "answers": ["passage"], "answer_nodes": []}
        write_gz(root / name, "dev", [asked | {"id": f"{word}", "table_id": f"{word}_0"}])
    write_gz(
        root / "multihiertt",
        "documents",
        [context("mh-1", "Other things."), context("mh-2", f"The gizmo fund grew. {FILL.upper()}")],
    )


def test_all_sets_become_one_folder(tmp_path: Path) -> None:
    _write(tmp_path / "in")
    figures = prepare(docrag_open.read(tmp_path / "in"), tmp_path / "out")
    assert validate(tmp_path / "out") == []
    folder = DataFolder(tmp_path / "out")
    assert list(folder.documents.ids) == [
        *("tatqa/acme_2019", "finqa/AB_2010", "hybridqa/walrus_0", "hybridqa/walrus_1"),
        *("ottqa/ferret_0", "ottqa/ferret_1", "multihiertt/mh-1"),
    ]
    assert {table.document for table in folder.tables} == set(folder.documents.ids)
    assert all(table.id == f"{table.document}#t1" for table in folder.tables)
    assert folder.tables["finqa/AB_2010#t1"].source.file == "finqa/AB_2010"
    # The walrus and ferret questions fit the other table of their page as well.
    assert set(folder.queries) == {"tatqa/1", "finqa/3"}
    assert folder.queries["tatqa/1"].data_set == "tatqa" and folder.queries["tatqa/1"].evidence == "text"
    (gold,) = folder.gold_headers["finqa/3"]
    assert (gold.table_id, gold.formula) == ("finqa/AB_2010#t1", "1200 / 700")
    assert figures["repairs"] == {
        "tatqa: questions left out: names nothing": 1,
        "hybridqa: questions left out: fits another document": 1,
        "ottqa: questions left out: fits another document": 1,
        "multihiertt: documents left out as copies": 1,
    }
    readme = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "| tatqa | 2 | 1 | 0 | 0 | 0 | 1 |" in readme
    for licence in ("cc-by-4.0", "cc-by-sa-4.0", "mit"):
        assert f"| {licence} |" in readme


def test_a_group_is_in_one_split_and_never_trained_on_where_one_of_it_is_held_out() -> None:
    def question(number: int, data_set: str, split: str) -> docrag_open.Question:
        query = Query(id=f"q{number}", text="?", data_set=data_set)
        return docrag_open.Question(query=query, split=split, document_id=f"d{number}", formula=None)

    asked = [question(number, "hybridqa", "dev") for number in range(60)]
    alone = docrag_open.split(asked, Groups())
    assert {name: len(judged) > 3 for name, judged in alone.items()} == dict.fromkeys(alone, True)
    assert 30 <= len(alone["train"]) <= 52  # 70 %
    groups = Groups()
    for number in range(1, 60):
        groups.join("d0", f"d{number}")
    assert sorted(map(len, docrag_open.split(asked, groups).values())) == [0, 0, 60]
    for number in range(60, 100):
        groups.join(f"d{number}", f"d{number - 60}" if number < 60 else f"e{number // 2}")
    mixed = [question(60, "hybridqa", "dev"), question(61, "ottqa", "dev")]
    assert not docrag_open.split(mixed, groups)["train"]
    held = [question(62, "finqa", "train"), question(63, "finqa", "test")]
    assert len(docrag_open.split(held, groups)["test"]) == 2


def test_a_limit_below_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--limit 0: give 1 or more"):
        docrag_open.read(tmp_path, limit=0)


def test_a_real_sample_keeps_documents_in_one_split(data_root: Path, tmp_path: Path) -> None:
    figures = prepare(docrag_open.read(data_root, limit=40), tmp_path / "out")
    assert validate(tmp_path / "out") == []
    assert 35 <= figures["documents"] <= 40
    folder = DataFolder(tmp_path / "out")
    splits = defaultdict(set)
    for name in folder.splits:
        for grades in folder.qrels(name).values():
            assert list(grades.values()) == [1]
            splits[next(iter(grades))].add(name)
    assert len(splits) > 15 and all(len(names) == 1 for names in splits.values())
    assert set(splits) <= set(folder.documents.ids)
    sets = Counter(query.data_set for query in folder.queries.values())
    assert set(sets) == {"tatqa", "finqa", "hybridqa", "ottqa"}
    trained = {query_id.partition("/")[0] for query_id in folder.qrels("train")}
    assert trained <= {"finqa", "hybridqa"}
