"""Weights in 4 bits, through bitsandbytes: NF4 with double quantisation (Dettmers et al., 2023, "QLoRA")."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import torch

from tabrag.errors import UserError, missing_extra


def four_bit_settings(device: torch.device, *, without: Sequence[str]) -> Any:
    """transformers' settings for a model that is loaded onto ``device``.

    Args:
        device: A GPU.
        without: Modules that keep their weights as they are.

    Raises:
        UserError: It is no GPU, or bitsandbytes is not installed.
    """
    if device.type != "cuda":
        raise UserError(
            f"four_bit needs a GPU with CUDA, this is {device}: set four_bit: false (and dtype: bfloat16 "
            "to save memory)"
        )
    if importlib.util.find_spec("bitsandbytes") is None:
        raise missing_extra("bitsandbytes", "four-bit")
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
        llm_int8_skip_modules=list(without),
    )
