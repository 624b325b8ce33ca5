"""Training of a cross-encoder as a reranker: a relevant table against hard negatives of the same query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.data.batches import loader
from tabrag.data.config import RankingDataConfig
from tabrag.data.pairs import TrainingPairs
from tabrag.data.ranking_batches import RankingBatches
from tabrag.errors import UserError
from tabrag.evaluation.blending import (
    JudgedQuery,
    calibration_error,
    fit_blend,
    hit_rate,
    mean_reciprocal_rank,
)
from tabrag.evaluation.runs import read_run
from tabrag.inference.score_pairs import PairScorer
from tabrag.losses.ranking import group_softmax, pointwise
from tabrag.models.blend import Blend
from tabrag.models.card import data_source, write_card
from tabrag.models.cross_encoder import CrossEncoder
from tabrag.training.config import RankingLossConfig


class CrossModule(nn.Module):
    """Cross-encoder and loss as one module."""

    def __init__(self, model: CrossEncoder, loss: RankingLossConfig) -> None:
        super().__init__()
        self.model = model
        self.loss = loss

    def forward(self, batch: Mapping[str, Any]) -> Tensor:
        """The mean loss of the batch's queries: scalar Tensor.

        Args:
            batch: See :class:`tabrag.data.ranking_batches.RankingBatches`.
        """
        scores_P = torch.cat([self.model(**chunk) for chunk in batch["chunks"]])
        groups = {"group_P": batch["group"], "positive_P": batch["positive"]}
        listwise = group_softmax(scores_P, **groups)
        total = listwise + self.loss.pointwise * pointwise(scores_P, **groups)
        return total / len(batch["query_ids"])


class CrossTask:
    """Implements :class:`tabrag.training.task.Task` for a :class:`CrossEncoder`."""

    def __init__(
        self,
        model: CrossEncoder,
        *,
        data: RankingDataConfig,
        loss: RankingLossConfig,
        batch_size: int,
        seed: int,
        settings: dict[str, Any],
    ) -> None:
        self.model = model
        self.module = CrossModule(model, loss)
        self.data = data
        self.batch_size = batch_size
        self.seed = seed
        self.settings = settings
        self.pairs = TrainingPairs(data)
        if not data.num_negatives:
            raise UserError("data.num_negatives is 0: a reranker learns from relevant tables and others")
        self.dev = self._dev_candidates() if data.dev_run else {}

    def _dev_candidates(self) -> dict[str, list[str]]:
        """Query id -> item ids of the dev run, best first."""
        folder, run = self.pairs.folder, read_run(self.data.dev_run)
        qrels = folder.qrels(self.data.dev_split)
        ids = [query_id for query_id, grades in qrels.items() if max(grades.values()) > 0]
        step = max(1, len(ids) // self.data.max_dev) if self.data.max_dev else 1
        found = {
            query_id: [candidate.item_id for candidate in run.get(query_id, [])][: self.data.dev_depth]
            for query_id in ids[::step]
        }
        if not any(found.values()):
            raise UserError(
                f"{self.data.dev_run}: no candidates for the queries of split '{self.data.dev_split}': "
                "name a run over these, or none ('')"
            )
        return found

    def describe(self) -> dict[str, Any]:
        """Size and digest of the training data, candidates a query, and the weights that learn."""
        return {
            "training queries": len(self.pairs),
            "training data": self.pairs.digest(),
            "candidates per query": 1 + self.data.num_negatives,
            "parameters": sum(p.numel() for p in self.module.parameters() if p.requires_grad),
        }

    def num_batches(self) -> int:
        return len(self.pairs) // (self.batch_size * distributed.world_size())

    def batches(self, epoch: int, start: int) -> Iterable[dict[str, Any]]:
        own = RankingBatches(
            self.pairs,
            config=self.data,
            inputs=self.model.inputs,
            batch_size=self.batch_size,
            num_processes=distributed.world_size(),
            rank=distributed.rank(),
            seed=self.seed,
            epoch=epoch,
        )
        return loader(own, start=start, num_workers=self.data.num_workers)

    def metrics(self) -> dict[str, float]:
        return {}

    def batch_ids(self, batch: dict[str, Any]) -> list[str]:
        return batch["query_ids"]

    def evaluate(self) -> dict[str, float]:
        """Figures over the dev queries after reranking the candidates of the dev run, 0..1.

        ``Hit@1``, ``Hit@5`` and ``MRR`` with the blend that is chosen here and kept by the model; ``before/``
        of the order of the run; ``alone/Hit@1`` of the model's own score; ``ECE`` of P(True).
        """
        if not self.dev:
            return {}
        judged = [query for part in distributed.gather_objects([self._judged()]) for query in part]
        self.model.blend = fit_blend(judged)
        before = Blend(rank_weight=1e9)
        return {
            "Hit@1": hit_rate(judged, self.model.blend, k=1),
            "Hit@5": hit_rate(judged, self.model.blend, k=5),
            "MRR": mean_reciprocal_rank(judged, self.model.blend),
            "before/Hit@1": hit_rate(judged, before, k=1),
            "before/MRR": mean_reciprocal_rank(judged, before),
            "alone/Hit@1": hit_rate(judged, Blend(), k=1),
            "ECE": calibration_error(judged, self.model.blend),
            "rank_weight": self.model.blend.rank_weight,
        }

    def _judged(self) -> list[JudgedQuery]:
        """This process's share of the dev queries with the scores of their candidates."""
        folder = self.pairs.folder
        qrels = folder.qrels(self.data.dev_split)
        own = list(self.dev.items())[distributed.rank() :: distributed.world_size()]
        pairs = [
            (folder.queries[query_id].text, folder.tables[item_id])
            for query_id, items in own
            for item_id in items
        ]
        scores = iter(PairScorer(self.model)(pairs))
        return [
            JudgedQuery(
                scores=tuple(next(scores) for _ in items),
                relevant=tuple(qrels[query_id].get(item_id, 0) > 0 for item_id in items),
            )
            for query_id, items in own
        ]

    def selection_metric(self) -> str:
        return "MRR"

    def export(self, folder: Path, *, metrics: dict[str, float]) -> None:
        self.model.save_pretrained(folder)
        write_card(folder, settings=self.settings, metrics=metrics, data=[data_source(self.data.folder)])
