"""Several runs over the same queries: figures per data set, pooled, and as the mean over the data sets.

Intervals are 95 %: percentiles of a bootstrap over queries (Efron 1979). All runs share the resamples, so
that the difference of two runs is that of pairs (paired bootstrap: Koehn, "Statistical Significance Tests for
Machine Translation Evaluation", EMNLP 2004). Two runs differ where the interval of their difference lies on
one side of 0.

The same queries count for all runs: see :mod:`tabrag.evaluation.ranking`. One that a run lacks counts 0.

Shapes: ``N`` queries, ``S`` resamples, ``R`` runs, ``F`` figures.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tabrag.errors import UserError
from tabrag.evaluation.ranking import Ties, bootstrap_means, count_queries, evaluate_queries
from tabrag.types import Qrels, Run

FIGURES = ("Recall@1", "Recall@5", "Recall@10", "Recall@50", "MRR@10")
UNNAMED = "unnamed"
"""The group of the queries that name no data set, where others do."""


def compare(
    runs: Mapping[str, Run],
    qrels: Qrels,
    *,
    data_sets: Mapping[str, str] | None = None,
    figures: Sequence[str] = FIGURES,
    baseline: str | None = None,
    ties: Ties = "id",
) -> dict[str, Any]:
    """Figures of each run for each data set, for all queries, and as the mean over the data sets.

    The pooled figures weigh each query alike, the mean over the data sets each data set; its resamples are
    drawn within each data set.

    Args:
        runs: Name to run, at least one.
        qrels: Query id to item id to grade.
        data_sets: Query id to the name of its data set; a query that is missing or has the name ``""`` has
            none. Where no query has one there are no groups.
        figures: Names out of ``Hit@k``, ``Recall@k``, ``CappedRecall@k``, ``MRR@k``, ``nDCG@k`` and ``MRR``.
        baseline: The run that the others are compared with; None for no differences.
        ties: How candidates of equal score are ordered.

    Returns:
        ``figures`` and ``baseline`` as given; ``runs``: name to the counts of
        :func:`tabrag.evaluation.ranking.count_queries`; ``data_sets``: name to ``{"queries", "runs"}``, where
        ``runs`` is run to figure to ``{"mean", "interval"}`` (0..1), and with a baseline also
        ``"difference"`` and ``"difference_interval"`` (-1..1) except for itself; ``pooled`` of the same form;
        ``macro`` of the same form with ``data_sets``, their number, in place of ``queries``, or None where
        there are fewer than two.

    Raises:
        UserError: No run, an unknown baseline or figure, or no query has a relevant item.
    """
    if not runs:
        raise UserError("there is no run to evaluate: name at least one")
    if baseline is not None and baseline not in runs:
        raise UserError(f"the baseline '{baseline}' is none of the runs: {', '.join(runs)}")
    figures = list(dict.fromkeys(figures))
    ks = cut_offs(figures)
    per_run = [evaluate_queries(run, qrels, ks=ks, ties=ties) for run in runs.values()]
    query_ids = list(per_run[0])
    if not query_ids:
        raise UserError("no query has a relevant item (grade >= 1): are these the qrels of these runs?")
    known = per_run[0][query_ids[0]]
    for name in figures:
        if name not in known:
            raise UserError(f"figure '{name}' is unknown: use {', '.join(known)}, with any cut-off")
    values_NRF = np.array(
        [[[one[query_id][name] for name in figures] for one in per_run] for query_id in query_ids]
    )

    def group(rows: Sequence[int], seed: int) -> tuple[np.ndarray, np.ndarray]:
        return _resampled(values_NRF[list(rows)], seed)

    def shown(means_RF: np.ndarray, samples_SRF: np.ndarray) -> dict[str, Any]:
        return _cells(means_RF, samples_SRF, list(runs), figures, baseline)

    rows_of = _groups(query_ids, data_sets or {})
    # Each data set has resamples of its own: with those of one seed, sets of one size would move together.
    groups = {name: group(rows, zlib.crc32(name.encode())) for name, rows in rows_of.items()}
    result: dict[str, Any] = {
        "figures": figures,
        "baseline": baseline,
        "runs": {name: count_queries(run, qrels) for name, run in runs.items()},
        "data_sets": {
            name: {"queries": len(rows_of[name]), "runs": shown(*groups[name])} for name in rows_of
        },
        "pooled": {"queries": len(query_ids), "runs": shown(*group(range(len(query_ids)), 0))},
        "macro": None,
    }
    if len(groups) > 1:
        means, samples = zip(*groups.values(), strict=True)
        result["macro"] = {
            "data_sets": len(groups),
            "runs": shown(np.mean(means, axis=0), np.mean(samples, axis=0)),
        }
    return result


def cut_offs(figures: Sequence[str]) -> list[int]:
    """The cut-offs that figures name, and 1: ``["MRR@10"]`` gives ``[1, 10]``.

    Raises:
        UserError: No figure, or a cut-off that is no whole number of at least 1.
    """
    if not figures:
        raise UserError(f"there is no figure to show: name some, for example {', '.join(FIGURES)}")
    cuts = {1}
    for name in figures:
        _, at, cut = name.partition("@")
        if at and not (cut.isascii() and cut.isdigit() and int(cut)):
            raise UserError(f"figure '{name}': the cut-off after '@' must be a whole number of at least 1")
        if at:
            cuts.add(int(cut))
    return sorted(cuts)


def _groups(query_ids: Sequence[str], data_sets: Mapping[str, str]) -> dict[str, list[int]]:
    """Rows of the queries by data set, in ascending order of the names; none where no query names one."""
    rows_of: dict[str, list[int]] = {}
    for row, query_id in enumerate(query_ids):
        rows_of.setdefault(data_sets.get(query_id, ""), []).append(row)
    if set(rows_of) == {""}:
        return {}
    named = {name: rows_of[name] for name in sorted(rows_of) if name}
    if "" in rows_of:
        named[UNNAMED] = sorted([*named.get(UNNAMED, []), *rows_of[""]])
    return named


def _resampled(values_NRF: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Means [R, F] and means of the resamples [S, R, F]."""
    num_queries, *shape = values_NRF.shape
    means_SRF = bootstrap_means(values_NRF.reshape(num_queries, -1), seed=seed).reshape(-1, *shape)
    # Exact sums, as those of `evaluate`: a figure is the same to its last digit wherever it is shown.
    exact = [math.fsum(column) / num_queries for column in values_NRF.reshape(num_queries, -1).T.tolist()]
    return np.array(exact).reshape(shape), means_SRF


def _cells(
    means_RF: np.ndarray,
    samples_SRF: np.ndarray,
    runs: Sequence[str],
    figures: Sequence[str],
    baseline: str | None,
) -> dict[str, dict[str, dict[str, Any]]]:
    intervals_2RF = np.percentile(samples_SRF, [2.5, 97.5], axis=0)
    cells: dict[str, dict[str, dict[str, Any]]] = {
        run: {
            name: {"mean": float(means_RF[r, f]), "interval": intervals_2RF[:, r, f].tolist()}
            for f, name in enumerate(figures)
        }
        for r, run in enumerate(runs)
    }
    if baseline is None:
        return cells
    base = runs.index(baseline)
    differences_RF = means_RF - means_RF[base]
    ranges_2RF = np.percentile(samples_SRF - samples_SRF[:, base : base + 1], [2.5, 97.5], axis=0)
    for r, run in enumerate(runs):
        if r != base:
            for f, name in enumerate(figures):
                cells[run][name] |= {
                    "difference": float(differences_RF[r, f]),
                    "difference_interval": ranges_2RF[:, r, f].tolist(),
                }
    return cells
