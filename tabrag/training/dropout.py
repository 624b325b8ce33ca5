"""How much a model drops while it trains, apart from what its checkpoint says."""

from __future__ import annotations

from torch import nn

_RATES = (
    "attention_dropout",
    "activation_dropout",
    "hidden_dropout",
    "residual_dropout",
    "dropout",
    "dropout_prob",
    "dropout_p",
    "attn_dropout",
    "attn_drop",
)


def set_dropout(module: nn.Module, rate: float) -> None:
    """Give every dropout of ``module`` that drops at all the probability ``rate``.

    Backbones keep the rate of their attention in modules or, under several names, as a plain number. The
    settings in their ``config`` stay as they are, so a saved checkpoint trains elsewhere as it always did.

    Args:
        module: The model; changed in place.
        rate: Probability, 0..1 (1 excluded). At 0 no masks are drawn, which is slow on a CPU.
    """
    for part in module.modules():
        if isinstance(part, nn.modules.dropout._DropoutNd):
            part.p = rate if part.p else 0.0
        for name in _RATES:
            value = vars(part).get(name)
            if isinstance(value, float) and value:
                setattr(part, name, rate)
