"""The gradient cache: plain gradients, dropout, towers, precisions, processes, one reduction a step."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from accelerate.utils import DistributedType
from entry_points import refuse
from processes import forget_accelerator, run_distributed
from torch import Tensor
from toy import ToyTask

from tabrag.data.config import TrainingDataConfig
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make
from tabrag.errors import UserError
from tabrag.files import write_jsonl
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig
from tabrag.training import gradcache
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import DevConfig, LossConfig, TrainConfig
from tabrag.training.loop import train
from tabrag.training.retriever_task import RetrieverTask
from tabrag.training.step import step
from tabrag.training.task import move

TEXT = EmbedderConfig(backbone="offline:tiny-bert", max_length=32)
LAYOUT = EmbedderConfig(backbone="offline:tiny-layoutlmv3", inputs="layoutlmv3", max_length=32)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "data"
    prepare(make(20, 0), folder)
    return folder


def _task(
    data: Path,
    *,
    batch_size: int = 8,
    chunk_size: int = 3,
    dropout: float = 0.0,
    item: EmbedderConfig = TEXT,
    symmetric: bool = True,
    negatives: Path | None = None,
    share_towers: bool = False,
) -> RetrieverTask:
    torch.manual_seed(0)
    representation = RepresentationConfig(name="headers" if item is TEXT else "image")
    model = RetrieverConfig(query=TEXT, item=item, share_towers=share_towers)
    hard = {"negatives": str(negatives), "num_negatives": 2} if negatives else {}
    task = RetrieverTask(
        Retriever.from_config(model, representation),
        data=TrainingDataConfig(
            folder=str(data), representation=representation, chunk_size=chunk_size, **hard
        ),
        loss=LossConfig(symmetric=symmetric),
        dev=DevConfig(pool="judged", max_queries=3),
        batch_size=batch_size,
        seed=0,
        settings={"train": {"seed": 0}},
    )
    for part in task.module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = dropout
    return task


@pytest.fixture(scope="module")
def negatives(data: Path) -> Path:
    """A run: each query's candidates are the items after its own; the last query has none."""
    pairs, path = _task(data).pairs, data.parent / "run.jsonl"
    rows = []
    for query_id, relevant in zip(pairs.query_ids[:-1], pairs.positives[:-1], strict=True):
        order = [(relevant[0] + n) % len(pairs.item_ids) for n in range(4)]
        candidates = [{"item_id": pairs.item_ids[n], "score": 1.0} for n in order]
        rows.append({"query_id": query_id, "candidates": candidates})
    write_jsonl(path, rows)
    return path


def _gradients(
    task: RetrieverTask,
    *,
    batches: list[Any] | None = None,
    cached: bool,
    precision: str = "float32",
    seed: int = 0,
    accumulate: int = 1,
) -> dict[str, Tensor]:
    """What the optimizer gets in one step, by parameter."""
    config = TrainConfig(gradcache=cached, clip=0.0, accumulate=accumulate)
    accelerator = make_accelerator(precision)
    names = [name for name, parameter in task.module.named_parameters() if parameter.requires_grad]
    parameters = [parameter for parameter in task.module.parameters() if parameter.requires_grad]
    module, optimizer = accelerator.prepare(task.module, torch.optim.SGD(parameters, lr=0.1))
    found: dict[str, Tensor] = {}

    def look(*_: Any) -> None:
        found.update(
            {n: p.grad.clone() for n, p in zip(names, parameters, strict=True) if p.grad is not None}
        )

    optimizer.optimizer.register_step_pre_hook(look)
    task.module.train()
    torch.manual_seed(seed)
    step(task, module, optimizer, iter(batches or task.batches(0, 0)), accelerator, config)
    return found


def _distance(found: dict[str, Tensor], expected: dict[str, Tensor]) -> float:
    assert found.keys() == expected.keys()
    a, b = (torch.cat([value.flatten() for value in side.values()]) for side in (found, expected))
    assert b.norm() > 0.01
    return float((a - b).norm() / b.norm())


