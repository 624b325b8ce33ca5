"""Training of a cross-encoder or word reranker: a relevant table against hard negatives of the same query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tabrag.data.config import RankingDataConfig
from tabrag.data.ranking_batches import RankingBatches
from tabrag.errors import UserError
from tabrag.inference.score_pairs import PairScorer
from tabrag.losses.ranking import group_softmax, pointwise
from tabrag.models.pair_model import PairModel
from tabrag.training.config import RankingLossConfig
from tabrag.training.ranking_task import RankingTask


class PairModule(nn.Module):
    """Model and loss as one module."""

    def __init__(self, model: PairModel, loss: RankingLossConfig) -> None:
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


class PairTask(RankingTask):
    """Implements :class:`tabrag.training.task.Task` for a :class:`tabrag.models.pair_model.PairModel`."""

    def __init__(
        self,
        model: PairModel,
        *,
        data: RankingDataConfig,
        loss: RankingLossConfig,
        batch_size: int,
        seed: int,
        settings: dict[str, Any],
    ) -> None:
        if not data.num_negatives:
            raise UserError("data.num_negatives is 0: a reranker learns from relevant tables and others")
        super().__init__(
            model, PairModule(model, loss), data=data, batch_size=batch_size, seed=seed, settings=settings
        )
        items = self.pairs.folder.items
        model.inputs.weigh(items[item_id] for item_id in self.pairs.item_ids)

    def describe(self) -> dict[str, Any]:
        """Size and digest of the training data, candidates a query, and the weights that learn."""
        return {
            "training queries": len(self.pairs),
            "training data": self.pairs.digest(),
            "candidates per query": 1 + self.data.num_negatives,
            "parameters": self.num_parameters(),
        }

    def epoch_batches(self, **share: Any) -> RankingBatches:
        """See :meth:`tabrag.training.base_task.BaseTask.epoch_batches`."""
        return RankingBatches(self.pairs, config=self.data, inputs=self.model.inputs, **share)

    def evaluate(self) -> dict[str, float]:
        """See :meth:`tabrag.training.rerank_judge.RerankJudge.__call__`; the model keeps the blend."""
        if not self.judge.candidates:
            return {}
        figures, self.model.blend = self.judge(PairScorer(self.model)(self.judge.pairs()))
        return figures
