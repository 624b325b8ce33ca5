"""Documents that are found give way to their tables, and answers name table and document."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabrag.data.card import Card
from tabrag.data.folder import DataFolder, write_documents, write_folder
from tabrag.errors import UserError
from tabrag.index.config import FusionConfig
from tabrag.inference.document_tables import table_run
from tabrag.inference.index_job import index_folder
from tabrag.inference.pipeline import Pipeline
from tabrag.inference.pipeline_config import PipelineConfig
from tabrag.representations import RepresentationConfig
from tabrag.tables.grid import make_grid
from tabrag.types import Block, Candidate, Document, Query, Source, Table


def table(number: int, topic: str, document: str | None) -> Table:
    cells = [
        ["region", "2019", "2020"],
        ["north", f"{number}1", f"{number}2"],
        ["south", f"{number}3", f"{number}4"],
    ]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    source = Source(file=document or "", page=number)
    return Table(id=f"t{number}", title=f"{topic} by region", grid=grid, document=document, source=source)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("documents")
    tables = [
        table(1, "wheat", "farm"),
        table(2, "cattle", "farm"),
        table(3, "salmon", "sea"),
        table(4, "gold", None),
    ]
    write_folder(
        root / "data", tables=tables, queries=[], qrels={}, card=Card(name="x", licence="x", citation="x")
    )
    documents = [
        Document(
            id="farm",
            title="Farm report",
            blocks=[
                Block(kind="text", text="Cattle did well in the south. Wheat did not."),
                Block(kind="table", table="t1"),
                Block(kind="table", table="t2"),
            ],
        ),
        Document(id="sea", title="Sea report", blocks=[Block(kind="table", table="t3")]),
        Document(id="empty", title="Nothing", blocks=[Block(kind="text", text="No table here.")]),
    ]
    write_documents(root / "data", documents)
    for name in ("summary", "hrcl"):
        options = {"table": name}
        index_folder(
            root / "data",
            root / name,
            kind="bm25",
            representation=RepresentationConfig(name="document", options=options),
        )
    return root


def candidates(*ids: str) -> list[Candidate]:
    return [Candidate(item_id=one, score=1 / n, stage="fused") for n, one in enumerate(ids, start=1)]


def test_tables_stand_in_the_order_of_their_documents_then_by_fit(folder: Path):
    queries = [Query(id="q", text="cattle in the south in 2020?"), Query(id="none", text="cattle")]
    items = DataFolder(folder / "data").items
    run = {"q": candidates("sea", "empty", "farm", "t4"), "none": candidates("empty")}
    found = table_run(queries, run, items, depth=9)
    assert [(one.item_id, one.score) for one in found["q"]] == [
        ("t3", 1), ("t2", 1 / 3), ("t1", 1 / 3), ("t4", 1 / 4),
    ]  # fmt: skip
    assert found["none"] == []
    assert [one.item_id for one in table_run(queries, run, items, depth=2)["q"]] == ["t3", "t2"]
    with pytest.raises(UserError, match="no item of the corpus"):
        table_run(queries, {"q": candidates("nobody")}, items, depth=2)


def test_an_answer_from_a_document_names_its_table_and_the_ranked_documents(folder: Path):
    config = PipelineConfig(
        data=str(folder / "data"),
        indexes=[str(folder / "summary"), str(folder / "hrcl")],
        fusion=FusionConfig(depth=10),
    )
    answer = Pipeline.from_config(config).ask("what was the number of cattle in the south in 2020?")
    assert answer.answer == "24"
    assert answer.candidates[0].item_id == "farm"
    (evidence,) = answer.evidence
    assert (evidence.item_id, evidence.cells) == ("t2", [(2, 2)])
    assert (evidence.source.file, evidence.source.page) == ("farm", 2)
    assert set(answer.timings_ms) == {"retrieve", "open", "read"}
