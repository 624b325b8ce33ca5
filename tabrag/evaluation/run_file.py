"""A run file of any size, read a query at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from tabrag.errors import UserError
from tabrag.evaluation.runs import parse_record
from tabrag.types import Candidate


class RunFile(Mapping[str, list[Candidate]]):
    """Query id -> candidates, best first; one pass notes where each query's line starts, and no more is kept.

    Args:
        path: The run file.

    Raises:
        UserError: The file is missing, a line is not of the run file's form, or a query occurs twice.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise UserError(f"{self.path}: file not found; make a run with infer/retrieve.py")
        self._places: dict[str, tuple[int, int]] = {}
        """Byte at which the line starts, and its number from 1."""
        start = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    query_id, _ = self._parse(line, number)
                    if query_id in self._places:
                        raise UserError(f"{self.path}:{number}: query '{query_id}' occurs twice")
                    self._places[query_id] = (start, number)
                start += len(line)

    def __getitem__(self, query_id: str) -> list[Candidate]:
        start, number = self._places[query_id]
        with self.path.open("rb") as file:
            file.seek(start)
            return self._parse(file.readline(), number)[1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def _parse(self, line: bytes, number: int) -> tuple[str, list[Candidate]]:
        where = f"{self.path}:{number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UserError(f"{where}: not a JSON object ({error})") from error
        return parse_record(row, where)
