"""The faults of one line of ``queries.jsonl`` and of ``evidence.jsonl``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tabrag.data.evidence_records import FACT_KINDS
from tabrag.data.records import EVIDENCE, LABELS, TASKS


def evidence_faults(facts: Any, documents: Collection[str]) -> list[str]:
    """What is wrong with the facts that a question rests on.

    Args:
        facts: What the line says.
        documents: Ids of the documents that there are.
    """
    if not isinstance(facts, list) or not facts:
        return ["'facts' must be a list of one fact or more"]
    return [
        f"'facts'[{place}]: {message}"
        for place, fact in enumerate(facts)
        for message in (_fact_faults(fact, documents) if isinstance(fact, dict) else ["must be an object"])
    ]


def _fact_faults(fact: dict[str, Any], documents: Collection[str]) -> list[str]:
    messages = []
    kind, document, page = fact.get("kind"), fact.get("document"), fact.get("page")
    if kind not in FACT_KINDS:
        messages.append(f"'kind' must be one of {', '.join(FACT_KINDS)}, found {kind!r}")
    if not isinstance(document, str) or document not in documents:
        messages.append(f"unknown document {document!r}: documents.jsonl does not have it")
    if page is not None and (type(page) is not int or page < 1):
        messages.append(f"'page' must be a whole number from 1 up, found {page!r}")
    if not isinstance(fact.get("text"), str) or not fact["text"].strip():
        messages.append("'text' is missing or blank")
    for key in ("row", "column"):
        labels = fact.get(key) or []
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            messages.append(f"'{key}' must be a list of texts")
        elif (kind == "cell") != bool(labels):
            messages.append(f"'{key}' belongs to a cell, which needs it, and to nothing else")
    return messages


def query_faults(record: dict[str, Any]) -> list[str]:
    """What is wrong with the record of a query, besides its id."""
    messages = []
    text, answers = record.get("text"), record.get("answers") or []
    task, label = record.get("task") or "qa", record.get("label")
    if not isinstance(text, str) or not text.strip():
        messages.append("'text' is missing or blank")
    if not isinstance(answers, list) or not all(isinstance(answer, str) for answer in answers):
        messages.append("'answers' must be a list of texts")
    if (evidence := record.get("evidence")) and evidence not in EVIDENCE:
        messages.append(f"'evidence' must be one of {', '.join(EVIDENCE)}, found {evidence!r}")
    messages += _history_faults(record.get("history") or [])
    if task not in TASKS:
        messages.append(f"'task' must be one of {', '.join(TASKS)}, found {task!r}")
    elif task == "verify" and label not in LABELS:
        messages.append(f"'label' of a statement must be one of {', '.join(LABELS)}, found {label!r}")
    elif task != "verify" and label is not None:
        messages.append(f"'label' is only for the task verify, found {label!r} with task '{task}'")
    return messages


def _history_faults(history: Any) -> list[str]:
    if not isinstance(history, list):
        return [f"'history' must be a list of turns, found {history!r}"]
    return [
        f"'history'[{place}] must be [question, answer], two texts of which the first is not blank"
        for place, turn in enumerate(history)
        if not isinstance(turn, list)
        or len(turn) != 2
        or not all(isinstance(text, str) for text in turn)
        or not turn[0].strip()
    ]
