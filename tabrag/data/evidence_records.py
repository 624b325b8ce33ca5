"""What a question rests on as the lines of ``evidence.jsonl``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tabrag.data.records import text_value
from tabrag.types import Fact, GoldEvidence

FACT_KINDS = ("sentence", "cell", "picture")


def evidence_to_record(evidence: GoldEvidence) -> dict[str, Any]:
    """The line of ``evidence.jsonl``. Of a fact only what it has is written."""
    return {"query_id": evidence.query_id, "facts": [_fact_to_record(fact) for fact in evidence.facts]}


def evidence_from_record(record: dict[str, Any]) -> GoldEvidence:
    """The evidence of a line of ``evidence.jsonl``.

    Raises:
        KeyError, TypeError, ValueError: A required key is missing or a value has the wrong kind.
    """
    return GoldEvidence(
        query_id=text_value(record["query_id"], "query_id"),
        facts=[_fact_from_record(fact) for fact in record.get("facts") or []],
    )


def _fact_to_record(fact: Fact) -> dict[str, Any]:
    return {key: value for key, value in asdict(fact).items() if value or key in ("kind", "document")}


def _fact_from_record(record: dict[str, Any]) -> Fact:
    kind, page = record["kind"], record.get("page")
    if kind not in FACT_KINDS:
        raise ValueError(f"a fact of kind {kind!r}: kinds are {', '.join(FACT_KINDS)}")
    return Fact(
        kind=kind,
        document=text_value(record["document"], "document"),
        page=None if page is None else int(page),
        text=text_value(record.get("text") or "", "text"),
        row=tuple(text_value(label, "row") for label in record.get("row") or ()),
        column=tuple(text_value(label, "column") for label in record.get("column") or ()),
    )
