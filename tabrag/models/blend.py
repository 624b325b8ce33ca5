"""From a reranker's score and the rank before it to P(True)."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Blend:
    """How a model's score and the rank before become P(True), a probability.

    ``sigmoid(scale * (score - rank_weight * ln(rank)) + bias)``, with rank 1 for the best candidate.

    Attributes:
        rank_weight: What the rank counts, in units of the model's log-odds; 0 or more.
        scale: Slope, greater than 0: it changes no order.
        bias: Offset.
    """

    rank_weight: float = 0.0
    scale: float = 1.0
    bias: float = 0.0

    def log_odds(self, score: float, rank: int) -> float:
        """Log-odds of P(True); ``rank`` counts from 1."""
        return self.scale * (score - self.rank_weight * math.log(rank)) + self.bias

    def probability(self, score: float, rank: int) -> float:
        """P(True), 0..1."""
        value = self.log_odds(score, rank)
        return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))
