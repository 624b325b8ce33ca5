"""Facts that were checked by eye in real HTML, CSV and Excel files, and files that must do no harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tabrag.errors import UserError
from tabrag.evaluation.table_facts import cells_at, missing_headers, plain
from tabrag.tables.grid import left_paths, path_texts
from tabrag.tables.read import read_tables
from tabrag.tables.read_html import read_html
from tabrag.tables.text import headers_text, html, markdown
from tabrag.types import Table

KINDS = ("html", "csv", "xlsx")


def _records() -> list[dict[str, Any]]:
    folder = os.environ.get("TABRAG_FILES")
    if not folder:
        return []
    with open(Path(folder) / "files.jsonl", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [
        record
        for record in records
        if record["kind"] in KINDS
        or (record["kind"] == "hostile" and record["path"].endswith((".csv", ".xlsx")))
    ]


def _of_type(*types: str) -> list[Any]:
    return [
        pytest.param(record["path"], fact, id=f"{record['path']}-{number}")
        for record in _records()
        for number, fact in enumerate(record["facts"])
        if fact["type"] in types
    ]


def _questions() -> list[Any]:
    return [
        pytest.param(record["path"], question, id=f"{record['path']}-{number}")
        for record in _records()
        for number, question in enumerate(record["questions"])
        if "cell" in question
    ]


@cache
def _tables(path: Path) -> list[Table]:
    return read_tables(path)


def _values(path: Path, fact: dict[str, Any]) -> list[str]:
    """What stands where a fact says, in any table of the file."""
    return [
        plain(text)
        for table in _tables(path)
        for _, text in cells_at(table, fact.get("column"), fact.get("row"))
    ]


@pytest.mark.parametrize(("path", "fact"), _of_type("cell"))
def test_cell(files_root: Path, path: str, fact: dict[str, Any]) -> None:
    assert plain(str(fact["value"])) in _values(files_root / path, fact)


@pytest.mark.parametrize(("path", "question"), _questions())
def test_cell_that_answers_a_question(files_root: Path, path: str, question: dict[str, Any]) -> None:
    assert plain(question["answer"]) in _values(files_root / path, question["cell"])


@pytest.mark.parametrize(("path", "fact"), _of_type("header"))
def test_header(files_root: Path, path: str, fact: dict[str, Any]) -> None:
    assert any(not missing_headers(table, fact["value"]) for table in _tables(files_root / path))


@pytest.mark.parametrize(("path", "fact"), _of_type("tables"))
def test_number_of_tables(files_root: Path, path: str, fact: dict[str, Any]) -> None:
    """The count of an HTML file is that of its ``<table>`` elements, that of a workbook is one sheet's."""
    if path.endswith(".html"):
        assert len(read_html(files_root / path, keep_layout=True)) == fact["value"]
        return
    counts: dict[str, int] = {}
    for table in _tables(files_root / path):
        counts[table.source.sheet] = counts.get(table.source.sheet, 0) + 1
    assert fact["value"] in counts.values()


def test_no_serialisation_has_invented_names(files_root: Path) -> None:
    num_texts = 0
    for record in _records():
        if record["kind"] == "hostile":
            continue
        for table in _tables(files_root / record["path"]):
            for text in (headers_text(table), markdown(table), markdown(table, spans="repeat"), html(table)):
                num_texts += 1
                for word in ("nan", "None", "Unnamed"):
                    assert f"| {word} |" not in text and f">{word}<" not in text and f"; {word};" not in text
                assert "Unnamed:" not in text and "Total.1" not in text
    assert num_texts > 50


def test_nested_texts_are_not_repeated(files_root: Path) -> None:
    tables = _tables(files_root / "html/table_06.html")
    texts = [text for table in tables for row in table.grid.cells for text in row]
    assert [texts.count(name) for name in ("E1", "E4", "I", "A1", "2...")] == [1, 1, 1, 1, 1]
    assert [table.metadata.get("outer_table") for table in tables[1:]] == [table.id for table in tables[:-1]]


def test_row_headers_with_spans(files_root: Path) -> None:
    first, second, third = _tables(files_root / "html/example_08.html")
    assert (1, 6, 0, 0) in first.grid.merged
    assert {(1, 7, 0, 0), (1, 4, 1, 1), (5, 7, 1, 1)} <= set(second.grid.merged)
    # Its markup says eight rows, but only seven are there.
    assert (1, 7, 0, 0) in third.grid.merged
    assert path_texts(second.grid, left_paths(second.grid)[7]) == ["2025", "Q2", "May"]


