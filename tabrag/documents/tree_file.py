"""A file of summary trees, of which one tree at a time is read."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from tabrag.documents.tree import DocumentTree, tree_from_record
from tabrag.errors import UserError

_HOW = "make it with infer/tree.py"


def read_tree(path: str | Path, document_id: str) -> DocumentTree:
    """The tree of a document.

    Args:
        path: File of trees, as ``infer/tree.py`` writes it.
        document_id: Id of the document.

    Raises:
        UserError: The file is missing or broken, or has no tree of this document.
    """
    path = Path(path)
    try:
        status = path.stat()
    except OSError as error:
        raise UserError(f"{path}: no file of trees; {_HOW}") from error
    places = _places(str(path), (status.st_size, status.st_mtime_ns))
    if document_id not in places:
        raise UserError(f"{path}: no tree of the document '{document_id}'; start infer/tree.py again")
    with path.open("rb") as file:
        file.seek(places[document_id])
        record = json.loads(file.readline())
    if "error" in record:
        raise UserError(
            f"{path}: the tree of '{document_id}' failed ({record['error']}); start infer/tree.py again"
        )
    try:
        return tree_from_record(record)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: the line of '{document_id}' is no tree ({error!r}); {_HOW}") from error


@lru_cache(maxsize=4)
def _places(path: str, stamp: tuple[int, int]) -> dict[str, int]:
    """Where the line of each document begins."""
    places: dict[str, int] = {}
    position = 0
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    places[str(json.loads(line)["_id"])] = position
                except (ValueError, KeyError, TypeError) as error:
                    raise UserError(f"{path}:{number}: no tree ({error!r}); {_HOW}") from error
            position += len(line)
    return places
