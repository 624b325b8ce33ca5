"""Log-odds of (question, table) pairs, many at once, by a cross-encoder or a word reranker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from tabrag.documents.whole import Item
from tabrag.inference import runtime
from tabrag.inference.batching import token_batches
from tabrag.inference.finite import refuse_nan
from tabrag.models.blend import Blend
from tabrag.models.pair_model import PairInput, PairModel

Pair = tuple[str, Item]


class PairScorer:
    """Calls a model of pairs in batches of inputs of like length.

    Args:
        model: The model; it is put into evaluation mode for each call.
        batch_tokens: Positions of a batch, padding included.
        dtype: See :func:`tabrag.inference.runtime.precision`; log-odds are float32 always.
    """

    def __init__(self, model: PairModel, *, batch_tokens: int = 4096, dtype: str = "auto") -> None:
        self.model = model
        self.batch_tokens = batch_tokens
        self.dtype = dtype

    @property
    def blend(self) -> Blend:
        """How its log-odds become P(True)."""
        return self.model.blend

    def settings(self) -> dict[str, Any]:
        """What stands for the model."""
        return {"model": self.model.fingerprint(), "dtype": self.dtype}

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        """Log-odds that the table or document is relevant to the question, in the order of ``pairs``.

        Raises:
            UserError: One is NaN; the message names the pairs.
        """
        scores = self._scores([self.model.inputs.pair(question, item) for question, item in pairs])
        refuse_nan(scores, pairs)
        return scores

    @torch.inference_mode()
    def _scores(self, features: Sequence[PairInput]) -> list[float]:
        device = next(self.model.parameters()).device
        kind = runtime.precision(self.dtype, device)
        scores = [0.0] * len(features)
        is_training = self.model.training
        self.model.eval()
        for rows in token_batches([len(one) for one in features], batch_tokens=self.batch_tokens):
            batch = self.model.inputs.collate([features[row] for row in rows])
            with runtime.autocast(device, kind):
                found_B = self.model(**{name: value.to(device) for name, value in batch.items()})
            for row, score in zip(rows, found_B.tolist(), strict=True):
                scores[row] = score
        self.model.train(is_training)
        return scores
