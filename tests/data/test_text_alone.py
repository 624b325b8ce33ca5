"""Documents as running text alone: tables and pictures become paragraphs, all else stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabrag.data.card import Card
from tabrag.data.folder import DataFolder, new_folder, write_documents, write_judgements, write_tables
from tabrag.data.text_alone import text_alone
from tabrag.data.validate import validate
from tabrag.errors import UserError
from tabrag.tables.grid import make_grid
from tabrag.types import Block, Document, Fact, GoldEvidence, Page, Query, Table

CARD = Card(name="x", licence="mit", citation="x")
TABLE = Table(
    id="d#t1",
    document="d",
    grid=make_grid([["", "Sales", ""], ["", "2021", "2022"], ["North", "1", "2"]], merged=[(0, 0, 1, 2)]),
)
DOCUMENT = Document(
    id="d",
    title="Report",
    pages=[Page(number=1, width=100.0, height=200.0)],
    blocks=[
        Block(kind="heading", text="Sales", level=1, page=1),
        Block(kind="table", table="d#t1", page=1, box=(1, 2, 3, 4)),
        Block(kind="picture", text="a chart", page=1),
        Block(kind="picture", image="images/d/1.png", page=1, decoration=True),
        Block(kind="text", text="The north grew.", page=1),
    ],
)


@pytest.fixture
def made(tmp_path: Path) -> DataFolder:
    with new_folder(tmp_path / "d") as folder:
        write_tables(folder, [TABLE])
        count = write_documents(folder, [DOCUMENT])
        cell = Fact(kind="cell", document="d", text="2", row=("North",), column=("Sales", "2022"))
        write_judgements(
            folder,
            1,
            num_documents=count,
            queries=[Query(id="q", text="How much?", answers=["2"], evidence="table")],
            qrels={"dev": {"q": {"d": 1}}},
            evidence=[GoldEvidence(query_id="q", facts=[cell])],
            card=CARD,
        )
    text_alone(tmp_path / "d", tmp_path / "text")
    return DataFolder(tmp_path / "text")


def test_tables_and_pictures_become_paragraphs(made: DataFolder):
    (document,) = made.documents
    assert [(block.kind, block.text) for block in document.blocks] == [
        ("heading", "Sales"),
        ("text", "Sales 2021 2022 North 1 2"),
        ("text", "a chart"),
        ("text", "The north grew."),
    ]
    assert document.blocks[1].box == (1, 2, 3, 4) and document.title == "Report"
    assert list(made.tables.ids) == []


def test_questions_judgements_and_evidence_stay_and_the_folder_is_valid(made: DataFolder, tmp_path: Path):
    before = DataFolder(tmp_path / "d")
    assert before.evidence and made.evidence == before.evidence
    assert made.queries == before.queries and made.qrels("dev") == before.qrels("dev")
    assert validate(made.path) == []


def test_a_folder_of_tables_is_refused(tmp_path: Path):
    with new_folder(tmp_path / "t") as folder:
        write_tables(folder, [TABLE])
        write_judgements(folder, 1, queries=[], qrels={}, card=CARD)
    with pytest.raises(UserError, match=r"no documents.jsonl"):
        text_alone(tmp_path / "t", tmp_path / "out")
