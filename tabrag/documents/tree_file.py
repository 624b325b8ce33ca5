"""A file of summary trees, of which one tree at a time is read."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tabrag.documents.tree import DocumentTree, tree_from_record
from tabrag.errors import UserError
from tabrag.files import json_object

_HOW = "make it with infer/tree.py"


def read_tree(path: str | Path, document_id: str) -> DocumentTree:
    """The tree of a document.

    Args:
        path: File of trees, as ``infer/tree.py`` writes it.
        document_id: Id of the document.

    Raises:
        UserError: The file is missing or broken, or has no tree of this document.
    """
    places = _current_places(path)
    if document_id not in places:
        raise UserError(
            f"{path}: no tree of the document '{document_id}': name the file that was made of this data set "
            "folder, or start infer/tree.py again"
        )
    number, start = places[document_id]
    with Path(path).open("rb") as file:
        file.seek(start)
        record = json_object(file.readline(), f"{path}:{number}")
    if "error" in record:
        raise UserError(
            f"{path}:{number}: the tree of '{document_id}' failed ({record['error']}); start infer/tree.py "
            "again"
        )
    try:
        return tree_from_record(record)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError(
            f"{path}:{number}: the line of '{document_id}' is no tree ({error!r}); {_HOW}"
        ) from error


def check_trees(path: str | Path) -> None:
    """Refuse a file of trees in which trees cannot be found.

    Raises:
        UserError: It is missing, a line has no id, or two have the same.
    """
    _current_places(path)


def _current_places(path: str | Path) -> dict[str, tuple[int, int]]:
    """Number and first byte of each document's line."""
    try:
        status = Path(path).stat()
    except OSError as error:
        raise UserError(f"{path}: no file of trees; {_HOW}") from error
    return _places(str(path), (status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=4)
def _places(path: str, stamp: tuple[int, int]) -> dict[str, tuple[int, int]]:
    places: dict[str, tuple[int, int]] = {}
    position = 0
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                document_id = json_object(line, f"{path}:{number}").get("_id")
                if not isinstance(document_id, str):
                    raise UserError(f"{path}:{number}: no tree: its '_id' is {document_id!r}; {_HOW}")
                if document_id in places:
                    raise UserError(
                        f"{path}:{number}: the tree of '{document_id}' stands in line "
                        f"{places[document_id][0]} already; {_HOW}"
                    )
                places[document_id] = (number, position)
            position += len(line)
    return places
