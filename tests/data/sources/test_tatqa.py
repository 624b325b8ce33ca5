from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from tiny_tables import write_gz

from tabrag.data.folder import DataFolder
from tabrag.data.prepare import prepare
from tabrag.data.sources import tatqa
from tabrag.data.validate import validate
from tabrag.types import GoldHeaders, Query

CELLS = [["", "", "Domestic", ""], ["", "2019", "2018", "2017"], ["Rate", "4.0%", "3.7%", "3.1%"]]


def _context(name: str, report: str | None) -> dict[str, Any]:
    table = {"type": "table", "table_id": name, "cells": CELLS}
    return {
        "id": name,
        "report": report,
        "blocks": [table, {"type": "paragraph", "text": f"Text of {name}."}],
    }


def _question(name: str, context: str, **more: Any) -> dict[str, Any]:
    given = {"answers": ["3.7"], "scale": "percent", "answer_type": "span", "answer_from": "table"}
    return {"id": name, "question": f"{name}?", "doc_id": context, "derivation": "", **given, **more}


def _write(folder: Path) -> None:
    write_gz(
        folder, "documents", [_context("a", "big-co_2019"), _context("b", None), _context("c", "big-co_2019")]
    )
    sums = {"answer_type": "arithmetic", "answer_from": "table-text", "answers": ["0.3"]}
    write_gz(
        folder,
        "dev",
        [
            _question("q1", "a", answers=["1,200"], scale="thousand", answer_from="text"),
            _question("q2", "c", derivation="4.0 - 3.7", **sums),
            _question("q3", "b", derivation="the 2 first years", **sums),
        ],
    )
    mapped = [{"table": [2, 2]}, {"paragraph_1": [0, 4]}, {"table": [9, 9]}]
    write_gz(folder, "test", [_question("q4", "c", mappings=mapped)])


def test_the_contexts_of_a_report_are_one_document(tmp_path: Path) -> None:
    _write(tmp_path / "in")
    data = tatqa.read(tmp_path / "in")
    report, alone = data.documents
    assert (report.id, report.title) == ("big-co_2019", "big co 2019")
    assert [block.table or block.text for block in report.blocks] == [
        "big-co_2019#t1",
        "Text of a.",
        "big-co_2019#t2",
        "Text of c.",
    ]
    assert (alone.id, alone.title, alone.blocks[0].table) == ("b", "", "b#t1")
    tables = list(data.tables)
    assert [(table.id, table.document) for table in tables] == [
        ("big-co_2019#t1", "big-co_2019"),
        ("big-co_2019#t2", "big-co_2019"),
        ("b#t1", "b"),
    ]
    grid = tables[0].grid
    assert grid is not None and grid.merged == [(0, 0, 1, 3)]  # alone in its row: over all columns
    assert (grid.num_header_rows, grid.num_header_cols) == (2, 1)


def test_questions_are_judged_on_documents_with_their_evidence(tmp_path: Path) -> None:
    _write(tmp_path / "in")
    data = tatqa.read(tmp_path / "in")
    assert data.qrels == {
        "dev": {"q1": {"big-co_2019": 1}, "q2": {"big-co_2019": 1}, "q3": {"b": 1}},
        "test": {"q4": {"big-co_2019": 1}},
    }
    assert data.queries[0] == Query(id="q1", text="q1?", answers=["1,200"], evidence="text")
    assert [query.evidence for query in data.queries] == ["text", "both", "both", "table"]
    assert data.queries[1].answers == ["0.3%"]
    assert data.gold_headers == [
        GoldHeaders(query_id="q2", table_id="big-co_2019#t2", formula="4.0 - 3.7"),
        GoldHeaders(
            query_id="q4",
            table_id="big-co_2019#t2",
            top=[(0, 1), (1, 2)],
            left=[(2, 0)],
            answer_cells=[(2, 2)],
        ),
    ]


def test_limit_keeps_documents_and_their_questions(tmp_path: Path) -> None:
    _write(tmp_path / "in")
    data = tatqa.read(tmp_path / "in", limit=1)
    assert [document.id for document in data.documents] == ["big-co_2019"]
    assert {query.id for query in data.queries} == {"q1", "q2", "q4"}
    assert len(list(data.tables)) == 2


def test_the_real_set_has_the_counts_of_its_readme(data_root: Path, tmp_path: Path) -> None:
    data = tatqa.read(data_root / "tatqa")
    assert {split: len(judged) for split, judged in data.qrels.items()} == {"dev": 1668, "test": 1663}
    figures = prepare(data, tmp_path / "out")
    assert (figures["documents"], figures["tables"]) == (150, 555)  # 149 reports, one context without
    assert validate(tmp_path / "out") == []
    folder = DataFolder(tmp_path / "out")
    per_document = Counter(table.document for table in folder.tables)
    assert sum(count > 1 for count in per_document.values()) > 100
    for document in folder.documents:
        named = [block.table for block in document.blocks if block.table]
        assert len(named) == per_document[document.id] and named[0] == f"{document.id}#t1"


def test_real_facts_are_the_cells_that_they_name(data_root: Path) -> None:
    """Facts of test questions: their cells hold the operands of the derivations."""
    data = tatqa.read(data_root / "tatqa", limit=40)
    tables = {table.id: table for table in data.tables}
    checked = right = 0
    for gold in data.gold_headers:
        grid = tables[gold.table_id].grid
        if grid is None or gold.formula is None or not gold.answer_cells:
            continue
        texts = [grid.cells[row][col] for row, col in gold.answer_cells]
        checked += len(texts)
        right += sum(text.strip("()$%€£ —-").replace(",", "") in gold.formula for text in texts)
    assert checked > 100 and right > 0.8 * checked
