"""Title and the whole grid as Markdown, or the words of a picture that has no grid."""

from __future__ import annotations

from pathlib import Path

from tabrag.tables.text import markdown, title_text, words_text
from tabrag.types import Entry, Table


def entries(
    table: Table, *, folder: Path | None = None, title: bool = True, spans: str = "first"
) -> list[Entry]:
    """One text entry: the title's line, then the table; without a grid, the words of its picture.

    Args:
        table: The table.
        folder: Not needed: a text stands for itself.
        title: Whether the title's line comes first.
        spans: ``first`` writes the text of a merged region once, ``repeat`` in each of its cells.
    """
    body = words_text(table) if table.grid is None else markdown(table, spans=spans)
    parts = [title_text(table) if title else "", body]
    return [Entry(id=table.id, item_id=table.id, text="\n".join(part for part in parts if part))]
