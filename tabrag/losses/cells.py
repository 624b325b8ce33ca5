"""The loss of a cell reader: the right choice, and the right cells or header for it.

Shapes: ``B`` tables, ``O`` choices, ``R`` rows, ``C`` columns, ``N`` headers.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def program_loss(
    choice_BO: Tensor,
    cells_BKRC: Tensor,
    headers_BN: Tensor,
    *,
    target_B: Tensor,
    first_B: Tensor,
    second_B: Tensor,
    header_B: Tensor,
    members_BRC: Tensor,
    valid_BRC: Tensor,
) -> Tensor:
    """The negative log-likelihood of each table's program, averaged over the batch.

    The choice, a first and a second cell and a header are each one out of many (softmax); the cells of a set
    are in or out, each by itself (sigmoid), their sum divided by the size of the set, so that a large table
    or set weighs no more than a single cell does.

    Args:
        choice_BO: Scores of the choices.
        cells_BKRC: Scores of the cells as ``first``, ``second`` and ``member`` (``K`` is 3); impossible ones
            hold the lowest number.
        headers_BN: Scores of the headers, likewise.
        target_B: The right choice.
        first_B: Place of the right cell in the flattened plane, ``row * C + column``; -1 for none.
        second_B: The same of the second operand.
        header_B: The right header, -1 for none.
        members_BRC: 1 for the cells of the set; all 0 where the program has none.
        valid_BRC: bool, False for padding.

    Returns:
        Scalar Tensor.
    """
    losses_B = F.cross_entropy(choice_BO, target_B, reduction="none")
    for logits, place_B in (
        (cells_BKRC[:, 0].flatten(1), first_B),
        (cells_BKRC[:, 1].flatten(1), second_B),
        (headers_BN, header_B),
    ):
        own_B = F.cross_entropy(logits, place_B.clamp_min(0), reduction="none")
        losses_B = losses_B + torch.where(place_B >= 0, own_B, torch.zeros_like(own_B))
    size_B = members_BRC.sum(dim=(1, 2))
    each_BRC = F.binary_cross_entropy_with_logits(
        cells_BKRC[:, 2].masked_fill(~valid_BRC, 0.0), members_BRC, reduction="none"
    )
    sums_B = (each_BRC * valid_BRC).sum(dim=(1, 2)) / size_B.clamp_min(1)
    return (losses_B + torch.where(size_B > 0, sums_B, torch.zeros_like(sums_B))).mean()
