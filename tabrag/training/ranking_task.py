"""What the tasks of rerankers share: queries with relevant and other items, judged by a reranked dev run."""

from __future__ import annotations

from typing import Any

from torch import nn

from tabrag.data.config import RankingDataConfig
from tabrag.data.pairs import TrainingPairs
from tabrag.training.base_task import BaseTask
from tabrag.training.rerank_judge import METRIC, RerankJudge


class RankingTask(BaseTask):
    """The common part of a :class:`tabrag.training.task.Task` of a reranker.

    Attributes:
        data: The settings of the data.
        pairs: The training queries with their items.
        judge: What judges scores of the dev run's pairs.
    """

    def __init__(
        self,
        model: Any,
        module: nn.Module,
        *,
        data: RankingDataConfig,
        batch_size: int,
        seed: int,
        settings: dict[str, Any],
    ) -> None:
        super().__init__(
            model,
            module,
            folder=data.folder,
            num_workers=data.num_workers,
            batch_size=batch_size,
            seed=seed,
            settings=settings,
        )
        self.data = data
        self.pairs = TrainingPairs(data)
        self.judge = RerankJudge(self.pairs.folder, data)

    def num_examples(self) -> int:
        """Training queries."""
        return len(self.pairs)

    def selection_metric(self) -> str:
        """See :mod:`tabrag.training.rerank_judge`."""
        return METRIC
