from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.protocol import Conversation, Reply, Text
from tabrag.data.card import Card
from tabrag.data.folder import write_folder
from tabrag.errors import UserError
from tabrag.index.folder import Index
from tabrag.inference.answer import Reader
from tabrag.inference.config import ReaderConfig, RefineConfig, RerankConfig
from tabrag.inference.pipeline import Pipeline
from tabrag.inference.pipeline_config import PipelineConfig
from tabrag.representations import RepresentationConfig, build
from tabrag.tables.grid import make_grid
from tabrag.types import Query, Table

TOPICS = ("wheat", "barley", "cattle", "timber", "salmon", "cotton")


def tables() -> list[Table]:
    made = []
    for i, topic in enumerate(TOPICS):
        cells = [["region", "2019", "2020"]]
        cells += [
            [name, str(100 * i + j), str(100 * i + j + 50)] for j, name in enumerate(("north", "south"), 1)
        ]
        grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
        made.append(Table(id=f"t{i}", title=f"production of {topic}", grid=grid))
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pipeline")
    write_folder(
        root / "data",
        tables=tables(),
        queries=queries(),
        qrels={},
        card=Card(name="x", licence="x", citation="x"),
    )
    for name in ("headers", "markdown"):
        config = RepresentationConfig(name=name)
        found = [entry for table in tables() for entry in build(config)(table, folder=root / "data")]
        Index.build(root / name, found, kind="bm25", representation=config)
    return root


def queries() -> list[Query]:
    return [
        Query(id=f"q{i}", text=f"what was the production of {topic} in the south in 2020?")
        for i, topic in enumerate(TOPICS)
    ]


def config(folder: Path, **options: object) -> PipelineConfig:
    values = {"data": str(folder / "data"), "indexes": [str(folder / "headers"), str(folder / "markdown")]}
    return PipelineConfig(**{**values, **options})  # type: ignore[arg-type]


def test_a_question_is_answered_with_table_row_column_and_timings(folder: Path):
    answer = Pipeline.from_config(config(folder)).ask(
        "how much was the production of timber in the south in 2020?"
    )
    assert answer.answer == "352"
    assert answer.evidence[0].item_id == "t3"
    assert answer.evidence[0].cells == [(2, 2)]
    assert answer.candidates[0].item_id == "t3"
    assert answer.candidates[0].stage == "rrf(k=60)"
    assert set(answer.timings_ms) == {"retrieve", "read"}


@pytest.mark.parametrize("reader", ["cells", "chat"])
def test_refined_tables_are_read_and_named_as_they_were(folder: Path, reader: Literal["cells", "chat"]):
    shown: list[str] = []

    class Chat:
        def generate_batch(self, conversations: Sequence[Conversation], **_: object) -> list[Reply]:
            shown.extend(
                part.text for one in conversations for part in one[0].parts if isinstance(part, Text)
            )
            return [Reply("352", 0.8) for _ in conversations]

        def num_tokens(self, text: str) -> int:
            return len(text.split())

    refined = config(
        folder, refine=RefineConfig(scale="relative", threshold=1.0), reader=ReaderConfig(reader=reader)
    )
    pipeline = Pipeline.from_config(refined)
    if reader == "chat":
        pipeline.__dict__["reader"] = Reader(refined.reader, chat=Chat())  # type: ignore[arg-type]
    (answer,) = pipeline.ask_all([queries()[3]])
    assert answer.answer == "352"
    (evidence,) = answer.evidence
    assert (evidence.cells, evidence.rows, evidence.columns) == ([(2, 2)], [2], [2])
    assert (evidence.shown_rows, evidence.shown_columns) == ([0, 2], [0, 2])
    assert set(answer.timings_ms) == {"retrieve", "refine", "read"}
    assert (pipeline.settings()["refine"] or {})["threshold"] == 1.0
    prompt = "".join(shown)
    assert reader == "cells" or ("352" in prompt and "301" not in prompt and "1 rows and 1 columns" in prompt)
    parts = pipeline.refine([queries()[3]], pipeline.retrieve([queries()[3]]))
    key, part = next(iter(parts.items()))
    assert (key, part.grid.cells) == (("q3", "t3"), [["region", "2020"], ["south", "352"]])
    assert len(parts) == min(pipeline.reader.num_tables, len(pipeline.data.tables))
    assert Pipeline(config(folder)).settings()["refine"] is None


