"""Long tables in training: one window a table and epoch, the one that the questions are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tabrag.data.batches import gold_windows
from tabrag.data.card import Card
from tabrag.data.config import TrainingDataConfig
from tabrag.data.dataset import Dataset
from tabrag.data.prepare import prepare
from tabrag.files import read_jsonl
from tabrag.index.folder import Index
from tabrag.inference.index_job import index_folder
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig, build
from tabrag.tables.grid import make_grid
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import DevConfig, LossConfig, TrainConfig
from tabrag.training.loop import train
from tabrag.training.retriever_task import RetrieverTask
from tabrag.types import Entry, GoldHeaders, Query, Table

WINDOWS = RepresentationConfig(name="markdown", options={"windows": True})
PICTURES = RepresentationConfig(name="image", options={"windows": True})
NUM_ROWS = 30
ASKED = 20
"""The row of the answer to each question on table 0."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three tables, of which the last one is short; the questions on the first have gold cells."""
    folder = tmp_path_factory.mktemp("long") / "data"
    grids = [
        make_grid(
            [["year", "count"], *([str(1000 + row), str(row)] for row in range(rows))], num_header_rows=1
        )
        for rows in (NUM_ROWS, NUM_ROWS, 1)
    ]
    names = [f"q{number}" for number in range(6)]
    judged = {name: {f"t{number % 3}": 1} for number, name in enumerate(names)}
    gold = [
        GoldHeaders(query_id=name, table_id="t0", top=[(0, 1)], answer_cells=[(ASKED + 1, 1)])
        for name in ("q0", "q3")
    ]
    dataset = Dataset(
        tables=[Table(id=f"t{n}", title=f"Table {n}", grid=grid) for n, grid in enumerate(grids)],
        queries=[Query(id=name, text=f"question {name}") for name in names],
        qrels={"train": judged, "dev": judged},
        gold_headers=gold,
        card=Card(name="Long", licence="mit"),
    )
    prepare(dataset, folder, render=True, style="ruled", num_workers=1)
    return folder


def _task(data: Path, representation: RepresentationConfig = WINDOWS, **changes: Any) -> RetrieverTask:
    torch.manual_seed(0)
    text = EmbedderConfig(backbone="offline:tiny-bert", max_length=64)
    layout = EmbedderConfig(backbone="offline:tiny-layoutlmv3", inputs="layoutlmv3", max_length=64)
    item = layout if representation.name == "image" else text
    return RetrieverTask(
        Retriever.from_config(RetrieverConfig(query=text, item=item), representation),
        data=TrainingDataConfig(folder=str(data), representation=representation, **changes),
        loss=LossConfig(),
        dev=DevConfig(depth=3),
        batch_size=3,
        seed=0,
        settings={},
    )


def _texts(task: RetrieverTask, epoch: int) -> dict[str, set[str]]:
    """Table -> texts that an epoch's batches hold of it."""
    tokenizer = task.retriever.item.inputs.tokenization.tokenizer
    found: dict[str, set[str]] = {}
    for batch in task.batches(epoch, 0):
        rows = [row for chunk in batch["item"] for row in chunk["input_ids"]]
        for item, ids in zip(batch["items"].tolist(), rows, strict=True):
            text = tokenizer.decode(ids, skip_special_tokens=True).replace(" ##", "").replace("##", "")
            found.setdefault(task.pairs.item_ids[item], set()).add(text)
    return found


def test_the_window_of_the_gold_cells_is_drawn_and_others_change(data: Path) -> None:
    task = _task(data)
    epochs = [_texts(task, epoch) for epoch in range(6)]
    asked = {text for epoch in epochs for text in epoch["t0"]}
    assert len(asked) == 1 and str(1000 + ASKED) in asked.pop().replace(" ", "")
    drawn = [epoch["t1"] for epoch in epochs]
    assert all(len(texts) == 1 for texts in drawn) and len(set().union(*drawn)) > 1
    assert len(set().union(*(epoch["t2"] for epoch in epochs))) == 1
    assert _texts(_task(data), 3) == epochs[3]


