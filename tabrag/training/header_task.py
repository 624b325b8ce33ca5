"""Training of the header classifier, THoRR's refiner (Kim et al., 2024): one input an axis, gold headers
against the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.data.config import HeaderDataConfig
from tabrag.data.header_batches import HeaderBatches
from tabrag.data.header_labels import GOLD, grid_of, header_examples, header_labels
from tabrag.errors import UserError
from tabrag.evaluation.refinement import case_of, kept_at, removed_at, setting_keeping
from tabrag.inference.classify_headers import HeaderScorer
from tabrag.losses.headers import header_sigmoid, token_softmax
from tabrag.models.header_classifier import HeaderClassifier
from tabrag.training.question_task import QuestionTask


class HeaderModule(nn.Module):
    """Classifier and loss as one module."""

    def __init__(self, model: HeaderClassifier) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: Mapping[str, Any]) -> Tensor:
        """The loss of the batch's inputs, summed, over its number of questions: scalar Tensor.

        The number of inputs would not do: processes have different numbers of windows, and the average over
        the processes is the loss of the global batch.

        Args:
            batch: See :class:`tabrag.data.header_batches.HeaderBatches`.
        """
        losses = []
        for chunk in batch["chunks"]:
            inputs = {name: values for name, values in chunk.items() if name != "labels"}
            logits_BT = self.model(**inputs)
            window_N, start_N, labels_N = chunk["window"], chunk["start"], chunk["labels"]
            if self.model.config.scoring == "sigmoid":
                losses.append(header_sigmoid(logits_BT[window_N, start_N], labels_N))
            else:
                where = {"window_N": window_N, "start_N": start_N, "labels_N": labels_N}
                losses.append(token_softmax(logits_BT, chunk["attention_mask"], **where))
        return torch.stack(losses).sum() / len(batch["query_ids"])


class HeaderTask(QuestionTask):
    """Implements :class:`tabrag.training.task.Task` for a :class:`HeaderClassifier`."""

    def __init__(
        self,
        model: HeaderClassifier,
        *,
        data: HeaderDataConfig,
        batch_size: int,
        seed: int,
        settings: dict[str, Any],
    ) -> None:
        super().__init__(
            model,
            HeaderModule(model),
            folder=data.folder,
            num_workers=data.num_workers,
            batch_size=batch_size,
            seed=seed,
            settings=settings,
        )
        self.data = data
        self.examples = header_examples(self.folder, data.split)
        self.dev = (
            header_examples(self.folder, data.dev_split, max_examples=data.max_dev) if data.dev_split else []
        )
        if self.dev and not any(example.gold.answer_cells for example in self.dev):
            raise UserError(
                f"{data.folder}: no query of split '{data.dev_split}' has answer cells in headers.jsonl to "
                "judge by: name another data.dev_split, or none ('')"
            )

    def facts(self) -> list[Any]:
        """Question and table of each training question."""
        return [(example.query_id, example.gold.table_id) for example in self.examples]

    def epoch_batches(self, **share: Any) -> HeaderBatches:
        """See :meth:`tabrag.training.base_task.BaseTask.epoch_batches`."""
        return HeaderBatches(
            self.folder,
            self.examples,
            inputs=self.model.inputs,
            chunk_size=self.data.chunk_size,
            **share,
        )

    def evaluate(self) -> dict[str, float]:
        """Figures over the dev questions with their gold table, 0..1.

        ``kept@75`` is the share of questions that keep every answer cell when three quarters of all body
        cells go, ``kept@62`` the same for the paper's 62.2 %; ``removed@97`` the share of all body cells that
        goes where 97 % of the questions keep every answer cell, at the bound that the model keeps; ``row@1``
        and ``col@1`` the share whose best row or column is gold.
        """
        if not self.dev:
            return {}
        own = self.dev[distributed.rank() :: distributed.world_size()]
        grids = [grid_of(self.folder, example) for example in own]
        pairs = [(example.text, grid) for example, grid in zip(own, grids, strict=True)]
        scores = HeaderScorer(self.model)(pairs)
        cases = [
            case_of(score, grid, example.text, example.gold.answer_cells)
            for score, grid, example in zip(scores, grids, own, strict=True)
            if example.gold.answer_cells
        ]
        hits: dict[str, list[bool]] = {"row@1": [], "col@1": []}
        for example, grid, score in zip(own, grids, scores, strict=True):
            labels_of = header_labels(grid, example.gold)
            for (name, values), chances in zip(labels_of.items(), (score.rows, score.cols), strict=True):
                labels = dict(zip(chances, values, strict=True))
                if GOLD in labels.values():
                    hits[f"{name}@1"].append(labels[max(chances, key=chances.__getitem__)] == GOLD)
        cases = distributed.gather_objects(cases)
        self.model.threshold = setting_keeping(cases)
        figures = {
            "kept@75": kept_at(cases, removed=0.75),
            "kept@62": kept_at(cases, removed=0.622),
            "removed@97": removed_at(cases),
        }
        for name, own_hits in hits.items():
            every = distributed.gather_objects(own_hits)
            figures[name] = sum(every) / max(1, len(every))
        return figures

    def selection_metric(self) -> str:
        return "kept@75"
