"""Facts and questions of ``files.jsonl`` against a data set folder, or against the files read on the spot."""

from __future__ import annotations

import fnmatch
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabrag.data.folder import DataFolder
from tabrag.documents.parsed import ParseOptions, Pictures
from tabrag.errors import UserError
from tabrag.evaluation.file_facts import TYPES, Checked, check_facts
from tabrag.files import read_jsonl
from tabrag.types import Document, Table


@dataclass(slots=True, kw_only=True)
class FileRead:
    """One file as it was read.

    Attributes:
        document: None where it failed.
        tables: In reading order.
        status: ``ok``, ``partial`` or ``failed``.
        reason: Why it is not ``ok``.
    """

    document: Document | None = None
    tables: list[Table] = field(default_factory=list)
    status: str = "ok"
    reason: str = ""


def file_records(
    files: str | Path, *, kind: str | None = None, name: str | None = None
) -> list[dict[str, Any]]:
    """The records of ``files.jsonl``.

    Args:
        files: The folder with ``files.jsonl``.
        kind: Only files of this kind.
        name: Only files whose path fits this pattern, ``*`` stands for anything; or holds this text.

    Raises:
        UserError: No ``files.jsonl``, or no file fits.
    """
    records = [
        record
        for record in read_jsonl(Path(files) / "files.jsonl")
        if kind in (None, record["kind"])
        and (name is None or name in record["path"] or fnmatch.fnmatch(record["path"], name))
    ]
    if not records:
        raise UserError(f"{files}: files.jsonl has no file of kind {kind} and name {name}")
    return records


class ReadFolder:
    """The files of a data set folder, by path.

    Args:
        data: The folder, made by ``scripts/prepare_data.py documents``.
    """

    def __init__(self, data: str | Path) -> None:
        self.folder = DataFolder(data)
        self._tables: dict[str, list[str]] = {}
        for table_id in self.folder.tables.ids:
            self._tables.setdefault(document_of(table_id), []).append(table_id)
        self._failed: dict[str, dict[str, Any]] = {}
        failed = self.folder.path / "failed.jsonl"
        if failed.is_file():
            for row in read_jsonl(failed):
                self._failed.setdefault(str(row.get("file")), row)

    def __call__(self, path: str) -> FileRead:
        """What was read of a file."""
        row = self._failed.get(path, {})
        read = FileRead(status=str(row.get("status") or "ok"), reason=str(row.get("reason") or ""))
        if path in self.folder.documents:
            read.document = self.folder.documents[path]
            read.tables = [self.folder.tables[table_id] for table_id in self._tables.get(path, [])]
        elif not row:
            read.status, read.reason = "failed", "the data set folder does not have it"
        return read


def read_now(files: str | Path, options: ParseOptions) -> Callable[[str], FileRead]:
    """A reader of single files that makes no data set folder; pictures go to a folder that is dropped."""

    def read(path: str) -> FileRead:
        from tabrag.documents.parse import parse_file

        with tempfile.TemporaryDirectory() as folder:
            try:
                parsed = parse_file(
                    Path(files) / path, path, pictures=Pictures(Path(folder), "file"), options=options
                )
            except UserError as error:
                return FileRead(status="failed", reason=str(error))
            except Exception as error:  # a parser that breaks on one file must not hide the others
                return FileRead(status="failed", reason=f"{type(error).__name__}: {error}")
        return FileRead(
            document=parsed.document,
            tables=parsed.tables,
            status="partial" if parsed.partial else "ok",
            reason="; ".join(parsed.notes),
        )

    return read


def evaluate_facts(
    records: Sequence[dict[str, Any]], read: Callable[[str], FileRead]
) -> Iterator[tuple[dict[str, Any], list[Checked]]]:
    """The facts of each file, checked, file by file."""
    for record in records:
        file = read(record["path"])
        yield (
            record,
            check_facts(file.document, file.tables, record["facts"], status=file.status, reason=file.reason),
        )


def figures(checked: Sequence[tuple[dict[str, Any], list[Checked]]]) -> dict[str, Any]:
    """Facts reached and checked, per kind of file and in all: of each type, and ``share`` of all types."""
    kinds: dict[str, Counter[tuple[str, bool]]] = {}
    for record, facts in checked:
        counts = kinds.setdefault(record["kind"], Counter())
        counts.update((str(one.fact["type"]), one.reached) for one in facts)
    whole: Counter[tuple[str, bool]] = Counter()
    for counts in kinds.values():
        whole.update(counts)
    return {kind: _shares(counts) for kind, counts in [*kinds.items(), ("all", whole)]}


def _shares(counts: Counter[tuple[str, bool]]) -> dict[str, Any]:
    reached = sum(count for (_, is_reached), count in counts.items() if is_reached)
    total = counts.total()
    per_type = {
        name: f"{counts[name, True]}/{counts[name, True] + counts[name, False]}"
        for name in TYPES
        if counts[name, True] + counts[name, False]
    }
    return {"reached": reached, "facts": total, "share": round(reached / max(total, 1), 4), **per_type}


def document_of(item_id: str) -> str:
    """The path of the file that an item (``PATH``, ``PATH#t3``) comes from."""
    head, mark, tail = item_id.rpartition("#")
    return head if mark and tail[:1].isalpha() and tail[1:].isdigit() else item_id