def test_the_part_of_the_picture_with_the_gold_cells_is_drawn(data: Path) -> None:
    task = _task(data, PICTURES)
    inputs, folder = task.retriever.item.inputs, task.pairs.folder
    entries = build(PICTURES, measure=inputs)(folder.tables["t0"], folder=folder.path)
    right = [entry for entry in entries if (ASKED + 1, 1) in (entry.cells or ())]
    assert len(right) == 1 < len(entries) and "t0" in {entry.item_id for entry in right}
    expected = inputs(right)["pixel_values"][0]
    for epoch in range(2):
        for batch in task.batches(epoch, 0):
            place = [task.pairs.item_ids[item] for item in batch["items"].tolist()].index("t0")
            assert torch.equal(batch["item"][0]["pixel_values"][place], expected)


def test_a_window_of_the_title_alone_holds_no_cell() -> None:
    cells = [None, frozenset(), frozenset({(0, 1)}), frozenset({(0, 1), (5, 1)})]
    entries = [Entry(id=str(n), item_id="t", cells=own) for n, own in enumerate(cells)]
    gold = GoldHeaders(query_id="q", table_id="t", top=[(0, 1)], answer_cells=[(5, 1)])
    assert [entry.id for entry in gold_windows(entries[1:], [gold])] == ["3"]
    assert gold_windows(entries[1:3], [gold]) == [entries[2]]
    assert gold_windows(entries[:2], [gold]) == [entries[0]]
    assert gold_windows(entries, []) == entries


def test_worker_processes_draw_the_same_windows(data: Path) -> None:
    assert _texts(_task(data, num_workers=1), 2) == _texts(_task(data), 2)


def test_the_share_of_cut_tokens_is_logged(data: Path) -> None:
    plain, cut = _task(data, RepresentationConfig(name="markdown")), []
    for _ in plain.batches(0, 0):
        cut.append(plain.metrics()["cut_tokens"])
    assert all(0.3 < share < 0.9 for share in cut) and len(cut) == 2
    assert plain.metrics()["cut_tokens"] == 0
    task = _task(data)
    for _ in task.batches(0, 0):
        assert task.metrics()["cut_tokens"] == 0


@pytest.mark.parametrize("name", ["markdown", "image"])
def test_training_judging_and_index_have_the_same_windows(data: Path, tmp_path: Path, name: str) -> None:
    windows = RepresentationConfig(name=name, options={"windows": True})
    task = _task(data, windows)
    config = TrainConfig(batch_size=3, max_steps=2, log_every=1)
    figures = train(task, config, accelerator=make_accelerator("float32"), out=tmp_path / "run", settings={})
    assert figures["Hit@5"] == 1.0, "three tables: all are among the first three, though one has many windows"
    rows = [row for row in read_jsonl(tmp_path / "run" / "metrics.jsonl") if "loss" in row]
    assert [row["cut_tokens"] for row in rows] == [0, 0]
    export = str(tmp_path / "run" / "export")
    found = index_folder(data, tmp_path / "index", checkpoint=export)
    assert found["items"] == 3 and found["entries"] > 4 and found["cut_tokens"] == 0
    index, retriever = Index.open(tmp_path / "index"), Retriever.from_pretrained(export)
    assert retriever.representation == windows and index.manifest.representation["options"] == windows.options
    run = index.search([Query(id="q", text="question q0")], 3, retriever)
    assert sorted(one.item_id for one in run["q"]) == ["t0", "t1", "t2"]
    assert index_folder(data, tmp_path / "index", checkpoint=export, sync=True)["encoded"] == 0
    plain = RepresentationConfig(name="image" if name == "image" else "markdown")
    cut = index_folder(data, tmp_path / "cut", checkpoint=export, representation=plain)
    assert cut["entries"] == 3 and 0.3 < cut["cut_tokens"] < 0.9
    words = index_folder(data, tmp_path / "words", kind="bm25", representation=WINDOWS)
    assert words["entries"] == 3 and "cut_tokens" not in words


def test_a_chunk_of_the_gold_cells_is_drawn_too(data: Path) -> None:
    task = _task(data, RepresentationConfig(name="cells", options={"chunk": 48}))
    drawn = [set().union(*(_texts(task, epoch)[item] for epoch in range(8))) for item in ("t0", "t1")]
    asked, any_of_them = ([text.replace(" ", "") for text in sorted(texts)] for texts in drawn)
    assert len(any_of_them) > len(asked) == 2, "header and answer stand in two chunks, and there are more"
    assert f".{1000 + ASKED}|{ASKED}." in asked[0] and "year|count" in asked[1]
    for _ in task.batches(0, 0):
        assert task.metrics()["cut_tokens"] == 0
