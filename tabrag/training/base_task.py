"""What all tasks share: which batches are a process's own, and how a checkpoint is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from torch import nn
from torch.utils.data import Dataset

from tabrag import distributed
from tabrag.data.batches import loader
from tabrag.models.card import data_source, write_card


class BaseTask(ABC):
    """The common part of a :class:`tabrag.training.task.Task`.

    A task has besides ``describe``, ``evaluate`` and ``selection_metric``.

    Attributes:
        model: What is trained; it has ``save_pretrained``.
        module: Model and loss as one module.
        batch_size: Examples of one process in a batch.
        seed: Of the order of the examples.
        settings: The whole resolved configuration, for the card.

    Args:
        folder: The data set folder.
        num_workers: Processes that make batches.
    """

    def __init__(
        self,
        model: Any,
        module: nn.Module,
        *,
        folder: str,
        num_workers: int,
        batch_size: int,
        seed: int,
        settings: dict[str, Any],
    ) -> None:
        self.model = model
        self.module = module
        self.batch_size = batch_size
        self.seed = seed
        self.settings = settings
        self._folder = folder
        self._num_workers = num_workers

    @abstractmethod
    def num_examples(self) -> int:
        """Training examples of all processes together."""

    @abstractmethod
    def epoch_batches(self, **share: Any) -> Dataset[dict[str, Any]]:
        """This process's batches of an epoch.

        Args:
            **share: What says which these are: ``batch_size``, ``num_processes``, ``rank``, ``seed`` and
                ``epoch``, arguments of the batches' data sets.
        """

    def num_parameters(self) -> int:
        """Weights that learn."""
        return sum(p.numel() for p in self.module.parameters() if p.requires_grad)

    def num_batches(self) -> int:
        """Batches of this process in one epoch."""
        return self.num_examples() // (self.batch_size * distributed.world_size())

    def batches(self, epoch: int, start: int) -> Iterable[dict[str, Any]]:
        """The batches of ``epoch`` from number ``start`` on."""
        own = self.epoch_batches(
            batch_size=self.batch_size,
            num_processes=distributed.world_size(),
            rank=distributed.rank(),
            seed=self.seed,
            epoch=epoch,
        )
        return loader(own, start=start, num_workers=self._num_workers)

    def metrics(self) -> dict[str, float]:
        """None besides the loss."""
        return {}

    def batch_ids(self, batch: dict[str, Any]) -> list[str]:
        """The questions of a batch."""
        return batch["query_ids"]

    def export(self, folder: Path, *, metrics: dict[str, float]) -> None:
        """Write the checkpoint with its card."""
        self.model.save_pretrained(folder)
        write_card(folder, settings=self.settings, metrics=metrics, data=[data_source(self._folder)])
