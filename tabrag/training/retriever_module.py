"""The retriever and its contrastive loss as one module.

Shapes: B queries of this process, A queries of all processes, N items, E dimension.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.losses.info_nce import false_negatives, info_nce
from tabrag.models.retriever import Retriever
from tabrag.training.config import LossConfig


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
