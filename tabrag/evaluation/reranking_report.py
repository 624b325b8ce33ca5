"""What reranking gives: the ranking before and after it, and whether P(True) means what it says."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.evaluation.calibration import Bin, expected_calibration_error, reliability
from tabrag.evaluation.correlation import kendall
from tabrag.evaluation.plots import load_pyplot, save_figure
from tabrag.evaluation.ranking import evaluate
from tabrag.evaluation.runs import read_run
from tabrag.models.blend import RERANKED, is_chance
from tabrag.types import Qrels, Run

logger = logging.getLogger(__name__)

_KS = (1, 5, 10)
_SAME = 1e-6


def evaluate_reranking(
    data: str | Path,
    *,
    split: str,
    before: str | Path,
    run: str | Path,
    reference: str | Path | None = None,
    plot: str | Path | None = None,
) -> dict[str, Any]:
    """Compare a run with its reranked form.

    Args:
        data: Data set folder with the judgements.
        split: Which queries.
        before: Run file that went into reranking.
        run: Run file that came out.
        reference: Run file of the same reranking by another engine or number format.
        plot: Also draw the reliability diagram to this PNG file.

    Returns:
        ``queries`` (those with a relevant table), ``unscored`` (those of them without a scored candidate),
        ``before`` and ``after`` (``Hit@1``, ``Hit@5``, ``Hit@10``, ``MRR``; 0..1, over all queries),
        ``ceiling`` (the share of them with a relevant candidate that was scored), ``pairs`` (scored
        candidates), ``relevant`` (the share of these that are), ``ECE`` (0..1, ten bins of equal width) and
        ``bins``; with ``reference`` also ``agreement``, see :func:`agreement`. Equal scores of all pairs give
        a warning.

    Raises:
        UserError: A file is not usable, nothing was reranked, or there is no matplotlib for ``plot``.
    """
    if plot is not None:
        load_pyplot()
    qrels = DataFolder(data).qrels(split)
    runs = {"before": read_run(before), "after": read_run(run)}
    figures = {name: _ranking(one, qrels) for name, one in runs.items()}
    judged = [query_id for query_id, grades in qrels.items() if max(grades.values(), default=0) > 0]
    scored = {
        query_id: [one for one in runs["after"].get(query_id, []) if is_chance(one)] for query_id in judged
    }
    chances = [one.score for some in scored.values() for one in some]
    relevant = {
        query_id: [qrels[query_id].get(one.item_id, 0) > 0 for one in some]
        for query_id, some in scored.items()
    }
    outcomes = [flag for flags in relevant.values() for flag in flags]
    if not chances:
        raise UserError(
            f"{run}: no candidate of the stage '{RERANKED}': name the run that infer/rerank.py wrote"
        )
    if len(chances) > 1 and max(chances) - min(chances) < _SAME:
        logger.warning(
            "%s: all %d scores are equal: the reranker tells nothing apart, and ids decide", run, len(chances)
        )
    bins = reliability(chances, outcomes)
    if plot is not None:
        draw_reliability(plot, bins, title=f"{Path(run).stem}, {len(chances)} pairs")
    return {
        "queries": len(judged),
        "unscored": sum(not some for some in scored.values()),
        **figures,
        "ceiling": sum(map(any, relevant.values())) / len(judged),
        "pairs": len(chances),
        "relevant": sum(outcomes) / len(outcomes),
        "ECE": expected_calibration_error(bins),
        "bins": [asdict(one) for one in bins],
        **({} if reference is None else {"agreement": agreement(runs["after"], read_run(reference))}),
    }


def agreement(run: Run, reference: Run) -> dict[str, float | int | None]:
    """How far two rerankings of the same candidates agree, over the queries and candidates of both.

    Returns:
        ``queries``; ``pairs``; ``difference``, the largest of two P(True) of a pair; ``kendall``, the mean
        over queries of Kendall's tau of the two orders (None where no query has two different scores); and
        ``same_first``, the share of queries whose best candidate is the same.

    Raises:
        UserError: They have no reranked candidate in common.
    """
    both: list[tuple[list[float], list[float]]] = []
    for query_id, some in run.items():
        own = {one.item_id: one.score for one in some if is_chance(one)}
        other = {one.item_id: one.score for one in reference.get(query_id, []) if is_chance(one)}
        if ids := [item_id for item_id in own if item_id in other]:
            both.append(([own[item_id] for item_id in ids], [other[item_id] for item_id in ids]))
    if not both:
        raise UserError("the reference has no reranked candidate of this run: name one over the same pairs")
    orders = [kendall(left, right) for left, right in both]
    known = [one for one in orders if one is not None]
    first = [left.index(max(left)) == right.index(max(right)) for left, right in both]
    return {
        "queries": len(both),
        "pairs": sum(len(left) for left, _ in both),
        "difference": max(abs(a - b) for left, right in both for a, b in zip(left, right, strict=True)),
        "kendall": sum(known) / len(known) if known else None,
        "same_first": sum(first) / len(first),
    }


def _ranking(run: Run, qrels: Qrels) -> dict[str, float]:
    found = evaluate(run, qrels, ks=_KS)
    return {name: float(found[name]) for name in (*(f"Hit@{k}" for k in _KS), "MRR")}


def draw_reliability(path: str | Path, bins: Sequence[Bin], *, title: str) -> None:
    """Draw how often tables of a probability are relevant, as a PNG file.

    Raises:
        UserError: matplotlib is not installed.
    """
    pyplot = load_pyplot()
    figure, (upper, lower) = pyplot.subplots(
        2, 1, figsize=(5.4, 6.2), height_ratios=(3, 1), sharex=True, layout="constrained"
    )
    filled = [one for one in bins if one.count]
    means, shares = [100 * one.mean for one in filled], [100 * one.share for one in filled]
    upper.plot([0, 100], [0, 100], color="grey", linewidth=0.8, label="perfectly calibrated")
    upper.plot(means, shares, "o-", label="reranker")
    upper.set(title=title, ylabel="relevant tables, %", xlim=(0, 100), ylim=(0, 101))
    upper.legend(loc="upper left")
    upper.grid(alpha=0.3)
    width = 100 / len(bins)
    lower.bar(
        [100 * (one.low + one.high) / 2 for one in bins], [one.count for one in bins], width=0.9 * width
    )
    lower.set(xlabel="P(True), %", ylabel="pairs", yscale="log")
    lower.grid(alpha=0.3)
    save_figure(figure, path)
