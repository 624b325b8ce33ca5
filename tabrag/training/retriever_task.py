"""Contrastive training of a retriever: TabRAG's first stage and, over the `headers` representation, THoRR's.

TabRAG: Xu et al., 2026, section 3.1 (InfoNCE over matched query and table, cosine similarity). THoRR: Kim et
al., 2024 (NLL with hard negatives over header text).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from tabrag import distributed
from tabrag.data.batches import RetrieverBatches, loader
from tabrag.data.config import TrainingDataConfig
from tabrag.data.pairs import TrainingPairs
from tabrag.models.card import data_source, write_card
from tabrag.models.retriever import Retriever
from tabrag.training.config import DevConfig, LossConfig
from tabrag.training.judge import judge
from tabrag.training.retriever_module import RetrieverModule


class RetrieverTask:
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
        self.retriever = retriever
        self.module = RetrieverModule(retriever, loss)
        self.pairs = TrainingPairs(
            data, num_neighbours=data.num_neighbours, mix_temperature=data.mix_temperature
        )
        self.data = data
        self.dev = dev
        self.batch_size = batch_size
        self.seed = seed
        self.settings = settings
        self._tokens = torch.zeros(2, dtype=torch.int64)
        """Item tokens cut and seen since the last log line."""

    def _epoch(self, epoch: int) -> RetrieverBatches:
        return RetrieverBatches(
            self.pairs,
            config=self.data,
            query_inputs=self.retriever.query.inputs,
            item_inputs=self.retriever.item.inputs,
            batch_size=self.batch_size,
            num_processes=distributed.world_size(),
            rank=distributed.rank(),
            seed=self.seed,
            epoch=epoch,
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
            "parameters": sum(p.numel() for p in self.module.parameters() if p.requires_grad),
        }

    def num_batches(self) -> int:
        return len(self.pairs) // (self.batch_size * distributed.world_size())

    def batches(self, epoch: int, start: int) -> Iterable[dict[str, Any]]:
        for batch in loader(self._epoch(epoch), start=start, num_workers=self.data.num_workers):
            self._tokens += batch.pop("cut_tokens")
            yield batch

    def metrics(self) -> dict[str, float]:
        """The temperature, and the share (0..1) of item tokens left out since the last call as too many."""
        counts = distributed.gather_objects([self._tokens.tolist()])
        cut, seen = (sum(column) for column in zip(*counts, strict=True))
        self._tokens = torch.zeros_like(self._tokens)
        return {"temperature": 1.0 / self.retriever.scale().item(), "cut_tokens": cut / max(1, seen)}

    def batch_ids(self, batch: dict[str, Any]) -> list[str]:
        return batch["query_ids"]

    def evaluate(self) -> dict[str, float]:
        """Figures of the dense retriever alone over the dev split's pool."""
        if not self.data.dev_split:
            return {}
        return judge(self.retriever, self.pairs.folder, self.dev, split=self.data.dev_split)

    def selection_metric(self) -> str:
        return "MRR@10"

    def export(self, folder: Path, *, metrics: dict[str, float]) -> None:
        self.retriever.save_pretrained(folder)
        write_card(folder, settings=self.settings, metrics=metrics, data=[data_source(self.data.folder)])
