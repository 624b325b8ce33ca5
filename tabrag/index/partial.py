"""Vectors that are already known, by the content they were made from; also across a killed build."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from tabrag import distributed
from tabrag.errors import UserError
from tabrag.files import atomic_write, read_json, sha256_file, sha256_json, write_json
from tabrag.types import Entry

logger = logging.getLogger(__name__)

_ROWS_AT_ONCE = 16384


def content_hash(entry: Entry) -> str:
    """Hex digest of what an encoder sees of an entry: text, words, and what is shown of its picture.

    Names do not count.
    """
    words = None if entry.words is None else [[word.text, list(word.box)] for word in entry.words]
    try:
        picture = None if entry.image is None else sha256_file(entry.image)
    except OSError as error:
        raise UserError(
            f"entry '{entry.id}': its picture cannot be read: {entry.image} ({error.strerror})"
        ) from error
    strips = [] if entry.strips is None else [entry.strips]
    return sha256_json([entry.text, words, picture, *strips])[:32]


class KnownVectors:
    """Vectors by content hash, from finished shards in a folder and from an older index.

    A shard is a pair ``N.npy`` (vectors) and ``N.json`` (their hashes), written in this order: a shard
    without its JSON file was cut off and is made again. Every process of a group calls the methods alike;
    process 0 writes.
    """

    def __init__(self, folder: Path, *, key: dict[str, object]) -> None:
        """Continue the work in ``folder``, or start anew where it was made under another ``key``."""
        self.folder = folder
        self._arrays: list[np.ndarray] = []
        self._places: dict[str, tuple[int, int]] = {}
        with distributed.main_first():
            if distributed.is_main():
                self._start(key)
        for path in sorted(folder.glob("*.json")):
            if path.name != "key.json":
                self.add(np.load(path.with_suffix(".npy"), mmap_mode="r"), read_json(path))
        if self._places:
            logger.info("%s: continuing with %d vectors that are done", folder, len(self._places))

    def _start(self, key: dict[str, object]) -> None:
        path = self.folder / "key.json"
        if self.folder.exists() and (not path.is_file() or read_json(path) != key):
            logger.info("%s: made by another encoder or with other settings, starting anew", self.folder)
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_json(path, key)

    def __contains__(self, digest: str) -> bool:
        return digest in self._places

    def __len__(self) -> int:
        return len(self._places)

    def add(self, vectors: np.ndarray, hashes: Iterable[str]) -> None:
        """Make rows known under their hashes."""
        for row, digest in enumerate(hashes):
            self._places.setdefault(digest, (len(self._arrays), row))
        self._arrays.append(vectors)

    def encode(
        self, entries: Sequence[Entry], hashes: Sequence[str], encode: Callable[[Sequence[Entry]], np.ndarray]
    ) -> None:
        """Encode entries and keep the result as one more shard."""
        vectors = encode(entries)
        if len(vectors) != len(entries):
            raise UserError(f"the encoder gave {len(vectors)} vectors for {len(entries)} entries")
        if distributed.is_main():
            name = f"{len(list(self.folder.glob('*.json'))):06d}"
            with atomic_write(self.folder / f"{name}.npy", binary=True) as file:
                np.save(file, vectors, allow_pickle=False)
            write_json(self.folder / f"{name}.json", list(hashes))
        self.add(vectors, hashes)

    def write(self, path: Path, hashes: Sequence[str], dim: int) -> None:
        """Write the vectors of ``hashes`` as one float32 array, a block at a time."""
        if not hashes:
            np.save(path, np.zeros((0, dim), np.float32), allow_pickle=False)
            return
        out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(len(hashes), dim))
        for start in range(0, len(hashes), _ROWS_AT_ONCE):
            for row, digest in enumerate(hashes[start : start + _ROWS_AT_ONCE], start=start):
                array, place = self._places[digest]
                out[row] = self._arrays[array][place]
        out.flush()

    def clear(self) -> None:
        """Remove the folder: the index stands."""
        distributed.barrier()
        if distributed.is_main():
            shutil.rmtree(self.folder, ignore_errors=True)
