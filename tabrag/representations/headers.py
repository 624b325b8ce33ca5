"""Title and header paths as text, without the data (the item side of THoRR)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tabrag.tables.text import headers_text
from tabrag.types import Entry, Table


def entries(
    table: Table,
    *,
    folder: Path | None = None,
    fields: Sequence[str] = ("title", "left", "top"),
    parents: str = "repeat",
) -> list[Entry]:
    """One text entry: ``title | left header paths | top header paths``.

    Args:
        table: The table.
        folder: Not needed: a text stands for itself.
        fields: Which parts, in which order; models cut long texts at the end, so the order decides what is
            lost.
        parents: ``repeat`` prints whole paths, ``once`` each header a single time.
    """
    return [
        Entry(id=table.id, item_id=table.id, text=headers_text(table, fields=tuple(fields), parents=parents))
    ]
