"""Log-odds of (question, table) pairs, many at once, by a cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from tabrag.documents.whole import Item
from tabrag.inference import runtime
from tabrag.inference.batching import token_batches
from tabrag.models.blend import Blend
from tabrag.models.cross_encoder import CrossEncoder
from tabrag.models.inputs.pairs import PairTokens

Pair = tuple[str, Item]


class PairScorer:
    """Calls a cross-encoder in batches of inputs of like length.

    Args:
        model: The cross-encoder; it is put into evaluation mode for each call.
        batch_tokens: Positions of a batch, padding included.
        dtype: See :func:`tabrag.inference.runtime.precision`; log-odds are float32 always.
    """

    def __init__(self, model: CrossEncoder, *, batch_tokens: int = 4096, dtype: str = "auto") -> None:
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

        What is read of it, see :meth:`tabrag.models.inputs.pairs.PairInputs.best_window`.
        """
        inputs = self.model.inputs
        windows = {id(item): inputs.windows(item) for _, item in pairs}
        features = [
            inputs.features(
                question,
                inputs.best_window(question, windows[id(item)]),
                inputs.named(question, item),
                inputs.facts(question, item),
            )
            for question, item in pairs
        ]
        return self._scores(features)

    @torch.inference_mode()
    def _scores(self, features: Sequence[PairTokens]) -> list[float]:
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
