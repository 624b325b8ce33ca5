"""The gradient cache in several processes: the gradients of one, one reduction a step, faults told to all."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from cached import distance, gradients, make_task, write_data, write_negatives
from processes import run_distributed
from torch import Tensor

from tabrag.errors import UserError


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("corpus") / "data")


@pytest.fixture(scope="module")
def negatives(data: Path) -> Path:
    return write_negatives(data)


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
    wholes = list(make_task(data, batch_size=9, chunk_size=0).batches(0, 0))[:accumulate]
    assert len(wholes) == accumulate
    assert all(torch.equal(batch["target"], torch.arange(9)) for batch in wholes)

    def work(rank: int, *, cached: bool) -> tuple[dict[str, Tensor], int, int]:
        task = make_task(data, batch_size=9, chunk_size=0)
        if frozen:
            getattr(task.retriever, frozen).requires_grad_(False)
        rows = slice(0, 5) if rank == 0 else slice(5, 9)
        batches = [_share(batch, rows, 2 if cached else 9) for batch in wholes]
        calls: list[int] = []
        _count_reductions(calls)
        found = gradients(task, batches=batches, cached=cached, accumulate=accumulate)
        return found, len(calls), len(batches[0]["item"])

    (first, *counts), (second, *others) = run_distributed(lambda rank: work(rank, cached=True), 2, timeout=60)
    assert counts == [1, 3] and others == [1, 2]
    assert distance(first, second) == 0.0
    (plain, *_), _ = run_distributed(lambda rank: work(rank, cached=False), 2, timeout=60)
    assert distance(first, plain) < 1e-5
    if not frozen:
        alone = gradients(
            make_task(data, batch_size=9, chunk_size=0), batches=wholes, cached=False, accumulate=accumulate
        )
        assert distance(first, alone) < 1e-5


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
    expected = gradients(make_task(data, chunk_size=0), cached=False)
    # The same hard negatives come with queries of both processes: one process encodes them once.
    expected_hard = gradients(make_task(data, chunk_size=0, negatives=negatives), cached=False)

    def work(rank: int) -> list[dict[str, Tensor]]:
        settings = {"batch_size": 4, "negatives": negatives}
        return [
            gradients(make_task(data, batch_size=4, chunk_size=3), cached=True),
            gradients(make_task(data, chunk_size=3, **settings), cached=True),
            gradients(make_task(data, chunk_size=0, **settings), cached=False),
        ]

    for alone, hard, plain in run_distributed(work, 2):
        assert distance(alone, expected) < 1e-5
        assert distance(hard, plain) < 1e-5 < distance(hard, alone)
        assert distance(hard, expected_hard) < 1e-5


@pytest.mark.parametrize("cached", [False, True])
def test_a_loss_that_is_not_finite_stops_all_processes(data: Path, cached: bool) -> None:
    def work(rank: int) -> tuple[str, list[str]]:
        # Without the items' side the loss of process 0 does not see the queries of process 1.
        task = make_task(data, batch_size=3, chunk_size=2, symmetric=False)
        if rank == 1:
            task.retriever.query.register_forward_hook(lambda m, i, out: out * math.nan)
        batch = next(iter(task.batches(0, 0)))
        with pytest.raises(UserError) as caught:
            gradients(task, batches=[batch], cached=cached)
        return str(caught.value), batch["query_ids"]

    (message, healthy), (other, broken) = run_distributed(work, 2, timeout=60)
    assert message == other and message.startswith(f"the loss is nan; batch: {', '.join(broken)}. Lower")
    assert not any(query_id in message for query_id in set(healthy) - set(broken))
