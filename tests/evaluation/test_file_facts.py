"""Facts are found by header paths; what does not say a fact is told with what stands there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tabrag.data.card import Card
from tabrag.data.folder import write_documents, write_folder
from tabrag.errors import UserError
from tabrag.evaluation.fact_places import on_page, places
from tabrag.evaluation.file_facts import check_facts
from tabrag.evaluation.file_questions import questions_of, rank_questions, right_tables, write_queries
from tabrag.evaluation.files_report import (
    FileRead,
    ReadFolder,
    document_of,
    evaluate_facts,
    figures,
    file_records,
)
from tabrag.evaluation.table_facts import cells_at, holds, missing_headers, plain
from tabrag.files import write_jsonl
from tabrag.inference.retrieve import select_queries
from tabrag.tables.grid import make_grid
from tabrag.types import Block, Candidate, Document, Page, Source, Table


def arrests() -> Table:
    """Two header levels, a section row, a label column, and a number with a mark."""
    return Table(
        id="a.pdf#t1",
        caption="Table 2.7 Arrests",
        grid=make_grid(
            [
                ["Offense", "Total", "", "Male"],
                ["", "Under\n18", "18 and over", "Total"],
                ["Violent", "", "", ""],
                ["Robbery", "25.5", "76.1²", "–1"],
                ["Arson", "1.7", "2", "100\u00a0000"],
            ],
            merged=[(0, 0, 1, 2), (2, 2, 0, 3)],
            num_header_rows=2,
            num_header_cols=1,
        ),
        source=Source(file="a.pdf", page=1),
    )


def plain_table(**settings: Any) -> Table:
    grid = make_grid([["Code", "Place", "Count"], ["SKU-1", "A-12", "450"]], num_header_rows=1)
    return replace(Table(id="a.pdf#t2", grid=grid, source=Source(file="a.pdf", page=3)), **settings)


def document() -> Document:
    blocks = [Block(kind="text", text="Ducks were counted\nby hand."), Block(kind="table", table="a.pdf#t1")]
    return Document(id="a.pdf", title="Report", blocks=blocks, pages=[Page(number=1), Page(number=2)])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Returned/\nDisposition", "returned/disposition"),
        ("1.27- 1.35", "1.27–1.35"),
        ("大型车 比例（%）", "大型车比例(%)"),
        ("24.91*", "24.91"),
        ("24.91 [2]", "24.91"),
        ("10⁶ IU", "10^6 IU"),
        ("CHF 3`360.00", "CHF 3’360.00"),
        ("100\u00a0000", "100 000"),
    ],
)
def test_equal_texts(first: str, second: str) -> None:
    assert first != second and plain(first) == plain(second)


@pytest.mark.parametrize(
    ("first", "second"), [("0 3/25", "03/25"), ("24.91", "2491"), ("rates **", "rates"), ("3 001", "3001")]
)
def test_different_texts(first: str, second: str) -> None:
    assert plain(first) != plain(second)


def test_cells_are_found_by_their_paths() -> None:
    def values(column: list[str] | None, row: list[str] | None) -> list[str]:
        return [text for _, text in cells_at(arrests(), column, row)]

    assert values(["Total", "Under 18"], ["Robbery"]) == ["25.5"]
    assert values(["Total"], ["Violent", "Arson"]) == ["1.7", "2", "100\u00a0000"]  # Male > Total too
    assert values(["Male", "Total"], ["Arson"]) == ["100\u00a0000"]
    assert values(["Under 18", "Total"], ["Robbery"]) == []  # not in this order
    assert values(["Total", "18"], ["Robbery"]) == []  # no part of a text
    assert values(["Count"], ["SKU-1", "A-12"]) == []
    by_cells = [text for _, text in cells_at(plain_table(), ["Count"], ["A-12", "SKU-1"])]
    assert by_cells == ["450"]
    assert [text for _, text in cells_at(plain_table(), ["Count"], ["450"])] == []  # the value is no label
    assert list(cells_at(Table(id="x"), None, None)) == []


def test_headers_of_one_table() -> None:
    assert missing_headers(arrests(), ["Offense", "Total > Under 18", "", "Robbery"]) == []
    assert missing_headers(arrests(), ["25.5", "Female", "Male > Under 18"]) == [
        "25.5",
        "Female",
        "Male > Under 18",
    ]
    assert holds(["Notice", "Date"], ["Notice Date"], joined=True)
    assert not holds(["Notice", "Date"], ["Notice Date"])


def test_places() -> None:
    first, second = arrests(), plain_table()
    sheet = plain_table(source=Source(sheet="arts"), metadata={"range": "A5:F15"})
    tables = [first, second]
    assert places(tables, page=3) == [second]
    assert places(tables, where="Table 2.7") == [first]
    assert places(tables, where="Table 2.71") == tables  # nothing is called so: any may be meant
    assert places(tables, where="second table (of the report)") == [second]
    assert places(tables, where="third table") == []
    assert places([sheet, first], where="arts C7") == [sheet]
    assert places([sheet], where="arts C17") == [] == places([sheet], where="G7")
    joined = plain_table(metadata={"pages": "3-5"})
    assert [on_page(joined, page) for page in (2, 3, 5, 6)] == [False, True, True, False]


FACTS: list[tuple[dict[str, Any], str | None]] = [
    ({"type": "pages", "value": 2}, ""),
    ({"type": "pages", "value": 3}, "2 pages"),
    ({"type": "tables", "value": 2}, ""),
    ({"type": "tables", "value": 1, "page": 3}, ""),
    ({"type": "tables", "value": 3}, "2 tables: t1 5x4 p.1, t2 2x3 p.3"),
    ({"type": "tables", "value": 27, "note": "<table> elements; 20 nested"}, None),
    ({"type": "tables", "value": 27, "note": "<table> elements, two hold data"}, ""),
    ({"type": "header", "value": ["Offense", "Male"]}, ""),
    ({"type": "header", "value": ["Offense", "Count"]}, "t1 has no header ['Count']"),
    ({"type": "cell", "column": ["Male", "Total"], "row": ["Robbery"], "value": "-1"}, ""),
    (
        {"type": "cell", "column": ["Male", "Total"], "row": ["Robbery"], "value": "1"},
        "there stands ['–1']",
    ),
    (
        {"type": "cell", "column": ["Female"], "row": ["Robbery"], "value": "1"},
        "column in no table, row in ['t1']",
    ),
    ({"type": "cell", "column": ["Count"], "row": None, "value": "450", "page": 1}, "column in no table"),
    ({"type": "text", "value": "ducks were counted by hand"}, ""),
    ({"type": "text", "value": "geese"}, "no such text"),
    ({"type": "order", "text": "left before right"}, None),
    ({"type": "expect", "value": "error"}, "status ok"),
    ({"type": "expect", "value": "warning"}, "status ok, no warning"),
    ({"type": "expect", "value": "low confidence"}, None),
]


@pytest.mark.parametrize(("fact", "found"), FACTS)
def test_facts(fact: dict[str, Any], found: str | None) -> None:
    checked = check_facts(document(), [arrests(), plain_table()], [fact])
    if found is None:
        assert checked == []
        return
    (one,) = checked
    assert one.reached == (found == "") and one.found.startswith(found)


def test_facts_of_a_file_that_failed() -> None:
    facts = [{"type": "expect", "value": "error"}, {"type": "pages", "value": 1}]
    first, second = check_facts(None, [], facts, status="failed", reason="a password is needed")
    assert first.reached and not second.reached and "a password is needed" in second.found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    questions: list[dict[str, Any]] = [
        {
            "question": "Robberies by minors?",
            "answer": "25.5",
            "cell": {"column": ["Total", "Under 18"], "row": ["Robbery"]},
        },
        {"question": "Count at A-12?", "answer": "450", "cell": {"column": ["Count"], "row": ["A-12"]}},
        {"question": "Who counted?", "answer": "Nobody", "accept": ["no one"]},
    ]
    facts = [fact for fact, _ in FACTS]
    rows = [
        {"path": "a.pdf", "kind": "pdf", "facts": facts, "questions": questions},
        {"path": "x/b.csv", "kind": "csv", "facts": [{"type": "pages", "value": 1}]},
        {"path": "bad.pdf", "kind": "hostile", "facts": [{"type": "expect", "value": "error"}]},
    ]
    (tmp_path / "files").mkdir()
    write_jsonl(tmp_path / "files" / "files.jsonl", rows)
    return tmp_path / "files"


def test_a_data_set_folder(files: Path, tmp_path: Path) -> None:
    data = tmp_path / "d"
    write_folder(data, tables=[arrests(), plain_table()], queries=[], qrels={}, card=Card(name="x"))
    write_documents(data, [document()])
    write_jsonl(data / "failed.jsonl", [{"status": "failed", "file": "bad.pdf", "reason": "is damaged"}])
    checked = list(evaluate_facts(file_records(files), ReadFolder(data)))
    counts = figures(checked)
    reached = sum(found == "" for _, found in FACTS)
    total = sum(found is not None for _, found in FACTS)
    assert (counts["pdf"]["reached"], counts["pdf"]["facts"], counts["pdf"]["cell"]) == (
        reached,
        total,
        "1/4",
    )
    assert counts["hostile"] == {"reached": 1, "facts": 1, "share": 1.0, "expect": "1/1"}
    assert counts["csv"]["reached"] == 0  # the folder does not have it
    assert counts["all"]["facts"] == total + 2
    assert [record["path"] for record in file_records(files, name="x/*")] == ["x/b.csv"]
    with pytest.raises(UserError, match="no file of kind scan"):
        file_records(files, kind="scan")


def test_questions_and_their_ranks(files: Path, tmp_path: Path) -> None:
    records = file_records(files)
    assert write_queries(records, tmp_path / "q.jsonl") == 3
    queries = select_queries(file=tmp_path / "q.jsonl")
    assert [query.id for query in queries] == ["a.pdf#q1", "a.pdf#q2", "a.pdf#q3"]
    assert queries[2].answers == ["Nobody", "no one"]
    assert document_of("x#1/a.pdf#t12") == "x#1/a.pdf" and document_of("x#1.csv") == "x#1.csv"

    def read(path: str) -> FileRead:
        return FileRead(document=document(), tables=[arrests(), plain_table()])

    def ranked(*items: str) -> list[Candidate]:
        return [Candidate(item_id=item, score=-place, stage="bm25") for place, item in enumerate(items)]

    run = {
        "a.pdf#q1": ranked("a.pdf#t1", "x/b.csv#t1"),
        "a.pdf#q2": ranked("x/b.csv#t1", "a.pdf", "a.pdf#t1", "a.pdf#t2"),
        "a.pdf#q3": ranked("x/b.csv", "x/b.csv#t1"),
    }
    counts, rows = rank_questions(records, read, run)
    assert [(row["file_rank"], row.get("table_rank")) for row in rows] == [(1, 1), (2, 3), (None, None)]
    assert (
        counts["all"] | {"file@1": 0.3333, "file@3": 0.6667, "table@1": 0.5, "table@3": 1.0} == counts["all"]
    )
    assert (counts["pdf"]["questions"], counts["pdf"]["questions_with_table"]) == (3, 2)
    with pytest.raises(UserError, match="no query 'a.pdf#q1'"):
        rank_questions(records, read, {})


def test_the_right_table_of_an_answer_that_is_no_cell() -> None:
    tables = [arrests(), plain_table(id="a.pdf#t3")]
    (_, question, _), *_ = questions_of(
        [
            {
                "path": "a.pdf",
                "questions": [
                    {
                        "question": "?",
                        "answer": "from 1.7 to 2",
                        "cell": {"column": ["Total"], "row": ["Arson"]},
                    }
                ],
            }
        ]
    )
    assert right_tables(tables, question) == ["a.pdf#t1"]
    question["cell"] = {"column": ["Female"]}
    assert right_tables(tables, question) == []
