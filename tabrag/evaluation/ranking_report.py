"""Run files evaluated and shown: one with all figures, or several side by side."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from tabrag.errors import UserError
from tabrag.evaluation.by_document import By, has_parts_alone, qrels_by_document, run_by_document
from tabrag.evaluation.comparison import FIGURES, compare, cut_offs
from tabrag.evaluation.comparison_table import show
from tabrag.evaluation.ranking import Ties, check_qrels, confidence_intervals, evaluate, evaluate_queries
from tabrag.evaluation.runs import read_qrels, read_run
from tabrag.files import write_jsonl
from tabrag.types import Qrels, Run

if TYPE_CHECKING:
    from rich.table import Table

logger = logging.getLogger(__name__)

_COUNTS = ("queries", "missing", "empty", "unjudged", "without_relevant")


def evaluate_run(
    run: str | Path,
    data: str | Path | None,
    *,
    split: str = "dev",
    qrels: str | Path | None = None,
    ks: Sequence[int] = (1, 5, 10, 50),
    ties: Ties = "id",
    by: By = "item",
    per_query: str | Path | None = None,
) -> dict[str, Any]:
    """Evaluate a run file against judgements; a table goes to standard error.

    Args:
        run: The run file.
        data: A data set folder with the judgements; None where ``qrels`` is given.
        split: Which judgements of the folder.
        qrels: A file with judgements, in place of ``data``; see :func:`tabrag.evaluation.runs.read_qrels`.
        ks: Cut-offs.
        ties: See :mod:`tabrag.evaluation.ranking`.
        by: ``document`` judges chunks, pages and tables as the documents that they belong to.
        per_query: JSONL file for the figures of each query.

    Returns:
        What :func:`tabrag.evaluation.ranking.evaluate` gives, and ``intervals``, 95 % each.

    Raises:
        UserError: A file is broken, the judgements name unknown queries or items, or not exactly one of
            ``data`` and ``qrels`` is given.
    """
    from rich.console import Console

    read, judgements, _ = _judged({"": run}, data, split, qrels, by)
    candidates = read[""]
    figures = evaluate(candidates, judgements, ks=ks, ties=ties)
    queries = evaluate_queries(candidates, judgements, ks=ks, ties=ties)
    intervals = confidence_intervals(queries)
    if per_query is not None:
        write_jsonl(per_query, ({"query_id": query_id, **values} for query_id, values in queries.items()))
    source = split if qrels is None else Path(qrels).name
    Console(stderr=True).print(ranking_table(figures, intervals, title=f"{Path(run).name}, {source}"))
    return {**figures, "intervals": {name: list(interval) for name, interval in intervals.items()}}


def compare_runs(
    runs: Mapping[str, str | Path],
    data: str | Path | None,
    *,
    split: str = "dev",
    qrels: str | Path | None = None,
    figures: Sequence[str] = FIGURES,
    baseline: str | None = None,
    ties: Ties = "id",
    by: By = "item",
    per_query: str | Path | None = None,
    table: str | Path | None = None,
) -> dict[str, Any]:
    """Evaluate several run files against the same judgements; tables go to standard error.

    Args:
        runs: Name to run file.
        data: See :func:`evaluate_run`; its queries may name their data sets.
        split: Which judgements of the folder.
        qrels: A file with judgements, in place of ``data``; there are no data sets then.
        figures: See :func:`tabrag.evaluation.comparison.compare`, also for ``baseline``.
        baseline: The run that the others are compared with.
        ties: See :mod:`tabrag.evaluation.ranking`.
        by: See :func:`evaluate_run`.
        per_query: JSONL file for the figures of each query of each run.
        table: Markdown file for the tables.

    Returns:
        What :func:`tabrag.evaluation.comparison.compare` gives.

    Raises:
        UserError: As :func:`evaluate_run` and ``compare``.
    """
    read, judgements, data_sets = _judged(runs, data, split, qrels, by)
    result = compare(read, judgements, data_sets=data_sets, figures=figures, baseline=baseline, ties=ties)
    if per_query is not None:
        write_jsonl(per_query, _query_rows(read, judgements, data_sets, result["figures"], ties))
    show(result, title=split if qrels is None else Path(qrels).name, table=table)
    return result


def _query_rows(
    runs: Mapping[str, Run], qrels: Qrels, data_sets: Mapping[str, str], figures: Sequence[str], ties: Ties
) -> Iterator[dict[str, Any]]:
    for name, run in runs.items():
        for query_id, values in evaluate_queries(run, qrels, ks=cut_offs(figures), ties=ties).items():
            where = {"run": name, "query_id": query_id, "data_set": data_sets.get(query_id, "")}
            yield where | {figure: values[figure] for figure in figures}


def _judged(
    runs: Mapping[str, str | Path], data: str | Path | None, split: str, qrels: str | Path | None, by: By
) -> tuple[dict[str, Run], Qrels, dict[str, str]]:
    """Run files by name, the checked judgements of a data set folder or of a file, and the data sets of the
    folder's queries."""
    if by not in get_args(By):
        raise UserError(f"by '{by}' is unknown: use one of {', '.join(get_args(By))}")
    judgements, data_sets = _judgements(data, split, qrels)
    read = {name: read_run(path) for name, path in runs.items()}
    if by == "item":
        for name, run in read.items():
            if has_parts_alone(run, judgements):
                logger.warning(
                    "%s names parts of documents, of which none is judged: by=document judges these by their "
                    "documents",
                    runs[name],
                )
        return read, judgements, data_sets
    found = {name: run_by_document(run) for name, run in read.items()}
    return found, qrels_by_document(judgements), data_sets


def _judgements(
    data: str | Path | None, split: str, qrels: str | Path | None
) -> tuple[Qrels, dict[str, str]]:
    """The judgements, and the data sets of the queries."""
    if (data is None) == (qrels is None):
        raise UserError("name exactly one source of judgements: a data set folder (data) or a file (qrels)")
    if data is None:
        assert qrels is not None
        return read_qrels(qrels), {}
    from tabrag.data.folder import DataFolder

    folder = DataFolder(data)
    judgements = folder.qrels(split)
    check_qrels(judgements, query_ids=folder.queries, item_ids=folder.items.ids)
    return judgements, {query.id: query.data_set for query in folder.queries.values()}


def ranking_table(
    figures: Mapping[str, float | int], intervals: Mapping[str, tuple[float, float]], *, title: str
) -> Table:
    """Figures by cut-off in percent with their 95 % intervals, and the counts of queries below.

    Args:
        figures: What :func:`tabrag.evaluation.ranking.evaluate` gave.
        intervals: What :func:`tabrag.evaluation.ranking.confidence_intervals` gave.
        title: Stands above the table.
    """
    from rich.table import Table

    names = list(dict.fromkeys(name.split("@")[0] for name in intervals))
    cuts = list(dict.fromkeys(name.split("@")[1] for name in intervals if "@" in name))
    table = Table(
        title=title, caption=", ".join(f"{name} {figures[name]}" for name in _COUNTS if figures[name])
    )
    table.add_column("")
    for cut in [*cuts, "all"]:
        table.add_column(f"@{cut}" if cut != "all" else cut, justify="right")
    for name in names:
        cells = [_cell(f"{name}@{cut}", figures, intervals) for cut in cuts]
        table.add_row(name, *cells, _cell(name, figures, intervals))
    return table


def _cell(name: str, figures: Mapping[str, float | int], intervals: Mapping[str, tuple[float, float]]) -> str:
    if name not in intervals:
        return ""
    low, high = intervals[name]
    return f"{100 * figures[name]:.1f}\n{100 * low:.1f}-{100 * high:.1f}"
