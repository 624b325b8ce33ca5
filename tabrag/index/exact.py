"""Exact nearest neighbours with torch: the reference that the other indexes are measured against.

Shapes: N vectors, Q queries, B queries of a batch, E dimensions, M kept candidates, P (query, row) pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from tabrag.index.best import GAP, Best, DeviceBest, pack, unpack
from tabrag.index.threads import in_threads
from tabrag.index.vectors import Metric, Vectors, as_float32, check_metric, check_queries, finite_norms

_QUERIES_PER_BATCH = 1024
_QUERIES_PER_THREAD = 64
"""Least queries of a thread of their own: with fewer, reading the vectors in each thread costs more."""
_ROWS_PER_BLOCK = 8448
"""A multiple of 8 groups of columns, and no power of two: see :data:`tabrag.index.best.GAP`."""
_SPARE = 8
"""Candidates kept beyond k, so that ties at the k-th place are seen."""
_NOISE = 4e-6
"""Two float32 scores nearer than this (relative to the vectors' norms) may stand in either order."""
_PAIRS_PER_RESCORE = 256
"""Few enough to stay in the cache."""


class ExactIndex:
    """All scores of all vectors, with bounded memory; equal scores are ordered by ascending row.

    A matrix product gives float32 scores whose last bits depend on where in a block a row stands. Scores that
    are nearer to each other than that noise are computed again in float64, row by row: equal vectors get
    equal scores, and the result does not depend on the batch, on the chunk, or on the order in which rows
    were added.
    """

    def __init__(self, *, metric: Metric = "cosine", device: str | torch.device = "cpu") -> None:
        """Make an empty index.

        Args:
            metric: ``cosine`` (a zero vector scores 0 with everything) or ``ip``, the inner product.
            device: Where vectors lie and scores are computed.
        """
        self.metric = check_metric(metric)
        self.device = torch.device(device)
        self.vectors_NE = torch.zeros(0, 0, device=self.device)
        self._scale_N: Tensor | None = None
        self._largest_norm = 0.0

    def __len__(self) -> int:
        return self.vectors_NE.shape[0]

    def build(self, vectors: Vectors, *, ids: Sequence[str] | None = None) -> ExactIndex:
        """Take the vectors. A contiguous float32 array is used as it is, also memory-mapped, never changed.

        Args:
            vectors: [N, E], any float type, layout and device.
            ids: Names of the rows for error messages.

        Raises:
            UserError: A vector holds NaN or infinity; the message names the first ones.
        """
        self.vectors_NE = as_float32(vectors).to(self.device)
        norm_N = finite_norms(self.vectors_NE, ids)
        self._largest_norm = float(norm_N.max()) if len(self) else 0.0
        self._scale_N = None
        if self.metric == "cosine":
            self._largest_norm = 1.0
            if bool(((norm_N - 1).abs() > 1e-6).logical_and(norm_N > 0).any()):
                self._scale_N = torch.where(
                    norm_N > 0, 1 / norm_N.clamp_min(torch.finfo(torch.float32).tiny), 0
                )
        return self

    def search(self, queries: Vectors, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k best rows of each query.

        Args:
            queries: [Q, E], any float type.
            k: At least 1; clamped to the number of vectors.

        Returns:
            Scores, float32 [Q, k'], and rows, int64 [Q, k'], best first; equal scores by ascending row.

        Raises:
            UserError: ``k`` below 1, another dimension than the vectors', or NaN in a query.
        """
        q_QE = check_queries(queries, k, dim=self.vectors_NE.shape[1] if len(self) else None).to(self.device)
        k = min(k, len(self))
        if k == 0 or q_QE.shape[0] == 0:
            return np.zeros((q_QE.shape[0], k), np.float32), np.zeros((q_QE.shape[0], k), np.int64)
        if self.metric == "cosine":
            q_QE = torch.nn.functional.normalize(q_QE, dim=1, eps=torch.finfo(torch.float32).tiny)
        num_threads = torch.get_num_threads() if self.device.type == "cpu" else 1
        if q_QE.shape[0] < num_threads * _QUERIES_PER_THREAD:
            num_threads = 1
        num_batches = num_threads * math.ceil(q_QE.shape[0] / (num_threads * _QUERIES_PER_BATCH))
        batches = q_QE.split(math.ceil(q_QE.shape[0] / num_batches))
        search = partial(self._search_batch, k=k)
        parts = in_threads(search, batches, num_threads) if num_threads > 1 else [*map(search, batches)]
        return np.concatenate([scores for scores, _ in parts]), np.concatenate([rows for _, rows in parts])

    def _search_batch(self, q_BE: Tensor, k: int) -> tuple[np.ndarray, np.ndarray]:
        num_kept = min(k + _SPARE, len(self))
        best: Best | DeviceBest = (
            Best(len(q_BE), num_kept)
            if self.device.type == "cpu"
            else DeviceBest(len(q_BE), num_kept, device=self.device)
        )
        for start, scores_BN in self._scores(q_BE):
            best.add(scores_BN, start)
        best_BM, rows_BM = best.sorted()
        noise_B = _NOISE * self._largest_norm * q_BE.norm(dim=1).cpu().numpy()
        scores, rows = self._settle(q_BE, best_BM, rows_BM, noise_B, k)
        if num_kept < len(self):
            crowded = best_BM[:, -1] >= best_BM[:, k - 1] - noise_B
            for row in crowded.nonzero()[0].tolist():
                scores[row], rows[row] = self._search_crowded(
                    q_BE[row : row + 1], float(best_BM[row, k - 1]), noise_B[row : row + 1], k
                )
        return scores, rows

    def _scores(self, q_BE: Tensor) -> Iterator[tuple[int, Tensor]]:
        """Blocks ``(first row, Tensor[B, rows])`` of the scores, in a buffer that is used again.

        Products of some thousand rows into one buffer are the fast shape on a CPU: much of the operands stays
        in the cache and no memory is allocated.
        """
        buffer = q_BE.new_empty(len(q_BE), min(len(self), _ROWS_PER_BLOCK) + GAP)
        for start in range(0, len(self), _ROWS_PER_BLOCK):
            vectors_NE = self.vectors_NE[start : start + _ROWS_PER_BLOCK]
            scores_BN = buffer[:, : len(vectors_NE)]
            _product(q_BE, vectors_NE, out=scores_BN)
            if self._scale_N is not None:
                scores_BN *= self._scale_N[start : start + _ROWS_PER_BLOCK]
            yield start, scores_BN

    def _search_crowded(
        self, q_1E: Tensor, kth: float, noise_1: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """One query whose k-th place is shared by more rows than were kept: look at all of them."""
        if not bool(q_1E.any()):
            return np.zeros(k, np.float32), np.arange(k)
        keys_M = []
        for start, scores in self._scores(q_1E):
            near = (scores[0] >= kth - float(noise_1[0])).nonzero().flatten()
            keys_M.append(pack(scores[0, near].cpu().numpy(), near.cpu().numpy() + start))
        best_M, rows_M = unpack(np.sort(np.concatenate(keys_M))[::-1])
        scores, rows = self._settle(q_1E, best_M[None], rows_M[None], noise_1, k)
        return scores[0], rows[0]

    def _settle(
        self, q_BE: Tensor, best_BM: np.ndarray, rows_BM: np.ndarray, noise_B: np.ndarray, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sort candidates (descending already) with near ties computed again, and cut to k."""
        close = best_BM[:, :-1] - best_BM[:, 1:] <= noise_B[:, None]
        near_BM = np.pad(close, ((0, 0), (0, 1))) | np.pad(close, ((0, 0), (1, 0)))
        query_P, place_P = near_BM.nonzero()
        row_P = rows_BM[query_P, place_P]
        best_BM = best_BM.copy()
        for start in range(0, len(query_P), _PAIRS_PER_RESCORE):
            pairs = slice(start, start + _PAIRS_PER_RESCORE)
            row_p = torch.from_numpy(row_P[pairs]).to(self.device)
            exact = _exact_products(
                q_BE[torch.from_numpy(query_P[pairs]).to(self.device)], self.vectors_NE[row_p]
            )
            if self._scale_N is not None:
                exact *= self._scale_N[row_p]
            best_BM[query_P[pairs], place_P[pairs]] = exact.float().cpu().numpy()
        scores, rows = unpack(np.sort(pack(best_BM, rows_BM), axis=1)[:, ::-1])
        return scores[:, :k], rows[:, :k]


def _product(q_BE: Tensor, vectors_NE: Tensor, *, out: Tensor) -> None:
    """``q_BE @ vectors_NE.T``. On a CPU by numpy: torch took a third longer on an AMD processor."""
    if q_BE.device.type == "cpu":
        np.matmul(q_BE.numpy(), vectors_NE.numpy().T, out=out.numpy())
    else:
        torch.mm(q_BE, vectors_NE.T, out=out)


def _exact_products(q_PE: Tensor, vectors_PE: Tensor) -> Tensor:
    """The products of pairs of float32 rows, in float64. On a CPU by numpy: a third of the time."""
    if q_PE.device.type == "cpu":
        return torch.from_numpy(np.vecdot(q_PE.numpy(), vectors_PE.numpy(), dtype=np.float64))
    return (q_PE.double() * vectors_PE.double()).sum(dim=1)
