"""Scores that are no numbers: found where they arise, before they decide an order."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tabrag.documents.whole import Item
from tabrag.errors import UserError

_MAX_NAMED = 3


def refuse_nan(scores: Sequence[float], pairs: Sequence[tuple[str, Item]]) -> None:
    """Raise where a score is NaN.

    Args:
        scores: One score a pair.
        pairs: Questions and what they were scored with.

    Raises:
        UserError: The first pairs without a score, by item and question.
    """
    broken = [pair for score, pair in zip(scores, pairs, strict=True) if math.isnan(score)]
    if broken:
        names = ", ".join(f"'{item.id}' for {question[:80]!r}" for question, item in broken[:_MAX_NAMED])
        raise UserError(
            f"the reranker's score is NaN for {len(broken)} of {len(pairs)} pairs: {names}: check the "
            "checkpoint, or set dtype to float32"
        )
