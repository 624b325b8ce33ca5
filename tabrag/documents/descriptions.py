"""Descriptions that a chat model wrote of tables and pictures, kept by the content that was described."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from tabrag.errors import UserError
from tabrag.files import read_jsonl, sha256_file


class Written(Protocol):
    """Knows what was written of a text, or of a picture with the text that describes it so far."""

    def of(self, text: str, picture: Path | None = None) -> str | None:
        """The description that takes the place of ``text``; None where there is none."""


def description_key(text: str, picture: Path | None = None) -> str:
    """32 hex digits of the text that was described; of a picture those of its text and its content.

    Raises:
        UserError: The picture cannot be read.
    """
    if picture is None:
        return hashlib.sha256(text.encode()).hexdigest()[:32]
    try:
        content = sha256_file(picture)
    except OSError as error:
        raise UserError(f"{picture}: the picture cannot be read ({error.strerror})") from error
    return hashlib.sha256(f"{text}\n{content}".encode()).hexdigest()[:32]


class Descriptions:
    """The descriptions of a file; one that has changed is read again.

    Args:
        path: JSONL file of ``{"_id": key, "text": description}``, see :func:`description_key`.

    Raises:
        UserError: The file is missing or broken.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        _read(str(path), _stamp(self.path))

    def of(self, text: str, picture: Path | None = None) -> str | None:
        """The description that takes the place of ``text``; None where there is none."""
        return _read(str(self.path), _stamp(self.path)).get(description_key(text, picture))


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
