"""The gradient cache in one process: plain gradients, dropout, towers, precisions."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from accelerate.utils import DistributedType
from cached import LAYOUT, distance, gradients, make_task, write_data, write_negatives
from entry_points import refuse
from processes import forget_accelerator
from torch import Tensor
from toy import ToyTask

from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make
from tabrag.errors import UserError
from tabrag.training import gradcache
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import TrainConfig
from tabrag.training.loop import train
from tabrag.training.retriever_task import RetrieverTask
from tabrag.training.step import step
from tabrag.training.task import move


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("corpus") / "data")


@pytest.fixture(scope="module")
def negatives(data: Path) -> Path:
    return write_negatives(data)


@pytest.mark.parametrize(("chunk_size", "share_towers"), [(1, False), (3, False), (3, True), (100, False)])
def test_gradients_are_the_plain_ones(
    data: Path, negatives: Path, chunk_size: int, share_towers: bool
) -> None:
    settings = {"share_towers": share_towers, "negatives": negatives}
    whole = make_task(data, chunk_size=0, **settings)
    expected = gradients(whole, cached=False)
    task = make_task(data, chunk_size=chunk_size, **settings)
    batch = next(iter(task.batches(0, 0)))
    assert len(batch["query"]) == math.ceil(8 / chunk_size)
    assert len(batch["items"]) > 8
    found = gradients(task, cached=True)
    assert distance(found, expected) < 1e-5
    assert expected["retriever.log_scale"].abs() > 1e-3
    assert torch.allclose(found["retriever.log_scale"], expected["retriever.log_scale"], rtol=1e-4)
    trainable = {name for name, value in task.module.named_parameters() if value.requires_grad}
    assert found.keys() == trainable


def test_gradients_of_pictures_are_the_plain_ones(tmp_path: Path) -> None:
    prepare(make(20, 1), tmp_path / "data", render=True, style="ruled", num_workers=1)
    settings = {"item": LAYOUT, "batch_size": 5}
    expected = gradients(make_task(tmp_path / "data", chunk_size=0, **settings), cached=False)
    found = gradients(make_task(tmp_path / "data", chunk_size=2, **settings), cached=True)
    assert distance(found, expected) < 1e-5


def _with_all_graphs(task: RetrieverTask, batch: dict[str, Any]) -> dict[str, Tensor]:
    """The same passes, all of whose graphs are kept."""
    found = [task.module.embed(part) for part in gradcache.passes(batch)]
    whole = {side: torch.cat([one[side] for one in found if side in one]) for side in gradcache.SIDES}
    task.module.compare({**whole, "scale": found[-1]["scale"]}, batch).backward()
    return {name: p.grad for name, p in task.module.named_parameters() if p.grad is not None}


@pytest.mark.parametrize("share_towers", [False, True])
def test_gradients_with_dropout_are_those_of_the_same_masks(
    data: Path, negatives: Path, share_towers: bool
) -> None:
    settings = {"dropout": 0.3, "share_towers": share_towers, "negatives": negatives}
    results = {}
    for seed in (1, 2):
        task = make_task(data, **settings)
        task.module.train()
        torch.manual_seed(seed)
        expected = _with_all_graphs(task, next(iter(task.batches(0, 0))))
        results[seed] = gradients(make_task(data, **settings), cached=True, seed=seed)
        assert distance(results[seed], expected) < 1e-5
    assert distance(results[1], results[2]) > 0.05


def test_both_passes_give_the_same_vectors_and_each_step_has_masks_of_its_own(data: Path) -> None:
    task = make_task(data, dropout=0.5, batch_size=6, chunk_size=2)
    batch = next(iter(task.batches(0, 0)))
    seen: dict[str, list[Tensor]] = {"query": [], "item": []}
    for side, vectors in seen.items():
        tower = getattr(task.retriever, side)
        tower.register_forward_hook(lambda m, i, out, vectors=vectors: vectors.append(out.detach().clone()))
    parameters = [parameter for parameter in task.module.parameters() if parameter.requires_grad]
    accelerator = make_accelerator("float32")
    module, optimizer = accelerator.prepare(task.module, torch.optim.SGD(parameters, lr=0.0))
    task.module.train()
    for _ in range(2):
        step(task, module, optimizer, iter([batch]), accelerator, TrainConfig(gradcache=True))
    for vectors in seen.values():
        first, again, second, again_2 = (vectors[start : start + 3] for start in (0, 3, 6, 9))
        assert len(vectors) == 12
        assert all(map(torch.equal, first, again)) and all(map(torch.equal, second, again_2))
        assert not any(map(torch.equal, first, second))


def test_gradients_in_bfloat16(data: Path) -> None:
    plain = gradients(make_task(data), cached=False, precision="bfloat16")
    forget_accelerator()
    cached = gradients(make_task(data), cached=True, precision="bfloat16")
    forget_accelerator()
    exact = gradients(make_task(data), cached=True)
    assert 0 < distance(cached, exact) < 0.05
    assert distance(cached, plain) < 0.05


def test_accumulated_gradients_are_the_mean(data: Path) -> None:
    plain = gradients(make_task(data, batch_size=4, chunk_size=0), cached=False, accumulate=2)
    one = gradients(make_task(data, batch_size=4, chunk_size=0), cached=False)
    cached = gradients(make_task(data, batch_size=4, chunk_size=3), cached=True, accumulate=2)
    assert distance(cached, plain) < 1e-5 < distance(one, plain)


def test_smallest_sizes_train_and_resume_on_one_process(data: Path, negatives: Path, tmp_path: Path) -> None:
    def run(out: Path, resume: str = "none") -> tuple[dict[str, float], dict[str, Tensor]]:
        task = make_task(data, batch_size=2, chunk_size=1, dropout=0.1, negatives=negatives)
        config = TrainConfig(batch_size=2, accumulate=5, max_steps=4, gradcache=True, save_every=1)
        accelerator = make_accelerator("float32")
        figures = train(task, config, accelerator=accelerator, out=out, settings={}, resume=resume)
        return figures, task.module.state_dict()

    figures, weights = run(tmp_path / "whole")
    assert figures["steps"] == 4 and 0 < figures["MRR@10"] <= 1
    torch.manual_seed(12345)  # whatever a new process has drawn before it resumes
    _, resumed = run(tmp_path / "rest", str(tmp_path / "whole" / "state" / "step-00000003"))
    assert all(torch.equal(weights[name], resumed[name]) for name in weights)
    untrained = make_task(data).module.state_dict()
    assert not any(torch.equal(weights[name], untrained[name]) for name in weights if "dense.weight" in name)


def test_what_cannot_be_cached_is_refused(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accelerator = make_accelerator("float32")
    config = TrainConfig(gradcache=True, max_steps=1)
    with pytest.raises(UserError, match="contrastive training"):
        train(ToyTask(), config, accelerator=accelerator, out=tmp_path / "run", settings={})
    assert not (tmp_path / "run").exists()
    partitioned = SimpleNamespace(distributed_type=DistributedType.DEEPSPEED)
    with pytest.raises(UserError, match="does not work with DEEPSPEED"):
        gradcache.check_cacheable(make_task(data).module, partitioned)
    arguments = ["--config=configs/retriever/tiny.yaml", f"--out={tmp_path}/run", "--train.gradcache=true"]
    said = refuse("train/retriever.py", *arguments, capsys=capsys)
    assert "data.chunk_size entries, which is 0" in said


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_gradients_with_dropout_on_a_gpu(data: Path) -> None:
    settings = {"dropout": 0.3}
    reference = make_task(data, **settings)
    reference.module.cuda().train()
    batch = next(iter(reference.batches(0, 0)))
    torch.manual_seed(1)
    expected = _with_all_graphs(reference, move(batch, "cuda"))
    task = make_task(data, **settings)
    task.module.cuda()
    torch.manual_seed(1)
    assert distance(gradients(task, batches=[batch], cached=True), expected) < 1e-4
