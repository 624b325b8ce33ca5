"""InfoNCE over in-batch and hard negatives, with the other positives of a query masked out.

Shape legend: B local queries, A all queries of all processes, N all candidate items of all processes, E
dimension, P known positives of a query (padded with -1).

The query-to-item side is the NLL of DPR (Karpukhin et al., 2020, eq. 2) and of THoRR (Kim et al., 2024, the
retriever loss); with the item-to-query side added it is the symmetric loss of CLIP (Radford et al., 2021,
figure 3).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def false_negatives(items_N: Tensor, positives_AP: Tensor) -> Tensor:
    """Which (query, candidate) pairs are known to be relevant, so that they must not count as negatives.

    Args:
        items_N: int64 Tensor[N], the item number of each candidate.
        positives_AP: int64 Tensor[A, P], the item numbers relevant to each query, padded with -1.

    Returns:
        bool Tensor[A, N].
    """
    relevant_AN = positives_AP.new_zeros(len(positives_AP), len(items_N), dtype=torch.bool)
    for positive_A in positives_AP.unbind(dim=1):  # all at once would take P times the memory
        relevant_AN |= positive_A[:, None] == items_N[None, :]
    return relevant_AN


def repeated(items_N: Tensor) -> Tensor:
    """Which candidates repeat an earlier one: two processes may bring the same item.

    Args:
        items_N: int64 Tensor[N], the item number of each candidate.

    Returns:
        bool Tensor[N].
    """
    _, number_N = items_N.unique(return_inverse=True)
    place_N = torch.arange(len(items_N), device=items_N.device)
    first_N = torch.full_like(place_N, len(items_N)).scatter_reduce(0, number_N, place_N, "amin")
    return place_N != first_N[number_N]


def info_nce(
    q_AE: Tensor,
    i_NE: Tensor,
    *,
    target_A: Tensor,
    relevant_AN: Tensor,
    scale: Tensor | float,
    repeated_N: Tensor | None = None,
    local: slice = slice(None),
    symmetric: bool = True,
) -> Tensor:
    """The mean over the local queries of -log softmax at the query's own positive, in float32.

    Args:
        q_AE: Tensor[A, E], queries of all processes, L2-normalised for cosine similarity.
        i_NE: Tensor[N, E], candidate items of all processes.
        target_A: int64 Tensor[A], for each query the column in 0..N-1 of its positive.
        relevant_AN: bool Tensor[A, N], pairs that are relevant (see :func:`false_negatives`); all of them but
            the target are left out of the denominator.
        scale: 1 / temperature, a positive number or a scalar tensor that learns.
        repeated_N: bool Tensor[N], candidates that repeat another (see :func:`repeated`): a query's own
            positive apart, they are left out of the denominator, so that an item counts once.
        local: Rows of this process's own queries; the loss is their mean.
        symmetric: Add the item-to-query side (each query's positive against all queries) and halve the sum.

    Returns:
        Scalar Tensor.

    Raises:
        ValueError: A query without a column of its own, or shapes that do not agree.
    """
    num_queries, num_items = q_AE.shape[0], i_NE.shape[0]
    if target_A.shape != (num_queries,) or relevant_AN.shape != (num_queries, num_items):
        raise ValueError(
            f"{num_queries} queries and {num_items} items do not fit targets {tuple(target_A.shape)} "
            f"and relevance {tuple(relevant_AN.shape)}"
        )
    ignored_AN = relevant_AN.clone() if repeated_N is None else relevant_AN | repeated_N
    ignored_AN[torch.arange(num_queries, device=ignored_AN.device), target_A] = False

    rows = torch.arange(num_queries, device=q_AE.device)[local]
    logits_BN = (scale * _similarity(q_AE[rows], i_NE)).masked_fill(ignored_AN[rows], float("-inf"))
    loss = F.cross_entropy(logits_BN, target_A[rows])
    if not symmetric:
        return loss
    columns_B = target_A[rows]
    # Column j of relevant_AN says which queries item j answers: those other than its own are no negatives.
    ignored_BA = relevant_AN[:, columns_B].T.clone()
    ignored_BA[torch.arange(len(rows), device=rows.device), rows] = False
    logits_BA = (scale * _similarity(i_NE[columns_B], q_AE)).masked_fill(ignored_BA, float("-inf"))
    return (loss + F.cross_entropy(logits_BA, rows)) / 2


def _similarity(a_BE: Tensor, b_NE: Tensor) -> Tensor:
    """Products of all pairs, Tensor[B, N] float32: in bfloat16 a scale of 20 would leave steps of 0.1."""
    with torch.autocast(a_BE.device.type, enabled=False):
        return a_BE.float() @ b_NE.float().T
