"""Batches of the header classifier: each question once, the same for the same seed, split over processes."""

from __future__ import annotations

import pytest
import torch

from tabrag.data.folder import DataFolder
from tabrag.data.header_batches import HeaderBatches
from tabrag.data.header_labels import header_examples
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import corpus
from tabrag.models import tiny
from tabrag.models.inputs.headers import HeaderInputs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    path = tmp_path_factory.mktemp("corpus") / "data"
    prepare(corpus.make(num_tables=20, seed=0), path)
    return DataFolder(path)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> HeaderInputs:
    path = tmp_path_factory.mktemp("bert")
    tiny.bert(path)
    return HeaderInputs.load(path, max_length=64, parents="once", named_cells=True)


def _batches(folder: DataFolder, inputs: HeaderInputs, **values: int) -> HeaderBatches:
    settings = {"batch_size": 4, "chunk_size": 3, "num_processes": 1, "rank": 0, "seed": 0, "epoch": 0}
    examples = header_examples(folder, "train")
    return HeaderBatches(folder, examples, inputs=inputs, **{**settings, **values})  # type: ignore[arg-type]


def test_each_question_at_most_once_an_epoch(folder: DataFolder, inputs: HeaderInputs) -> None:
    batches = _batches(folder, inputs)
    ids = [query_id for step in range(len(batches)) for query_id in batches[step]["query_ids"]]
    assert len(ids) == len(set(ids)) == 4 * len(batches)
    assert len(header_examples(folder, "train")) - len(ids) < 4
    assert len(batches) > 3


def test_order_by_seed_and_epoch(folder: DataFolder, inputs: HeaderInputs) -> None:
    first = _batches(folder, inputs)[0]
    assert _batches(folder, inputs)[0]["query_ids"] == first["query_ids"]
    assert _batches(folder, inputs, epoch=1)[0]["query_ids"] != first["query_ids"]
    assert _batches(folder, inputs, seed=1)[0]["query_ids"] != first["query_ids"]


def test_processes_share_the_global_batch(folder: DataFolder, inputs: HeaderInputs) -> None:
    one = _batches(folder, inputs, batch_size=4)
    two = [_batches(folder, inputs, batch_size=2, num_processes=2, rank=rank) for rank in (0, 1)]
    assert len(one) == len(two[0]) == len(two[1])
    for step in range(len(one)):
        shared = {*two[0][step]["query_ids"], *two[1][step]["query_ids"]}
        assert shared == set(one[step]["query_ids"])


def test_chunks_hold_the_same_as_a_whole_batch(folder: DataFolder, inputs: HeaderInputs) -> None:
    whole, parts = _batches(folder, inputs, chunk_size=0)[0], _batches(folder, inputs)[0]
    assert len(whole["chunks"]) == 1 and len(parts["chunks"]) > 1
    labels = torch.cat([chunk["labels"] for chunk in parts["chunks"]])
    assert torch.equal(labels, whole["chunks"][0]["labels"])
    assert {0.0, 1.0} <= set(labels.tolist())
    for chunk in parts["chunks"]:
        assert len(chunk["labels"]) == len(chunk["start"]) == len(chunk["window"])
        assert len(chunk["input_ids"]) <= 3
        assert chunk["attention_mask"][chunk["window"], chunk["start"]].all()
