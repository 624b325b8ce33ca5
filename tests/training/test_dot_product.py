"""DPR's set-up, which is THoRR's: two towers, first positions, inner product, NLL with hard negatives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tabrag.data.config import TrainingDataConfig
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make
from tabrag.files import read_json, write_jsonl
from tabrag.index.config import RetrieveConfig
from tabrag.index.folder import Index
from tabrag.inference.encode import encode, encode_queries
from tabrag.inference.index_job import index_folder
from tabrag.inference.retrieve import Retrieve
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig, build
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import DevConfig, LossConfig, TrainConfig
from tabrag.training.loop import train
from tabrag.training.retriever_task import RetrieverTask

TEXT = EmbedderConfig(backbone="offline:tiny-bert", pooling="cls", normalize=False, max_length=32)
HEADERS = RepresentationConfig(name="headers", options={"field_separator": " [SEP] ", "windows": True})


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "data"
    prepare(make(20, 0), folder)
    return folder


def _task(data: Path, run: Path) -> RetrieverTask:
    torch.manual_seed(0)
    config = RetrieverConfig(query=TEXT, item=TEXT, temperature=1.0, learn_temperature=False)
    retriever = Retriever.from_config(config, HEADERS)
    with torch.no_grad():
        for parameter in (*retriever.query.parameters(), *retriever.item.parameters()):
            parameter.add_(0.1 * torch.randn_like(parameter))  # else all texts have nearly the same vector
    training = TrainingDataConfig(
        folder=str(data), representation=HEADERS, negatives=str(run), num_negatives=1, negative_depth=5
    )
    return RetrieverTask(
        retriever,
        data=training,
        loss=LossConfig(symmetric=False),
        dev=DevConfig(),
        batch_size=4,
        seed=0,
        settings={},
    )


@pytest.fixture
def run(data: Path, tmp_path: Path) -> Path:
    """Each training query's hard negatives: all tables, in one order."""
    from tabrag.data.folder import DataFolder

    folder = DataFolder(data)
    ids = list(folder.tables.ids)
    rows = [
        {
            "query_id": query_id,
            "candidates": [{"item_id": item_id, "score": 1.0, "stage": "bm25"} for item_id in ids],
        }
        for query_id in folder.qrels("train")
    ]
    write_jsonl(tmp_path / "negatives.jsonl", rows)
    return tmp_path / "negatives.jsonl"


def test_the_loss_is_the_nll_of_inner_products_over_positives_and_hard_negatives(
    data: Path, run: Path
) -> None:
    task = _task(data, run)
    task.module.eval()
    batch = next(iter(task.batches(0, 0)))
    with torch.no_grad():
        found = task.module.embed(batch)
        loss = task.module(batch).item()
    queries, items = found["query"], found["item"]
    assert found["scale"].item() == 1.0 and len(items) > len(queries) == 4, "hard negatives are candidates"
    assert (items.norm(dim=1) - 1).abs().min() > 0.1, "lengths are kept"
    expected = []
    for row, target in enumerate(batch["target"].tolist()):
        relevant = set(batch["positives"][row].tolist())
        logits = [
            float(queries[row] @ items[column])
            for column, item in enumerate(batch["items"].tolist())
            if column == target or item not in relevant
        ]
        expected.append(np.logaddexp.reduce(logits) - float(queries[row] @ items[target]))
    assert loss == pytest.approx(np.mean(expected), rel=1e-5)


def test_two_towers_learn_and_their_index_ranks_by_the_inner_product(
    data: Path, run: Path, tmp_path: Path
) -> None:
    task = _task(data, run)
    before = {name: p.clone() for name, p in task.retriever.named_parameters()}
    config = TrainConfig(batch_size=4, max_steps=12, lr=1e-3, clip=2.0, log_every=1)
    train(task, config, accelerator=make_accelerator("float32"), out=tmp_path / "run", settings={})
    moved = {n.split(".")[0] for n, p in task.retriever.named_parameters() if not torch.equal(p, before[n])}
    assert moved == {"query", "item"}, "both towers, and the temperature stays"

    export = str(tmp_path / "run" / "export")
    retriever = Retriever.from_pretrained(export)
    assert retriever.scale().item() == 1.0 and retriever.metric == "ip"
    assert (tmp_path / "run/export/item/model.safetensors").is_file()
    index_folder(data, tmp_path / "index", checkpoint=export)
    assert read_json(tmp_path / "index" / "manifest.json")["metric"] == "ip"

    folder = task.pairs.folder
    represent = build(HEADERS, measure=retriever.item.inputs)
    entries = [entry for table in folder.tables for entry in represent(table, folder=folder.path)]
    vectors = encode(retriever.item, entries, progress=False)
    asked = [folder.queries[query_id] for query_id in folder.qrels("dev")]
    scores = encode_queries(retriever, asked, progress=False) @ vectors.T
    found = Retrieve(RetrieveConfig(indexes=[str(tmp_path / "index")], k=3))(asked)
    changed = 0
    for query, line in zip(asked, scores, strict=True):
        ranked = list(dict.fromkeys(entries[row].item_id for row in np.argsort(-line, kind="stable")))[:3]
        assert [one.item_id for one in found[query.id]] == ranked
        assert found[query.id][0].score == pytest.approx(line.max(), rel=1e-4)
        cosine = line / np.linalg.norm(vectors, axis=1)
        changed += cosine.argsort().tolist() != line.argsort().tolist()
    assert changed == len(asked) > 5 and np.abs(scores).max() > 1.5, "cosine gives other orders and scores"
    cosine_index = index_folder(data, tmp_path / "cosine", checkpoint=export, metric="cosine")
    assert cosine_index["items"] == 20 and Index.open(tmp_path / "cosine").manifest.metric == "cosine"
