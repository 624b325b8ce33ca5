"""How well the tokens of each header fit those of the question: late interaction within one input.

The best cosine of a token with any token of the question is the MaxSim of ColBERT (Khattab and Zaharia, 2020,
section 3.3); here it is a fact beside the encoder's own score, so that a header which says the same in like
words stands out before training has taught the encoder to compare.

Shapes: ``B`` inputs, ``T`` token positions, ``Q`` of which hold a question in any input, ``N`` headers of all
inputs, ``H`` width.
"""

from __future__ import annotations

import torch
from torch import Tensor

NUM_MATCHES = 3


def token_match(states_BTH: Tensor, *, question_BT: Tensor, owner_BT: Tensor, window_N: Tensor) -> Tensor:
    """What the tokens say about each header, float32 Tensor[N, :data:`NUM_MATCHES`].

    The mean and the largest of its tokens' best cosines, and how far the mean lies below the best header's of
    the same input.

    Args:
        states_BTH: Token states, of any layer.
        question_BT: bool Tensor[B, T], the question's tokens; where an input has none its cosines are -1.
        owner_BT: int64 Tensor[B, T], the number of the header in 0..N-1 that a token belongs to, else -1.
        window_N: int64 Tensor[N], the input of each header.
    """
    units_BTH = torch.nn.functional.normalize(states_BTH.float(), dim=-1)
    asked_T = question_BT.any(dim=0)
    asked_T[0] = True  # a largest value of nothing does not exist; where no question stands it counts as -1
    cosines_BTQ = units_BTH @ units_BTH[:, asked_T].transpose(1, 2)
    best_BT = cosines_BTQ.masked_fill(~question_BT[:, None, asked_T], -1.0).amax(dim=2)
    owned_BT = owner_BT >= 0
    owners, values = owner_BT[owned_BT], best_BT[owned_BT]
    zeros_N = values.new_zeros(len(window_N))
    counts_N = zeros_N.index_add(0, owners, torch.ones_like(values)).clamp(min=1)
    means_N = zeros_N.index_add(0, owners, values) / counts_N
    largest_N = (zeros_N - 1.0).scatter_reduce(0, owners, values, "amax")
    tops_B = values.new_full((len(states_BTH),), -1.0).scatter_reduce(0, window_N, means_N, "amax")
    return torch.stack([means_N, largest_N, means_N - tops_B[window_N]], dim=1)
