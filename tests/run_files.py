"""Run files that the tests of several folders write."""

from __future__ import annotations

from pathlib import Path

from tabrag.evaluation.runs import run_record
from tabrag.files import write_jsonl
from tabrag.types import Run


def write_run(path: Path, run: Run) -> Path:
    """Write a run as JSONL, one query a line."""
    write_jsonl(path, (run_record(query_id, candidates) for query_id, candidates in run.items()))
    return path
