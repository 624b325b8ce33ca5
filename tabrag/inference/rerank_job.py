"""Reranking of a run file, into another one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tabrag import distributed
from tabrag.data.folder import DataFolder
from tabrag.documents.part import parse_part_id
from tabrag.errors import UserError
from tabrag.evaluation.runs import check_trec_ids, read_run, run_record, write_trec
from tabrag.inference.config import RerankConfig, RewriteConfig
from tabrag.inference.foreign import is_held, refuse_foreign
from tabrag.inference.jobs import rows_or_errors, run_job
from tabrag.inference.rerank import Rerank
from tabrag.inference.retrieve import refuse_empty, select_queries
from tabrag.inference.rewrite import Rewrite, query_content, warn_of_history
from tabrag.inference.view import unknown_candidate
from tabrag.types import Run


def rerank_queries(
    config: RerankConfig,
    *,
    data: str | Path,
    run: str | Path,
    out: str | Path,
    split: str | None = None,
    queries: str | Path | None = None,
    rewrite: RewriteConfig | None = None,
    trees: str | Path | None = None,
    trec: str | Path | None = None,
    batch_size: int = 64,
    force: bool = False,
) -> dict[str, Any]:
    """Rerank candidates and write a run file; started again after a kill it continues.

    A query that cannot be scored (a picture that does not open, a candidate that the data set folder does not
    hold) gets a row without candidates and with ``error``, and is tried again at the next start.

    Args:
        config: The reranker.
        data: Data set folder of the tables or documents and, without ``queries``, of the queries.
        run: Run file with the candidates.
        out: The run file to write.
        split: Only the folder's queries of this split.
        queries: File with queries, in place of those of the folder.
        rewrite: How questions of a conversation become ones that stand alone; without step-back questions,
            which are for retrieval alone. Conversations are not looked at where None.
        trees: File of summary trees, where nodes of these are candidates.
        trec: Also write the run in TREC's form here.
        batch_size: Queries between two saves; their pairs are scored together.
        force: Start anew where the run was begun with other settings.

    Returns:
        ``queries``, ``new``, ``failed``, ``without_candidates``, ``pairs``, ``seconds``,
        ``pairs_per_second``, ``ms_per_query``.

    Raises:
        UserError: A setting, a file or a query is not usable, or the folder holds no candidate at all.
    """
    folder = DataFolder(data, trees=trees)
    chosen = {
        query.id: query
        for query in select_queries(
            data=None if queries else folder, split=None if queries else split, file=queries
        )
    }
    refuse_empty(list(chosen.values()))
    candidates = read_run(run)
    depth = config.depth
    found = {query_id: candidates.get(query_id, []) for query_id in chosen}
    without = sum(not some for some in found.values())
    if without == len(found):
        raise UserError(f"{run}: no candidates for any of the {len(found)} queries: is it a run over them?")
    refuse_foreign((one.item_id for some in found.values() for one in some), folder.items, name=str(run))
    if trees is None:
        _refuse_nodes(run, found, folder)
    if trec is not None:  # before the job, which can take long
        check_trec_ids(chosen)
        check_trec_ids(one.item_id for some in found.values() for one in some)
    rerank = Rerank(config, image_path=folder.image_path, picture_path=folder.picture_path)
    rerank.open()
    rewriter = None if rewrite is None else Rewrite(replace(rewrite, step_back=False))
    if rewriter is None:
        warn_of_history(chosen.values())

    def process(query_ids: list[str]) -> list[dict[str, Any]]:
        for query_id in query_ids:  # those below the depth, too: a later stage opens them
            for one in found[query_id]:
                if not is_held(one.item_id, folder.items):
                    raise unknown_candidate(one.item_id)
        batch = [chosen[query_id] for query_id in query_ids]
        batch = batch if rewriter is None else rewriter(batch)
        better = rerank(batch, {query_id: found[query_id] for query_id in query_ids}, folder.items)
        return [run_record(query_id, better[query_id]) for query_id in query_ids]

    pairs = {query_id: min(depth, len(some)) for query_id, some in found.items()}
    figures = run_job(
        out,
        {
            query.id: [
                query.text if rewriter is None else query_content(query, rewriter.config),
                [[one.item_id, one.score] for one in found[query.id]],
            ]
            for query in chosen.values()
        },
        lambda query_ids: rows_or_errors(query_ids, process, lambda query_id: run_record(query_id, [])),
        settings={
            **rerank.settings(),
            **folder.digests(),
            **({} if rewriter is None else {"rewrite": rewriter.settings()}),
        },
        batch_size=batch_size,
        force=force,
        description="rerank",
        costs=pairs,
        unit="pairs",
    )
    if trec is not None and distributed.is_main():
        write_trec(trec, read_run(out))
    new, seconds = figures["new"], figures["seconds"]
    # A resumed job's time is that of the queries it still had to do.
    share = sum(pairs.values()) * new / max(1, len(pairs))
    return {
        "queries": figures["rows"],
        "new": new,
        "failed": figures["failed"],
        "without_candidates": without,
        "pairs": sum(pairs.values()),
        "seconds": seconds,
        "pairs_per_second": round(share / seconds, 1) if new and seconds else None,
        "ms_per_query": round(1000 * seconds / new, 2) if new else None,
    }


def _refuse_nodes(path: str | Path, run: Run, folder: DataFolder) -> None:
    """Raise :class:`UserError` for a node of a summary tree, which is nothing without the file of trees."""
    for candidates in run.values():
        for one in candidates:
            part = parse_part_id(one.item_id)
            if part is not None and part.node is not None and one.item_id not in folder.items:
                raise UserError(
                    f"{path}: '{one.item_id}' is a node of a summary tree: name the file of trees (tree.file)"
                )
