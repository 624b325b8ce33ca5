"""Training of the cross-encoder: it learns, processes agree, and it is judged as it is used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from processes import run_distributed
from rerank_data import write_data

from tabrag import distributed
from tabrag.data.config import RankingDataConfig
from tabrag.errors import UserError
from tabrag.evaluation.ranking import evaluate
from tabrag.evaluation.runs import read_run
from tabrag.inference.config import RerankConfig
from tabrag.inference.rerank import Rerank
from tabrag.models import tiny
from tabrag.models.blend import Blend
from tabrag.models.config import CrossEncoderConfig
from tabrag.models.cross_encoder import CrossEncoder
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import RankingLossConfig, TrainConfig
from tabrag.training.loop import train
from tabrag.training.pair_task import PairTask
from tabrag.training.task import move

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_data(tmp_path_factory.mktemp("work"))
    tiny.bert(path / "bert")
    return path


def _task(work: Path, *, batch_size: int = 8, **changes: Any) -> PairTask:
    torch.manual_seed(0)
    config = CrossEncoderConfig(backbone=str(work / "bert"), dropout=0.0, table_length=96)
    data = {
        "folder": str(work / "data"),
        "negatives": str(work / "train.jsonl"),
        "num_negatives": 2,
        "dev_run": str(work / "dev.jsonl"),
        "chunk_size": 4,
    }
    return PairTask(
        CrossEncoder.from_config(config),
        data=RankingDataConfig(**{**data, **changes}),
        loss=RankingLossConfig(pointwise=0.5),
        batch_size=batch_size,
        seed=0,
        settings={},
    )


def test_it_learns_and_is_judged_as_it_is_used(work: Path, tmp_path: Path) -> None:
    task = _task(work)
    before = task.evaluate()
    config = TrainConfig(
        batch_size=8, epochs=3, lr=1e-3, lr_factors={"head": 5.0}, log_every=1, precision="float32"
    )
    figures = train(task, config, accelerator=make_accelerator("float32"), out=tmp_path / "run", settings={})
    assert figures["alone/Hit@1"] > before["alone/Hit@1"] + 0.15
    assert figures["MRR"] > figures["before/MRR"] == before["before/MRR"] == 0.5 and figures["ECE"] < 0.2
    model = CrossEncoder.from_pretrained(tmp_path / "run/export")
    assert model.blend != Blend()
    folder, run = task.pairs.folder, read_run(work / "dev.jsonl")
    rerank = Rerank(RerankConfig(checkpoint=str(tmp_path / "run/export"), device="cpu"))
    found = rerank([folder.queries[query_id] for query_id in run], run, folder.tables)
    assert evaluate(found, folder.qrels("dev"))["Hit@1"] == pytest.approx(figures["Hit@1"])


def _gradient(task: PairTask) -> torch.Tensor:
    """The gradient of the first batch, averaged over the processes."""
    task.module(move(next(iter(task.batches(0, 0))), "cpu")).backward()
    flat = torch.cat([p.grad.flatten() for p in task.module.parameters() if p.grad is not None])
    parts, _ = distributed.gather(flat[None])
    return parts.mean(dim=0)


def test_two_processes_give_the_gradient_of_one(work: Path) -> None:
    one = _gradient(_task(work, batch_size=4))
    assert one.abs().max() > 1e-3
    two = run_distributed(lambda rank: _gradient(_task(work, batch_size=2)), 2)
    assert torch.equal(two[0], two[1])
    assert (one - two[0]).norm() < 1e-5 * one.norm()


def test_two_processes_judge_and_rerank_as_one(work: Path) -> None:
    def judged() -> tuple[dict[str, float], list[str]]:
        task = _task(work)
        figures = task.evaluate()
        folder, run = task.pairs.folder, read_run(work / "dev.jsonl")
        from tabrag.inference.score_pairs import PairScorer

        rerank = Rerank(RerankConfig(), scorer=PairScorer(task.model))
        found = rerank([folder.queries[query_id] for query_id in run], run, folder.tables)
        return figures, [one.item_id for candidates in found.values() for one in candidates]

    one = judged()
    assert 0 < one[0]["MRR"] < 1 and len(one[1]) > 20
    for figures, order in run_distributed(lambda rank: judged(), 2):
        assert figures == pytest.approx(one[0], abs=1e-6) and order == one[1]


def test_chunks_do_not_change_the_loss(work: Path) -> None:
    losses = []
    for chunk_size in (0, 5):
        task = _task(work, chunk_size=chunk_size)
        losses.append(task.module(next(iter(task.batches(0, 0)))).item())
    assert losses[0] > 0.1 and losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_what_cannot_be_learned_or_judged_is_refused(work: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="num_negatives is 0"):
        _task(work, num_negatives=0)
    with pytest.raises(UserError, match="no candidates"):
        _task(work, dev_run=str(work / "train.jsonl"))
    assert _task(work, dev_run="").evaluate() == {}


def test_equal_scores_are_told(work: Path, caplog: pytest.LogCaptureFixture) -> None:
    task = _task(work)
    with torch.no_grad():
        for parameter in task.model.head.parameters():
            parameter.zero_()
    figures = task.evaluate()
    assert "all" in caplog.text and "equal" in caplog.text
    assert figures["MRR"] == figures["before/MRR"] and figures["alone/Hit@1"] == 0  # ties help nobody
