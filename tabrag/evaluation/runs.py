"""Run files and judgement files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.files import atomic_write, json_object
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
    return {line.query_id: line.candidates for line in _lines(Path(path))}


class RunFile(Mapping[str, list[Candidate]]):
    """A run file of any size, read a query at a time: query id -> candidates, best first.

    One pass notes where each query's line starts, and no more is kept.

    Args:
        path: The run file.

    Raises:
        UserError: As of :func:`read_run`.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._places = {line.query_id: (line.start, line.number) for line in _lines(self.path)}

    def __getitem__(self, query_id: str) -> list[Candidate]:
        start, number = self._places[query_id]
        with self.path.open("rb") as file:
            file.seek(start)
            return _parsed(file.readline(), f"{self.path}:{number}")[1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a run file: its number from 1, its first byte, and what it says."""

    number: int
    start: int
    query_id: str
    candidates: list[Candidate]


def _lines(path: Path) -> Iterator[_Line]:
    """The lines of a run file, blank ones apart, each query once."""
    if not path.is_file():
        raise UserError(f"{path}: file not found; make a run with infer/retrieve.py")
    numbers: dict[str, int] = {}
    start = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                query_id, candidates = _parsed(line, f"{path}:{number}")
                if query_id in numbers:
                    raise UserError(
                        f"{path}:{number}: query '{query_id}' occurs twice, in line {numbers[query_id]} too"
                    )
                numbers[query_id] = number
                yield _Line(number, start, query_id, candidates)
            start += len(line)


def _parsed(line: bytes, where: str) -> tuple[str, list[Candidate]]:
    """Query id and candidates of a line; ``where`` is named in errors."""
    row = json_object(line, where)
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
