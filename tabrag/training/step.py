"""One optimizer step: micro-batches, their gradients (cached or not), clipping."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

from torch import Tensor

from tabrag import distributed
from tabrag.errors import UserError
from tabrag.training import gradcache, zero
from tabrag.training.config import TrainConfig
from tabrag.training.task import Task, move

_MAX_SHOWN = 8  # ids of a batch in a message


def step(
    task: Task,
    module: Any,
    optimizer: Any,
    batches: Iterator[dict[str, Any]],
    accelerator: Any,
    config: TrainConfig,
) -> float:
    """Take ``config.accumulate`` micro-batches and move the weights once; every process calls this.

    Gradients are reduced once, with the last micro-batch; DeepSpeed reduces those of each micro-batch, as no
    process keeps all of them.

    Args:
        task: The model with its data.
        module: ``task.module`` as the accelerator wrapped it.
        optimizer: Its optimizer.
        batches: Where micro-batches come from.
        accelerator: ``accelerate.Accelerator``.
        config: Settings of the loop.

    Returns:
        Mean loss of the micro-batches on this process.

    Raises:
        UserError: A loss that is not finite, on any process, or such a gradient: it would make all weights
            so. In float16 the latter is how the scale of losses is found.
    """
    total = 0.0
    ids: list[str] = []
    split = zero.is_zero(module)
    for micro in range(config.accumulate):
        batch = next(batches)
        ids += task.batch_ids(batch)
        is_last = micro == config.accumulate - 1
        if config.gradcache:
            cached = gradcache.encode(task.module, batch, accelerator)  # type: ignore[arg-type]
            total += _finite(cached.loss, task, batch)
            gradcache.backward(module, cached, accelerator, weight=1 / config.accumulate, reduce=is_last)
            continue
        with nullcontext() if is_last or split else accelerator.no_sync(module):
            with accelerator.autocast():
                loss = module(move(batch, accelerator.device))
            total += _finite(loss, task, batch)
            if split:
                zero.backward(module, loss)
            else:
                accelerator.backward(loss / config.accumulate)
    if split:
        return total / config.accumulate
    if config.clip:
        norm = accelerator.clip_grad_norm_(module.parameters(), config.clip)
        if accelerator.scaler is None and not norm.isfinite():  # after reduction it is so on all processes
            raise _not_finite("gradient", norm.item(), distributed.gather_objects(ids))
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return total / config.accumulate


def _finite(loss: Tensor, task: Task, batch: dict[str, Any]) -> float:
    """The loss as a number.

    Raises:
        UserError: It is not finite on some process. Every process raises the same: one that went on alone
            would wait for the others for ever.
    """
    losses, _ = distributed.gather(loss.detach().reshape(1))
    if losses.isfinite().all():
        return loss.item()
    own = [] if math.isfinite(loss.item()) else task.batch_ids(batch)
    value = losses[~losses.isfinite()][0].item()
    raise _not_finite("loss", value, distributed.gather_objects(own))


def _not_finite(name: str, value: float, ids: list[str]) -> UserError:
    shown = ", ".join(ids[:_MAX_SHOWN]) + (f" and {len(ids) - _MAX_SHOWN} more" * (len(ids) > _MAX_SHOWN))
    return UserError(
        f"the {name} is {value}; batch: {shown}. Lower train.lr, raise the temperature, or train in float32"
    )
