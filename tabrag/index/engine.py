"""The search engine of an index folder, by kind: built, saved and opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tabrag.index.bm25 import Bm25Index
from tabrag.index.config import EncodeConfig
from tabrag.index.manifest import Manifest

if TYPE_CHECKING:
    from tabrag.index.exact import ExactIndex
    from tabrag.index.faiss_index import FaissIndex

VECTORS = "vectors.npy"
FAISS = "faiss.index"


def load_vectors(folder: Path, num_entries: int) -> np.ndarray:
    """The memory-mapped vectors of a dense index, float32 [N, E], in the order of its rows."""
    return np.load(folder / VECTORS, mmap_mode="r" if num_entries else None, allow_pickle=False)


def build_engine(folder: Path, manifest: Manifest, ids: Sequence[str]) -> None:
    """Check the vectors, and save what would take long to make from them when the index is opened."""
    from tabrag.index.exact import ExactIndex

    vectors = load_vectors(folder, len(ids))
    if manifest.kind == "exact":
        ExactIndex(metric=manifest.metric).build(vectors, ids=ids)
        return
    from tabrag.index.faiss_index import FaissIndex

    index = FaissIndex(manifest.kind.removeprefix("faiss-"), metric=manifest.metric, gpu=False)
    index.build(vectors, ids=ids)
    if manifest.kind != "faiss-flat":
        index.save(folder / FAISS)


def open_engine(
    folder: Path, manifest: Manifest, encoding: EncodeConfig
) -> Bm25Index | ExactIndex | FaissIndex:
    """The engine that searches the folder."""
    if manifest.kind == "bm25":
        return Bm25Index.load(folder)
    if manifest.kind == "exact":
        return _exact(load_vectors(folder, manifest.num_entries), manifest, encoding)
    from tabrag.index.faiss_index import FaissIndex

    kind = manifest.kind.removeprefix("faiss-")
    gpu = encoding.device != "cpu"
    if kind == "flat":
        return FaissIndex(kind, metric=manifest.metric, gpu=gpu).build(
            load_vectors(folder, manifest.num_entries)
        )
    return FaissIndex.load(folder / FAISS, kind, metric=manifest.metric, gpu=gpu)


def narrow_engine(
    engine: Bm25Index | ExactIndex | FaissIndex,
    folder: Path,
    manifest: Manifest,
    rows: np.ndarray,
    encoding: EncodeConfig,
) -> Bm25Index | ExactIndex:
    """An engine over some rows of a folder's index. Dense ones become exact: approximate ones lose results
    where few of their neighbours are allowed.

    Args:
        engine: The folder's own.
        folder: The index folder.
        manifest: What it says about itself.
        rows: The rows that stay, int64, ascending.
        encoding: Where vectors lie.
    """
    if isinstance(engine, Bm25Index):
        return engine.narrowed(rows)
    vectors = load_vectors(folder, manifest.num_entries)[rows]
    return _exact(vectors, manifest, encoding)


def _exact(vectors: np.ndarray, manifest: Manifest, encoding: EncodeConfig) -> ExactIndex:
    from tabrag.index.exact import ExactIndex
    from tabrag.inference import runtime

    return ExactIndex(metric=manifest.metric, device=runtime.device(encoding.device)).build(vectors)