@pytest.mark.parametrize(("chunk_size", "share_towers"), [(1, False), (3, False), (3, True), (100, False)])
def test_gradients_are_the_plain_ones(
    data: Path, negatives: Path, chunk_size: int, share_towers: bool
) -> None:
    settings = {"share_towers": share_towers, "negatives": negatives}
    whole = _task(data, chunk_size=0, **settings)
    expected = _gradients(whole, cached=False)
    task = _task(data, chunk_size=chunk_size, **settings)
    batch = next(iter(task.batches(0, 0)))
    assert len(batch["query"]) == math.ceil(8 / chunk_size)
    assert len(batch["items"]) > 8
    found = _gradients(task, cached=True)
    assert _distance(found, expected) < 1e-5
    assert expected["retriever.log_scale"].abs() > 1e-3
    assert torch.allclose(found["retriever.log_scale"], expected["retriever.log_scale"], rtol=1e-4)
    trainable = {name for name, value in task.module.named_parameters() if value.requires_grad}
    assert found.keys() == trainable


def test_gradients_of_pictures_are_the_plain_ones(tmp_path: Path) -> None:
    prepare(make(20, 1), tmp_path / "data", render=True, style="ruled", num_workers=1)
    settings = {"item": LAYOUT, "batch_size": 5}
    expected = _gradients(_task(tmp_path / "data", chunk_size=0, **settings), cached=False)
    found = _gradients(_task(tmp_path / "data", chunk_size=2, **settings), cached=True)
    assert _distance(found, expected) < 1e-5


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
        task = _task(data, **settings)
        task.module.train()
        torch.manual_seed(seed)
        expected = _with_all_graphs(task, next(iter(task.batches(0, 0))))
        results[seed] = _gradients(_task(data, **settings), cached=True, seed=seed)
        assert _distance(results[seed], expected) < 1e-5
    assert _distance(results[1], results[2]) > 0.05


def test_both_passes_give_the_same_vectors_and_each_step_has_masks_of_its_own(data: Path) -> None:
    task = _task(data, dropout=0.5, batch_size=6, chunk_size=2)
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
    plain = _gradients(_task(data), cached=False, precision="bfloat16")
    forget_accelerator()
    cached = _gradients(_task(data), cached=True, precision="bfloat16")
    forget_accelerator()
    exact = _gradients(_task(data), cached=True)
    assert 0 < _distance(cached, exact) < 0.05
    assert _distance(cached, plain) < 0.05


def test_accumulated_gradients_are_the_mean(data: Path) -> None:
    plain = _gradients(_task(data, batch_size=4, chunk_size=0), cached=False, accumulate=2)
    one = _gradients(_task(data, batch_size=4, chunk_size=0), cached=False)
    cached = _gradients(_task(data, batch_size=4, chunk_size=3), cached=True, accumulate=2)
    assert _distance(cached, plain) < 1e-5 < _distance(one, plain)


def test_smallest_sizes_train_and_resume_on_one_process(data: Path, negatives: Path, tmp_path: Path) -> None:
    def run(out: Path, resume: str = "none") -> tuple[dict[str, float], dict[str, Tensor]]:
        task = _task(data, batch_size=2, chunk_size=1, dropout=0.1, negatives=negatives)
        config = TrainConfig(batch_size=2, accumulate=5, max_steps=4, gradcache=True, save_every=1)
        accelerator = make_accelerator("float32")
        figures = train(task, config, accelerator=accelerator, out=out, settings={}, resume=resume)
        return figures, task.module.state_dict()

    figures, weights = run(tmp_path / "whole")
    assert figures["steps"] == 4 and 0 < figures["MRR@10"] <= 1
    torch.manual_seed(12345)  # whatever a new process has drawn before it resumes
    _, resumed = run(tmp_path / "rest", str(tmp_path / "whole" / "state" / "step-00000003"))
    assert all(torch.equal(weights[name], resumed[name]) for name in weights)
    untrained = _task(data).module.state_dict()
    assert not any(torch.equal(weights[name], untrained[name]) for name in weights if "dense.weight" in name)


def _share(batch: dict[str, Any], rows: slice, chunk_size: int) -> dict[str, Any]:
    """The queries ``rows`` of a batch that is in one chunk, with their items, in chunks of ``chunk_size``."""
    numbers = range(len(batch["target"]))[rows]

    def chunks(whole: dict[str, Tensor]) -> list[dict[str, Tensor]]:
        parts = [numbers[start : start + chunk_size] for start in range(0, len(numbers), chunk_size)]
        return [{name: value[list(part)] for name, value in whole.items()} for part in parts]

    return {
        "query": chunks(batch["query"][0]),
        "item": chunks(batch["item"][0]),
        "target": torch.arange(len(numbers)),
        "items": batch["items"][batch["target"][rows]],
        "positives": batch["positives"][rows],
        "query_ids": batch["query_ids"][rows],
    }


