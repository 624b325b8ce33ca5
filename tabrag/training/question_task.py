"""What the tasks of models that read a question with its gold table share: all but data, loss and figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import nn

from tabrag import distributed
from tabrag.data.folder import DataFolder
from tabrag.files import sha256_json
from tabrag.models.card import data_source, write_card


class QuestionTask(ABC):
    """The common part of a :class:`tabrag.training.task.Task` over single questions.

    A task sets ``examples`` and has :meth:`facts`, ``batches``, ``evaluate`` and ``selection_metric``.

    Attributes:
        model: The model.
        module: Model and loss as one module.
        folder: The data set folder.
        examples: The training questions.
    """

    examples: Sequence[Any]

    def __init__(
        self,
        model: Any,
        module: nn.Module,
        *,
        folder: str,
        batch_size: int,
        seed: int,
        settings: dict[str, Any],
    ) -> None:
        self.model = model
        self.module = module
        self.batch_size = batch_size
        self.seed = seed
        self.settings = settings
        self.folder = DataFolder(folder)

    @abstractmethod
    def facts(self) -> list[Any]:
        """What is learnt from each training question (JSON values), for the digest of the data."""

    def describe(self) -> dict[str, Any]:
        """Size and digest of the training data, and the number of weights that learn."""
        return {
            "training questions": len(self.examples),
            "training data": sha256_json(self.facts())[:16],
            "parameters": sum(p.numel() for p in self.module.parameters() if p.requires_grad),
        }

    def num_batches(self) -> int:
        """Batches of this process in one epoch."""
        return len(self.examples) // (self.batch_size * distributed.world_size())

    def share(self, epoch: int) -> dict[str, Any]:
        """What says which batches of an epoch are this process's: arguments of the batches' data sets."""
        return {
            "batch_size": self.batch_size,
            "num_processes": distributed.world_size(),
            "rank": distributed.rank(),
            "seed": self.seed,
            "epoch": epoch,
        }

    def metrics(self) -> dict[str, float]:
        """None besides the loss."""
        return {}

    def batch_ids(self, batch: dict[str, Any]) -> list[str]:
        """The questions of a batch."""
        return batch["query_ids"]

    def export(self, folder: Path, *, metrics: dict[str, float]) -> None:
        """Write the checkpoint with its card."""
        self.model.save_pretrained(folder)
        write_card(folder, settings=self.settings, metrics=metrics, data=[data_source(self.folder.path)])
