"""Gradients of a large contrastive batch in about the memory of one chunk.

Gao et al., 2021, "Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup", section 3.2: all
chunks are encoded without graphs; the loss and its gradient at the embeddings are made of the whole batch;
then each chunk is encoded again, and its embeddings times their gradients carry the gradient to the weights.

A pass encodes one chunk of queries and one of items together. Where one side has fewer chunks it joins the
last passes, so that the last pass holds both sides and the temperature: every parameter gets a part of its
gradient there, and data parallelism reduces the whole gradient once, with that pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from tabrag.errors import UserError
from tabrag.training.accelerator import is_partitioned
from tabrag.training.state import random_state, set_random_state
from tabrag.training.task import move

SIDES = ("query", "item")


@runtime_checkable
class Cacheable(Protocol):
    """A module whose loss compares embeddings; ``module(chunks, gradients)`` gives embeddings times
    gradients.
    """

    def embed(self, batch: Mapping[str, Any]) -> dict[str, Tensor]:
        """``query`` and ``item``, Tensor[B, E] and Tensor[N, E] where the batch has such chunks, and
        ``scale``.
        """

    def compare(self, found: Mapping[str, Tensor], batch: Mapping[str, Any]) -> Tensor:
        """The loss of the whole batch's embeddings."""


def check_cacheable(module: Any, accelerator: Any) -> None:
    """Refuse what the cache cannot do.

    Args:
        module: The task's own module.
        accelerator: ``accelerate.Accelerator``.

    Raises:
        UserError: The loss does not compare embeddings, or the model is partitioned over the processes.
    """
    if not isinstance(module, Cacheable):
        raise UserError("train.gradcache is for contrastive training: set it to false")
    if is_partitioned(accelerator):
        raise UserError(
            f"train.gradcache does not work with {accelerator.distributed_type.value}: launch one process or "
            "plain data parallelism (configs/launch/gpu_8.yaml), or set it to false"
        )


def passes(batch: Mapping[str, Any]) -> list[dict[str, list[Any]]]:
    """The chunks of a batch in pairs, each side's in their order; the last pair has both sides."""
    count = max(len(batch[side]) for side in SIDES)
    padded = {side: [[]] * (count - len(batch[side])) + [[chunk] for chunk in batch[side]] for side in SIDES}
    return [{side: padded[side][number] for side in SIDES} for number in range(count)]


@dataclass(frozen=True)
class CachedBatch:
    """A batch after the first time that it was encoded.

    Attributes:
        loss: Scalar Tensor; its graph reaches back to ``leaves``.
        leaves: The embeddings of all passes and the scale, with ``requires_grad``.
        parts: The passes, on the device that the batch came on.
        random_states: What the generators stood at before each pass.
        sizes: Rows of each pass, by side.
    """

    loss: Tensor
    leaves: dict[str, Tensor]
    parts: list[dict[str, list[Any]]]
    random_states: list[dict[str, Tensor]]
    sizes: dict[str, list[int]]


def encode(module: Cacheable, batch: Mapping[str, Any], accelerator: Any) -> CachedBatch:
    """Encode a batch pass by pass without graphs, and make its loss; every process calls this.

    Args:
        module: The task's own module, not wrapped.
        batch: On any device: only one pass at a time goes to the accelerator's.
        accelerator: ``accelerate.Accelerator``.
    """
    parts = passes(batch)
    states = []
    rows: dict[str, list[Tensor]] = {side: [] for side in SIDES}
    sizes: dict[str, list[int]] = {side: [] for side in SIDES}
    for part in parts:
        states.append(random_state())
        # A context a pass: autocast remembers cast weights, and those cast without a graph would get no
        # gradient later.
        with torch.no_grad(), accelerator.autocast():
            found = module.embed(move(part, accelerator.device))
        for side in SIDES:
            sizes[side].append(len(found[side]) if side in found else 0)
            rows[side] += [found[side]] if side in found else []
    leaves = {side: torch.cat(rows[side]).requires_grad_() for side in SIDES}
    leaves["scale"] = found["scale"].requires_grad_()
    rest = {key: value for key, value in batch.items() if key not in SIDES}
    with accelerator.autocast():
        loss = module.compare(leaves, move(rest, accelerator.device))
    return CachedBatch(loss, leaves, parts, states, sizes)


def backward(wrapped: Any, cached: CachedBatch, accelerator: Any, *, weight: float, reduce: bool) -> None:
    """Add the gradient of ``weight`` x loss to the parameters; every process calls this.

    Args:
        wrapped: The module as the accelerator wrapped it.
        cached: What :func:`encode` gave for the batch.
        accelerator: ``accelerate.Accelerator``.
        weight: Factor of the loss.
        reduce: Whether the processes average their gradients, with the last pass.
    """
    found = torch.autograd.grad(weight * cached.loss, list(cached.leaves.values()))
    gradients = dict(zip(cached.leaves, found, strict=True))
    split = {side: gradients[side].split(cached.sizes[side]) for side in SIDES}
    after = random_state()
    last = len(cached.parts) - 1
    for number, (part, state) in enumerate(zip(cached.parts, cached.random_states, strict=True)):
        own = {side: split[side][number] for side in SIDES if part[side]}
        if number == last:
            own["scale"] = gradients["scale"]
        set_random_state(state)
        with nullcontext() if reduce and number == last else accelerator.no_sync(wrapped):
            with accelerator.autocast():
                product = wrapped(move(part, accelerator.device), own)
            if product.requires_grad:  # nothing to do for a pass over a frozen tower alone
                accelerator.backward(product)
    set_random_state(after)
