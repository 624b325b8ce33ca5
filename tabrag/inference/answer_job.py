"""Answers for many queries, into an answers file, and one answer as text for people."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.inference.foreign import refuse_foreign
from tabrag.inference.given_run import GOLD
from tabrag.inference.jobs import rows_or_errors, run_job
from tabrag.inference.pipeline import Pipeline
from tabrag.inference.pipeline_config import PipelineConfig
from tabrag.inference.retrieve import refuse_empty, select_queries
from tabrag.inference.rewrite import query_content, warn_of_history
from tabrag.inference.view import Items
from tabrag.tables.grid import left_paths, path_texts, top_paths
from tabrag.types import Answer, Query, Table


def answer_queries(
    config: PipelineConfig,
    *,
    out: str | Path,
    split: str | None = None,
    queries: str | Path | None = None,
    force: bool = False,
) -> dict[str, Any]:
    """Answer queries and write an answers file; started again after a kill it continues.

    A query that cannot be answered (a picture that does not open) gets a row with ``error`` and is tried
    again at the next start; the others are answered.

    Args:
        config: The pipeline.
        out: The answers file.
        split: Only the queries of this split of the pipeline's data set folder.
        queries: File with queries, in place of those of the data set folder.
        force: Start anew where the file was begun with other settings.

    Returns:
        ``queries``, ``new``, ``failed``, ``seconds``, ``queries_per_second``.

    Raises:
        UserError: A setting, a folder or a query is not usable, or the run is one over other queries or
            another data set folder.
    """
    pipeline = Pipeline(config)
    chosen = {
        query.id: query
        for query in select_queries(data=None if queries else pipeline.data, split=split, file=queries)
    }
    refuse_empty(list(chosen.values()))
    if config.rewrite is None:
        warn_of_history(chosen.values())
    pipeline.open()
    if config.run is not None:
        _refuse_other_run(config.run, pipeline, list(chosen.values()))

    def answer(query_ids: list[str]) -> list[dict[str, Any]]:
        batch = [chosen[query_id] for query_id in query_ids]
        return [answer_record(answer) for answer in pipeline.ask_all(batch)]

    def failed(query_id: str) -> dict[str, Any]:
        return {"query_id": query_id, "question": chosen[query_id].text}

    figures = run_job(
        out,
        {query.id: [_content(query, config), query.task] for query in chosen.values()},
        lambda query_ids: rows_or_errors(query_ids, answer, failed),
        settings=pipeline.settings(),
        batch_size=config.batch_size,
        force=force,
        description="answer",
    )
    return {
        "queries": figures["rows"],
        "new": figures["new"],
        "failed": figures["failed"],
        "seconds": figures["seconds"],
        "queries_per_second": figures["rows_per_second"],
    }


def _refuse_other_run(run: str, pipeline: Pipeline, queries: Sequence[Query]) -> None:
    """Raise :class:`UserError` for a run over other queries, or over another corpus."""
    found = [one.item_id for candidates in pipeline.retrieve(queries).values() for one in candidates]
    if not found and run == GOLD:
        raise UserError(
            f"run '{run}': none of the {len(queries)} queries is judged: name a run file, or indexes"
        )
    if not found:
        raise UserError(f"{run}: no candidates for any of the {len(queries)} queries: is it a run over them?")
    refuse_foreign(found, pipeline.data.items, name=run)


def _content(query: Query, config: PipelineConfig) -> Any:
    """What an answer depends on of a query besides its task."""
    return query.text if config.rewrite is None else query_content(query, config.rewrite)


def answer_record(answer: Answer) -> dict[str, Any]:
    """One line of an answers file."""
    return dataclasses.asdict(answer)


def readable(answer: Answer, items: Items) -> str:
    """The answer as lines for people: answer, notes, tables by title, rows and columns by header, file,
    page, picture.

    Args:
        answer: The answer.
        items: The tables and documents of its evidence, by id.
    """
    sure = "" if answer.confidence is None else f"  (confidence {100 * answer.confidence:.0f} %)"
    lines = [f"{answer.question}", f"  {answer.answer or 'no answer'}{sure}"]
    lines += [f"  {'note':<8} {note}" for note in answer.notes]
    for evidence in answer.evidence:
        source = evidence.source
        facts = [("passage", evidence.text), ("document", evidence.title or evidence.item_id)]
        item = items[evidence.item_id]
        table = item if isinstance(item, Table) else None
        if table is not None:
            facts = [("table", evidence.title or evidence.item_id)]
        if table is not None and table.grid is not None:
            lefts, tops = left_paths(table.grid), top_paths(table.grid)
            facts += [("row", " > ".join(path_texts(table.grid, lefts[row]))) for row in evidence.rows]
            facts += [("column", " > ".join(path_texts(table.grid, tops[col]))) for col in evidence.columns]
        if table is not None and not evidence.cells:
            facts.append(("note", "the answer does not stand in this table word for word"))
        facts.append(("file", source.file))
        facts.append(("page", "" if source.page is None else str(source.page)))
        facts.append(("picture", evidence.image or ""))
        lines += [f"  {name:<8} {text}" for name, text in facts if text]
    return "\n".join(lines)
