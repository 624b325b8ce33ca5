"""Write an index folder: new entries are encoded, known ones keep their vectors; it appears whole."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tabrag import distributed
from tabrag.errors import UserError
from tabrag.files import atomic_folder
from tabrag.index.bm25 import Bm25Index
from tabrag.index.config import Bm25Config, EncodeConfig
from tabrag.index.engine import VECTORS, build_engine
from tabrag.index.manifest import MANIFEST, Manifest
from tabrag.index.partial import KnownVectors, content_hash
from tabrag.index.rows import Row, merge_rows, write_rows
from tabrag.types import Entry

if TYPE_CHECKING:
    from tabrag.models.retriever import Retriever

ENTRIES_PER_SHARD = 16384
"""Entries that are encoded between two saves of a build."""


def refuse_foreign(path: Path) -> None:
    """Raise :class:`UserError` where an index at ``path`` would destroy something else."""
    if path.exists() and not (path.is_dir() and ((path / MANIFEST).is_file() or not any(path.iterdir()))):
        raise UserError(f"{path} exists and is not an index: name another folder")


def write_index(
    path: Path,
    manifest: Manifest,
    entries: Iterable[Entry],
    *,
    retriever: Retriever | None,
    bm25: Bm25Config | None,
    encoding: EncodeConfig,
    kept: Sequence[Row] = (),
    known: Sequence[tuple[Sequence[Row], np.ndarray]] = (),
    entries_per_shard: int = ENTRIES_PER_SHARD,
) -> int:
    """Write an index folder; it takes the place of ``path`` when it is complete.

    Args:
        path: The folder.
        manifest: Its kind, metric, encoder and so on; counts and checksums are filled in.
        entries: New entries; they replace kept ones of the same items.
        retriever: Makes vectors; None for ``bm25``, or where all content is known.
        bm25: Settings of ``bm25``.
        encoding: Device, number format and batch size.
        kept: Rows of an older index that stay.
        known: Rows and vectors of indexes by the same encoder; what they have is not encoded again.
        entries_per_shard: Entries that are encoded between two saves.

    Returns:
        How many entries were encoded.

    Raises:
        UserError: Entry ids occur twice, a vector is not usable, or unknown content without a retriever.
    """
    if manifest.kind == "bm25":
        rows = merge_rows(
            kept,
            (
                Row(entry.id, entry.item_id, content_hash(entry), entry.text, entry.metadata)
                for entry in entries
            ),
        )
        if distributed.is_main():
            with atomic_folder(path) as folder:
                Bm25Index(bm25).build([row.text or "" for row in rows]).save(folder)
                _finish(folder, manifest, rows)
        distributed.barrier()
        return 0
    key = {"encoder": manifest.encoder, "dim": manifest.dim}
    vectors = KnownVectors(path.parent / f".{path.name}.partial", key=key)
    for known_rows, known_vectors in known:
        vectors.add(known_vectors, (row.hash for row in known_rows))
    num_before = len(vectors)
    rows = merge_rows(kept, _encoded_rows(entries, vectors, retriever, encoding, entries_per_shard))
    if distributed.is_main():
        with atomic_folder(path) as folder:
            vectors.write(folder / VECTORS, [row.hash for row in rows], manifest.dim)
            build_engine(folder, manifest, [row.id for row in rows])
            _finish(folder, manifest, rows)
    vectors.clear()
    return len(vectors) - num_before


def _encoded_rows(
    entries: Iterable[Entry],
    known: KnownVectors,
    retriever: Retriever | None,
    encoding: EncodeConfig,
    entries_per_shard: int,
) -> Iterator[Row]:
    """Rows of the entries; those with unknown content are encoded, a shard at a time."""
    from tabrag.inference.encode import encode

    waiting: dict[str, Entry] = {}

    def flush() -> None:
        if waiting and retriever is None:
            raise UserError("there are new or changed items: name the retriever that made the index")
        if waiting:
            known.encode(
                list(waiting.values()),
                list(waiting),
                lambda part: encode(retriever.item, part, **dataclasses.asdict(encoding)),
            )
        waiting.clear()

    for entry in entries:
        digest = content_hash(entry)
        if digest not in known:
            waiting.setdefault(digest, entry)
        yield Row(entry.id, entry.item_id, digest, metadata=entry.metadata)
        if len(waiting) >= entries_per_shard:
            flush()
    flush()


def _finish(folder: Path, manifest: Manifest, rows: Sequence[Row]) -> None:
    write_rows(folder, rows)
    manifest.num_entries, manifest.num_items = len(rows), len({row.item_id for row in rows})
    manifest.write(folder)
