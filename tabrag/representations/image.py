"""The picture of a table with its printed words (TabRAG's item side)."""

from __future__ import annotations

from pathlib import Path

from tabrag.errors import UserError
from tabrag.files import inside
from tabrag.tables.text import title_text
from tabrag.types import Entry, Table


def entries(table: Table, *, folder: Path) -> list[Entry]:
    """One entry: the picture's absolute path, its words where known, and the title as text.

    Raises:
        UserError: The table has no picture, or the file is not there.
    """
    if table.image is None:
        raise UserError(
            f"table '{table.id}' has no picture in {folder}; "
            "draw them with  scripts/prepare_data.py ... --render"
        )
    path = inside(folder, table.image)
    if not path.is_file():
        raise UserError(
            f"{path}: the picture of table '{table.id}' is missing; make the data set folder again"
        )
    return [Entry(id=table.id, item_id=table.id, text=title_text(table), image=str(path), words=table.words)]
