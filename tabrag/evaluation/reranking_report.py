"""What reranking gives: the ranking before and after it, and whether P(True) means what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.evaluation.calibration import Bin, expected_calibration_error, reliability
from tabrag.evaluation.plots import load_pyplot, save_figure
from tabrag.evaluation.ranking import evaluate
from tabrag.evaluation.runs import read_run
from tabrag.models.blend import RERANKED, is_chance
from tabrag.types import Qrels, Run

_KS = (1, 5, 10)


def evaluate_reranking(
    data: str | Path,
    *,
    split: str,
    before: str | Path,
    run: str | Path,
    plot: str | Path | None = None,
) -> dict[str, Any]:
    """Compare a run with its reranked form.

    Args:
        data: Data set folder with the judgements.
        split: Which queries.
        before: Run file that went into reranking.
        run: Run file that came out.
        plot: Also draw the reliability diagram to this PNG file.

    Returns:
        ``queries`` (those with a relevant table), ``unscored`` (those of them without a scored candidate),
        ``before`` and ``after`` (``Hit@1``, ``Hit@5``, ``Hit@10``, ``MRR``; 0..1, over all queries),
        ``ceiling`` (the share of them with a relevant candidate that was scored), ``pairs`` (scored
        candidates), ``relevant`` (the share of these that are), ``ECE`` (0..1, ten bins of equal width) and
        ``bins``.

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
