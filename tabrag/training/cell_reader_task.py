"""Training of the cell reader: the program over a table's cells that gives the answer of a question."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.data.cell_batches import CellBatches, target_of
from tabrag.data.cell_examples import CellExample, cell_examples, grid_of
from tabrag.data.config import CellDataConfig
from tabrag.errors import UserError
from tabrag.evaluation.answers import exact_match
from tabrag.inference.cell_reader import CellAnswerer
from tabrag.inference.classify_headers import HeaderScorer
from tabrag.losses.cells import program_loss
from tabrag.models.cell_reader import CellReader
from tabrag.models.header_classifier import HeaderClassifier
from tabrag.models.inputs.cell_table import CellTable
from tabrag.training.question_task import QuestionTask

logger = logging.getLogger(__name__)


class CellReaderModule(nn.Module):
    """Reader and loss as one module."""

    def __init__(self, model: CellReader) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: Mapping[str, Any]) -> Tensor:
        """The mean loss of the batch's questions, scalar Tensor.

        Args:
            batch: See :class:`tabrag.data.cell_batches.CellBatches`.
        """
        losses, count = [], 0
        for chunk in batch["chunks"]:
            logits = self.model(**chunk["inputs"])
            size = len(chunk["targets"]["target_B"])
            losses.append(program_loss(*logits, **chunk["targets"]) * size)
            count += size
        return torch.stack(losses).sum() / count


class CellReaderTask(QuestionTask):
    """Implements :class:`tabrag.training.task.Task` for a :class:`CellReader`."""

    def __init__(
        self,
        model: CellReader,
        *,
        data: CellDataConfig,
        batch_size: int,
        seed: int,
        settings: dict[str, Any],
    ) -> None:
        super().__init__(
            model,
            CellReaderModule(model),
            folder=data.folder,
            num_workers=data.num_workers,
            batch_size=batch_size,
            seed=seed,
            settings=settings,
        )
        self.data = data
        examples = cell_examples(self.folder, data.split)
        self.examples = [example for example in examples if self._is_shown(example)]
        if len(self.examples) < len(examples):
            lost = len(examples) - len(self.examples)
            logger.info("%d of %d programs need a cell that the model does not see", lost, len(examples))
        if len(self.examples) < batch_size * distributed.world_size():
            raise UserError(
                f"{len(self.examples)} training questions do not fill one batch of {batch_size} x "
                f"{distributed.world_size()} processes: lower train.batch_size or add data"
            )
        self.scores = self._scores(self.examples)
        self._cache: dict[int, CellTable] = {}
        self.dev = (
            cell_examples(self.folder, data.dev_split, max_examples=data.max_dev, programs=False)
            if data.dev_split
            else []
        )

    def _is_shown(self, example: CellExample) -> bool:
        table = self.model.inputs.table(example.text, grid_of(self.folder, example))
        return (
            table is not None
            and example.program is not None
            and target_of(table, example.program) is not None
        )

    def _scores(self, examples: Sequence[CellExample]) -> list[Any] | None:
        if not self.data.refiner:
            return None
        device = next(self.model.parameters()).device
        scorer = HeaderScorer(HeaderClassifier.from_pretrained(self.data.refiner).to(device))
        return scorer([(example.text, grid_of(self.folder, example)) for example in examples])

    def facts(self) -> list[Any]:
        """Question, table and program of each training question."""
        return [
            [one.query_id, one.table_id, one.program and [one.program.operator, one.program.cells]]
            for one in self.examples
        ]

    def epoch_batches(self, **share: Any) -> CellBatches:
        """See :meth:`tabrag.training.base_task.BaseTask.epoch_batches`."""
        return CellBatches(
            self.folder,
            self.examples,
            inputs=self.model.inputs,
            scores=self.scores,
            max_tokens=self.data.max_tokens,
            chunk_size=self.data.chunk_size,
            **share,
            cache=self._cache,
        )

    def evaluate(self) -> dict[str, float]:
        """Exact match on the dev questions with the gold table, 0..1.

        Over all questions, and beside it for each operator that the reader chose how often it was right
        (``precision/OPERATOR``) and its share of the questions (``share/OPERATOR``).
        """
        if not self.dev:
            return {}
        own = self.dev[distributed.rank() :: distributed.world_size()]
        answers = CellAnswerer(self.model)([(one.text, grid_of(self.folder, one)) for one in own])
        found = [
            (answer.operator, exact_match(answer.text, one.answers)) if answer else ("none", False)
            for one, answer in zip(own, answers, strict=True)
        ]
        found = distributed.gather_objects(found)
        chosen = Counter(operator for operator, _ in found)
        right = Counter(operator for operator, is_right in found if is_right)
        figures = {"exact_match": sum(right.values()) / len(found)}
        for operator, count in chosen.most_common():
            figures[f"precision/{operator}"] = right[operator] / count
            figures[f"share/{operator}"] = count / len(found)
        return figures

    def selection_metric(self) -> str:
        return "exact_match"
