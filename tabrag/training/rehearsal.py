"""How long a step takes, found out before the first one: forward and backward of a part of its real batch.

Nothing of it stays: weights, gradients, buffers and random numbers are as they were. What passes between
processes and the making of batches do not take part.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.training.accelerator import is_partitioned
from tabrag.training.config import TrainConfig
from tabrag.training.gradcache import SIDES, Cacheable
from tabrag.training.state import random_state, set_random_state
from tabrag.training.task import move

LONG_ENOUGH = 0.4
"""Seconds. What takes less is measured again, on more rows where there are more."""

_GROWTH = 4
_FORWARD_TO_STEP = 3.0
"""A backward pass multiplies twice as many matrices as its forward pass."""
_MOST_OPTIMIZED = 2**21
"""Weights that the optimizer is tried on."""


def step_seconds(module: nn.Module, batch: Mapping[str, Any], accelerator: Any, config: TrainConfig) -> float:
    """Seconds that an optimizer step is going to take; every process calls this, before the model is wrapped.

    Of a contrastive batch some rows of each side's chunk of middle length are tried, and scaled to all
    positions of the side; of another batch the whole. Where DeepSpeed or the like splits the model, only the
    forward pass is, as a process may have no room for all gradients.

    Args:
        module: The task's own module, whole, on the accelerator's device.
        batch: The first micro-batch; it is not changed.
        accelerator: ``accelerate.Accelerator``.
        config: Settings of the loop.

    Returns:
        The longest of all processes.
    """
    trial = _Trial(module, accelerator, cached=config.gradcache)
    with _leaving_no_trace(module):
        module.train()
        if isinstance(module, Cacheable):
            seconds = sum(_side_seconds(trial, module, side, batch[side]) for side in SIDES if batch[side])
        else:
            seconds = trial.seconds(module, batch)
            # Agreed on: a forward pass may wait for those of the other processes.
            if max(distributed.gather_objects([seconds])) < LONG_ENOUGH:
                seconds = trial.seconds(module, batch)
        moving = _optimizer_seconds(module, accelerator)
    return max(distributed.gather_objects([config.accumulate * seconds + moving]))


def describe(seconds: float, *, steps: int) -> str:
    """One line about :func:`step_seconds` and a number of steps."""
    hours, minutes = divmod(round(seconds * steps / 60), 60)
    return (
        f"time: about {seconds:.2f} s a step, {hours} h {minutes:02d} min for {steps} steps, by a trial of "
        "the first batch; making batches, traffic between processes and evaluations come on top"
    )


class _Trial:
    """Runs parts of a step and looks at the clock."""

    def __init__(self, module: nn.Module, accelerator: Any, *, cached: bool) -> None:
        self.module = module
        self.accelerator = accelerator
        self.cached = cached
        self.forward_only = is_partitioned(accelerator)

    def seconds(self, loss_of: Callable[[Any], Tensor], batch: Mapping[str, Any]) -> float:
        """Seconds of one forward and backward pass, and of the gradient cache's first pass where it is on."""
        begun = _now()
        moved = move(dict(batch), self.accelerator.device)
        if self.cached or self.forward_only:
            with torch.no_grad(), self._precision():
                loss_of(moved)
        if self.forward_only:
            return _FORWARD_TO_STEP * (_now() - begun)
        with self._precision():
            loss = loss_of(moved)
        if loss.requires_grad:
            loss.backward()
        spent = _now() - begun
        self.module.zero_grad(set_to_none=True)
        return spent

    def _precision(self) -> AbstractContextManager[Any]:
        if not self.forward_only:
            return self.accelerator.autocast()
        # DeepSpeed would convert the weights themselves.
        kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(self.accelerator.mixed_precision)
        return torch.autocast(self.accelerator.device.type, dtype=kind, enabled=kind is not None)


def _side_seconds(trial: _Trial, module: Cacheable, side: str, chunks: list[dict[str, Tensor]]) -> float:
    """Seconds for all chunks of one tower."""
    chunk = sorted(chunks, key=_positions)[len(chunks) // 2]
    count = len(next(iter(chunk.values())))

    def seconds(rows: int) -> float:
        part = {name: values[:rows] for name, values in chunk.items()}
        given: dict[str, Any] = {**{other: [] for other in SIDES}, side: [part]}
        return trial.seconds(lambda moved: module.embed(moved)[side].sum(), given)

    rows = min(2, count)  # batch normalisation takes no single row
    spent = seconds(rows)
    while spent < LONG_ENOUGH and rows < count:
        rows = min(count, rows * _GROWTH)
        spent = seconds(rows)
    if spent < LONG_ENOUGH:  # the first pass of this shape may have had to set something up
        spent = seconds(rows)
    return spent * count / rows * sum(map(_positions, chunks)) / _positions(chunk)


def _positions(chunk: Mapping[str, Tensor]) -> int:
    """Rows x tokens; pictures are all of one size."""
    rows = len(next(iter(chunk.values())))
    return rows * chunk["input_ids"].shape[1] if "input_ids" in chunk else rows


def _optimizer_seconds(module: nn.Module, accelerator: Any) -> float:
    """Seconds of AdamW's step, by one over a part of as many weights."""
    total = sum(parameter.numel() for parameter in module.parameters() if parameter.requires_grad)
    if is_partitioned(accelerator):
        total //= distributed.world_size()
    weights = torch.zeros(min(total, _MOST_OPTIMIZED), device=accelerator.device, requires_grad=True)
    if not weights.numel():
        return 0.0
    weights.grad = torch.zeros_like(weights)
    optimizer = torch.optim.AdamW([weights])
    optimizer.step()  # makes the optimizer's state
    begun = _now()
    optimizer.step()
    return (_now() - begun) * total / weights.numel()


@contextmanager
def _leaving_no_trace(module: nn.Module) -> Iterator[None]:
    """Restore what forward and backward passes change: buffers, bounded scalars, generators, the mode."""
    training, states = module.training, random_state()
    tensors = [*module.buffers(), *(weight for weight in module.parameters() if weight.ndim == 0)]
    before = [tensor.detach().clone() for tensor in tensors]
    try:
        yield
    finally:
        with torch.no_grad():
            for tensor, value in zip(tensors, before, strict=True):
                tensor.copy_(value)
        module.zero_grad(set_to_none=True)
        module.train(training)
        set_random_state(states)


def _now() -> float:
    """The clock, after all that a GPU still has to do."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()
