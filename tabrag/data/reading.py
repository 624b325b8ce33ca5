"""What can be read from the picture of a table: the first thing that a new projector learns.

Liu et al., 2023 ("Visual Instruction Tuning"), section 4.2, train the projector on captions of pictures
before anything else; a table's picture prints its own.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tabrag.tables.axes import axis_headers
from tabrag.tables.grid import cell_text
from tabrag.tables.text import headers_text, one_line
from tabrag.types import Table

MAX_LENGTH = 160
"""Characters of a reply, which ends with a whole header."""
_SEPARATOR = "; "


def reading(table: Table, draw: random.Random) -> tuple[str, str] | None:
    """Something that stands in the picture of ``table``, drawn at random.

    Args:
        table: The table.
        draw: The source of chance.

    Returns:
        What to read (``the title``, ``the column headers``, ``the row headers``, ``the value of ROW,
        COLUMN``) and what stands there; None where nothing is known of the table.
    """
    kinds: list[Callable[[], tuple[str, str] | None]] = [
        lambda: ("the title", one_line(table.title)),
        lambda: ("the column headers", _headers(table, "top")),
        lambda: ("the row headers", _headers(table, "left")),
        lambda: _value(table, draw),
    ]
    draw.shuffle(kinds)
    return next((found for kind in kinds if (found := kind()) and found[1]), None)


def _headers(table: Table, side: str) -> str:
    """The first headers of a side, each once, parents before their children."""
    text = headers_text(table, fields=[side], header_separator=_SEPARATOR, parents="once")
    if len(text) <= MAX_LENGTH:
        return text
    return text[:MAX_LENGTH].rpartition(_SEPARATOR)[0] or text[:MAX_LENGTH]


def _value(table: Table, draw: random.Random) -> tuple[str, str] | None:
    """A body cell, named by its innermost headers."""
    if table.grid is None:
        return None
    rows, cols = ([one for one in axis_headers(table.grid, axis) if one.path] for axis in ("row", "col"))  # type: ignore[arg-type]
    places = [
        (row, col, text)
        for row in rows
        for col in cols
        if (text := one_line(cell_text(table.grid, row.position, col.position)))
    ]
    if not places:
        return None
    row, col, text = draw.choice(places)
    return f"the value of {one_line(row.texts[-1])}, {one_line(' '.join(col.texts))}", text
