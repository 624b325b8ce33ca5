"""Contrastive training of a retriever: TabRAG's first stage and, over the `headers` representation, THoRR's.

TabRAG: Xu et al., 2026, section 3.1 (InfoNCE over matched query and table, cosine similarity). THoRR: Kim et
al., 2024 (NLL with hard negatives over header text). Shape legend: B queries, N items, E dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.data.batches import RetrieverBatches, TrainingPairs, loader
from tabrag.data.config import TrainingDataConfig
from tabrag.evaluation.ranking import evaluate
from tabrag.index.exact import ExactIndex
from tabrag.inference.encode import encode
from tabrag.losses.info_nce import false_negatives, info_nce
from tabrag.models.card import data_source, write_card
from tabrag.models.retriever import Retriever
from tabrag.representations import build
from tabrag.training.config import DevConfig, LossConfig
from tabrag.types import Candidate, Entry, Run


class RetrieverModule(nn.Module):
    """Retriever and loss as one module, so that several processes reduce gradients of both towers at once."""

    def __init__(self, retriever: Retriever, loss: LossConfig) -> None:
        super().__init__()
        self.retriever = retriever
        self.loss = loss

    def forward(self, batch: dict[str, Any]) -> Tensor:
        """The loss of this process's queries against the items of all processes.

        Args:
            batch: See :class:`tabrag.data.batches.RetrieverBatches`.

        Returns:
            Scalar Tensor; the average over the processes is the loss of the global batch.
        """
        q_BE = torch.cat([self.retriever.query(**chunk) for chunk in batch["query"]])
        i_NE = torch.cat([self.retriever.item(**chunk) for chunk in batch["item"]])
        q_AE, first_query = distributed.gather(q_BE)
        i_AE, first_item = distributed.gather(i_NE)
        targets, _ = distributed.gather(batch["target"] + first_item)
        items, _ = distributed.gather(batch["items"])
        positives, _ = distributed.gather(batch["positives"])
        return info_nce(
            q_AE,
            i_AE,
            target_A=targets,
            relevant_AN=false_negatives(items, positives),
            scale=self.retriever.scale(),
            local=slice(first_query, first_query + q_BE.shape[0]),
            symmetric=self.loss.symmetric,
        )


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
        self.pairs = TrainingPairs(data)
        self.data = data
        self.dev = dev
        self.batch_size = batch_size
        self.seed = seed
        self.settings = settings

    def _epoch(self, epoch: int) -> RetrieverBatches:
        return RetrieverBatches(
            self.pairs,
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
        return loader(self._epoch(epoch), start=start, num_workers=self.data.num_workers)

    def metrics(self) -> dict[str, float]:
        return {"temperature": 1.0 / self.retriever.scale().item()}

    def batch_ids(self, batch: dict[str, Any]) -> list[str]:
        return batch["query_ids"]

    def evaluate(self) -> dict[str, float]:
        """Figures of the dense retriever alone over the dev split's pool."""
        if not self.data.dev_split:
            return {}
        folder = self.pairs.folder
        judged_qrels = folder.qrels(self.data.dev_split).items()
        qrels = {query_id: grades for query_id, grades in judged_qrels if max(grades.values()) > 0}
        step = max(1, len(qrels) // self.dev.max_queries) if self.dev.max_queries else 1
        qrels = dict(list(qrels.items())[::step])
        ids: Sequence[str] = folder.tables.ids
        if self.dev.pool == "judged":
            judged = {item_id for grades in qrels.values() for item_id in grades}
            ids = [item_id for item_id in ids if item_id in judged]
        represent = build(self.data.representation)
        items = [entry for item_id in ids for entry in represent(folder.tables[item_id], folder=folder.path)]
        queries = [
            Entry(id=query_id, item_id=query_id, text=folder.queries[query_id].text) for query_id in qrels
        ]
        index = ExactIndex().build(encode(self.retriever.item, items))
        scores, rows = index.search(encode(self.retriever.query, queries), self.dev.depth)
        run: Run = {}
        for query, line, places in zip(queries, scores.tolist(), rows.tolist(), strict=True):
            best: dict[str, float] = {}
            for score, place in zip(line, places, strict=True):
                best.setdefault(items[place].item_id, score)
            run[query.id] = [
                Candidate(item_id=key, score=value, stage="dense") for key, value in best.items()
            ]
        figures = evaluate(run, qrels, ks=(1, 5, 10, 50))
        return {name: float(figures[name]) for name in ("Hit@1", "Hit@5", "Hit@10", "Hit@50", "MRR@10")}

    def selection_metric(self) -> str:
        return "MRR@10"

    def export(self, folder: Path, *, metrics: dict[str, float]) -> None:
        self.retriever.save_pretrained(folder)
        write_card(folder, settings=self.settings, metrics=metrics, data=[data_source(self.data.folder)])
