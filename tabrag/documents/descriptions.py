"""Descriptions that a chat model wrote of entries, kept by the content of the entry."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from tabrag.errors import UserError
from tabrag.files import read_jsonl
from tabrag.types import Entry


def description_key(text: str) -> str:
    """32 hex digits of the text that was described."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Descriptions:
    """Puts descriptions in the place of the texts that they were written from.

    Args:
        path: JSONL file of ``{"_id": key, "text": description}``, see :func:`description_key`.

    Raises:
        UserError: The file is missing or broken.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        _read(str(path), _stamp(self.path))

    def __call__(self, entries: list[Entry]) -> list[Entry]:
        """The entries with their descriptions; those without one stay as they are."""
        texts = _read(str(self.path), _stamp(self.path))
        return [
            replace(entry, text=texts[key]) if (key := description_key(entry.text)) in texts else entry
            for entry in entries
        ]


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise UserError(f"{path}: no file of descriptions; make it with infer/describe.py") from error
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=4)
def _read(path: str, stamp: tuple[int, int]) -> dict[str, str]:
    """Descriptions by key; rows that failed or are empty have none."""
    texts: dict[str, str] = {}
    for number, row in enumerate(read_jsonl(path), start=1):
        key, text = row.get("_id"), row.get("text", "")
        if not isinstance(key, str) or not isinstance(text, str):
            raise UserError(f"{path}: record {number} is no description: it needs '_id' and 'text'")
        if text.strip() and "error" not in row:
            texts[key] = text
    return texts
