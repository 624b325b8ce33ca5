"""Exact nearest neighbours with torch: the reference that the other indexes are measured against.

Shapes: N vectors, Q queries, B queries of a batch, E dimensions, M kept candidates, P (query, row) pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from tabrag.index.vectors import Metric, Vectors, as_float32, check_metric, check_queries, finite_norms

_QUERIES_PER_BATCH = 1024
_ROWS_PER_BLOCK = 8192
_GROUP = 16
_SPARE = 8
"""Candidates kept beyond k, so that ties at the k-th place are seen."""
_NOISE = 4e-6
"""Two float32 scores nearer than this (relative to the vectors' norms) may stand in either order."""
_PAIRS_PER_RESCORE = 8192


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
        parts = [self._search_batch(batch, k) for batch in q_QE.split(_QUERIES_PER_BATCH)]
        return np.concatenate([scores for scores, _ in parts]), np.concatenate([rows for _, rows in parts])

    def _search_batch(self, q_BE: Tensor, k: int) -> tuple[np.ndarray, np.ndarray]:
        num_kept = min(k + _SPARE, len(self))
        best_BM = q_BE.new_zeros(q_BE.shape[0], 0)
        rows_BM = torch.zeros(q_BE.shape[0], 0, dtype=torch.int64, device=self.device)
        for start, scores in self._scores(q_BE):
            full = best_BM.shape[1] == num_kept
            values, columns = _above(scores, best_BM.amin(dim=1)) if full else _top(scores, num_kept)
            best_BM = torch.cat([best_BM, values], dim=1)
            rows_BM = torch.cat([rows_BM, columns + start], dim=1)
            if best_BM.shape[1] > num_kept:
                merged = best_BM.topk(num_kept, dim=1)
                best_BM, rows_BM = merged.values, rows_BM.gather(1, merged.indices)
        order = best_BM.argsort(dim=1, descending=True)
        best_BM, rows_BM = best_BM.gather(1, order), rows_BM.gather(1, order)
        noise_B = _NOISE * self._largest_norm * q_BE.norm(dim=1)
        scores, rows = self._settle(q_BE, best_BM, rows_BM, noise_B, k)
        if num_kept < len(self):
            crowded = best_BM[:, -1] >= best_BM[:, k - 1] - noise_B
            for row in crowded.nonzero().flatten().tolist():
                scores[row], rows[row] = self._search_crowded(
                    q_BE[row : row + 1], float(best_BM[row, k - 1]), noise_B[row : row + 1], k
                )
        return scores, rows

    def _scores(self, q_BE: Tensor) -> Iterator[tuple[int, Tensor]]:
        """Blocks ``(first row, Tensor[B, columns])`` of the scores, in a buffer that is used again.

        The last block may end in columns of -infinity. Products of some thousand rows into one buffer are the
        fast shape on a CPU: much of the operands stays in the cache and no memory is allocated.
        """
        buffer = q_BE.new_empty(q_BE.shape[0], min(_round_up(len(self)), _ROWS_PER_BLOCK))
        for start in range(0, len(self), _ROWS_PER_BLOCK):
            stop = min(start + _ROWS_PER_BLOCK, len(self))
            scores = buffer[:, : _round_up(stop - start)]
            scores[:, stop - start :] = -torch.inf
            _product(q_BE, self.vectors_NE[start:stop], out=scores[:, : stop - start])
            if self._scale_N is not None:
                scores[:, : stop - start] *= self._scale_N[start:stop]
            yield start, scores

    def _search_crowded(
        self, q_1E: Tensor, kth: float, noise_1: Tensor, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """One query whose k-th place is shared by more rows than were kept: look at all of them."""
        if not bool(q_1E.any()):
            return np.zeros(k, np.float32), np.arange(k)
        scores_M, rows_M = [], []
        for start, scores in self._scores(q_1E):
            near = (scores[0] >= kth - float(noise_1)).nonzero().flatten()
            scores_M.append(scores[0, near])
            rows_M.append(near + start)
        best_1M, rows_1M = torch.cat(scores_M)[None], torch.cat(rows_M)[None]
        order = best_1M.argsort(dim=1, descending=True)
        scores, rows = self._settle(q_1E, best_1M.gather(1, order), rows_1M.gather(1, order), noise_1, k)
        return scores[0], rows[0]

    def _settle(
        self, q_BE: Tensor, best_BM: Tensor, rows_BM: Tensor, noise_B: Tensor, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Sort candidates (descending already) with near ties computed again, and cut to k."""
        close = best_BM[:, :-1] - best_BM[:, 1:] <= noise_B[:, None]
        near_BM = torch.nn.functional.pad(close, (0, 1)) | torch.nn.functional.pad(close, (1, 0))
        query_P, place_P = near_BM.nonzero(as_tuple=True)
        best_BM = best_BM.clone()
        for query_p, place_p in zip(
            query_P.split(_PAIRS_PER_RESCORE), place_P.split(_PAIRS_PER_RESCORE), strict=True
        ):
            rows_p = rows_BM[query_p, place_p]
            exact = (q_BE[query_p].double() * self.vectors_NE[rows_p].double()).sum(dim=1)
            if self._scale_N is not None:
                exact *= self._scale_N[rows_p]
            best_BM[query_p, place_p] = exact.float()
        scores, rows = best_BM.cpu().numpy(), rows_BM.cpu().numpy()
        order = np.lexsort((rows, -scores), axis=-1)[:, :k]
        return np.take_along_axis(scores, order, axis=1), np.take_along_axis(rows, order, axis=1)


def _product(q_BE: Tensor, vectors_NE: Tensor, *, out: Tensor) -> None:
    """``q_BE @ vectors_NE.T``. On a CPU by numpy: torch took a third longer on an AMD processor."""
    if q_BE.device.type == "cpu":
        np.matmul(q_BE.numpy(), vectors_NE.numpy().T, out=out.numpy())
    else:
        torch.mm(q_BE, vectors_NE.T, out=out)


def _round_up(number: int) -> int:
    """The next multiple of the group size."""
    return -(-number // _GROUP) * _GROUP


def _grouped(scores_BN: Tensor) -> tuple[Tensor, Tensor]:
    """The scores as [B, members, groups], and the largest of each group: a cheap pass over all of them."""
    grouped = scores_BN.unflatten(1, (_GROUP, scores_BN.shape[1] // _GROUP))
    return grouped, grouped.amax(dim=1)


def _top(scores_BN: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k best columns of each row: they lie in the k groups of columns with the largest maxima."""
    grouped, maximum = _grouped(scores_BN)
    num_groups = maximum.shape[1]
    num_taken = min(k, num_groups)
    groups = maximum.topk(num_taken, dim=1, sorted=False).indices
    taken = grouped.gather(2, groups[:, None, :].expand(-1, _GROUP, -1)).flatten(1)
    best = taken.topk(min(k, taken.shape[1]), dim=1, sorted=False)
    member = torch.div(best.indices, num_taken, rounding_mode="floor")
    return best.values, member * num_groups + groups.gather(1, best.indices % num_taken)


def _above(scores_BN: Tensor, floor_B: Tensor) -> tuple[Tensor, Tensor]:
    """All columns of each row that score above its floor, padded with -infinity: few, once much was seen."""
    grouped, maximum = _grouped(scores_BN)
    query_G, group_G = (maximum > floor_B[:, None]).nonzero(as_tuple=True)
    members = grouped[query_G, :, group_G]
    hit_P, member_P = (members > floor_B[query_G, None]).nonzero(as_tuple=True)
    query_P = query_G[hit_P]
    count_B = torch.bincount(query_P, minlength=len(floor_B))
    first_B = count_B.cumsum(0) - count_B
    place_P = torch.arange(len(query_P), device=scores_BN.device) - first_B[query_P]
    shape = (len(floor_B), int(count_B.max()))
    values = scores_BN.new_full(shape, -torch.inf)
    columns = torch.zeros(shape, dtype=torch.int64, device=scores_BN.device)
    values[query_P, place_P] = members[hit_P, member_P]
    columns[query_P, place_P] = member_P * maximum.shape[1] + group_G[hit_P]
    return values, columns
