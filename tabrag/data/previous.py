"""What an earlier ingestion left in a data set folder: the lines and pictures of each file, to be kept."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tabrag.data.pictures import picture_name
from tabrag.data.staged import PICTURE_FOLDERS
from tabrag.errors import UserError
from tabrag.files import read_jsonl

FILES = "files.jsonl"
"""Which files a folder was made of: one line a file, in the order of its documents."""


@dataclass(frozen=True, slots=True)
class _Kept:
    row: dict[str, Any]
    tables: tuple[int, int]
    document: tuple[int, int]


class Previous:
    """The older folder, read line by line once; what does not agree with its ``files.jsonl`` is not kept.

    Args:
        folder: The data set folder; it may not be there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: dict[str, _Kept] = {}
        if all((folder / name).is_file() for name in (FILES, "corpus.jsonl", "documents.jsonl")):
            try:
                self._kept = dict(self._read())
            except (UserError, KeyError, TypeError, ValueError):
                self._kept = {}  # written by another hand: everything is read anew

    @property
    def names(self) -> set[str]:
        """Ids of the documents that it has."""
        return set(self._kept)

    def row(self, name: str) -> dict[str, Any] | None:
        """The line of ``files.jsonl`` of a file whose records and pictures are all there."""
        kept = self._kept.get(name)
        if kept is None or kept.row["pictures"] != num_pictures(self.folder, name):
            return None
        return kept.row

    def copy(self, name: str, corpus: IO[bytes], documents: IO[bytes], target: Path) -> None:
        """Append the lines of a file to new files, and link its pictures into a new folder."""
        kept = self._kept[name]
        for source, (start, length), out in (
            ("corpus.jsonl", kept.tables, corpus),
            ("documents.jsonl", kept.document, documents),
        ):
            with (self.folder / source).open("rb") as file:
                file.seek(start)
                copy_bytes(file, out, length)
        link_pictures(self.folder, target, name)

    def _read(self) -> Iterator[tuple[str, _Kept]]:
        with (
            (self.folder / "corpus.jsonl").open("rb") as corpus,
            (self.folder / "documents.jsonl").open("rb") as documents,
        ):
            for row in read_jsonl(self.folder / FILES):
                if row["status"] == "failed":
                    continue
                tables, document = corpus.tell(), documents.tell()
                for name in row["tables"]:
                    _expect(corpus.readline(), name)
                _expect(documents.readline(), row["path"])
                yield (
                    row["path"],
                    _Kept(
                        row,
                        (tables, corpus.tell() - tables),
                        (document, documents.tell() - document),
                    ),
                )


def num_pictures(folder: Path, name: str) -> int:
    """How many pictures of a document lie in a folder."""
    places = (folder / kind / picture_name(name, "") for kind in PICTURE_FOLDERS)
    return sum(path.is_file() for place in places for path in place.rglob("*"))


def link_pictures(source: Path, target: Path, name: str) -> None:
    """Put the pictures of a document into another folder: as links to the same bytes where the system can."""
    for kind in PICTURE_FOLDERS:
        place = source / kind / picture_name(name, "")
        for path in sorted(place.rglob("*")):
            if path.is_file():
                goal = target / path.relative_to(source)
                goal.parent.mkdir(parents=True, exist_ok=True)
                try:
                    os.link(path, goal)
                except OSError:
                    shutil.copyfile(path, goal)


def copy_bytes(source: IO[bytes], target: IO[bytes], length: int) -> None:
    """Copy a part of a file in pieces."""
    while length > 0:
        piece = source.read(min(length, 1 << 20))
        if not piece:
            raise UserError(f"{source.name}: ended while it was read; start again")
        target.write(piece)
        length -= len(piece)


def _expect(line: bytes, name: str) -> None:
    if not line.startswith(b'{"_id": ' + json.dumps(name, ensure_ascii=False).encode()):
        raise ValueError(name)
