"""The quickstart's report: systems side by side, the loss, the most confident answers, right or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from tabrag.evaluation.answer_scores import score_answers
from tabrag.evaluation.answers import exact_match
from tabrag.evaluation.report import Example, write_report
from tabrag.files import read_json, read_jsonl, write_json
from tabrag.types import Query

if TYPE_CHECKING:
    from tabrag.inference.pipeline import Pipeline

NUM_EXAMPLES = 3


def write_quickstart_report(
    out: Path, *, pipeline: Pipeline, systems: Mapping[str, Mapping[str, float]], seconds: float
) -> dict[str, Any]:
    """Write ``report.html`` and ``metrics.json`` from what the stages left in ``out``.

    Args:
        out: The quickstart's folder: ``data/``, ``trained/``, ``header_classifier/``, ``cell_reader/``,
            ``answers.jsonl``.
        pipeline: Answers the questions that the report shows.
        systems: System name -> figures on the test split.
        seconds: How long all stages took.

    Returns:
        What stands in ``metrics.json``: ``systems``, ``answers``, ``training``, ``header_classifier``,
        ``cell_reader`` (dev figures with the gold table), ``seconds``.
    """
    queries, qrels = pipeline.data.queries, pipeline.data.qrels("test")
    asked = {query_id: queries[query_id] for query_id in qrels if queries[query_id].task == "qa"}
    answered = [
        row for row in read_jsonl(out / "answers.jsonl") if row["query_id"] in asked and "answer" in row
    ]
    predictions = {row["query_id"]: row["answer"] for row in answered}
    metrics = {
        "systems": systems,
        "answers": score_answers(predictions, {query.id: query.answers for query in asked.values()}),
        "training": read_json(out / "trained" / "metrics.json"),
        "header_classifier": read_json(out / "header_classifier" / "metrics.json"),
        "cell_reader": read_json(out / "cell_reader" / "metrics.json"),
        "seconds": round(seconds, 1),
    }
    curve = [(row["step"], row["loss"]) for row in read_jsonl(out / "trained/metrics.jsonl") if "loss" in row]
    record = yaml.safe_load((out / "trained/run.yaml").read_text(encoding="utf-8"))
    sure_first = sorted(answered, key=lambda row: -(row["confidence"] or 0.0))
    tables: dict[str, str] = {}
    for row in sure_first:
        tables.setdefault(next(iter(qrels[row["query_id"]])), row["query_id"])
    chosen = [asked[query_id] for query_id in list(tables.values())[:NUM_EXAMPLES]]
    write_report(
        out / "report.html",
        title="tabrag quickstart",
        systems=systems,
        curve=curve,
        examples=_examples(pipeline, chosen),
        settings={
            "answers on the test split": metrics["answers"],
            "header classifier on the dev split, gold table": metrics["header_classifier"],
            "cell reader on the dev split, gold table": metrics["cell_reader"],
            "questions shown": "the most confident answer of each of three tables, right or wrong",
            **record["settings"],
            **record["environment"],
        },
    )
    write_json(out / "metrics.json", metrics)
    return metrics


def _examples(pipeline: Pipeline, queries: list[Query]) -> Iterator[Example]:
    qrels = pipeline.data.qrels("test")
    tables = pipeline.data.tables
    for query, answer in zip(queries, pipeline.ask_all(queries), strict=True):
        table = tables[answer.evidence[0].item_id] if answer.evidence else None
        yield Example(
            answer=answer,
            table=table,
            picture=pipeline.data.image_path(table) if table is not None else None,
            gold=query.answers,
            right=exact_match(answer.answer, query.answers, sample_id=query.id),
            gold_tables=frozenset(qrels[query.id]),
            titles={candidate.item_id: tables[candidate.item_id].title for candidate in answer.candidates},
        )
