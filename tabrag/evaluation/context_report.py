"""How much of the evidence of a data set's questions stands in what a pipeline would show its reader."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from tabrag.documents.part import document_of
from tabrag.documents.whole import WholeDocument
from tabrag.errors import UserError
from tabrag.evaluation.context_evidence import is_shown, pictures_of
from tabrag.files import write_jsonl
from tabrag.inference.pipeline import Pipeline
from tabrag.inference.pipeline_config import PipelineConfig
from tabrag.inference.retrieve import select_queries
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Candidate, Fact


def evaluate_contexts(
    config: PipelineConfig, *, split: str, per_query: str | Path | None = None
) -> dict[str, Any]:
    """Run all stages but the reader's model and look for each question's facts in what it would be shown.

    Args:
        config: The pipeline; its reader's model is not loaded, and texts are measured by estimate.
        split: Which questions.
        per_query: JSONL file to write: of each question its facts and which are shown.

    Returns:
        ``evidence``: for each kind of question, and ``all``, the number of ``queries``, the share of their
        facts that are shown (``recall``, 0..1, mean over questions) and of questions with all of them
        (``complete``); ``document@1``: questions whose first candidate is, or is part of, a relevant
        document; ``tokens``: shown a question on average.

    Raises:
        UserError: The folder does not say what its questions rest on.
    """
    from tqdm import tqdm

    pipeline = Pipeline(config)
    gold, qrels = pipeline.data.evidence, pipeline.data.qrels(split)
    queries = select_queries(data=pipeline.data, split=split)
    if not any(gold[query.id].facts for query in queries if query.id in gold):
        raise UserError(
            f"{pipeline.data.path}: no evidence.jsonl says what the questions of '{split}' rest on: make the "
            "folder with  scripts/prepare_data.py synthetic_documents"
        )
    rows: list[dict[str, Any]] = []
    size = config.batch_size
    batches = [queries[start : start + size] for start in range(0, len(queries), size)]
    for batch in tqdm(batches, desc="contexts", unit=" batches", mininterval=1.0):
        found = pipeline.find(batch)
        contexts = pipeline.reader.contexts(
            found.queries, found.run, pipeline.data, parts=found.parts, num_tokens=estimate_tokens
        )
        for query, context in zip(batch, contexts, strict=True):
            shown = context.shown
            facts = gold[query.id].facts if query.id in gold else []
            rows.append(
                {
                    "query_id": query.id,
                    "evidence": query.evidence,
                    "shown": [is_shown(fact, shown, _pictures(fact, pipeline)) for fact in facts],
                    "first": _is_relevant(found.ranked.get(query.id, []), qrels[query.id]),
                    "tokens": sum(estimate_tokens(text) for one in shown for text in one.texts),
                }
            )
    if per_query is not None:
        write_jsonl(Path(per_query), rows)
    return {
        "evidence": _by_kind(rows),
        "document@1": round(sum(row["first"] for row in rows) / len(rows), 4),
        "tokens": round(sum(row["tokens"] for row in rows) / len(rows), 1),
    }


def _by_kind(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    groups: dict[str, list[list[bool]]] = defaultdict(list)
    for row in rows:
        if row["shown"]:
            groups[row["evidence"] or "unknown"].append(row["shown"])
            groups["all"].append(row["shown"])
    return {
        kind: {
            "queries": len(facts),
            "recall": round(sum(sum(some) / len(some) for some in facts) / len(facts), 4),
            "complete": round(sum(map(all, facts)) / len(facts), 4),
        }
        for kind, facts in sorted(groups.items())
    }


def _pictures(fact: Fact, pipeline: Pipeline) -> list[str]:
    if fact.kind != "picture":
        return []
    item = pipeline.data.items[fact.document]
    paths = pictures_of(fact, item.document) if isinstance(item, WholeDocument) else []
    return [pipeline.data.picture_path(path) for path in paths]


def _is_relevant(candidates: list[Candidate], grades: dict[str, int]) -> bool:
    relevant = {item for item, grade in grades.items() if grade > 0}
    return bool(candidates) and bool({candidates[0].item_id, document_of(candidates[0].item_id)} & relevant)
