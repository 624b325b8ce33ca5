"""Checks a data set folder and tells each fault with its file and line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabrag.data.folder import QRELS_HEADER
from tabrag.data.records import lone_half
from tabrag.data.validate_document import document_faults
from tabrag.data.validate_query import evidence_faults, query_faults
from tabrag.data.validate_table import grid_size, is_cell, table_faults
from tabrag.documents.part import table_id_fault
from tabrag.errors import UserError


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault.

    Attributes:
        file: Path of the file.
        line: 1-based; 0 where the fault is the whole file's.
        message: What is wrong.
    """

    file: str
    line: int
    message: str


def validate(path: str | Path, *, images: bool = False) -> list[Fault]:
    """All faults of a data set folder, in the order of files and lines; an empty list for a good one.

    A folder needs ``corpus.jsonl``; documents, queries, judgements, gold headers and evidence are checked
    where they are.

    Args:
        path: The folder.
        images: Also decode every picture (slow); without it, missing and empty ones are still found.

    Raises:
        UserError: There is no such folder.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    return list(_Validation(folder, decode_images=images).run())


class _Validation:
    """One run: what the later files must agree with is kept from the earlier ones."""

    def __init__(self, folder: Path, *, decode_images: bool) -> None:
        self.folder = folder
        self.decode_images = decode_images
        self.sizes: dict[str, tuple[int, int] | None] = {}
        self.homes: dict[str, str] = {}
        self.documents: dict[str, None] = {}
        self.query_ids: set[str] = set()
        self.split_of: dict[str, str] = {}
        self.with_evidence: set[str] = set()

    def run(self) -> Iterator[Fault]:
        corpus = self.folder / "corpus.jsonl"
        if not corpus.is_file():
            yield Fault(str(corpus), 0, "file not found")
        else:
            yield from self._ids_and(corpus, self.sizes, self._table)
        documents = self.folder / "documents.jsonl"
        if documents.is_file():
            yield from self._ids_and(documents, self.documents, self._document)
            yield from self._hiding(corpus)
            yield from self._homeless(corpus)
        if corpus.is_file() and not self.sizes and not self.documents:
            yield Fault(str(corpus), 0, "no table")
        queries = self.folder / "queries.jsonl"
        if queries.is_file():
            ids: dict[str, None] = {}
            yield from self._ids_and(queries, ids, lambda record: (None, query_faults(record)))
            self.query_ids = set(ids)
        for file in sorted((self.folder / "qrels").glob("*.tsv")):
            if not file.name.startswith("."):
                yield from self._qrels(file)
        for name, check in (("headers.jsonl", self._gold), ("evidence.jsonl", self._evidence)):
            file = self.folder / name
            for line, record in _records(file) if file.is_file() else ():
                messages = [record] if isinstance(record, str) else check(record)
                yield from (Fault(str(file), line, message) for message in messages)

    def _ids_and(
        self, file: Path, known: dict[str, Any], check: Callable[[dict[str, Any]], tuple[Any, list[str]]]
    ) -> Iterator[Fault]:
        """The faults of a file of records with ids; fills ``known`` (id -> what ``check`` gives besides)."""
        from tqdm import tqdm

        lines: dict[str, int] = {}
        for line, record in tqdm(
            _records(file), desc=file.name, unit=" lines", mininterval=1.0, disable=None
        ):
            if isinstance(record, str):
                yield Fault(str(file), line, record)
                continue
            value, messages = check(record)
            identifier = record.get("_id")
            if not isinstance(identifier, str) or not identifier.strip():
                messages = ["'_id' is missing or no text", *messages]
            elif any(character in identifier for character in "\t\r\n"):
                messages = [f"id {identifier!r} holds a tab or a line break", *messages]
            elif identifier in lines:
                messages = [f"id '{identifier}' stands in line {lines[identifier]} already", *messages]
            else:
                lines[identifier] = line
                known[identifier] = value
            yield from (Fault(str(file), line, message) for message in messages)

    def _table(self, record: dict[str, Any]) -> tuple[tuple[int, int] | None, list[str]]:
        faults = table_faults(record, folder=self.folder, decode_images=self.decode_images)
        if isinstance(document := record.get("document"), str):
            self.homes.setdefault(document, str(record.get("_id")))
        return grid_size(record), faults

    def _document(self, record: dict[str, Any]) -> tuple[None, list[str]]:
        return None, document_faults(
            record, folder=self.folder, known=self.sizes, decode_images=self.decode_images
        )

    def _hiding(self, corpus: Path) -> Iterator[Fault]:
        """Faults of tables behind whose ids documents or parts of these would hide."""
        faults = {one: fault for one in self.sizes if (fault := table_id_fault(one, self.documents))}
        for line, record in _records(corpus) if faults else ():
            if isinstance(record, dict) and (fault := faults.pop(str(record.get("_id")), "")):
                yield Fault(str(corpus), line, fault)

    def _homeless(self, corpus: Path) -> Iterator[Fault]:
        """Faults of tables whose document is not there."""
        for document, table_id in self.homes.items():
            if document not in self.documents:
                message = f"table '{table_id}' stands in the document '{document}', which is not there"
                yield Fault(str(corpus), 0, message)

    def _qrels(self, file: Path) -> Iterator[Fault]:
        seen: dict[tuple[str, str], int] = {}
        for line, text in _lines(file):
            if line == 1:
                if text != QRELS_HEADER:
                    yield Fault(str(file), 1, f"the first line must be {QRELS_HEADER!r}, found {text[:80]!r}")
                continue
            if not text.strip():
                continue
            parts = text.split("\t")
            if len(parts) != 3:
                yield Fault(str(file), line, f"expected 3 columns separated by tabs, found {len(parts)}")
                continue
            query_id, table_id, grade = parts
            for message in self._judgement(query_id, table_id, grade, split=file.stem):
                yield Fault(str(file), line, message)
            if (query_id, table_id) in seen:
                first = seen[query_id, table_id]
                yield Fault(
                    str(file), line, f"'{query_id}' and '{table_id}' are judged in line {first} already"
                )
            seen.setdefault((query_id, table_id), line)
        yield from self._twin(file, set(seen))

    def _judgement(self, query_id: str, table_id: str, grade: str, *, split: str) -> Iterator[str]:
        if query_id not in self.query_ids:
            yield f"unknown query id '{query_id}': queries.jsonl does not have it"
        if table_id not in self.sizes and table_id not in self.documents:
            holders = "corpus.jsonl does not have it"
            if self.documents:
                holders = "neither corpus.jsonl nor documents.jsonl has it"
            yield f"unknown table id '{table_id}': {holders}"
        if not grade.strip().removeprefix("-").isdecimal():
            yield f"the score must be a whole number, found {grade!r}"
        other = self.split_of.setdefault(query_id, split)
        if other != split:
            yield f"query '{query_id}' stands in split '{other}' too"

    def _twin(self, file: Path, judged: set[tuple[str, str]]) -> Iterator[Fault]:
        """Faults of the JSON form of a split, which only ``datasets`` reads and which may be absent."""
        twin = file.with_suffix(".jsonl")
        if not twin.is_file():
            return
        pairs = set()
        for line, record in _records(twin):
            if isinstance(record, str):
                yield Fault(str(twin), line, record)
            else:
                pairs.add((str(record.get("query-id")), str(record.get("corpus-id"))))
        if pairs != judged:
            yield Fault(str(twin), 0, f"differs from {file.name}: write the folder anew, or delete this file")

    def _gold(self, record: dict[str, Any]) -> list[str]:
        messages = []
        query_id, table_id = record.get("query_id"), record.get("table_id")
        if not isinstance(query_id, str) or query_id not in self.query_ids:
            messages.append(f"unknown query id {query_id!r}")
        if not isinstance(table_id, str) or table_id not in self.sizes:
            messages.append(f"unknown table id {table_id!r}")
        if not isinstance(record.get("formula") or "", str):
            messages.append(f"'formula' must be a text, found {record['formula']!r}")
        size = self.sizes.get(table_id) if isinstance(table_id, str) else None
        for key in ("top", "left", "answer_cells"):
            cells = record.get(key) or []
            if not isinstance(cells, list):
                messages.append(f"'{key}' must be a list of [row, col]")
                continue
            messages += [
                f"'{key}' names {cell!r}, which is no [row, col] inside the table '{table_id}'"
                for cell in cells
                if not is_cell(cell, size)
            ]
        return messages

    def _evidence(self, record: dict[str, Any]) -> list[str]:
        messages = []
        query_id, facts = record.get("query_id"), record.get("facts")
        if not isinstance(query_id, str) or query_id not in self.query_ids:
            messages.append(f"unknown query id {query_id!r}")
        if query_id in self.with_evidence:
            messages.append(f"query {query_id!r} has evidence in an earlier line already")
        self.with_evidence.add(str(query_id))
        return messages + evidence_faults(facts, self.documents)


def _records(file: Path) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Line number and object of each line that is not blank; a text that tells the fault for a broken one."""
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield number, f"not a JSON object: {error}"
                continue
            if rb"\ud" in line.lower() and (half := lone_half(json.dumps(record, ensure_ascii=False))):
                yield number, f"half of a character ({half}), which is no text"
                continue
            is_object = isinstance(record, dict)
            yield number, record if is_object else f"not a JSON object: {type(record).__name__}"


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            yield number, line.decode("utf-8", errors="replace").rstrip("\r\n")
