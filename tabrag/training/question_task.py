"""What the tasks of models that read a question with its gold table share: all but data, loss and figures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from tabrag.data.folder import DataFolder
from tabrag.files import sha256_json
from tabrag.training.base_task import BaseTask


class QuestionTask(BaseTask):
    """The common part of a :class:`tabrag.training.task.Task` over single questions.

    A task sets ``examples`` and has :meth:`facts`, ``epoch_batches``, ``evaluate`` and ``selection_metric``.

    Attributes:
        examples: The training questions.
    """

    examples: Sequence[Any]

    @cached_property
    def folder(self) -> DataFolder:
        """The data set folder."""
        return DataFolder(self._folder)

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
