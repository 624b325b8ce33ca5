"""Choosing what of a document is read: the parts that fit a question best, as many as find room.

SelectTop and Recombine of MixRAG (Zhang et al., "Mixture-of-RAG", 2025, section 3.2): the best parts of all
candidates under one budget, then each candidate's chosen parts in their own order.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence


def rarity_scores(question: Sequence[Hashable], parts: Sequence[Sequence[Hashable]]) -> list[float]:
    """How much each part has in common with the question: the more, the rarer it is among the parts.

    Args:
        question: Its words or tokens.
        parts: Those of each part.

    Returns:
        For each part the sum of ``ln(1 + N / n)`` over the different words that it shares with the question,
        of which ``n`` of the ``N`` parts have each: a title that stands in all parts counts little.
    """
    asked = set(question)
    shared = [asked.intersection(part) for part in parts]
    counts = Counter(word for words in shared for word in words)
    weights = {word: math.log1p(len(parts) / count) for word, count in counts.items()}
    return [math.fsum(sorted(weights[word] for word in words)) for words in shared]


def fill(scores: Sequence[float], sizes: Sequence[int], *, budget: int) -> list[int]:
    """The best parts that fit into a budget together, in their own order.

    A part that does not fit is passed over, and smaller ones after it may still find room. The best part is
    always taken, even where it is larger than the budget.

    Args:
        scores: The higher, the better; equal ones: the first.
        sizes: Of each part, in the unit of the budget.
        budget: At most.

    Returns:
        Places of the chosen parts, ascending; empty for no parts.
    """
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    chosen = order[:1]
    room = budget - sum(sizes[place] for place in chosen)
    for place in order[1:]:
        if sizes[place] <= room:
            chosen.append(place)
            room -= sizes[place]
    return sorted(chosen)
