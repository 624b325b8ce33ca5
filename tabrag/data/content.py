"""When two tables are the same: a digest of what stands in them.

This is the project's one notion of it: pools merge such tables, training and mining never take one as a
negative of the other, and made-up questions are shared by them. Tables that are nearly the same are
:mod:`tabrag.data.near_duplicates`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabrag.files import inside, sha256_file
from tabrag.types import Table

_TITLES = ("title", "page_title", "section", "caption")


def content_digest(record: Mapping[str, Any], *, folder: Path, titles: bool) -> bytes:
    """16 bytes that are equal for two tables of the same cell texts, up to blanks and case.

    A merged region's text counts in each of its cells, as some sources spell it out. Two documents are the
    same where their texts are and neither has a table. A table without cells goes by the words of its
    picture, one without words by the picture's bytes, and one whose picture is missing equals no other.

    Args:
        record: The line of ``corpus.jsonl``, see :meth:`tabrag.data.store.RecordStore.record`.
        folder: The data set folder, for pictures.
        titles: Whether the texts of title, page title, section and caption must be the same too, in whichever
            of them they stand.
    """
    names = [record.get(name) or "" for name in _TITLES] if titles else []
    said: list[Any]
    if record.get("blocks") is not None:
        said = [
            "blocks",
            [[_plain(block.get("text") or ""), block.get("table")] for block in record["blocks"]],
        ]
    elif record.get("grid") is not None:
        said = _cells(record["grid"]["cells"], record["grid"].get("merged") or ())
    elif record.get("words"):
        said = ["words", record["words"]]
    elif record.get("image") and (picture := inside(folder, record["image"])).is_file():
        said = ["picture", sha256_file(picture)]
    else:
        said = ["id", record["_id"]]
    return _digest(names, said)


def table_digest(table: Table) -> bytes:
    """The same, with titles, of a table that stands in no folder yet: one that only has a picture equals no
    other.
    """
    if table.grid is not None:
        said = _cells(table.grid.cells, table.grid.merged)
    elif table.words:
        said = ["words", [word.text for word in table.words]]
    else:
        said = ["id", table.id]
    return _digest([getattr(table, name) for name in _TITLES], said)


def spelled_out(cells: Sequence[Sequence[str]], merged: Iterable[Sequence[int]]) -> list[list[str]]:
    """The cells with the text of each merged region in all of its cells; what a broken record says of places
    beyond the grid counts for nothing.
    """
    rows = [list(row) for row in cells]
    for first_row, last_row, first_col, last_col in merged:
        for row in rows[first_row : last_row + 1]:
            for col in range(first_col, min(last_col + 1, len(row))):
                row[col] = cells[first_row][first_col]
    return rows


def _cells(cells: Sequence[Sequence[str]], merged: Iterable[Sequence[int]]) -> list[Any]:
    return ["cells", [[_plain(text) for text in row] for row in spelled_out(cells, merged)]]


def _digest(titles: Iterable[str], said: list[Any]) -> bytes:
    names = sorted({_plain(title) for title in titles} - {""})
    return hashlib.blake2b(json.dumps([names, said]).encode(), digest_size=16).digest()


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