def test_layout_pages_do_not_flood(files_root: Path) -> None:
    assert len(_tables(files_root / "html/big-preamble.html")) <= 2
    assert len(_tables(files_root / "html/blog-app-updates.html")) == 1
    assert len(_tables(files_root / "html/example-steelJIS-datasheet.html")) <= 4
    assert len(_tables(files_root / "html/wikipedia-new-zealand.html")) <= 5


def test_late_encoding(files_root: Path) -> None:
    tables = read_html(files_root / "html/big-preamble.html", keep_layout=True)
    assert any("Аренда квартир" in text for table in tables for row in table.grid.cells for text in row)


def test_texts_around_tables(files_root: Path) -> None:
    (datagov,) = _tables(files_root / "csv/Datagov_FY10_EDU_recp_by_State.csv")
    assert datagov.caption.startswith("Number of Beneficaries")
    assert datagov.metadata["notes"].count("\n") == 1 and datagov.grid.cells[-1][0] == "PHILIPPINES"
    (milk,) = _tables(files_root / "csv/milk.csv")
    assert milk.grid.num_cols == 23 and milk.metadata["delimiter"] == "\t"
    assert "(p) Provisional" in milk.metadata["notes"] and milk.grid.cells[-1][0] == "Jun-15"
    (cups,) = _tables(files_root / "csv/stanley-cups-utf-16.csv")
    assert cups.caption == "Stanley Cups" and cups.metadata["encoding"] == "utf-16"
    (mac,) = _tables(files_root / "csv/mac_newlines.csv")
    assert (mac.grid.num_rows, mac.grid.num_cols) == (3, 3) and mac.grid.cells[2][0] == "Once upon\na time"
    (quoted,) = _tables(files_root / "csv/doublequote.csv")
    assert (quoted.grid.num_rows, quoted.grid.num_cols) == (6, 17)


def test_sheets_of_workbooks(files_root: Path) -> None:
    report = _tables(files_root / "xlsx/2023-half-year-analyses-by-segment.xlsx")
    assert len({table.source.sheet for table in report}) == 5
    assert (
        report[0].source.sheet == "OS-Rev.and results 30 06 2023" and report[0].metadata["range"] == "A6:J18"
    )
    assert report[1].metadata["notes"].count("\n") == 4
    deaths = _tables(files_root / "xlsx/deaths.xlsx")
    assert [table.metadata["range"] for table in deaths] == ["A5:F15", "A5:F15"]
    taxes = _tables(files_root / "xlsx/AverageTaxRates.xlsx")
    assert len(taxes) == 9
    assert all("£" not in row and "6000" not in row for row in taxes[0].grid.cells)
    sheets = _tables(files_root / "xlsx/xlsx_01.xlsx")
    assert {table.source.sheet for table in sheets} == {"Sheet1", "Sheet2", "Sheet3"}
    on_second = [table.metadata["range"] for table in sheets if table.source.sheet == "Sheet2"]
    assert on_second == ["A1:D9", "G5:I9", "C14:E18"]
    third = [table.grid.merged for table in sheets if table.source.sheet == "Sheet3"]
    assert [sorted(merged) for merged in third] == [
        [(0, 0, 1, 2), (0, 1, 0, 0), (3, 4, 0, 0), (5, 6, 1, 2)],
    ] * 2


def test_warnings(files_root: Path) -> None:
    (bad,) = read_tables(files_root / "csv/bad.csv")
    assert "record 2 has 4 fields, record 3 has 2 fields" in bad.metadata["warning"]
    (null,) = read_tables(files_root / "hostile/null_byte.csv")
    assert "NUL" in null.metadata["warning"] and null.grid.cells[0] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("password_protected.xlsx", "a password is needed"), ("poc-xmlbomb.xlsx", "XML entities")],
)
def test_hostile_workbooks(files_root: Path, name: str, message: str) -> None:
    start = time.monotonic()
    with pytest.raises(UserError, match=message) as caught:
        read_tables(files_root / "hostile" / name)
    assert name in str(caught.value) and time.monotonic() - start < 2


def test_bomb_needs_little_memory(files_root: Path) -> None:
    code = (
        "import sys; from tabrag.tables.read import read_tables\n"
        "try: read_tables(sys.argv[1])\n"
        "except ValueError: print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
    )
    bomb = files_root / "hostile" / "poc-xmlbomb.xlsx"
    done = subprocess.run([sys.executable, "-c", code, str(bomb)], capture_output=True, text=True, timeout=60)
    assert 0 < int(done.stdout) < 200 * 1024, done.stderr
