"""What the tasks of models that read a question with its gold table share: all but data, loss and figures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from torch import nn

from tabrag.data.folder import DataFolder
from tabrag.files import sha256_json
from tabrag.training.base_task import BaseTask


class QuestionTask(BaseTask):
    """The common part of a :class:`tabrag.training.task.Task` over single questions.

    A task sets ``examples`` and has :meth:`facts`, ``epoch_batches``, ``evaluate`` and ``selection_metric``.

    Attributes:
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
        num_workers: int,
        batch_size: int,
        seed: int,
        settings: dict[str, Any],
    ) -> None:
        super().__init__(
            model,
            module,
            folder=folder,
            num_workers=num_workers,
            batch_size=batch_size,
            seed=seed,
            settings=settings,
        )
        self.folder = DataFolder(folder)

    @abstractmethod
    def facts(self) -> list[Any]:
        """What is learnt from each training question (JSON values), for the digest of the data."""

    def describe(self) -> dict[str, Any]:
        """Size and digest of the training data, and the number of weights that learn."""
        return {
            "training questions": len(self.examples),
            "training data": sha256_json(self.facts())[:16],
            "parameters": self.num_parameters(),
        }

    def num_examples(self) -> int:
        """Training questions."""
        return len(self.examples)
