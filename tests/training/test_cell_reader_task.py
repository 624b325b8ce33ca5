"""Training of the cell reader: it learns, resumes exactly, and processes agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from processes import forget_accelerator, run_distributed

from tabrag import distributed
from tabrag.data.config import CellDataConfig
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import corpus
from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.cell_reader import CellReader
from tabrag.models.config import CellReaderConfig, HeaderClassifierConfig
from tabrag.models.header_classifier import HeaderClassifier
from tabrag.training.accelerator import make_accelerator
from tabrag.training.cell_reader_task import CellReaderTask
from tabrag.training.config import TrainConfig
from tabrag.training.loop import train
from tabrag.training.task import move

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "data"
    prepare(corpus.make(num_tables=20, seed=0), path)
    tiny.bert(path.parent / "bert")
    return path


def _task(data: Path, *, batch_size: int = 8, dropout: float = 0.0, **changes: Any) -> CellReaderTask:
    torch.manual_seed(0)
    config = CellReaderConfig(
        backbone=str(data.parent / "bert"), max_length=160, width=24, train_words=True, dropout=dropout
    )
    return CellReaderTask(
        CellReader.from_config(config),
        data=CellDataConfig(folder=str(data), **{"chunk_size": 4, "max_tokens": 96, **changes}),
        batch_size=batch_size,
        seed=0,
        settings={},
    )


def _config(**changes: Any) -> TrainConfig:
    return TrainConfig(**{"batch_size": 8, "lr": 3e-3, "log_every": 1, "precision": "float32", **changes})


def test_it_learns(data: Path, tmp_path: Path) -> None:
    task = _task(data, dev_split="train", max_dev=60, max_tokens=0)
    before = task.evaluate()
    figures = train(
        task, _config(epochs=10), accelerator=make_accelerator("float32"), out=tmp_path / "run", settings={}
    )
    assert figures["exact_match"] > before["exact_match"] + 0.3
    shares = [value for name, value in figures.items() if name.startswith("share/")]
    assert shares and sum(shares) == pytest.approx(1)
    again = CellReader.from_pretrained(tmp_path / "run" / "export")
    assert again.fingerprint() == task.model.fingerprint()


def test_resumed_in_the_middle_of_an_epoch_gives_the_same_weights(data: Path, tmp_path: Path) -> None:
    def run(out: Path, steps: int, resume: str) -> str:
        forget_accelerator()
        task = _task(data, dropout=0.2, dev_split="")
        config = _config(max_steps=6, save_every=3)
        if steps < 6:
            batches = task.batches

            def some(epoch: int, start: int) -> Any:
                for number, batch in enumerate(batches(epoch, start)):
                    if number == steps:
                        raise KeyboardInterrupt
                    yield batch

            task.batches = some  # type: ignore[method-assign]
        train(task, config, accelerator=make_accelerator("float32"), out=out, settings={}, resume=resume)
        return task.model.fingerprint()

    whole = run(tmp_path / "whole", 6, "none")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "cut", 4, "none")
    assert run(tmp_path / "cut", 6, "auto") == whole


def _gradient(task: CellReaderTask) -> torch.Tensor:
    """The gradient of the first batch, averaged over the processes."""
    loss = task.module(move(next(iter(task.batches(0, 0))), "cpu"))
    loss.backward()
    flat = torch.cat([p.grad.flatten() for p in task.module.parameters() if p.grad is not None])
    parts, _ = distributed.gather(flat[None])
    return parts.mean(dim=0)


def test_two_processes_give_the_gradient_of_one(data: Path) -> None:
    one = _gradient(_task(data, batch_size=4))
    assert one.abs().max() > 1e-3
    two = run_distributed(lambda rank: _gradient(_task(data, batch_size=2)), 2)
    assert torch.equal(two[0], two[1])
    assert (one - two[0]).norm() < 1e-5 * one.norm()


def test_two_processes_judge_as_one(data: Path) -> None:
    one = _task(data, max_dev=30).evaluate()
    for found in run_distributed(lambda rank: _task(data, max_dev=30).evaluate(), 2):
        assert found == pytest.approx(one, abs=1e-9)


def test_chunks_do_not_change_the_loss(data: Path) -> None:
    losses = []
    for chunk_size in (0, 3):
        task = _task(data, chunk_size=chunk_size)
        losses.append(task.module(next(iter(task.batches(0, 0)))).item())
    assert losses[0] > 0.1 and losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_a_refiner_decides_which_rows_stay(data: Path, tmp_path: Path) -> None:
    torch.manual_seed(1)
    config = HeaderClassifierConfig(backbone=str(data.parent / "bert"), max_length=128)
    HeaderClassifier.from_config(config).save_pretrained(tmp_path / "refiner")
    task, plain = (_task(data, max_tokens=140, refiner=one) for one in (str(tmp_path / "refiner"), ""))
    assert task.scores is not None and len(task.scores) == len(task.examples) and plain.scores is None
    shown = [
        [chunk["inputs"]["input_ids"].tolist() for chunk in next(iter(one.batches(0, 0)))["chunks"]]
        for one in (task, plain)
    ]
    assert shown[0] != shown[1]


def test_the_description_follows_the_data(data: Path) -> None:
    task = _task(data)
    described = task.describe()
    assert described["training questions"] == len(task.examples) > 50
    task.examples = task.examples[1:]
    assert task.describe()["training data"] != described["training data"]
    assert task.num_batches() == len(task.examples) // 8


def test_edges(data: Path) -> None:
    assert _task(data, dev_split="").evaluate() == {}
    with pytest.raises(UserError, match="do not fill one batch"):
        _task(data, batch_size=5000)
