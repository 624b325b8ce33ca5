"""What the loop asks of a model: how one step's loss is made, how the model is judged, and how it is
saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor, nn

from tabrag.errors import UserError


class Task(Protocol):
    """A model with its data. The loop knows nothing else about either."""

    module: nn.Module
    """``module(batch)`` gives the scalar loss; the loop wraps it for several processes."""

    def describe(self) -> dict[str, Any]:
        """Facts for the start-up log (JSON values), for example the candidates a query sees.

        They must be the same when a run is resumed, so a digest of the data belongs here.
        """

    def num_batches(self) -> int:
        """Batches of this process in one epoch."""

    def batches(self, epoch: int, start: int) -> Iterable[dict[str, Any]]:
        """The batches of ``epoch`` from number ``start`` on, the same for the same seed whenever they are
        asked for.
        """

    def metrics(self) -> dict[str, float]:
        """Values to log with each step, beside the loss."""

    def batch_ids(self, batch: dict[str, Any]) -> list[str]:
        """Names of the examples in a batch, for error messages."""

    def evaluate(self) -> dict[str, float]:
        """Figures on the dev split; called by every process, the same result in each. Empty: nothing to
        judge.
        """

    def selection_metric(self) -> str:
        """The key of :meth:`evaluate` that picks the best checkpoint; higher is better."""

    def export(self, folder: Path, *, metrics: dict[str, float]) -> None:
        """Write the checkpoint that others use; called by process 0 only."""


def move(value: Any, device: Any) -> Any:
    """Copy the tensors of nested dicts and lists to ``device``."""
    if isinstance(value, Tensor):
        return value.to(device, non_blocking=True)
    if isinstance(value, dict):
        return {key: move(inner, device) for key, inner in value.items()}
    if isinstance(value, list):
        return [move(inner, device) for inner in value]
    return value


def decay_groups(
    module: nn.Module, *, lr: float, weight_decay: float, lr_factors: Mapping[str, float]
) -> list[dict[str, Any]]:
    """Optimizer groups: weight decay for matrices, none for biases, norms and scalars.

    Args:
        module: The model; frozen parameters are left out.
        lr: Peak learning rate.
        weight_decay: Decay of matrices.
        lr_factors: Part of a parameter's name -> its learning rate relative to ``lr``; the first that fits
            counts.

    Raises:
        UserError: A name part that fits no parameter.
    """
    groups: dict[tuple[float, bool], list[nn.Parameter]] = {}
    used = set()
    for name, parameter in module.named_parameters():
        if not parameter.requires_grad:
            continue
        part = next((part for part in lr_factors if part in name), None)
        used.add(part)
        factor = 1.0 if part is None else lr_factors[part]
        groups.setdefault((factor, parameter.ndim >= 2), []).append(parameter)
    if unused := lr_factors.keys() - used:
        raise UserError(f"train.lr_factors: no parameter has {', '.join(sorted(unused))} in its name")
    return [
        {"params": parameters, "lr": lr * factor, "weight_decay": weight_decay if decays else 0.0}
        for (factor, decays), parameters in sorted(groups.items(), key=lambda group: group[0])
    ]
