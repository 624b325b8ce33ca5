"""Facts that were checked by eye in real files, read as ``prepare_data.py documents`` reads them.

What is not reached is listed. Facts of PDF files are checked in ``tests/documents/page_tables``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from effort import within

from tabrag.documents.parsed import Ocr, ParseOptions
from tabrag.evaluation.fact_places import places
from tabrag.evaluation.files_report import FileRead, evaluate_facts, file_records, read_now
from tabrag.evaluation.table_facts import cells_at, plain
from tabrag.tables.grid import left_paths, path_texts
from tabrag.tables.read_html import read_html
from tabrag.tables.text import headers_text, html, markdown
from tabrag.types import Table

TEXT_KINDS = ("html", "csv", "xlsx", "md", "hostile")
_QUICK = (
    "harvest-chinese-rowspan.png",
    "testTIFF_multipage.tif",
    "lottery-table-blurred.png",
    "grid-without-text.jpg",
    "book-photo-rotated-no-table.jpg",
)
_LONG = (
    "table-multi-row-column-cells.png",
    "invoice-german-handwriting.png",
    "bank-quarter-dark-header.png",
    "timetable-chinese-circles.png",
    "egovernment-two-tables.jpg",
    "swiss-bill-watermark.jpg",
    "hebrew.png",
)
# The site's frame, a table of labels and values, counts as data where only three tables were counted.
_MISSED_TEXTS = {("html/example-steelJIS-datasheet.html", "tables")}
_MISSED_PICTURES = {
    ("invoice-german-handwriting.png", "header"): "its table is found without its header",
    ("invoice-german-handwriting.png", "cell"): "the same",
    ("lottery-table-blurred.png", "header"): "blurred: not all of its signs are read",
    ("lottery-table-blurred.png", "cell"): "the same",
}


@cache
def _read(path: str, ocr: Ocr = "none") -> FileRead:
    return read_now(os.environ["TABRAG_FILES"], ParseOptions(ocr=ocr, page_images=False))(path)


def _tables(path: str) -> list[Table]:
    return _read(path).tables


def _missed(records: Sequence[dict[str, Any]], ocr: Ocr = "none") -> tuple[set[tuple[str, str]], int]:
    """(path, type) of the facts that are not reached, and how many facts were checked."""
    missed, count = set(), 0
    for record, checked in evaluate_facts(records, lambda path: _read(path, ocr)):
        count += len(checked)
        missed |= {(record["path"], one.fact["type"]) for one in checked if not one.reached}
    return missed, count


def test_facts_of_texts_are_reached(files_root: Path) -> None:
    pytest.importorskip("pypdfium2")  # one hostile file is a PDF
    missed, count = _missed([record for kind in TEXT_KINDS for record in file_records(files_root, kind=kind)])
    assert count >= 60 and missed == _MISSED_TEXTS


@pytest.mark.parametrize("kind", ["docx", "pptx"])
def test_facts_of_office_files_are_reached(files_root: Path, kind: str) -> None:
    missed, count = _missed(file_records(files_root, kind=kind))
    assert count >= 14 and missed == set()


def test_cells_that_answer_questions(files_root: Path) -> None:
    count = 0
    for kind in ("html", "csv", "xlsx", "md"):
        for record in file_records(files_root, kind=kind):
            for question in record["questions"]:
                if (cell := question.get("cell")) is None:
                    continue
                meant = places(_tables(record["path"]), page=cell.get("page"), where=cell.get("where"))
                found = [
                    plain(text)
                    for table in meant
                    for _, text in cells_at(table, cell.get("column"), cell.get("row"))
                ]
                assert plain(question["answer"]) in found, (record["path"], question)
                count += 1
    assert count > 15


@pytest.mark.parametrize("name", [*_QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in _LONG)])
def test_facts_of_pictures_are_reached(files_root: Path, name: str) -> None:
    pytest.importorskip("rapidocr")
    (record,) = file_records(files_root, kind="image", name=name)
    missed, count = _missed([record], "rapidocr")
    assert count, "the picture has no fact to check"
    assert {(Path(path).name, fact) for path, fact in missed} <= set(_MISSED_PICTURES)


def test_every_picture_is_covered(files_root: Path) -> None:
    records = file_records(files_root, kind="image")
    assert set(_QUICK) | set(_LONG) == {Path(record["path"]).name for record in records}


def test_words_of_a_picture_stand_in_the_row_of_their_label(files_root: Path) -> None:
    pytest.importorskip("rapidocr")
    (table,) = _read("image/lottery-table-blurred.png", "rapidocr").tables
    assert table.grid is not None and table.grid.num_cols == 3
    assert ["$7", "40.01", "64,169"] in table.grid.cells


def test_no_serialisation_has_invented_names(files_root: Path) -> None:
    num_texts = 0
    for kind in ("html", "csv", "xlsx"):
        for record in file_records(files_root, kind=kind):
            for table in _tables(record["path"]):
                texts = headers_text(table), markdown(table), markdown(table, spans="repeat"), html(table)
                for text in texts:
                    num_texts += 1
                    for word in ("nan", "None", "Unnamed"):
                        assert f"| {word} |" not in text and f">{word}<" not in text
                        assert f"; {word};" not in text
                    assert "Unnamed:" not in text and "Total.1" not in text
    assert num_texts > 50


def test_nested_texts_are_not_repeated(files_root: Path) -> None:
    tables = _tables("html/table_06.html")
    texts = [text for table in tables for row in table.grid.cells for text in row]
    assert [texts.count(name) for name in ("E1", "E4", "I", "A1", "2...")] == [1, 1, 1, 1, 1]
    assert [table.metadata.get("outer_table") for table in tables[1:]] == [table.id for table in tables[:-1]]


def test_row_headers_with_spans(files_root: Path) -> None:
    first, second, third = _tables("html/example_08.html")
    assert (1, 6, 0, 0) in first.grid.merged
    assert {(1, 7, 0, 0), (1, 4, 1, 1), (5, 7, 1, 1)} <= set(second.grid.merged)
    # Its markup says eight rows, but only seven are there.
    assert (1, 7, 0, 0) in third.grid.merged
    assert path_texts(second.grid, left_paths(second.grid)[7]) == ["2025", "Q2", "May"]


def test_every_table_element_is_read_when_layout_is_kept(files_root: Path) -> None:
    counts = {
        record["path"]: fact["value"]
        for record in file_records(files_root, kind="html")
        for fact in record["facts"]
        if fact["type"] == "tables"
    }
    assert max(counts.values()) > 10
    assert {path: len(read_html(files_root / path, keep_layout=True)) for path in counts} == counts


def test_layout_pages_do_not_flood(files_root: Path) -> None:
    assert len(_tables("html/big-preamble.html")) <= 2
    assert len(_tables("html/blog-app-updates.html")) == 1
    assert len(_tables("html/example-steelJIS-datasheet.html")) <= 4
    assert len(_tables("html/wikipedia-new-zealand.html")) <= 5


def test_texts_around_tables(files_root: Path) -> None:
    (datagov,) = _tables("csv/Datagov_FY10_EDU_recp_by_State.csv")
    assert datagov.caption.startswith("Number of Beneficaries")
    assert datagov.metadata["notes"].count("\n") == 1 and datagov.grid.cells[-1][0] == "PHILIPPINES"
    (milk,) = _tables("csv/milk.csv")
    assert milk.grid.num_cols == 23 and milk.metadata["delimiter"] == "\t"
    assert "(p) Provisional" in milk.metadata["notes"] and milk.grid.cells[-1][0] == "Jun-15"
    (cups,) = _tables("csv/stanley-cups-utf-16.csv")
    assert cups.caption == "Stanley Cups" and cups.metadata["encoding"] == "utf-16"
    (mac,) = _tables("csv/mac_newlines.csv")
    assert (mac.grid.num_rows, mac.grid.num_cols) == (3, 3) and mac.grid.cells[2][0] == "Once upon\na time"
    (quoted,) = _tables("csv/doublequote.csv")
    assert (quoted.grid.num_rows, quoted.grid.num_cols) == (6, 17)


def test_sheets_of_workbooks(files_root: Path) -> None:
    report = _tables("xlsx/2023-half-year-analyses-by-segment.xlsx")
    assert len({table.source.sheet for table in report}) == 5
    assert report[0].source.sheet == "OS-Rev.and results 30 06 2023"
    assert report[0].metadata["range"] == "A6:J18"
    assert report[1].metadata["notes"].count("\n") == 4
    deaths = _tables("xlsx/deaths.xlsx")
    assert [table.metadata["range"] for table in deaths] == ["A5:F15", "A5:F15"]
    taxes = _tables("xlsx/AverageTaxRates.xlsx")
    assert len(taxes) == 9
    assert all("£" not in row and "6000" not in row for row in taxes[0].grid.cells)
    sheets = _tables("xlsx/xlsx_01.xlsx")
    assert {table.source.sheet for table in sheets} == {"Sheet1", "Sheet2", "Sheet3"}
    on_second = [table.metadata["range"] for table in sheets if table.source.sheet == "Sheet2"]
    assert on_second == ["A1:D9", "G5:I9", "C14:E18"]
    third = [table.grid.merged for table in sheets if table.source.sheet == "Sheet3"]
    regions = [(0, 0, 1, 2), (0, 1, 0, 0), (3, 4, 0, 0), (5, 6, 1, 2)]
    assert [sorted(merged) for merged in third] == [regions] * 2


def test_warnings(files_root: Path) -> None:
    (bad,) = _tables("csv/bad.csv")
    assert "record 2 has 4 fields, record 3 has 2 fields" in bad.metadata["warning"]
    (null,) = _tables("hostile/null_byte.csv")
    assert "NUL" in null.metadata["warning"] and null.grid.cells[0] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("password_protected.xlsx", "a password is needed"), ("poc-xmlbomb.xlsx", "XML entities")],
)
def test_hostile_workbooks(files_root: Path, name: str, message: str) -> None:
    with within(2):
        read = read_now(files_root, ParseOptions())(f"hostile/{name}")
    assert read.status == "failed" and message in read.reason and name in read.reason


def test_bomb_needs_little_memory(files_root: Path) -> None:
    code = (
        "import sys\n"
        "from tabrag.documents.parsed import ParseOptions\n"
        "from tabrag.evaluation.files_report import read_now\n"
        "def peak(): return int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        "read = read_now(sys.argv[1], ParseOptions())\n"
        "read('xlsx/deaths.xlsx')\n"  # imports what reads workbooks
        "before = peak()\n"
        "assert read('hostile/poc-xmlbomb.xlsx').status == 'failed'\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(files_root)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 50 * 1024
