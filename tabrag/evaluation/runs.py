"""Run files and judgement files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.files import atomic_write, read_jsonl
from tabrag.types import Candidate, Qrels, Run


def run_record(query_id: str, candidates: Sequence[Candidate]) -> dict[str, Any]:
    """One line of a run file."""
    return {
        "query_id": query_id,
        "candidates": [
            {"item_id": candidate.item_id, "score": candidate.score, "stage": candidate.stage}
            for candidate in candidates
        ],
    }


def read_run(path: str | Path) -> Run:
    """Read a run file.

    Raises:
        UserError: A line is not of the run file's form, a score is no number, or a query occurs twice; file
            and line are named.
    """
    run: Run = {}
    for number, row in enumerate(read_jsonl(path), start=1):
        where = f"{path}: record {number}"
        query_id, candidates = parse_record(row, where)
        if query_id in run:
            raise UserError(f"{where}: query '{query_id}' occurs twice")
        run[query_id] = candidates
    return run


def parse_record(row: dict[str, Any], where: str) -> tuple[str, list[Candidate]]:
    """Query id and candidates of one line of a run file.

    Raises:
        UserError: The line is not of the run file's form, or a score is no number; ``where`` is named.
    """
    try:
        query_id = row["query_id"]
        candidates = [
            Candidate(item_id=one["item_id"], score=float(one["score"]), stage=one.get("stage", ""))
            for one in row["candidates"]
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(
            f'{where}: expected {{"query_id", "candidates": [{{"item_id", "score"}}, ...]}} ({error!r})'
        ) from error
    for name in (query_id, *(candidate.item_id for candidate in candidates)):
        if not isinstance(name, str):
            raise UserError(f"{where}: the id {name!r} is not a string: write it in quotes")
    for candidate in candidates:
        if not math.isfinite(candidate.score):
            raise UserError(f"{where}: the score of item '{candidate.item_id}' is {candidate.score}")
    return query_id, candidates


def write_trec(path: str | Path, run: Run, *, tag: str = "tabrag") -> None:
    """Write a run in the form of trec_eval: ``query Q0 item rank score tag``, ranks from 1.

    Raises:
        UserError: An id holds white space, which the form cannot carry.
    """
    with atomic_write(path) as file:
        for query_id, candidates in run.items():
            check_trec_ids([query_id])
            for rank, candidate in enumerate(candidates, start=1):
                check_trec_ids([candidate.item_id])
                file.write(f"{query_id} Q0 {candidate.item_id} {rank} {candidate.score!r} {tag}\n")


def check_trec_ids(ids: Iterable[str]) -> None:
    """Raise :class:`UserError` for the first id that a TREC file cannot carry."""
    for name in ids:
        if not name or re.search(r"\s", name):
            raise UserError(f"id '{name}' is empty or holds white space: a TREC file cannot carry it")


def read_qrels(path: str | Path) -> Qrels:
    """Read judgements: BEIR's ``query-id  corpus-id  score`` with tabs, or TREC's ``query 0 item grade``.

    Raises:
        UserError: The file is missing or a line is neither; file and line are named.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"{path}: file not found")
    qrels: Qrels = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip() or (number == 1 and line.startswith("query-id\t")):
            continue
        fields = line.split("\t") if line.count("\t") == 2 else line.split()
        try:
            query_id, item_id, grade = fields if len(fields) == 3 else (fields[0], fields[2], fields[3])
            qrels.setdefault(query_id, {})[item_id] = int(grade)
        except (ValueError, IndexError) as error:
            raise UserError(
                f"{path}:{number}: expected 'query-id TAB item-id TAB grade' or 'query 0 item grade'"
            ) from error
    return qrels