@pytest.mark.parametrize(("accumulate", "frozen"), [(1, ""), (2, ""), (1, "query"), (1, "item")])
def test_two_processes_of_unequal_share_reduce_once_a_step(data: Path, accumulate: int, frozen: str) -> None:
    wholes = list(_task(data, batch_size=9, chunk_size=0).batches(0, 0))[:accumulate]
    assert len(wholes) == accumulate
    assert all(torch.equal(batch["target"], torch.arange(9)) for batch in wholes)

    def gradients(rank: int, *, cached: bool) -> tuple[dict[str, Tensor], int, int]:
        task = _task(data, batch_size=9, chunk_size=0)
        if frozen:
            getattr(task.retriever, frozen).requires_grad_(False)
        rows = slice(0, 5) if rank == 0 else slice(5, 9)
        batches = [_share(batch, rows, 2 if cached else 9) for batch in wholes]
        calls: list[int] = []
        _count_reductions(calls)
        found = _gradients(task, batches=batches, cached=cached, accumulate=accumulate)
        return found, len(calls), len(batches[0]["item"])

    (first, *counts), (second, *others) = run_distributed(
        lambda rank: gradients(rank, cached=True), 2, timeout=60
    )
    assert counts == [1, 3] and others == [1, 2]
    assert _distance(first, second) == 0.0
    (plain, *_), _ = run_distributed(lambda rank: gradients(rank, cached=False), 2, timeout=60)
    assert _distance(first, plain) < 1e-5


def _count_reductions(calls: list[int]) -> None:
    """Let every module that is wrapped from now on note its reductions."""
    from torch.nn.parallel import DistributedDataParallel

    start = DistributedDataParallel.__init__

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        start(self, *args, **kwargs)

        def hook(state, bucket):  # torch checks the annotations, and takes none better than strings
            calls.append(1)
            future = torch.distributed.all_reduce(bucket.buffer(), async_op=True).get_future()
            return future.then(lambda done: done.value()[0] / torch.distributed.get_world_size())

        self.register_comm_hook(None, hook)

    DistributedDataParallel.__init__ = init  # type: ignore[method-assign]


def test_two_processes_give_the_gradient_of_one(data: Path, negatives: Path) -> None:
    expected = _gradients(_task(data, chunk_size=0), cached=False)

    def work(rank: int) -> list[dict[str, Tensor]]:
        settings = {"batch_size": 4, "negatives": negatives}
        return [
            _gradients(_task(data, batch_size=4, chunk_size=3), cached=True),
            _gradients(_task(data, chunk_size=3, **settings), cached=True),
            _gradients(_task(data, chunk_size=0, **settings), cached=False),
        ]

    for alone, hard, plain in run_distributed(work, 2):
        assert _distance(alone, expected) < 1e-5
        assert _distance(hard, plain) < 1e-5 < _distance(hard, alone)


@pytest.mark.parametrize("cached", [False, True])
def test_a_loss_that_is_not_finite_stops_all_processes(data: Path, cached: bool) -> None:
    def work(rank: int) -> tuple[str, list[str]]:
        # Without the items' side the loss of process 0 does not see the queries of process 1.
        task = _task(data, batch_size=3, chunk_size=2, symmetric=False)
        if rank == 1:
            task.retriever.query.register_forward_hook(lambda m, i, out: out * math.nan)
        batch = next(iter(task.batches(0, 0)))
        with pytest.raises(UserError) as caught:
            _gradients(task, batches=[batch], cached=cached)
        return str(caught.value), batch["query_ids"]

    (message, healthy), (other, broken) = run_distributed(work, 2, timeout=60)
    assert message == other and message.startswith(f"the loss is nan; batch: {', '.join(broken)}. Lower")
    assert not any(query_id in message for query_id in set(healthy) - set(broken))


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
        gradcache.check_cacheable(_task(data).module, partitioned)
    arguments = ["--config=configs/retriever/tiny.yaml", f"--out={tmp_path}/run", "--train.gradcache=true"]
    said = refuse("train/retriever.py", *arguments, capsys=capsys)
    assert "data.chunk_size entries, which is 0" in said


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_gradients_with_dropout_on_a_gpu(data: Path) -> None:
    settings = {"dropout": 0.3}
    reference = _task(data, **settings)
    reference.module.cuda().train()
    batch = next(iter(reference.batches(0, 0)))
    torch.manual_seed(1)
    expected = _with_all_graphs(reference, move(batch, "cuda"))
    task = _task(data, **settings)
    task.module.cuda()
    torch.manual_seed(1)
    assert _distance(_gradients(task, batches=[batch], cached=True), expected) < 1e-4
