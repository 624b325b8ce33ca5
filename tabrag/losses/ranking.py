"""Losses of a pointwise reranker over groups of candidates.

Shapes: ``P`` pairs (query, candidate), ``G`` groups (queries).
"""

from __future__ import annotations

import torch
from torch import Tensor


def group_softmax(scores_P: Tensor, *, group_P: Tensor, positive_P: Tensor) -> Tensor:
    """``-log softmax`` of each group's positive among its candidates, summed over the groups: scalar Tensor.

    The listwise loss of Gao, Dai and Callan, "Rethink Training of BERT Rerankers in Multi-Stage Retrieval
    Pipeline", 2021, equation 2 (localised contrastive estimation).

    Args:
        scores_P: Tensor[P], log-odds.
        group_P: int64 Tensor[P], the group of each pair, from 0, without gaps.
        positive_P: bool Tensor[P]; exactly one a group.
    """
    num_groups = int(group_P.max()) + 1
    scores_P = scores_P.float()
    lowest_G = scores_P.new_full((num_groups,), -torch.inf)
    tops_G = lowest_G.scatter_reduce(0, group_P, scores_P.detach(), "amax")
    shifted_P = scores_P - tops_G[group_P]
    sums_G = scores_P.new_zeros(num_groups).index_add(0, group_P, shifted_P.exp())
    return sums_G.log().sum() - shifted_P[positive_P].sum()


def pointwise(scores_P: Tensor, *, positive_P: Tensor, group_P: Tensor) -> Tensor:
    """Binary cross-entropy of each pair, the mean of each group summed over the groups: scalar Tensor.

    Args:
        scores_P: Tensor[P], log-odds.
        positive_P: bool Tensor[P].
        group_P: int64 Tensor[P], the group of each pair.
    """
    losses_P = torch.nn.functional.binary_cross_entropy_with_logits(
        scores_P.float(), positive_P.float(), reduction="none"
    )
    sizes_G = torch.bincount(group_P).to(losses_P)
    return (losses_P / sizes_G[group_P]).sum()
