"""Facts of real PDF files: headers and cells where their page's tables have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tabrag.documents.page_tables import find_tables
from tabrag.evaluation.table_facts import cells_at, missing_headers, plain
from tabrag.tables.headers import infer_table
from tabrag.types import Table

_MAX_PAGES = 4


def test_facts_of_real_files_are_reached(files_root: Path) -> None:
    pytest.importorskip("pdfplumber")
    lines = (files_root / "files.jsonl").read_text(encoding="utf-8").splitlines()
    missed, count = [], 0
    for record in map(json.loads, lines):
        pages = next((fact["value"] for fact in record["facts"] if fact["type"] == "pages"), 0)
        if record["kind"] != "pdf" or not 0 < pages <= _MAX_PAGES:
            continue
        tables = _tables(files_root / record["path"])
        for fact in record["facts"]:
            if fact["type"] in ("tables", "header", "cell"):
                count += 1
                if not _is_reached(fact, tables):
                    missed.append((record["path"], fact))
    assert count >= 40
    assert len(missed) <= 0.05 * count, missed


def _tables(path: Path) -> list[tuple[int, Table]]:
    from tabrag.documents.pdf.read import read_pages

    return [
        (page.number, Table(id="t", grid=infer_table(table.cells, table.merged).grid))
        for page in read_pages(path)
        for table in find_tables(page)
    ]


def _is_reached(fact: dict[str, Any], tables: list[tuple[int, Table]]) -> bool:
    there = [table for number, table in tables if fact.get("page") in (None, number)]
    if fact["type"] == "tables":
        return len(there) == fact["value"]
    if fact["type"] == "header":
        return any(not missing_headers(table, fact["value"]) for table in there)
    found = [text for table in there for _, text in cells_at(table, fact.get("column"), fact.get("row"))]
    return plain(fact["value"]) in map(plain, found)
