"""Entries found to items: an item counts with its best entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def search_items(
    search: Callable[[Any, int], tuple[Any, Any]],
    questions: Any,
    k: int,
    *,
    item_of: Callable[[int], str],
    num_entries: int,
    num_items: int,
) -> list[list[tuple[str, float]]]:
    """The k best items of each query.

    Entries of one item may fill the first ranks, so the search goes deeper until a query has k distinct items
    or the index has no more hits.

    Args:
        search: An engine's search: queries and depth to scores and rows of each query, best first.
        questions: Vectors [Q, E], or a sequence of whatever the engine takes.
        k: At least 1.
        item_of: The item of a row.
        num_entries: Rows in all.
        num_items: Distinct items in all.

    Returns:
        For each query up to k item ids with their scores, best first.
    """
    found: list[list[tuple[str, float]]] = [[] for _ in range(len(questions))]
    open_queries: Sequence[int] = range(len(questions))
    depth = k if num_entries == num_items else 2 * k
    while open_queries and num_entries:
        part = questions if len(open_queries) == len(questions) else [questions[i] for i in open_queries]
        part = np.stack(part) if isinstance(questions, np.ndarray) else part
        scores, rows = search(part, min(depth, num_entries))
        still_open = []
        for query, scores_k, rows_k in zip(open_queries, scores, rows, strict=True):
            best: dict[str, float] = {}
            for score, row in zip(scores_k.tolist(), rows_k.tolist(), strict=True):
                best.setdefault(item_of(row), score)
            found[query] = list(best.items())[:k]
            if len(best) < min(k, num_items) and len(rows_k) == depth < num_entries:
                still_open.append(query)
        open_queries = still_open
        depth *= 4
    return found
