"""A large IVF index: time and memory of its build from disk, and recall and time of its search."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from tabrag.errors import UserError
from tabrag.index.exact import ExactIndex
from tabrag.training.memory import peak, resident

_ROWS = 65536
_VECTORS_A_TOPIC = 100
_NOISE = 0.7
"""Length of the part of a vector that is its own; that of its topic is 1."""


def measure_ivf(
    *,
    num_vectors: int | None = None,
    dim: int | None = None,
    num_queries: int = 200,
    k: int = 10,
    vectors: str | None = None,
) -> dict[str, Any]:
    """Build an IVF index of a file of vectors in a new process, then search it one query at a time.

    Both run on one thread. Without a file the vectors are made: each is a random topic's direction, which 100
    share on average, plus a random direction of its own of 0.7 times that length. Queries are made likewise;
    with a file they are rows of it, which are then not their own neighbours.

    Args:
        num_vectors: Vectors that are made; 1,000,000 where it is None. A file has its own number.
        dim: Their dimension; 384 where it is None.
        num_queries: Queries.
        k: Neighbours asked for.
        vectors: A ``.npy`` file of float32 [N, E] in place of made ones.

    Returns:
        ``build_s`` and ``build_cpu_s``; ``peak_ratio``, the growth of the resident memory to its peak during
        the build over the size of the vectors; ``clusters`` and ``probed``; ``recall`` of the k exact
        neighbours; ``ms_per_query`` by the clock and ``cpu_ms_per_query``, which other work on the machine
        hardly moves (median and 95th percentile each); and the setting.

    Raises:
        UserError: faiss is not installed, the file is no such array, a number or dimension is given beside a
            file, or not on Linux.
    """
    if vectors is not None and (num_vectors is not None or dim is not None):
        raise UserError(
            f"a number of vectors and a dimension are of made vectors, and {vectors} has its own: "
            "leave out --num-vectors and --dim, or --vectors"
        )
    import torch

    from tabrag.index.faiss_index import FaissIndex, import_faiss

    if not Path("/proc/self/clear_refs").exists():
        raise UserError("this measurement reads resident memory as Linux tells it")
    import_faiss().omp_set_num_threads(1)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as temporary:
        file, index_file = Path(temporary) / "vectors.npy", Path(temporary) / "faiss.index"
        if vectors is None:
            queries_QE = _make(file, num_vectors or 1_000_000, dim or 384, num_queries)
        else:
            file = Path(vectors)
            queries_QE = _rows(file, num_queries)
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            figures = pool.submit(_build, file, index_file).result()
        mapped = np.load(file, mmap_mode="r", allow_pickle=False)
        own = 0 if vectors is None else 1
        nearest = ExactIndex().build(mapped).search(queries_QE, k + own)[1][:, own:]
        index = FaissIndex.load(index_file, "ivf", metric="cosine", gpu=False)
        seconds_Q2, hits = [], 0
        for query_E, wanted in zip(queries_QE, nearest, strict=True):
            since, busy = time.perf_counter(), time.process_time()
            found = index.search(query_E[None], k + own)[1][0]
            seconds_Q2.append((time.perf_counter() - since, time.process_time() - busy))
            hits += len(set(found[own:].tolist()) & set(wanted.tolist()))
        clock_ms, cpu_ms = np.percentile(np.array(seconds_Q2) * 1000, [50, 95], axis=0).T.round(4).tolist()
        return {
            **figures,
            "recall": round(hits / nearest.size, 4),
            "ms_per_query": clock_ms,
            "cpu_ms_per_query": cpu_ms,
            "num_vectors": len(mapped),
            "dim": mapped.shape[1],
            "num_queries": len(queries_QE),
            "k": k,
            "threads": 1,
            "vectors": vectors or "made",
        }


def _build(file: Path, index_file: Path) -> dict[str, Any]:
    """Build in this process, which must be a new one."""
    from tabrag.index.faiss_index import FaissIndex, import_faiss

    import_faiss().omp_set_num_threads(1)
    mapped = np.load(file, mmap_mode="r", allow_pickle=False)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew from what is resident
    before, since, busy = resident(), time.perf_counter(), time.process_time()
    index = FaissIndex("ivf", gpu=False).build(mapped)
    import torch

    grown = peak(torch.device("cpu")) - before
    build_s, build_cpu_s = time.perf_counter() - since, time.process_time() - busy
    index.save(index_file)
    return {
        "build_s": round(build_s, 3),
        "build_cpu_s": round(build_cpu_s, 3),
        "peak_ratio": round(grown / (mapped.size * mapped.itemsize), 3),
        **index.clusters(),
    }


def _make(file: Path, num: int, dim: int, num_queries: int) -> np.ndarray:
    """Write the vectors block by block; return queries of the same kind."""
    generator = np.random.default_rng(0)
    topics_TE = _unit(generator, max(1, num // _VECTORS_A_TOPIC), dim)

    def some(count: int) -> np.ndarray:
        own_BE = _NOISE * _unit(generator, count, dim)
        return topics_TE[generator.integers(len(topics_TE), size=count)] + own_BE

    mapped = np.lib.format.open_memmap(file, mode="w+", dtype=np.float32, shape=(num, dim))
    for start in range(0, num, _ROWS):
        mapped[start : start + _ROWS] = some(min(_ROWS, num - start))
    mapped.flush()
    return some(num_queries)


def _unit(generator: np.random.Generator, count: int, dim: int) -> np.ndarray:
    vectors = generator.standard_normal((count, dim), dtype=np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _rows(file: Path, count: int) -> np.ndarray:
    """Rows of the file, evenly spread, as queries."""
    try:
        mapped = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: not a .npy file of vectors ({error})") from error
    if mapped.ndim != 2 or mapped.dtype != np.float32:
        raise UserError(f"{file}: expected float32 [number, dimension], found {mapped.dtype} {mapped.shape}")
    return np.array(mapped[np.linspace(0, len(mapped) - 1, min(count, len(mapped))).astype(np.int64)])
