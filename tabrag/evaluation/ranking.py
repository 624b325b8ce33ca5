"""How good is a ranking: Hit@k, Recall@k, MRR@k, nDCG@k.

| figure | of one query, with r relevant items of R in the first k |
|---|---|
| ``Hit@k`` | 1 where r >= 1, otherwise 0 (also called success or hit rate) |
| ``Recall@k`` | r / R: with three relevant items, Recall@1 is at most 1/3 |
| ``CappedRecall@k`` | r / min(k, R): a perfect ranking reaches 1 for every k |
| ``MRR@k`` | 1 / rank of the first relevant item, 0 where it stands below k; ``MRR``: of the whole list |
| ``nDCG@k`` | sum of grade / log2(rank + 1) over the first k, divided by that of the best order |

nDCG is that of Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002, with
linear gains.

Which queries count: every query with at least one relevant item (grade >= 1). One that the run lacks
(``missing``) or whose list is empty (``empty``) counts 0. Queries of the run without judgements
(``unjudged``) and queries judged without any relevant item (``without_relevant``) are left out and reported.

Ties: candidates are ordered by score, never by their place in the input. ``ties="id"`` breaks equal scores by
ascending item id; ``ties="average"`` gives the expected figure over all orders of the equal ones (McSherry
and Najork 2008). An item that a list names twice counts at its better place.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from tabrag.errors import UserError
from tabrag.types import Candidate, Qrels, Run

Ties = Literal["id", "average"]


def evaluate(
    run: Run, qrels: Qrels, *, ks: Sequence[int] = (1, 5, 10, 50), ties: Ties = "id"
) -> dict[str, float | int]:
    """Mean figures of a run and the counts of queries (see the module's docstring for what each means).

    Args:
        run: Query id to candidates.
        qrels: Query id to item id to grade.
        ks: Cut-offs, each at least 1.
        ties: How candidates of equal score are ordered.

    Returns:
        ``Hit@k``, ``Recall@k``, ``CappedRecall@k``, ``MRR@k``, ``nDCG@k`` for each k and ``MRR``, all 0..1;
        and the counts ``queries`` (those in the means), ``missing``, ``empty``, ``unjudged``,
        ``without_relevant``.

    Raises:
        UserError: No query has a relevant item, or a setting or score is not valid.
    """
    per_query = evaluate_queries(run, qrels, ks=ks, ties=ties)
    if not per_query:
        raise UserError("no query has a relevant item (grade >= 1): are these the qrels of this run?")
    figures: dict[str, float | int] = {
        name: math.fsum(values[name] for values in per_query.values()) / len(per_query)
        for name in next(iter(per_query.values()))
    }
    return figures | count_queries(run, qrels)


def count_queries(run: Run, qrels: Qrels) -> dict[str, int]:
    """The counts that :func:`evaluate` gives: ``queries``, ``missing``, ``empty``, ``unjudged``,
    ``without_relevant``."""
    judged = [query_id for query_id, grades in qrels.items() if grades and max(grades.values()) >= 1]
    return {
        "queries": len(judged),
        "missing": sum(query_id not in run for query_id in judged),
        "empty": sum(query_id in run and not run[query_id] for query_id in judged),
        "unjudged": sum(not qrels.get(query_id) for query_id in run),
        "without_relevant": sum(bool(grades) and max(grades.values()) < 1 for grades in qrels.values()),
    }


def evaluate_queries(
    run: Run, qrels: Qrels, *, ks: Sequence[int] = (1, 5, 10, 50), ties: Ties = "id"
) -> dict[str, dict[str, float]]:
    """The figures of each query that has a relevant item, in the order of the qrels; see :func:`evaluate`."""
    if not ks or any(k < 1 for k in ks):
        raise UserError(f"cut-offs must be at least 1, found {list(ks)}")
    if ties not in ("id", "average"):
        raise UserError(f"ties '{ties}' is unknown: use 'id' or 'average'")
    return {
        query_id: _figures(_groups(query_id, run.get(query_id, []), grades, ties), grades, ks)
        for query_id, grades in qrels.items()
        if grades and max(grades.values()) >= 1
    }


def check_qrels(qrels: Qrels, *, query_ids: Iterable[str], item_ids: Iterable[str]) -> None:
    """Refuse judgements about queries or items that do not exist; the message names the first ones."""
    query_ids, item_ids = set(query_ids), set(item_ids)
    queries = [query_id for query_id in qrels if query_id not in query_ids]
    items = sorted({item_id for grades in qrels.values() for item_id in grades} - item_ids)
    for kind, unknown in (("query", queries), ("item", items)):
        if unknown:
            names = ", ".join(f"'{name}'" for name in unknown[:5])
            raise UserError(
                f"qrels name {len(unknown)} unknown {kind} ids: {names}; "
                "the qrels belong to another folder or are out of date"
            )


def confidence_intervals(
    per_query: dict[str, dict[str, float]], *, num_samples: int = 1000, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """95 % intervals of the means: percentiles of a bootstrap over queries (Efron 1979), always the same.

    Args:
        per_query: What :func:`evaluate_queries` gave, at least one query.
        num_samples: Number of resamples.
        seed: Of the resampling.
    """
    names = list(next(iter(per_query.values())))
    values_NF = np.array([[figures[name] for name in names] for figures in per_query.values()])
    means_SF = bootstrap_means(values_NF, num_samples=num_samples, seed=seed)
    low, high = np.percentile(means_SF, [2.5, 97.5], axis=0)
    return {name: (float(low[i]), float(high[i])) for i, name in enumerate(names)}


def bootstrap_means(values_NF: np.ndarray, *, num_samples: int = 1000, seed: int = 0) -> np.ndarray:
    """Means over resamples of the queries with replacement (Efron 1979); all columns share the resamples.

    Args:
        values_NF: One row a query, one column a figure, at least one row.
        num_samples: Number of resamples.
        seed: Of the resampling.

    Returns:
        float64 [num_samples, F].
    """
    generator = np.random.default_rng(seed)
    num_queries = len(values_NF)
    shares = np.full(num_queries, 1 / num_queries)
    return np.stack(
        [generator.multinomial(num_queries, shares) @ values_NF / num_queries for _ in range(num_samples)]
    )


def _groups(
    query_id: str, candidates: Sequence[Candidate], grades: dict[str, int], ties: Ties
) -> list[list[int]]:
    """Grades of the ranked items in groups that share places: one item a group unless ties are averaged."""
    best: dict[str, float] = {}
    for candidate in candidates:
        if math.isnan(candidate.score):
            raise UserError(f"query '{query_id}': the score of item '{candidate.item_id}' is NaN")
        best[candidate.item_id] = max(candidate.score, best.get(candidate.item_id, -math.inf))
    ordered = sorted(best, key=lambda item_id: (-best[item_id], item_id))
    groups: list[list[int]] = []
    previous: float | None = None
    for item_id in ordered:
        gain = max(grades.get(item_id, 0), 0)
        if ties == "average" and best[item_id] == previous:
            groups[-1].append(gain)
        else:
            groups.append([gain])
        previous = best[item_id]
    return groups


def _figures(groups: list[list[int]], grades: dict[str, int], ks: Sequence[int]) -> dict[str, float]:
    """Expected figures over all orders within the groups; with groups of one they are the plain figures."""
    places: list[tuple[int, float, float, float]] = []
    """Rank, probability that the first relevant item stands there, that one does, expected grade."""
    rank, none_before = 0, 1.0
    for group in groups:
        size, num_relevant = len(group), sum(gain >= 1 for gain in group)
        if num_relevant:
            for place in range(size):
                left = size - place
                first = none_before * min(num_relevant / left, 1.0)
                places.append((rank + place + 1, first, num_relevant / size, sum(group) / size))
                none_before -= first
        rank += size
    ideal = sorted((grade for grade in grades.values() if grade >= 1), reverse=True)
    figures: dict[str, float] = {}
    for k in ks:
        within = [place for place in places if place[0] <= k]
        found = sum(relevant for _, _, relevant, _ in within)
        figures[f"Hit@{k}"] = min(sum(first for _, first, _, _ in within), 1.0)
        figures[f"Recall@{k}"] = found / len(ideal)
        figures[f"CappedRecall@{k}"] = found / min(k, len(ideal))
        figures[f"MRR@{k}"] = sum(first / rank for rank, first, _, _ in within)
        figures[f"nDCG@{k}"] = sum(gain / math.log2(rank + 1) for rank, _, _, gain in within) / sum(
            grade / math.log2(rank + 1) for rank, grade in enumerate(ideal[:k], start=1)
        )
    figures["MRR"] = sum(first / rank for rank, first, _, _ in places)
    return figures
