"""Retrieval for many queries, into a run file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tabrag import distributed
from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.evaluation.runs import check_trec_ids, read_run, run_record, write_trec
from tabrag.index.config import RetrieveConfig
from tabrag.inference.config import RewriteConfig
from tabrag.inference.jobs import run_job
from tabrag.inference.retrieve import Retrieve, refuse_empty, select_queries
from tabrag.inference.rewrite import Rewrite, query_content, warn_of_history


def retrieve_queries(
    config: RetrieveConfig,
    *,
    data: str | Path | None = None,
    split: str | None = None,
    queries: str | Path | None = None,
    question: str | None = None,
    out: str | Path | None = None,
    trec: str | Path | None = None,
    rewrite: RewriteConfig | None = None,
    batch_size: int = 256,
    force: bool = False,
) -> dict[str, Any]:
    """Retrieve candidates and write a run file; started again after a kill it continues.

    Args:
        config: The indexes and how they are searched.
        data: Data set folder with the queries.
        split: Only its queries of this split.
        queries: File with queries, in place of ``data``.
        question: A single question, in place of both.
        out: The run file; may be None for a single question.
        trec: Also write the run in TREC's form here.
        rewrite: How questions of a conversation become ones that stand alone; their conversations are not
            looked at where None.
        batch_size: Queries between two saves.
        force: Start anew where the run was begun with other settings.

    Returns:
        ``queries``, ``new``, ``failed``, ``seconds``, ``queries_per_second``, ``ms_per_query``; for a single
        question also its candidates.

    Raises:
        UserError: A setting, an index or a query is not usable.
    """
    chosen = {
        query.id: query
        for query in select_queries(
            data=None if data is None else DataFolder(data), split=split, file=queries, question=question
        )
    }
    if out is None and question is None:
        raise UserError("name the run file to write: out")
    refuse_empty(list(chosen.values()))
    retrieve = Retrieve(config)
    rewriter = None if rewrite is None else Rewrite(rewrite)
    if rewriter is None:
        warn_of_history(chosen.values())
    if trec is not None:  # before the job, which can take long
        check_trec_ids(chosen)
        for index in retrieve.indexes:
            check_trec_ids(index.item_ids)
    if out is None:
        run = retrieve(list(chosen.values()) if rewriter is None else rewriter(list(chosen.values())))
        return {"queries": 1, **run_record("question", run["question"])}

    def process(query_ids: list[str]) -> list[dict[str, Any]]:
        batch = [chosen[query_id] for query_id in query_ids]
        run = retrieve(batch if rewriter is None else rewriter(batch))
        return [run_record(query_id, run[query_id]) for query_id in query_ids]

    figures = run_job(
        out,
        {
            query.id: query.text if rewriter is None else query_content(query, rewriter.config)
            for query in chosen.values()
        },
        process,
        settings={
            **retrieve.settings(),
            **({} if rewriter is None else {"rewrite": rewriter.settings()}),
        },
        batch_size=batch_size,
        force=force,
        description="retrieve",
    )
    if trec is not None and distributed.is_main():
        write_trec(trec, read_run(out))
    new = figures["new"]
    return {
        "queries": figures["rows"],
        "new": new,
        "failed": figures["failed"],
        "seconds": figures["seconds"],
        "queries_per_second": figures["rows_per_second"],
        "ms_per_query": round(1000 * figures["seconds"] / new, 3) if new else None,
    } | ({} if question is None else run_record("question", read_run(out)["question"]))
