"""What the loop asks of a model: how one step's loss is made, how the model is judged, and how it is
saved.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor, nn


class Task(Protocol):
    """A model with its data. The loop knows nothing else about either."""

    module: nn.Module
    """``module(batch)`` gives the scalar loss; the loop wraps it for several processes."""

    def describe(self) -> dict[str, Any]:
        """Facts for the start-up log, for example the candidates a query sees."""

    def num_batches(self) -> int:
        """Batches of this process in one epoch."""

    def batches(self, epoch: int, start: int) -> Iterable[dict[str, Any]]:
        """The batches of ``epoch`` from number ``start`` on, the same for the same seed whenever they are
        asked for.
        """

    def parameter_groups(self, lr: float, weight_decay: float) -> list[dict[str, Any]]:
        """Parameter groups for the optimizer."""

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
    """Copy the tensors of nested dicts to ``device``."""
    if isinstance(value, Tensor):
        return value.to(device, non_blocking=True)
    if isinstance(value, dict):
        return {key: move(inner, device) for key, inner in value.items()}
    return value


def decay_groups(
    module: nn.Module, *, lr: float, weight_decay: float, new: set[str], new_lr_factor: float
) -> list[dict]:
    """Two groups a learning rate: weight decay for matrices, none for biases, norms and scalars.

    Args:
        module: The model; frozen parameters are left out.
        lr: Peak learning rate of pretrained parameters.
        weight_decay: Decay of matrices.
        new: Names of parameters without pretrained values.
        new_lr_factor: Their learning rate is ``lr`` times this.
    """
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in module.named_parameters():
        if parameter.requires_grad:
            groups.setdefault((name in new, parameter.ndim >= 2), []).append(parameter)
    return [
        {
            "params": parameters,
            "lr": lr * (new_lr_factor if is_new else 1.0),
            "weight_decay": weight_decay if decays else 0.0,
        }
        for (is_new, decays), parameters in sorted(groups.items(), key=lambda group: group[0])
    ]
