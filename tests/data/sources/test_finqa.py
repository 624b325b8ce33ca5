from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from tiny_tables import write_gz

from tabrag.chat.calculator import evaluate
from tabrag.data.dataset import Dataset
from tabrag.data.folder import DataFolder
from tabrag.data.prepare import prepare
from tabrag.data.sources import finqa
from tabrag.data.validate import validate
from tabrag.tables.values import parse_value
from tabrag.types import GoldHeaders

PRINTED = [["", "As of May 1,", ""], ["", "2004", "2003"], ["Cash", "$1,200", "$(5)"], ["Debt", "7", "6"]]
JOINED = [["", "2004", "2003"], ["cash", "$ 1200", "$ -5 ( 5 )"], ["debt", "7", "6"]]


def _page(report: str, number: int, **more: Any) -> dict[str, Any]:
    name = f"{report.replace('_', '/')}/page_{number}.pdf"
    table = {"type": "table", "table_id": name, "cells": PRINTED, "cells_finqa": JOINED}
    text = {"type": "paragraph", "text": f"text of {number} ."}
    return {"id": name, "report": report, "order_known": True, "blocks": [text, table], **more}


def _question(page: dict[str, Any], number: int, **more: Any) -> dict[str, Any]:
    given = {"answers": ["1"], "doc_id": page["id"], "report": page["report"]}
    return {"id": f"{page['id']}-{number}", "question": "how much ?", **given, **more}


def _write(folder: Path) -> None:
    late, early, other = _page("A_2004", 20), _page("A_2004", 3, order_known=False), _page("B_2005", 7)
    write_gz(folder, "documents", [late, early, other])
    program = {
        "program": "subtract(1200, 5), divide(#0, const_100)",
        "evidence": {"table_1": "cash", "text_0": "text"},
        "in_official_dev": False,
    }
    write_gz(folder, "bench", [_question(late, 1, **program), _question(other, 1, **program)])
    write_gz(folder, "dev", [_question(early, 2)])


def test_the_pages_of_a_report_are_one_document_in_order(tmp_path: Path) -> None:
    _write(tmp_path)
    data = finqa.read(tmp_path)
    report, _ = data.documents
    assert [(block.page, block.table or block.text) for block in report.blocks] == [
        (3, "text of 3 ."),
        (3, "A_2004#t1"),
        (20, "text of 20 ."),
        (20, "A_2004#t2"),
    ]
    assert [page.number for page in report.pages] == [3, 20]
    assert report.metadata == {"unordered_pages": "3"}
    table = next(iter(data.tables))
    assert (table.source.page, table.source.file) == (3, "A_2004")


def test_a_report_with_dev_questions_is_dev_and_evidence_rows_are_gold(tmp_path: Path) -> None:
    _write(tmp_path)
    data = finqa.read(tmp_path)
    assert set(data.qrels["dev"]) == {"A/2004/page_20.pdf-1", "A/2004/page_3.pdf-2"}
    assert set(data.qrels[finqa.split_of("B_2005")]) == {"B/2005/page_7.pdf-1"}
    gold = {gold.query_id: gold for gold in data.gold_headers}
    assert gold["A/2004/page_20.pdf-1"] == GoldHeaders(
        query_id="A/2004/page_20.pdf-1",
        table_id="A_2004#t2",
        top=[(0, 1), (1, 1), (1, 2)],
        left=[(2, 0)],
        answer_cells=[(2, 1), (2, 2)],
        formula="(1200 - 5) / 100",
    )
    evidence = {query.id: query.evidence for query in data.queries}
    assert evidence == {
        "A/2004/page_20.pdf-1": "both",
        "A/2004/page_3.pdf-2": "",
        "B/2005/page_7.pdf-1": "both",
    }


def test_splits_of_other_reports_keep_companies_together() -> None:
    reports = [f"{symbol}_{year}" for symbol in ("AAA", "BB", "C", "DDD", "EE") for year in range(2000, 2010)]
    splits = defaultdict(set)
    for report in reports:
        splits[report.partition("_")[0]].add(finqa.split_of(report))
    assert all(len(found) == 1 for found in splits.values())
    assert set.union(*splits.values()) == {"train", "test"}


@pytest.fixture(scope="module")
def real(data_root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Dataset, Path, dict[str, Any]]:
    """The whole set, the folder that is made of it, and its counts."""
    data, out = finqa.read(data_root / "finqa"), tmp_path_factory.mktemp("finqa") / "out"
    return data, out, prepare(data, out)


def test_the_real_set_has_the_counts_of_its_readme(real: tuple[Dataset, Path, dict[str, Any]]) -> None:
    data, out, figures = real
    assert sum(map(len, data.qrels.values())) == len(data.queries) == 848 + 451 - 20
    reports = {
        split: {next(iter(grades)) for grades in judged.values()} for split, judged in data.qrels.items()
    }
    assert all(reports.values())
    assert not (reports["train"] & reports["dev"] or reports["train"] & reports["test"])
    symbols = {split: {report.rpartition("_")[0] for report in found} for split, found in reports.items()}
    assert not symbols["train"] & symbols["test"]
    assert (figures["documents"], figures["tables"], figures["headers"]) == (298, 509, 451)
    assert validate(out) == []


def test_real_evidence_cells_hold_operands(real: tuple[Dataset, Path, dict[str, Any]]) -> None:
    folder = DataFolder(real[1])
    checked = in_train = 0
    for query_id in folder.qrels("train"):
        (gold,) = folder.gold_headers[query_id]
        assert gold.formula is not None and isinstance(evaluate(gold.formula), float | int)
        grid = folder.tables[gold.table_id].grid
        assert grid is not None
        in_train += 1
        for row, col in gold.answer_cells:
            value = parse_value(grid.cells[row][col])
            assert value is not None
            assert row >= grid.num_header_rows or not gold.top
            checked += 1
    assert in_train > 100 and checked > 150
