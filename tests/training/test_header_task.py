"""Training of the header classifier: it learns, processes agree, chunks and both losses."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from processes import run_distributed

from tabrag import distributed
from tabrag.data.config import HeaderDataConfig
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import corpus
from tabrag.errors import UserError
from tabrag.files import read_jsonl, write_jsonl
from tabrag.models import tiny
from tabrag.models.config import HeaderClassifierConfig
from tabrag.models.header_classifier import HeaderClassifier
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import TrainConfig
from tabrag.training.header_task import HeaderTask
from tabrag.training.loop import train
from tabrag.training.task import move

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "data"
    prepare(corpus.make(num_tables=20, seed=0), path)
    tiny.bert(path.parent / "bert")
    return path


def _task(data: Path, *, batch_size: int = 8, scoring: str = "sigmoid", **changes: Any) -> HeaderTask:
    torch.manual_seed(0)
    config = HeaderClassifierConfig(
        backbone=str(data.parent / "bert"),
        max_length=128,
        dropout=0.0,
        scoring=scoring,  # type: ignore[arg-type]
    )
    return HeaderTask(
        HeaderClassifier.from_config(config),
        data=HeaderDataConfig(**{"folder": str(data), "chunk_size": 4, **changes}),
        batch_size=batch_size,
        seed=0,
        settings={},
    )


@pytest.mark.parametrize("scoring", ["sigmoid", "softmax"])
def test_it_learns(data: Path, tmp_path: Path, scoring: str) -> None:
    task = _task(data, scoring=scoring, dev_split="train", max_dev=60)
    before = task.evaluate()
    config = TrainConfig(batch_size=8, epochs=2, lr=3e-3, log_every=1, precision="float32")
    figures = train(task, config, accelerator=make_accelerator("float32"), out=tmp_path / "run", settings={})
    assert set(before) == {"kept@75", "kept@62", "removed@97", "row@1", "col@1"}
    assert figures["kept@75"] > before["kept@75"] + 0.1
    assert figures["row@1"] + figures["col@1"] > before["row@1"] + before["col@1"] + 0.2
    again = HeaderClassifier.from_pretrained(tmp_path / "run" / "export")
    assert again.fingerprint() == task.model.fingerprint()
    assert again.threshold is not None and 0 <= again.threshold < 1


def _gradient(task: HeaderTask) -> torch.Tensor:
    """The gradient of the first batch, averaged over the processes."""
    loss = task.module(move(next(iter(task.batches(0, 0))), "cpu"))
    loss.backward()
    flat = torch.cat([p.grad.flatten() for p in task.module.parameters() if p.grad is not None])
    parts, _ = distributed.gather(flat[None])
    return parts.mean(dim=0)


@pytest.mark.parametrize("scoring", ["sigmoid", "softmax"])
def test_two_processes_give_the_gradient_of_one(data: Path, scoring: str) -> None:
    one = _gradient(_task(data, batch_size=4, scoring=scoring))
    assert one.abs().max() > 1e-3
    two = run_distributed(lambda rank: _gradient(_task(data, batch_size=2, scoring=scoring)), 2)
    assert torch.equal(two[0], two[1])
    assert (one - two[0]).norm() < 1e-5 * one.norm()


def test_chunks_do_not_change_the_loss(data: Path) -> None:
    losses = []
    for chunk_size in (0, 3):
        task = _task(data, chunk_size=chunk_size)
        losses.append(task.module(next(iter(task.batches(0, 0)))).item())
    assert losses[0] > 0.1 and losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_two_processes_judge_as_one(data: Path) -> None:
    one = _task(data).evaluate()
    assert 0 < one["row@1"] < 1
    for found in run_distributed(lambda rank: _task(data).evaluate(), 2):
        assert found == pytest.approx(one, abs=1e-9)


def test_the_description_follows_the_data(data: Path) -> None:
    task = _task(data)
    described = task.describe()
    assert described["training questions"] == len(task.examples) > 50
    task.examples = task.examples[1:]
    assert task.describe()["training data"] != described["training data"]
    assert task.num_batches() == len(task.examples) // 8


def test_a_dev_split_without_answer_cells_is_refused(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(data, folder)
    rows = [{**row, "answer_cells": []} for row in read_jsonl(folder / "headers.jsonl")]
    assert any(row["top"] or row["left"] for row in rows)
    write_jsonl(folder / "headers.jsonl", rows)
    with pytest.raises(UserError, match="split 'dev' has answer cells"):
        _task(data, folder=str(folder))
    assert _task(data, folder=str(folder), dev_split="").examples


def test_without_dev_split_there_is_nothing_to_judge(data: Path) -> None:
    assert _task(data, dev_split="").evaluate() == {}
