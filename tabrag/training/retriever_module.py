"""The retriever and its contrastive loss as one module.

Shapes: B queries of this process, A queries of all processes, N items, E dimension.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.losses.info_nce import false_negatives, info_nce, repeated
from tabrag.models.retriever import Retriever
from tabrag.training.config import LossConfig


class RetrieverModule(nn.Module):
    """Retriever and loss as one module, so that several processes reduce gradients of both towers at once.

    Implements :class:`tabrag.training.gradcache.Cacheable`.
    """

    def __init__(self, retriever: Retriever, loss: LossConfig) -> None:
        super().__init__()
        self.retriever = retriever
        self.loss = loss

    def forward(self, batch: Mapping[str, Any], gradients: Mapping[str, Tensor] | None = None) -> Tensor:
        """The loss of this process's queries against the items of all processes.

        Args:
            batch: See :class:`tabrag.data.batches.RetrieverBatches`; with ``gradients`` only its chunks.
            gradients: Gradients of the loss, known already, at some of what :meth:`embed` gives.

        Returns:
            Scalar Tensor; the average over the processes is the loss of the global batch. With ``gradients``
            instead the sum of embeddings times gradients, whose own gradient is the loss's.
        """
        found = self.embed(batch)
        if gradients is None:
            return self.compare(found, batch)
        return torch.stack([(found[name] * gradient).sum() for name, gradient in gradients.items()]).sum()

    def embed(self, batch: Mapping[str, Any]) -> dict[str, Tensor]:
        """What the loss is made of.

        Args:
            batch: Chunks of ``query`` and of ``item``; a side without chunks is left out of the result.

        Returns:
            ``query`` Tensor[B, E], ``item`` Tensor[N, E], and ``scale``, a scalar.
        """
        towers = {"query": self.retriever.query, "item": self.retriever.item}
        found = {
            side: torch.cat([tower(**chunk) for chunk in batch[side]])
            for side, tower in towers.items()
            if batch[side]
        }
        return {**found, "scale": self.retriever.scale()}

    def compare(self, found: Mapping[str, Tensor], batch: Mapping[str, Any]) -> Tensor:
        """The loss of what :meth:`embed` gave for the whole batch; every process calls this.

        An item that several processes bring counts once as a negative, and each query counts the same where
        the processes have different numbers of them: the loss is that of one process with the whole batch.
        """
        q_AE, first_query = distributed.gather(found["query"])
        i_AE, first_item = distributed.gather(found["item"])
        targets, _ = distributed.gather(batch["target"] + first_item)
        items, _ = distributed.gather(batch["items"])
        positives, _ = distributed.gather(batch["positives"])
        own = found["query"].shape[0]
        loss = info_nce(
            q_AE,
            i_AE,
            target_A=targets,
            relevant_AN=false_negatives(items, positives),
            scale=found["scale"],
            repeated_N=repeated(items),
            local=slice(first_query, first_query + own),
            symmetric=self.loss.symmetric,
        )
        num_processes = distributed.world_size() if distributed.is_active() else 1
        return loss * (own * num_processes / len(q_AE))
