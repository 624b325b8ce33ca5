"""A checkpoint's blend, chosen anew: the same reranker, behind another kind of run than in its training."""

from __future__ import annotations

import logging
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.evaluation.blending import JudgedQuery, cross_validate, fit_blend, ranking_figures
from tabrag.evaluation.runs import read_run
from tabrag.files import atomic_folder, write_json
from tabrag.models.blend import Blend, is_chance
from tabrag.types import Qrels, Run

logger = logging.getLogger(__name__)

_FEW = 20
"""Judged queries below which a blend is fitted with a warning."""


def refit_blend(
    checkpoint: str | Path,
    *,
    data: str | Path,
    split: str,
    before: str | Path,
    run: str | Path,
    out: str | Path,
) -> dict[str, Any]:
    """Copy a reranker with the blend that suits a run: how much the rank and the score before count.

    The model's own scores are computed back from the probabilities of ``run``, so nothing is scored again.

    Args:
        checkpoint: Reranker, folder or hub id.
        data: Data set folder with the judgements.
        split: The queries that choose.
        before: Run file that went into reranking.
        run: What reranking it with ``checkpoint`` gave, with the checkpoint's own ``rank_weight``.
        out: Folder of the new checkpoint; only its blend and card differ.

    Returns:
        ``queries``; their ``Hit@1``, ``Hit@5``, ``MRR`` and ``ECE`` (0..1) by the checkpoint's own blend
        (``before``), by the new one (``after``), and by such ones of four fifths of the queries on the others
        (``held_out``); and that ``blend``.

    Raises:
        UserError: No reranker, a run of other candidates or, by its journal, of another reranker or blend, no
            judged queries, or ``out`` holds something else than a reranker, or is the checkpoint or in it.
    """
    from tabrag.models.card import rewrite_metrics
    from tabrag.models.io import resolve
    from tabrag.models.reranker_files import read_settings

    folder = resolve(checkpoint)
    name, settings, own = read_settings(folder)
    _refuse_loss(Path(out), folder)
    if Path(before).resolve() == Path(run).resolve():
        raise UserError(f"{run}: given as the run before and after reranking: name one of each")
    _refuse_other(run, folder, own)
    queries = judged_queries(read_run(before), read_run(run), DataFolder(data).qrels(split), own)
    if not queries:
        raise UserError(f"{run}: no reranked candidates of judged queries of split '{split}'")
    if len(queries) < _FEW:
        logger.warning(
            "%s: only %d judged queries of split '%s' choose the blend: fewer than %d say little of others",
            run,
            len(queries),
            split,
            _FEW,
        )
    blend = fit_blend(queries)
    figures = {
        "before": ranking_figures(queries, own),
        "after": ranking_figures(queries, blend),
        "held_out": cross_validate(queries, with_scores=blend.scores is not None),
    }
    with atomic_folder(out) as new:
        shutil.copytree(folder, new, dirs_exist_ok=True)
        write_json(new / name, {**settings, "blend": asdict(blend)})
        held_out = {f"held_out/{figure}": value for figure, value in figures["held_out"].items()}
        rewrite_metrics(new, {**figures["after"], **held_out}, name=str(Path(out)))
    return {"queries": len(queries), **figures, "blend": asdict(blend)}


def judged_queries(before: Run, run: Run, qrels: Qrels, blend: Blend) -> list[JudgedQuery]:
    """The reranked candidates of each judged query, in the order before, with the model's own scores.

    Raises:
        UserError: A candidate was not among the first ones before.
    """
    found = []
    for query_id, grades in qrels.items():
        chances = {one.item_id: one.score for one in run.get(query_id, []) if is_chance(one)}
        if not chances or max(grades.values(), default=0) <= 0:
            continue
        candidates = before.get(query_id, [])[: len(chances)]
        if {one.item_id for one in candidates} != chances.keys():
            raise UserError(
                f"query {query_id}: its reranked candidates are not the first {len(chances)} of the run "
                "before: name the run that was reranked"
            )
        scores = [
            blend.score(chances[one.item_id], rank, gap)
            for rank, (one, gap) in enumerate(zip(candidates, blend.gaps(candidates), strict=True), start=1)
        ]
        found.append(JudgedQuery.of(candidates, scores=scores, grades=grades))
    return found


def _refuse_other(run: str | Path, checkpoint: Path, blend: Blend) -> None:
    """Raise :class:`UserError` where the run's journal, if it lies there, says that something else than this
    checkpoint with its own blend made the run from the one before: the scores computed back would be wrong.
    """
    from tabrag.inference.jobs import journal_settings
    from tabrag.inference.scorers import checkpoint_identity

    said = journal_settings(run)
    if said is None:
        return
    if said.get("model") != checkpoint_identity(checkpoint):
        raise UserError(
            f"{run}: by its journal not reranked with {checkpoint}: name the checkpoint that made the run, "
            "or rerank with this one"
        )
    if "behind" in said:
        raise UserError(
            f"{run}: reranked by two rerankers in one go (rerank.behind): rerank with the first one into a "
            "run of its own, which is the run before, and that one with the second"
        )
    if said.get("blend") != asdict(blend):
        raise UserError(
            f"{run}: reranked with another blend than the checkpoint's own (rerank.rank_weight): rerank it "
            "without"
        )


def _refuse_loss(out: Path, checkpoint: Path) -> None:
    """Raise :class:`UserError` where writing to ``out`` would destroy the checkpoint or something else."""
    from tabrag.models.reranker_files import settings_file

    if checkpoint.resolve() in (out.resolve(), *out.resolve().parents):
        raise UserError(f"{out} is the checkpoint, or lies in it: name another --out")
    if out.exists() and not (out.is_dir() and (settings_file(out) or not any(out.iterdir()))):
        raise UserError(f"{out} holds something else than a reranker: name another --out")
