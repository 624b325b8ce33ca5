"""The best columns of each query from blocks of scores: numpy on a CPU, which beats torch's selection there.

Shapes: B queries, N columns of a block, G groups of columns, M kept candidates, P (query, group) pairs, H
    candidates of a block.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

_GROUP = 8
GAP = 16
"""Columns between the rows of a block of scores: rows a power of two apart would share lines of the cache,
and a product into such rows took 4 % longer."""


class Best:
    """The M largest scores of each query with their rows; of equal scores those of the lowest rows.

    A block is read once, for the largest score of each group of columns; only groups that reach a query's
    M-th best score so far are looked at again.
    """

    def __init__(self, num_queries: int, num_kept: int) -> None:
        self._keys_BM = np.full((num_queries, num_kept), _NOTHING)
        self._floor_B1: np.ndarray | None = None

    def add(self, scores_BN: Tensor, first: int) -> None:
        """Look at a block of scores.

        Args:
            scores_BN: float32 on the CPU, any distance between rows.
            first: Row that the first column belongs to; blocks come in ascending order.
        """
        num_grouped = scores_BN.shape[1] // _GROUP * _GROUP
        if num_grouped:
            self._add_groups(scores_BN[:, :num_grouped], first)
        if num_grouped < scores_BN.shape[1]:
            rest = scores_BN[:, num_grouped:].numpy()
            reached = np.ones_like(rest, bool) if self._floor_B1 is None else rest >= self._floor_B1
            query_H, column_H = reached.nonzero()
            self._merge(query_H, rest[query_H, column_H], column_H + first + num_grouped)

    def _add_groups(self, scores_BN: Tensor, first: int) -> None:
        num_groups = scores_BN.shape[1] // _GROUP
        largest_BG = scores_BN.unflatten(1, (_GROUP, num_groups)).amax(dim=1).numpy()
        floor_B1 = self._floor_B1
        if floor_B1 is None:
            # The maxima are columns too: the M-th of them is at most the M-th best of all.
            num_kept = self._keys_BM.shape[1]
            floor_B1 = _nth_largest(largest_BG if num_kept <= num_groups else scores_BN.numpy(), num_kept)
        query_P, group_P = np.divmod(np.flatnonzero(largest_BG >= floor_B1), num_groups)
        flat = scores_BN.as_strided((_span(scores_BN),), (1,)).numpy()
        corner_P1 = (query_P * scores_BN.stride(0) + group_P)[:, None]
        members_PG = flat.take(corner_P1 + np.arange(0, _GROUP * num_groups, num_groups))
        pair_H, member_H = np.divmod(np.flatnonzero(members_PG >= floor_B1[query_P]), _GROUP)
        columns_H = group_P[pair_H] + member_H * num_groups
        self._merge(query_P[pair_H], members_PG[pair_H, member_H], columns_H + first)

    def _merge(self, query_H: np.ndarray, scores_H: np.ndarray, rows_H: np.ndarray) -> None:
        """Take candidates, which are sorted by query."""
        num_kept = self._keys_BM.shape[1]
        count_B = np.bincount(query_H, minlength=len(self._keys_BM))
        if not count_B.any():
            return
        first_B = count_B.cumsum() - count_B
        keys_BM = np.full((len(count_B), num_kept + int(count_B.max())), _NOTHING)
        keys_BM[:, :num_kept] = self._keys_BM
        places_H = np.arange(num_kept, num_kept + len(query_H)) - first_B[query_H]
        keys_BM[query_H, places_H] = pack(scores_H, rows_H)
        surplus = keys_BM.shape[1] - num_kept
        self._keys_BM = np.partition(keys_BM, surplus, axis=1)[:, surplus:]
        lowest_B1 = self._keys_BM.min(axis=1, keepdims=True)
        if (lowest_B1 > _NOTHING).all():
            # A later row must score more: with as much it stands behind all that are kept.
            self._floor_B1 = np.nextafter(unpack(lowest_B1)[0], np.float32(np.inf))

    def sorted(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores, float32 [B, M], and rows, int64 [B, M], best first."""
        return unpack(np.sort(self._keys_BM, axis=1)[:, ::-1])


class DeviceBest:
    """The same with torch on the scores' device; which of equal scores are kept is left open."""

    def __init__(self, num_queries: int, num_kept: int, *, device: torch.device) -> None:
        self._num_kept = num_kept
        self._scores_BM = torch.zeros(num_queries, 0, device=device)
        self._rows_BM = torch.zeros(num_queries, 0, dtype=torch.int64, device=device)

    def add(self, scores_BN: Tensor, first: int) -> None:
        """See :meth:`Best.add`."""
        top = scores_BN.topk(min(self._num_kept, scores_BN.shape[1]), dim=1, sorted=False)
        scores = torch.cat([self._scores_BM, top.values], dim=1)
        rows = torch.cat([self._rows_BM, top.indices + first], dim=1)
        best = scores.topk(min(self._num_kept, scores.shape[1]), dim=1, sorted=False)
        self._scores_BM, self._rows_BM = best.values, rows.gather(1, best.indices)

    def sorted(self) -> tuple[np.ndarray, np.ndarray]:
        """See :meth:`Best.sorted`."""
        keys_BM = pack(self._scores_BM.cpu().numpy(), self._rows_BM.cpu().numpy())
        return unpack(np.sort(keys_BM, axis=1)[:, ::-1])


def pack(scores: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """int64 keys that order float32 scores, and equal scores by descending row; rows are below 2^32."""
    bits = (scores + np.float32(0)).view(np.int32)  # the sum makes one zero of the two
    return (_ordered(bits).astype(np.int64) << 32) | (_LAST_ROW - rows)


def unpack(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The scores and rows of :func:`pack`."""
    return _ordered((keys >> 32).astype(np.int32)).view(np.float32), _LAST_ROW - (keys & _LAST_ROW)


def _ordered(bits: np.ndarray) -> np.ndarray:
    """A float's bits as an integer of the same order, and back."""
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


def _nth_largest(values_BN: np.ndarray, number: int) -> np.ndarray:
    """[B, 1]; -infinity where there are not as many."""
    place = values_BN.shape[1] - number
    if place < 0:
        return np.full((len(values_BN), 1), -np.inf, np.float32)
    return np.partition(values_BN, place, axis=1)[:, place, None]


def _span(block: Tensor) -> int:
    """Numbers from a block's first to its last in memory."""
    return (block.shape[0] - 1) * block.stride(0) + block.shape[1]


_LAST_ROW = 2**32 - 1
_NOTHING = pack(np.array([-np.inf], np.float32), np.array([0]))[0]
