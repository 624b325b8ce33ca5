"""Losses of the header classifier: per header, or over the tokens of an input as THoRR has it.

Shape legend: B inputs, T token positions, N headers of all inputs.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

IGNORED = -1.0
"""Label of a header that is neither gold nor a negative."""


def header_sigmoid(logits_N: Tensor, labels_N: Tensor) -> Tensor:
    """Binary cross-entropy of each header, summed.

    Args:
        logits_N: Tensor[N], scores of the headers.
        labels_N: Tensor[N], 1 gold, 0 not, :data:`IGNORED`.

    Returns:
        Scalar Tensor, float32; 0 where all headers are ignored.
    """
    counted_N = labels_N != IGNORED
    losses_N = F.binary_cross_entropy_with_logits(
        logits_N.float(), labels_N.clamp(min=0).float(), reduction="none"
    )
    return (losses_N * counted_N).sum()


def token_softmax(
    logits_BT: Tensor, mask_BT: Tensor, *, window_N: Tensor, start_N: Tensor, labels_N: Tensor
) -> Tensor:
    """Cross-entropy over the token positions of each input (THoRR, the refiner's loss).

    The target lies on the gold headers' tokens, in equal parts; tokens of ignored headers take no part. An
    input without a gold header gives none.

    Args:
        logits_BT: Tensor[B, T], a score for each position.
        mask_BT: Tensor[B, T], 1 for tokens and 0 for padding.
        window_N: int64 Tensor[N], the input of each header.
        start_N: int64 Tensor[N], its token's position.
        labels_N: Tensor[N], 1 gold, 0 not, :data:`IGNORED`.

    Returns:
        Scalar Tensor, float32, the sum over the inputs.
    """
    hidden_BT = mask_BT == 0
    ignored_N = labels_N == IGNORED
    hidden_BT = hidden_BT.index_put((window_N[ignored_N], start_N[ignored_N]), torch.tensor(True))
    target_BT = torch.zeros(logits_BT.shape, device=logits_BT.device)
    gold_N = labels_N == 1
    target_BT = target_BT.index_put((window_N[gold_N], start_N[gold_N]), torch.tensor(1.0))
    target_BT = target_BT / target_BT.sum(dim=1, keepdim=True).clamp(min=1)
    log_BT = logits_BT.float().masked_fill(hidden_BT, -1e9).log_softmax(dim=1)
    return -(target_BT * log_BT).sum()
