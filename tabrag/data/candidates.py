"""Rankings of one query: in an order that no device changes, judged by a margin, several mixed by rank."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest

from tabrag.data.config import MiningConfig
from tabrag.index.fusion import rrf
from tabrag.types import Candidate


def in_order(scores: Mapping[str, float], *, tolerance: float) -> list[str]:
    """Item ids by falling score; scores that are equal up to the tolerance go by id.

    Equal is a chain of scores, each at most ``tolerance`` times the largest amount below the one before it.
    Rounding would not do: two equal scores can lie on either side of a rounding step on another device.
    """
    span = _span(scores, tolerance)
    order: list[list[str]] = []
    before = float("inf")
    for item_id in sorted(scores, key=lambda item_id: (-scores[item_id], item_id)):
        if before - scores[item_id] <= span:
            order[-1].append(item_id)
        else:
            order.append([item_id])
        before = scores[item_id]
    return [item_id for tied in order for item_id in sorted(tied)]


def too_near(scores: Mapping[str, float], relevant: Collection[str], config: MiningConfig) -> set[str]:
    """The items of one run that score too near to its best relevant item, or above it.

    TopK-PercPos (``relative_margin``) and TopK-MarginPos (``absolute_margin``) of Moreira et al.,
    "NV-Retriever: Improving text embedding models with effective hard-negative mining", 2024, section 3.
    Where both are set, the stricter one counts. A relative margin below a negative score is one of its
    amount.

    Args:
        scores: Item -> score.
        relevant: The relevant items.
        config: The margins, and what holds where ``scores`` has no relevant item.
    """
    relative, absolute = config.relative_margin, config.absolute_margin
    if relative is None and absolute is None:
        return set()
    known = [scores[item_id] for item_id in relevant if item_id in scores]
    if not known:
        return set(scores) if config.missing_positive == "drop" else set()
    positive = max(known)
    limit = min(positive - (relative or 0.0) * abs(positive), positive - (absolute or 0.0))
    limit += _span(scores, config.tolerance)
    return {item_id for item_id, score in scores.items() if score > limit}


def mixed(rankings: Sequence[Sequence[str]], config: MiningConfig) -> list[str]:
    """One ranking of all items: ``round_robin`` (in each round the first ranking goes first) or ``rrf``."""
    if config.mix == "round_robin":
        places = zip_longest(*rankings)
        return list(dict.fromkeys(item_id for place in places for item_id in place if item_id is not None))
    runs = [
        {"": [Candidate(item_id=item_id, score=0.0, stage="") for item_id in ranking]} for ranking in rankings
    ]
    fused = rrf(runs, k=config.rrf_k, depth=max(1, sum(map(len, rankings))))
    return [candidate.item_id for candidate in fused[""]]


def _span(scores: Mapping[str, float], tolerance: float) -> float:
    return tolerance * max(map(abs, scores.values()), default=0.0)
