"""Pictures of a data set folder: safe file names, and rendering of many tables in several processes."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from tabrag.errors import UserError
from tabrag.types import Table, Word

_BATCH = 64  # tables a process gets at a time: bounds how far the source is read ahead


def picture_name(table_id: str, suffix: str = ".png") -> str:
    """A file name for any id: readable, safe on all systems, different for different ids.

    An id of lower-case letters, digits, ``.``, ``_`` and ``-`` stays as it is; any other one gets its odd
    characters replaced and a hash at its end.
    """
    safe = re.sub(r"[^A-Za-z0-9._-]+", "_", table_id).strip("._")[:80]
    if safe != table_id or safe != safe.lower():
        # Also for capitals: some file systems take "Data" and "data" for the same name.
        safe = f"{safe}-{hashlib.sha256(table_id.encode()).hexdigest()[:10]}"
    return safe + suffix


def render_tables(
    tables: Iterable[Table], folder: Path, *, style: str = "mixed", num_workers: int | None = None
) -> Iterator[Table]:
    """Draw each table to ``folder/images/`` and yield it with its picture's path and words, in order.

    Args:
        tables: Tables; one without a grid passes through unchanged.
        folder: The data set folder that is being written.
        style: A name of :data:`tabrag.tables.render.STYLES`, or ``mixed``: chosen by a hash of the id, so
            always the same.
        num_workers: Processes; as many as there are cores where None.

    Raises:
        UserError: The style does not exist.
    """
    from tabrag.tables.render import STYLES

    if style != "mixed" and style not in STYLES:
        raise UserError(f"unknown style '{style}'; choose from mixed, {', '.join(STYLES)}")
    images = folder / "images"
    images.mkdir(exist_ok=True)
    workers = (
        num_workers or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else num_workers or 1
    )
    tables = iter(tables)
    if workers == 1:
        for table in tables:
            yield _with_picture(table, _draw((table, images, style)))
        return
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        while batch := list(islice(tables, _BATCH * workers)):
            words = pool.imap(_draw, [(table, images, style) for table in batch], chunksize=4)
            yield from (_with_picture(table, drawn) for table, drawn in zip(batch, words, strict=True))


def _num_cores() -> int:
    """Cores that this process may use (macOS only knows how many there are)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _draw(job: tuple[Table, Path, str]) -> list[Word] | None:
    from tabrag.tables.render import STYLES, render

    table, images, style = job
    if table.grid is None:
        return None
    seed = zlib.crc32(table.id.encode())
    try:
        drawn = render(table, STYLES[seed % len(STYLES)] if style == "mixed" else style, seed=seed)
    except UserError as error:
        raise UserError(f"table '{table.id}' cannot be drawn: {error}") from error
    drawn.image.save(images / picture_name(table.id), optimize=False)
    return drawn.words


def _with_picture(table: Table, words: list[Word] | None) -> Table:
    return table if words is None else replace(table, image=f"images/{picture_name(table.id)}", words=words)
