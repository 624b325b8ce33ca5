"""Contrastive training of a retriever: TabRAG's first stage and, over the `headers` representation, THoRR's.

TabRAG: Xu et al., 2026, section 3.1 (InfoNCE over matched query and table, cosine similarity). THoRR: Kim et
al., 2024 (NLL with hard negatives over header text).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from tabrag import distributed
from tabrag.data.batches import RetrieverBatches
from tabrag.data.config import TrainingDataConfig
from tabrag.data.pairs import TrainingPairs
from tabrag.models.retriever import Retriever
from tabrag.training.base_task import BaseTask
from tabrag.training.config import DevConfig, LossConfig
from tabrag.training.judge import judge
from tabrag.training.retriever_module import RetrieverModule


class RetrieverTask(BaseTask):
    """Implements :class:`tabrag.training.task.Task` for a :class:`Retriever`."""

    def __init__(
        self,
        retriever: Retriever,
        *,
        data: TrainingDataConfig,
        loss: LossConfig,
        dev: DevConfig,
        batch_size: int,
        seed: int,
        settings: dict[str, Any],
    ) -> None:
        super().__init__(
            retriever,
            RetrieverModule(retriever, loss),
            folder=data.folder,
            num_workers=data.num_workers,
            batch_size=batch_size,
            seed=seed,
            settings=settings,
        )
        self.retriever = retriever
        self.pairs = TrainingPairs(
            data, num_neighbours=data.num_neighbours, mix_temperature=data.mix_temperature
        )
        self.data = data
        self.dev = dev
        self._tokens = torch.zeros(2, dtype=torch.int64)
        """Item tokens cut and seen since the last log line."""

    def epoch_batches(self, **share: Any) -> RetrieverBatches:
        """See :meth:`tabrag.training.base_task.BaseTask.epoch_batches`."""
        return RetrieverBatches(
            self.pairs,
            config=self.data,
            query_inputs=self.retriever.query.inputs,
            item_inputs=self.retriever.item.inputs,
            **share,
        )

    def describe(self) -> dict[str, Any]:
        """Candidates a query sees: the positives of the global batch and their hard negatives."""
        in_batch = self.batch_size * distributed.world_size()
        # Queries on one item share it as a candidate.
        fewest = -(-in_batch // self.data.queries_per_item)
        shown = f"{in_batch}" if fewest == in_batch else f"{fewest} to {in_batch}"
        hard = self.data.num_negatives if any(self.pairs.negatives) else 0
        return {
            "training queries": len(self.pairs),
            "training data": self.pairs.digest(),
            "candidates per query": f"{shown} (in batch) + {hard * in_batch} (hard negatives)",
            "parameters": self.num_parameters(),
        }

    def num_examples(self) -> int:
        """Training queries."""
        return len(self.pairs)

    def batches(self, epoch: int, start: int) -> Iterable[dict[str, Any]]:
        """The batches of ``epoch`` from number ``start`` on."""
        for batch in super().batches(epoch, start):
            self._tokens += batch.pop("cut_tokens")
            yield batch

    def metrics(self) -> dict[str, float]:
        """The temperature, and the share (0..1) of item tokens left out since the last call as too many."""
        counts = distributed.gather_objects([self._tokens.tolist()])
        cut, seen = (sum(column) for column in zip(*counts, strict=True))
        self._tokens = torch.zeros_like(self._tokens)
        return {"temperature": 1.0 / self.retriever.scale().item(), "cut_tokens": cut / max(1, seen)}

    def evaluate(self) -> dict[str, float]:
        """Figures of the dense retriever alone over the dev split's pool."""
        if not self.data.dev_split:
            return {}
        return judge(self.retriever, self.pairs.folder, self.dev, split=self.data.dev_split)

    def selection_metric(self) -> str:
        """The mean reciprocal rank of the dev queries."""
        return "MRR@10"
