"""Pictures of a data set folder: safe file names, and rendering of many tables in several processes."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from tabrag.errors import UserError
from tabrag.types import Table, Word

_Outcome = list[Word] | str | None

_BATCH = 64  # tables a process gets at a time: bounds how far the source is read ahead


def picture_name(table_id: str, suffix: str = ".png") -> str:
    """A file name for any id: readable, safe on all systems, different for different ids.

    An id of lower-case letters, digits, ``.``, ``_`` and ``-`` stays as it is; any other one gets its odd
    characters replaced and a hash at its end.
    """
    safe = re.sub(r"[^A-Za-z0-9.-]+", "_", table_id).strip("._")[:80]
    if safe != table_id or safe != safe.lower():
        # Also for capitals: some file systems take "Data" and "data" for the same name.
        safe = f"{safe}-{hashlib.sha256(table_id.encode()).hexdigest()[:10]}"
    return safe + suffix


def render_tables(
    tables: Iterable[Table],
    folder: Path,
    *,
    style: str = "mixed",
    num_workers: int | None = None,
    undrawn: dict[str, str] | None = None,
) -> Iterator[Table]:
    """Draw each table to ``folder/images/`` and yield it with its picture's path and words, in order.

    Args:
        tables: Tables; one that has a picture already passes through unchanged.
        folder: The data set folder that is being written.
        style: A name of :data:`tabrag.tables.render.STYLES`, or ``mixed``: chosen by a hash of the id, so
            always the same.
        num_workers: Processes; as many as there are cores where None.
        undrawn: Takes up the tables that cannot be drawn (too large, no grid, no font), id -> reason; they
            are not yielded. Where None, such a table is an error.

    Raises:
        UserError: The style does not exist, or a table cannot be drawn and ``undrawn`` is None.
    """
    from tabrag.tables.render import STYLES

    if style != "mixed" and style not in STYLES:
        raise UserError(f"unknown style '{style}'; choose from mixed, {', '.join(STYLES)}")
    if num_workers is not None and num_workers < 1:
        raise UserError(f"--workers {num_workers}: give 1 or more")
    images = folder / "images"
    images.mkdir(exist_ok=True)
    draw = partial(_draw, images=images, style=style)
    num_workers = num_workers or num_cores()
    for table, drawn in _drawn(iter(tables), draw, num_workers=num_workers):
        if isinstance(drawn, list):
            yield replace(table, image=f"images/{picture_name(table.id)}", words=drawn)
        elif drawn is None:
            yield table
        elif undrawn is None:
            raise UserError(drawn)
        else:
            undrawn[table.id] = drawn


def _drawn(
    tables: Iterator[Table], draw: Callable[[Table], _Outcome], *, num_workers: int
) -> Iterator[tuple[Table, _Outcome]]:
    if num_workers == 1:
        yield from ((table, draw(table)) for table in tables)
        return
    with multiprocessing.get_context("spawn").Pool(num_workers) as pool:
        while batch := list(islice(tables, _BATCH * num_workers)):
            yield from zip(batch, pool.imap(draw, batch, chunksize=4), strict=True)


def draw_table(table: Table, path: Path, *, style: str) -> list[Word]:
    """Draw a table to a file; what it looks like depends on its id and content alone.

    Args:
        table: A table with a grid.
        path: The picture to write.
        style: See :func:`render_tables`.

    Returns:
        The words of the picture.

    Raises:
        UserError: It cannot be drawn: too large, no grid, no font.
    """
    from tabrag.tables.render import STYLES, render

    seed = zlib.crc32(table.id.encode())
    drawn = render(table, STYLES[seed % len(STYLES)] if style == "mixed" else style, seed=seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn.image.save(path)
    return drawn.words


def _draw(table: Table, *, images: Path, style: str) -> _Outcome:
    """Draw one table: its words; None where it has a picture already; a text says why it cannot be drawn."""
    if table.image is not None:
        return None
    try:
        return draw_table(table, images / picture_name(table.id), style=style)
    except UserError as error:
        return str(error)


def num_cores() -> int:
    """Cores that this process may use (macOS only knows how many there are)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
