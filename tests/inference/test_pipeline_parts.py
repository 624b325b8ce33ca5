"""Pipelines over chunks and pages from end to end, with documents of every odd shape among them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from small_report import TABLE, report, table, write

from tabrag.chat.protocol import Conversation, Picture, Reply, Text
from tabrag.data.card import Card
from tabrag.data.folder import write_documents, write_folder
from tabrag.documents.part import document_of
from tabrag.errors import UserError
from tabrag.index.config import Bm25Config
from tabrag.inference.answer import Reader
from tabrag.inference.answer_job import readable
from tabrag.inference.config import ContextConfig, ReaderConfig, RefineConfig, TreeConfig
from tabrag.inference.index_job import index_folder
from tabrag.inference.pipeline import Pipeline
from tabrag.inference.pipeline_config import PipelineConfig
from tabrag.representations import RepresentationConfig
from tabrag.tables.grid import make_grid
from tabrag.types import Answer, Block, Document, Page, Query, Source, Table, Word

KINDS: dict[str, RepresentationConfig] = {
    "chunks": RepresentationConfig(name="chunks", options={"size": 40, "table": "markdown"}),
    "interleaved": RepresentationConfig(name="chunks", options={"artefacts": "interleaved", "size": 60}),
    "pages": RepresentationConfig(name="pages"),
    "in_page": RepresentationConfig(name="pages", options={"chunk": 40}),
}
QUERIES = [
    Query(id="lemon", text="How many lemon 1 were sold in 2020?"),
    Query(id="giant", text="How many widgets of part 346 were there in 2019?"),
    Query(id="odd", text="Who painted the lighthouse?"),
    Query(id="scan", text="What does the zebra ledger say?"),
    Query(id="nothing", text="qwertyuiop"),
]


class Chat:
    """Gives one reply and keeps what it was shown."""

    def __init__(self, reply: str) -> None:
        self.reply = reply
        self.shown: list[Conversation] = []

    def generate_batch(self, conversations: Sequence[Conversation], **_: object) -> list[Reply]:
        self.shown += conversations
        return [Reply(self.reply, 0.5) for _ in conversations]

    def num_tokens(self, text: str) -> int:
        return len(text.split())

    def text(self) -> str:
        parts = [part for one in self.shown for message in one for part in message.parts]
        return "\n".join(part.text for part in parts if isinstance(part, Text))

    def pictures(self) -> list[str]:
        parts = [part for one in self.shown for message in one for part in message.parts]
        return [Path(part.path).name for part in parts if isinstance(part, Picture)]


def giant() -> Table:
    rows = [[f"part {number}", str(3 * number), str(5 * number)] for number in range(400)]
    grid = make_grid([["widgets", "2019", "2020"], *rows], num_header_rows=1, num_header_cols=1)
    return Table(id="giant.csv#t1", grid=grid, document="giant.csv", source=Source(file="giant.csv"))


def documents() -> list[Document]:
    found = report()
    found.source = Source(file="r.pdf")
    pages = [Page(number=number) for number in (1, 2)]
    return [
        found,
        Document(id="empty.txt", title="Empty"),
        Document(
            id="odd#page",
            title="Odd",
            pages=pages,
            blocks=[
                Block(kind="text", text="Ms Lee painted the lighthouse.", page=1),
                Block(kind="text", text="She left.", page=2),
            ],
        ),
        Document(
            id="pictures.pdf",
            pages=pages,
            blocks=[Block(kind="picture", image="images/chart.png", page=1)],
        ),
        Document(
            id="scan.pdf",
            title="Scan",
            pages=pages[:1],
            blocks=[Block(kind="table", table="scan.pdf#t1", page=1)],
        ),
        Document(id="giant.csv", title="Parts", blocks=[Block(kind="table", table="giant.csv#t1")]),
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("parts")
    data = write(root / "data")
    words = [Word(text=text, box=(0, 0, 10, 10)) for text in "zebra ledger 77".split()]
    scan = Table(id="scan.pdf#t1", words=words, document="scan.pdf", source=Source(file="scan.pdf", page=1))
    first = table()
    first.source = Source(file="r.pdf", page=1)
    card = Card(name="x", licence="mit", citation="x")
    write_folder(root / "new", tables=[first, scan, giant()], queries=QUERIES, qrels={}, card=card)
    (root / "new" / "corpus.jsonl").replace(data / "corpus.jsonl")
    write_documents(data, documents())
    for name, representation in KINDS.items():
        index_folder(data, root / name, kind="bm25", representation=representation)
    return root


def config(folder: Path, kind: str, **options: Any) -> PipelineConfig:
    return PipelineConfig(
        **{"data": str(folder / "data"), "indexes": [str(folder / kind)], "k": 5, **options}
    )


def answers(settings: PipelineConfig, chat: Chat | None = None) -> dict[str, Answer]:
    pipeline = Pipeline(settings)
    if chat is not None:
        pipeline.__dict__["reader"] = Reader(settings.reader, chat=chat)  # type: ignore[arg-type]
    found = {answer.query_id: answer for answer in pipeline.ask_all(QUERIES)}
    for answer in found.values():
        assert readable(answer, pipeline.data.items).startswith(answer.question)
    return found


def test_no_document_is_lost_but_those_that_say_nothing(folder: Path):
    for kind in KINDS:
        lines = (folder / kind / "entries.jsonl").read_text().splitlines()
        of = {document_of(json.loads(line)["item_id"]) for line in lines}
        assert of == {"r.pdf", "odd#page", "scan.pdf", "giant.csv"}, kind


@pytest.mark.parametrize("refine", [None, RefineConfig(method="top_k", rows=3, cols=2)])
@pytest.mark.parametrize("kind", list(KINDS))
def test_cells_of_the_tables_in_found_parts(folder: Path, kind: str, refine: RefineConfig | None):
    found = answers(config(folder, kind, refine=refine))
    assert (found["lemon"].answer, found["lemon"].evidence[0].item_id) == ("21", TABLE)
    assert found["lemon"].evidence[0].cells == [(2, 2)] and found["lemon"].evidence[0].source.page == 1
    assert (found["giant"].answer, found["giant"].evidence[0].cells) == ("1038", [(347, 1)])
    assert found["giant"].candidates[0].item_id == "giant.csv#u1-1"
    assert found["scan"].answer == "" and found["scan"].evidence[0].item_id == "scan.pdf#t1"
    assert (found["nothing"].answer, found["nothing"].confidence, found["nothing"].evidence) == ("", 0.0, [])


@pytest.mark.parametrize("mode", ["whole", "select"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_a_chat_model_reads_found_parts_under_any_budget(folder: Path, kind: str, mode: Any):
    for budget, most in ((1, 60), (80, 110), (400, 430)):
        chat = Chat("Ms Lee")
        context = ContextConfig(mode=mode, max_tokens=budget)
        reader = ReaderConfig(reader="chat", num_tables=5, context=context)
        found = answers(config(folder, kind, reader=reader), chat)
        texts = [
            "\n".join(part.text for part in one[-1].parts if isinstance(part, Text)) for one in chat.shown
        ]
        assert len(texts) == 4, "nothing is asked where nothing is found"
        assert all(len(text.split()) <= most + 40 for text in texts)
        evidence = found["odd"].evidence[0]
        assert (evidence.item_id, evidence.source.page) == ("odd#page", 1)
        assert evidence.text == "Ms Lee painted the lighthouse."
        assert found["nothing"].answer == "" and found["nothing"].evidence == []
    assert "zebra ledger 77" in texts[3] and "| part 346 | 1038 | 1730 |" in texts[1]


def test_evidence_of_a_value_names_table_cell_and_page(folder: Path):
    reader = ReaderConfig(
        reader="chat", num_tables=5, context=ContextConfig(mode="whole", max_tokens=400), prompting="reasoned"
    )
    reply = (
        '{"step_by_step_analysis": "a", "reasoning_summary": "b", "relevant_pages": [1, 9], '
        '"final_answer": "21"}'
    )
    found = answers(config(folder, "pages", reader=reader), Chat(reply))["lemon"]
    assert found.answer == "21"
    assert (found.evidence[0].item_id, found.evidence[0].cells) == (TABLE, [(2, 2)])
    assert found.evidence[0].source.page == 1
    assert any("9" in note for note in found.notes)


def test_pictures_of_pages_or_of_the_document_stand_in_what_is_shown(folder: Path):
    for pictures, wanted in (("pages", ["2.png"]), ("artefacts", ["chart.png"])):
        context = ContextConfig(mode="whole", max_tokens=400, pictures=pictures)  # type: ignore[arg-type]
        reader = ReaderConfig(reader="chat", show="both", num_tables=5, context=context)
        chat = Chat("Ms Lee")
        settings = config(folder, "pages", reader=reader)
        pipeline = Pipeline(settings)
        pipeline.__dict__["reader"] = Reader(settings.reader, chat=chat)  # type: ignore[arg-type]
        list(pipeline.ask_all([Query(id="q", text="Figure 1 price of lemons fall")]))
        assert chat.pictures() == wanted
        assert "Figure 1 shows a fall." in chat.text()


def test_runs_name_parts_and_unknown_ones_are_told(folder: Path, tmp_path: Path):
    rows = [
        {"query_id": "odd", "candidates": [{"item_id": "odd#page#p1", "score": 1.0, "stage": "x"}]},
        {"query_id": "lemon", "candidates": [{"item_id": "r.pdf#u1-4", "score": 1.0, "stage": "x"}]},
    ]
    run = tmp_path / "run.jsonl"
    run.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = PipelineConfig(data=str(folder / "data"), run=str(run))
    found = answers(settings)
    assert found["lemon"].evidence == [], "the table stands in the next unit"
    assert found["giant"].candidates == []
    for item_id, said in (("r.pdf#u5-400", "build the index again"), ("x.pdf#p1", "no item of the corpus")):
        rows[1]["candidates"] = [{"item_id": item_id, "score": 1.0}]
        run.write_text(json.dumps(rows[1]) + "\n")
        with pytest.raises(UserError, match=said):
            answers(settings)


def test_nodes_among_the_candidates_need_the_file_of_trees(folder: Path, tmp_path: Path):
    run, trees = tmp_path / "run.jsonl", tmp_path / "trees.jsonl"
    candidates = [{"item_id": name, "score": 1.0, "stage": "dense"} for name in ("r.pdf#n2", "r.pdf#u1-5")]
    run.write_text(json.dumps({"query_id": "lemon", "candidates": candidates}) + "\n")
    nodes = [
        {"number": 1, "layer": 0, "text": "Trade", "units": [1, 5]},
        {"number": 2, "layer": 1, "text": "Sales of fruit fell.", "children": [1]},
    ]
    trees.write_text(json.dumps({"_id": "r.pdf", "nodes": nodes}) + "\n")
    context = ContextConfig(mode="whole", max_tokens=400)
    reader = ReaderConfig(reader="chat", num_tables=5, context=context)
    settings = PipelineConfig(data=str(folder / "data"), run=str(run), reader=reader)
    with pytest.raises(UserError, match=r"tree\.file"):
        answers(settings, Chat("21"))
    settings.tree = TreeConfig(file=str(trees))
    chat = Chat("21")
    assert answers(settings, chat)["lemon"].evidence[0].item_id == TABLE
    assert "[summary] Sales of fruit fell." in chat.text()
    before = Pipeline(settings).settings()["trees"]
    trees.write_text(trees.read_text().replace("fell", "rose"))
    assert before != Pipeline(settings).settings()["trees"]


@pytest.mark.parametrize("task", ["qa", "verify"])
def test_an_answer_that_stands_nowhere_does_not_name_all_that_was_read(folder: Path, task: str):
    class Judge(Chat):
        def score_batch(self, prompts: Sequence[Conversation], labels: Sequence[str]) -> list[list[float]]:
            return [[0.0] * len(labels) for _ in prompts]

    context = ContextConfig(mode="whole", max_tokens=4000)
    reader = ReaderConfig(reader="chat", num_tables=9, context=context)
    settings = config(folder, "pages", reader=reader, k=9)
    pipeline = Pipeline(settings)
    pipeline.__dict__["reader"] = Reader(settings.reader, chat=Judge("marzipan"))  # type: ignore[arg-type]
    query = Query(id="q", text="lemon painted zebra part figure trade in 2019", task=task)
    found = pipeline.find([query])
    (asked,) = pipeline.reader.contexts(found.queries, found.run, pipeline.data)
    assert len(asked.views) > 3
    (answer,) = pipeline.ask_all([query])
    assert 0 < len(answer.evidence) <= 3


def test_an_index_of_another_version_of_the_documents_is_told(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    shutil.copytree(folder / "data", tmp_path / "data")
    index = tmp_path / "chunks"
    index_folder(tmp_path / "data", index, kind="bm25", representation=KINDS["chunks"])
    settings = PipelineConfig(data=str(tmp_path / "data"), indexes=[str(index)], k=5)
    _ = Pipeline(settings).retrieve
    assert "another version" not in caplog.text
    write_documents(tmp_path / "data", documents()[2:])
    _ = Pipeline(settings).retrieve
    assert f"{index}: made of another version" in caplog.text
    caplog.clear()
    index_folder(
        tmp_path / "data", index, kind="bm25", representation=KINDS["chunks"], sync=True, bm25=Bm25Config()
    )
    _ = Pipeline(settings).retrieve
    assert "another version" not in caplog.text
