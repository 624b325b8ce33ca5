"""Log-odds of (question, table) pairs, many at once, by a cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tabrag.inference.batching import token_batches
from tabrag.models.cross_encoder import CrossEncoder
from tabrag.models.inputs.pairs import PairTokens
from tabrag.types import Table

Pair = tuple[str, Table]


class PairScorer:
    """Calls a cross-encoder in batches of inputs of like length.

    Args:
        model: The cross-encoder; it is put into evaluation mode for each call.
        batch_tokens: Positions of a batch, padding included.
    """

    def __init__(self, model: CrossEncoder, *, batch_tokens: int = 4096) -> None:
        self.model = model
        self.batch_tokens = batch_tokens

    def __call__(self, pairs: Sequence[Pair]) -> list[float]:
        """Log-odds that the table is relevant to the question, in the order of ``pairs``: the best of the
        table's windows.
        """
        inputs = self.model.inputs
        features: list[PairTokens] = []
        owners: list[int] = []
        windows = {id(table): inputs.windows(table) for _, table in pairs}
        for number, (question, table) in enumerate(pairs):
            named = inputs.named(question, table)
            for entry in windows[id(table)]:
                features.append(inputs.features(question, entry, named))
                owners.append(number)
        scores = [float("-inf")] * len(pairs)
        for owner, score in zip(owners, self._scores(features), strict=True):
            scores[owner] = max(scores[owner], score)
        return scores

    @torch.inference_mode()
    def _scores(self, features: Sequence[PairTokens]) -> list[float]:
        device = next(self.model.parameters()).device
        scores = [0.0] * len(features)
        is_training = self.model.training
        self.model.eval()
        for rows in token_batches([len(one) for one in features], batch_tokens=self.batch_tokens):
            batch = self.model.inputs.collate([features[row] for row in rows])
            found_B = self.model(**{name: value.to(device) for name, value in batch.items()})
            for row, score in zip(rows, found_B.tolist(), strict=True):
                scores[row] = score
        self.model.train(is_training)
        return scores
