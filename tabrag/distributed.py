"""The only file that imports torch.distributed: who am I, and how do values travel between processes.

Every function works without a process group, where it is a world of one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor

from tabrag.errors import UserError

T = TypeVar("T")


def is_active() -> bool:
    """Whether a process group stands."""
    return dist.is_available() and dist.is_initialized()


def world_size() -> int:
    """Number of processes; before the process group stands, what the launcher announced."""
    return dist.get_world_size() if is_active() else int(os.environ.get("WORLD_SIZE", "1"))


def rank() -> int:
    """This process's number, 0-based."""
    return dist.get_rank() if is_active() else int(os.environ.get("RANK", "0"))


def is_main() -> bool:
    """Whether this is process 0, the one that writes files and logs."""
    return rank() == 0


@contextmanager
def group() -> Iterator[None]:
    """Join the processes that a launcher started, for the block; a single process stays alone.

    Training leaves this to accelerate. Inference passes objects between processes, never tensors of a GPU, so
    gloo serves on every machine; the wait is long, as process 0 may build an index meanwhile.
    """
    if is_active() or world_size() == 1:
        yield
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())
    dist.init_process_group("gloo", timeout=timedelta(days=1))
    try:
        yield
    finally:
        dist.destroy_process_group()


def barrier() -> None:
    """Wait for all processes."""
    if is_active() and world_size() > 1:
        dist.barrier()


@contextmanager
def main_first() -> Iterator[None]:
    """Let process 0 run the block before the others: it makes a cache that they then read."""
    if not is_main():
        barrier()
    try:
        yield
    finally:
        if is_main():
            barrier()


def gather_objects(values: Sequence[T]) -> list[T]:
    """Concatenate every process's list in the order of the ranks; any lengths, any element types."""
    if not is_active() or world_size() == 1:
        return list(values)
    parts: list[Any] = [None] * world_size()
    dist.all_gather_object(parts, list(values))
    return [value for part in parts for value in part]


def broadcast_object(value: T) -> T:
    """Process 0's value, on every process."""
    if not is_active() or world_size() == 1:
        return value
    box: list[Any] = [value]
    dist.broadcast_object_list(box, src=0)
    return box[0]


def shard(values: Sequence[T]) -> Sequence[T]:
    """This process's contiguous part; the parts differ by one element at most and join in rank order."""
    size, number = world_size() if is_active() else 1, rank() if is_active() else 0
    return values[len(values) * number // size : len(values) * (number + 1) // size]


def shared(work: Callable[[Sequence[Any]], Sequence[T]], asked: Sequence[Any]) -> list[T]:
    """The results of all that is ``asked``: each process works on a part, and all get the whole.

    Args:
        work: Gives one result for each of a part's values; called with an empty part too.
        asked: The same in every process.

    Raises:
        UserError: ``work`` raised it in some process. It is raised in all of them: one that left alone would
            leave the others waiting.
    """
    own: Sequence[T] = []
    faults: list[UserError] = []
    try:
        own = work(shard(asked))
    except UserError as error:
        faults = [error]
    for fault in gather_objects(faults):
        raise fault
    return gather_objects(own)


def shared_stream(work: Callable[[Any], T], asked: Sequence[Any], *, at_once: int = 512) -> Iterator[T]:
    """The result of each that is ``asked``, in order and on every process, which must read all of them alike.

    Args:
        work: Gives one value's result.
        asked: The same in every process.
        at_once: Values that each process works on between two exchanges.

    Raises:
        UserError: See :func:`shared`.
    """
    step = at_once * world_size() if is_active() else at_once
    for start in range(0, len(asked), step):
        yield from shared(lambda part: [work(value) for value in part], asked[start : start + step])


def gather_sizes(length: int, device: torch.device) -> list[int]:
    """Every process's length."""
    if not is_active() or world_size() == 1:
        return [length]
    sizes = [torch.zeros(1, dtype=torch.int64, device=device) for _ in range(world_size())]
    dist.all_gather(sizes, torch.tensor([length], dtype=torch.int64, device=device))
    return [int(size) for size in sizes]


def gather(x_BE: Tensor) -> tuple[Tensor, int]:
    """Concatenate every process's rows, keeping autograd, and tell where the own rows begin.

    The batches may differ in length. In backward each process receives the sum of all processes' gradients of
    its rows: with a loss that is the mean over the *local* queries and DDP's averaging of gradients, the
    parameter gradient equals that of one process holding the whole batch, without a further factor.

    Args:
        x_BE: Tensor[B, E], this process's rows.

    Returns:
        Tensor[sum of B, E] and the index of this process's first row in it.
    """
    if not is_active() or world_size() == 1:
        return x_BE, 0
    sizes = gather_sizes(x_BE.shape[0], x_BE.device)
    return _Gather.apply(x_BE, sizes), sum(sizes[: rank()])


class _Gather(torch.autograd.Function):
    """Ragged all-gather whose backward is the matching reduce-scatter."""

    @staticmethod
    def forward(ctx: Any, x_BE: Tensor, sizes: list[int]) -> Tensor:
        ctx.sizes = sizes
        padded = x_BE.new_zeros(max(sizes), *x_BE.shape[1:])
        padded[: x_BE.shape[0]] = x_BE
        parts = [torch.empty_like(padded) for _ in sizes]
        dist.all_gather(parts, padded)
        return torch.cat([part[:size] for part, size in zip(parts, sizes, strict=True)])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        total = gradient.contiguous().clone()
        dist.all_reduce(total)
        start = sum(ctx.sizes[: dist.get_rank()])
        return total[start : start + ctx.sizes[dist.get_rank()]], None