@pytest.mark.parametrize("batch_size", [1, 4, 100])
def test_all_answers_come_in_order_whatever_the_batch(folder: Path, batch_size: int):
    answers = list(Pipeline.from_config(config(folder, batch_size=batch_size)).ask_all(queries()))
    assert [answer.query_id for answer in answers] == [query.id for query in queries()]
    assert [answer.answer for answer in answers] == [str(100 * i + 52) for i in range(len(TOPICS))]


def test_each_stage_can_be_called_alone(folder: Path):
    pipeline = Pipeline.from_config(config(folder, indexes=[str(folder / "headers")], k=2))
    run = pipeline.retrieve(queries())
    assert [candidates[0].item_id for candidates in run.values()] == [f"t{i}" for i in range(len(TOPICS))]
    assert {len(candidates) for candidates in run.values()} == {2}
    swapped = {"q0": run["q1"]}
    (answer,) = pipeline.read(queries()[:1], swapped)
    assert answer.evidence[0].item_id == "t1"


def test_a_config_file_with_paths_of_the_current_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.chdir(folder)
    path = tmp_path / "elsewhere.yaml"
    path.write_text("data: data\nindexes: [headers]\nreader:\n  reader: cells\n", encoding="utf-8")
    assert Pipeline.from_config(path).ask("production of wheat in the north in 2019?").answer == "1"
    path.write_text("data: data\nindexes: [headers]\nreeder: 1\n", encoding="utf-8")
    with pytest.raises(UserError, match="reeder"):
        Pipeline.from_config(path)


def test_errors_name_what_is_missing(folder: Path):
    with pytest.raises(UserError, match="no-such-data"):
        Pipeline(config(folder, data="no-such-data")).ask("wheat?")
    with pytest.raises(UserError, match="no-such-index.*infer/index.py"):
        Pipeline(config(folder, indexes=["no-such-index"])).ask("wheat?")
    with pytest.raises(UserError, match="has no index"):
        Pipeline(config(folder, indexes=[]))
    with pytest.raises(UserError, match="k=0"):
        Pipeline(config(folder, k=0))
    pictures = ReaderConfig(reader="chat", show="image")
    with pytest.raises(UserError, match="reader.show=image shows their pictures alone"):
        Pipeline(config(folder, refine=RefineConfig(), reader=pictures))
    with pytest.raises(UserError, match="none for a new question"):
        Pipeline(config(folder, indexes=[], run="gold")).ask("wheat?")
    with pytest.raises(UserError, match="no text"):
        Pipeline(config(folder)).ask("  ")
    with pytest.raises(UserError, match="ids must be unique"):
        list(Pipeline(config(folder)).ask_all([queries()[0], queries()[0]]))


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[2] / "configs" / "pipeline").glob("*.yaml")))
def test_the_configs_of_the_project_are_valid(path: Path):
    pipeline = Pipeline.from_config(path)
    assert pipeline.config.indexes and pipeline.config.k >= 1


def test_reranker_and_reader_share_a_model_of_the_same_settings_alone(folder: Path):
    def shares(model: str, length: int) -> bool:
        reader = ReaderConfig(reader="chat", chat=LocalChatConfig(model="one", max_length=2048))
        chat = LocalChatConfig(model=model, max_length=length)
        made = Pipeline(config(folder, reader=reader, rerank=RerankConfig(mode="listwise", chat=chat)))
        opened = object()
        made.reader._chat = opened  # type: ignore[assignment]
        assert made.reranker is not None
        return made.reranker._chat is opened

    assert shares("one", 2048)
    assert not shares("one", 1024) and not shares("other", 2048)


def test_an_index_over_another_data_set_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    others = [Table(id=f"other{table.id}", title=table.title, grid=table.grid) for table in tables()]
    represent = build(RepresentationConfig(name="headers"))
    entries = [entry for table in others for entry in represent(table, folder=folder / "data")]
    Index.build(tmp_path / "other", entries, kind="bm25", representation=RepresentationConfig(name="headers"))
    settings = PipelineConfig(data=str(folder / "data"), indexes=[str(tmp_path / "other")])
    with pytest.raises(UserError, match=r"/other: the data set folder holds none.*'othert0'"):
        Pipeline(settings).open()
    settings.indexes = [str(folder / "headers")]
    Pipeline(settings).open()
