"""From states to one vector: ``B`` entries, ``T`` positions, ``E`` width."""

from __future__ import annotations

import torch
from torch import Tensor


def mean_pool(states_BTE: Tensor, mask_BT: Tensor | None = None) -> Tensor:
    """The mean over the positions whose mask is 1, summed in float32.

    Args:
        states_BTE: Tensor[B, T, E], any floating type.
        mask_BT: Tensor[B, T] of 0 and 1; all positions where None.

    Returns:
        Tensor[B, E] float32; a row without any position is zero, not NaN.
    """
    states_BTE = states_BTE.float()
    if mask_BT is None:
        return states_BTE.mean(dim=1)
    mask_BT = mask_BT.to(states_BTE.dtype)
    # Not a matrix product: autocast would round that to 16 bits.
    sum_BE = (states_BTE * mask_BT.unsqueeze(-1)).sum(dim=1)
    return sum_BE / mask_BT.sum(dim=1, keepdim=True).clamp(min=1.0)


def unit(vectors_BE: Tensor) -> Tensor:
    """Divide each row by its length; a zero row stays zero."""
    return torch.nn.functional.normalize(vectors_BE, dim=-1)
