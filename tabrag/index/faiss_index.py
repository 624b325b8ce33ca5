"""Approximate and flat search with FAISS, for a million vectors and more, on CPU or GPU.

torch and faiss each bring an OpenMP run-time; with the builds of both that this project names, either import
order works. The package imports torch first (this module's own imports), then faiss when an index is made.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from tabrag.errors import UserError, missing_extra
from tabrag.index.vectors import Metric, Vectors, blocks, check_metric, check_queries, finite_norms

logger = logging.getLogger(__name__)

Kind = Literal["flat", "ivf", "hnsw"]

_POINTS_PER_LIST = 39
"""FAISS wants at least this many training vectors a cluster."""
_SAMPLE_PER_LIST = 64
"""Most training vectors a cluster: more take long and change little."""
_PROBED = 200
_PROBED_NEIGHBOURS = 10
_PROBED_RECALL = 0.99
"""As many clusters are searched as it takes to find this share of the neighbours of some of the vectors."""
_FIRST_EF = 128
_HNSW_LINKS = 32


def import_faiss() -> Any:
    """The faiss module, or an error that names the extra."""
    try:
        import faiss
    except ImportError as error:
        raise missing_extra("faiss", "faiss") from error
    return faiss


class FaissIndex:
    """Vectors in a FAISS index; rows are numbered in the order in which they came.

    Names of rows are kept by the caller: not every FAISS type stores ids, and none stores strings.
    """

    def __init__(self, kind: Kind = "ivf", *, metric: Metric = "cosine", gpu: bool = True) -> None:
        """Make an empty index.

        Args:
            kind: ``flat`` (exact), ``ivf`` (clusters; flat below 78 vectors) or ``hnsw`` (graph; slow to
                build, CPU only).
            metric: ``cosine`` or ``ip``, the inner product.
            gpu: Use the first GPU where FAISS has one.
        """
        if kind not in ("flat", "ivf", "hnsw"):
            raise UserError(f"FAISS index kind '{kind}' is unknown: use 'flat', 'ivf' or 'hnsw'")
        self.kind = kind
        self.metric = check_metric(metric)
        self.gpu = gpu
        self._faiss = import_faiss()
        self._cpu: Any = None
        self._gpu: Any = None

    def __len__(self) -> int:
        return 0 if self._cpu is None else self._cpu.ntotal

    def build(self, vectors: Vectors, *, ids: Sequence[str] | None = None) -> FaissIndex:
        """Index the vectors.

        Args:
            vectors: [N, E], N >= 1, any float type and layout; not changed.
            ids: Names of the rows for error messages.

        Raises:
            UserError: No vectors, or NaN or infinity in one.
        """
        num, dim = vectors.shape
        if num == 0:
            raise UserError("there are no vectors to index: the collection is empty")
        for start, block in blocks(vectors):
            finite_norms(block, ids[start : start + len(block)] if ids is not None else None, first=start)
        faiss = self._faiss
        num_lists = min(int(4 * math.sqrt(num)), num // _POINTS_PER_LIST)
        if self.kind == "hnsw":
            index = faiss.IndexHNSWFlat(dim, _HNSW_LINKS, faiss.METRIC_INNER_PRODUCT)
        elif self.kind == "ivf" and num_lists >= 2:
            index = faiss.IndexIVFFlat(faiss.IndexFlatIP(dim), dim, num_lists, faiss.METRIC_INNER_PRODUCT)
            index.train(self._sample(vectors, num_lists * _SAMPLE_PER_LIST))
        else:
            if self.kind == "ivf":
                logger.info("%d vectors are too few for clusters: using a flat index", num)
            index = faiss.IndexFlatIP(dim)
        if isinstance(index, faiss.IndexIVF):
            self._fill_clusters(index, vectors)
            index.nprobe = self._fewest_probes(index, vectors)
        else:
            for _, block in blocks(vectors):
                index.add(self._prepare(block.cpu()))
        self._take(index)
        return self

    def _fill_clusters(self, index: Any, vectors: Vectors) -> None:
        """Add the vectors to clusters that have their final size from the start.

        A cluster that grows doubles its room each time, and a third of the memory of the whole would be room.
        """
        cluster_N = np.empty(vectors.shape[0], np.int64)
        for start, block in blocks(vectors):
            nearest_B1 = index.quantizer.search(self._prepare(block.cpu()), 1)[1]
            cluster_N[start : start + len(block)] = nearest_B1[:, 0]
        for cluster, size in enumerate(np.bincount(cluster_N, minlength=index.nlist).tolist()):
            index.invlists.resize(cluster, size)
            index.invlists.resize(cluster, 0)  # the room stays
        pointer = self._faiss.swig_ptr
        for start, block in blocks(vectors):
            block_BE = self._prepare(block.cpu())
            cluster_B = cluster_N[start : start + len(block_BE)]
            index.add_core(len(block_BE), pointer(block_BE), None, pointer(cluster_B))

    def _fewest_probes(self, index: Any, vectors: Vectors) -> int:
        """The fewest clusters (8, 16, ...) in which the neighbours of some of the vectors are found."""
        probes_PE = self._sample(vectors, _PROBED)
        nearest = self._faiss.ResultHeap(len(probes_PE), _PROBED_NEIGHBOURS, keep_max=True)
        for start, block in blocks(vectors):
            block_BE = self._prepare(block.cpu())
            count = min(_PROBED_NEIGHBOURS, len(block_BE))
            scores, rows = self._faiss.knn(probes_PE, block_BE, count, self._faiss.METRIC_INNER_PRODUCT)
            nearest.add_result(scores, rows + start)
        nearest.finalize()
        nprobe = min(8, index.nlist)
        while nprobe < index.nlist:
            index.nprobe = nprobe
            found = index.search(probes_PE, _PROBED_NEIGHBOURS)[1]
            hits = sum(len(np.intersect1d(a, b)) for a, b in zip(found, nearest.I, strict=True))
            if hits >= _PROBED_RECALL * nearest.I.size:
                break
            nprobe = min(2 * nprobe, index.nlist)
        return nprobe

    def _sample(self, vectors: Vectors, count: int) -> np.ndarray:
        """At most ``count`` vectors, evenly spread over the collection, as the index takes them."""
        rows = np.linspace(0, vectors.shape[0] - 1, min(count, vectors.shape[0])).astype(np.int64)
        # One large array, which goes back to the system when it is freed; a list of small ones stays.
        sample_SE = np.empty((len(rows), vectors.shape[1]), np.float32)
        for start, block in blocks(vectors):
            places = slice(*np.searchsorted(rows, [start, start + len(block)]))
            sample_SE[places] = self._prepare(block[rows[places] - start].cpu())
        return sample_SE

    def search(self, queries: Vectors, k: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """About the k best rows of each query; the search is widened until k are found.

        Args:
            queries: [Q, E], any float type.
            k: At least 1; clamped to the number of vectors.

        Returns:
            For each query the scores (float32, descending) and the rows (int64; equal scores by ascending
            row).

        Raises:
            UserError: ``k`` below 1, another dimension than the vectors', or NaN in a query.
        """
        dim = self._cpu.d if self._cpu is not None else None
        queries_QE = self._prepare(check_queries(queries, k, dim=dim).cpu())
        k = min(k, len(self))
        if k == 0 or len(queries_QE) == 0:
            return [np.zeros(0, np.float32)] * len(queries_QE), [np.zeros(0, np.int64)] * len(queries_QE)
        scores, rows = self._search(queries_QE, k, self._first_effort(k))
        effort = self._first_effort(k)
        while (short := (rows < 0).any(axis=1).nonzero()[0]).size and effort < self._last_effort():
            effort = min(effort * 4, self._last_effort())
            scores[short], rows[short] = self._search(queries_QE[short], k, effort)
        if short.size:
            logger.warning("%d queries have fewer than %d hits", short.size, k)
        found = [_sort(scores_k, rows_k) for scores_k, rows_k in zip(scores, rows, strict=True)]
        return [scores_k for scores_k, _ in found], [rows_k for _, rows_k in found]

    def clusters(self) -> dict[str, int]:
        """How many clusters there are, and how many a search visits at first (``probed``)."""
        if not isinstance(self._cpu, self._faiss.IndexIVF):
            return {}
        return {"clusters": self._cpu.nlist, "probed": self._cpu.nprobe}

    def save(self, path: str | Path) -> None:
        """Write the FAISS index to a file."""
        self._faiss.write_index(self._cpu, str(path))

    @classmethod
    def load(cls, path: str | Path, kind: Kind, *, metric: Metric, gpu: bool = True) -> FaissIndex:
        """Read what :meth:`save` wrote."""
        index = cls(kind, metric=metric, gpu=gpu)
        try:
            index._take(index._faiss.read_index(str(path)))
        except RuntimeError as error:
            raise UserError(f"{path}: not a FAISS index ({error}): build the index again") from error
        return index

    def _take(self, cpu_index: Any) -> None:
        """Keep the index and, where there is a GPU and the kind runs on it, a copy there."""
        faiss = self._faiss
        self._cpu, self._gpu = cpu_index, None
        if not self.gpu or self.kind == "hnsw" or faiss.get_num_gpus() == 0:
            return
        try:
            self._gpu = faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, cpu_index)
        except (RuntimeError, AttributeError) as error:
            logger.warning("FAISS does not run on the GPU (%s): searching on the CPU", error)

    def _prepare(self, vectors: torch.Tensor) -> np.ndarray:
        """Contiguous float32; of length 1 for cosine, zero vectors excepted. Never changes its input."""
        if self.metric == "cosine":
            tiny = torch.finfo(torch.float32).tiny
            vectors = torch.nn.functional.normalize(vectors, dim=1, eps=tiny)
        return vectors.numpy()

    def _search(self, queries_QE: np.ndarray, k: int, effort: int) -> tuple[np.ndarray, np.ndarray]:
        if self._gpu is not None:
            try:
                return self._gpu.search(queries_QE, k, params=self._parameters(effort))
            except RuntimeError as error:
                logger.warning("FAISS on the GPU refuses k=%d (%s): this search runs on the CPU", k, error)
        return self._cpu.search(queries_QE, k, params=self._parameters(effort))

    def _parameters(self, effort: int) -> Any:
        if isinstance(self._cpu, self._faiss.IndexIVF):
            return self._faiss.SearchParametersIVF(nprobe=effort)
        if self.kind == "hnsw":
            return self._faiss.SearchParametersHNSW(efSearch=effort)
        return None

    def _first_effort(self, k: int) -> int:
        """Number of clusters to visit, or of graph nodes to keep in view."""
        if isinstance(self._cpu, self._faiss.IndexIVF):
            return min(self._cpu.nprobe, self._last_effort())
        return min(max(_FIRST_EF, 2 * k), self._last_effort())

    def _last_effort(self) -> int:
        return self._cpu.nlist if isinstance(self._cpu, self._faiss.IndexIVF) else len(self)


def _sort(scores: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Found rows only (FAISS pads with -1), by descending score, then ascending row."""
    found = rows >= 0
    scores, rows = scores[found], rows[found]
    order = np.lexsort((rows, -scores))
    return scores[order], rows[order].astype(np.int64)
