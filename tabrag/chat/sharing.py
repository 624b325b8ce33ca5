"""Which models can run what follows a shared beginning apart from it, and whether one really does."""

from __future__ import annotations

import inspect
from typing import Any

import torch

from tabrag.chat.passes import Passes, Placed, cache_argument
from tabrag.chat.prefix import Prefix

PICTURE_MODELS = frozenset({"llava", "llava_next", "idefics3", "smolvlm"})
"""Image-text models whose pictures stand in one causal sequence with plain positions.

Qwen-VL is not among them: the positions after a picture depend on its shape. In PaliGemma the whole prompt
sees the question.
"""
_SAMPLE = "Year 2019 2020 2021 | total 12 345 6 | region A 7 8 9 | which year has the highest total? "
_TOLERANCE = {torch.float32: 1e-3, torch.float64: 1e-3}  # of a log-probability, relative; half precision: 0.1


def refusal(model: Any, *, pictures: bool) -> str | None:
    """Why a model's prefixes cannot be shared, by its kind; None where nothing speaks against it.

    Shared are models with full causal attention in all layers and positions that are given from outside.
    Not: sliding windows, recurrent or compressed states, rotary scaling that depends on the length of the
    whole prompt (dynamic, LongRoPE), attention kernels that take no mask (flash, flex), and image-text
    models other than :data:`PICTURE_MODELS`.
    """
    from transformers import DynamicCache
    from transformers.cache_utils import DynamicLayer

    accepts = set(inspect.signature(model.forward).parameters)
    needs = {"attention_mask", "position_ids", "logits_to_keep", cache_argument(model)}
    if missing := needs - accepts:
        return f"its forward takes no {', '.join(sorted(missing))}"
    config = model.config
    text_config = config.get_text_config()
    if config.is_encoder_decoder:
        return "it has an encoder"
    if pictures and config.model_type not in PICTURE_MODELS:
        return f"pictures of the kind {config.model_type} are not known to allow it"
    if text_config._attn_implementation not in ("sdpa", "eager"):
        return f"the attention {text_config._attn_implementation} takes no mask of its own"
    if any(kind in str(getattr(text_config, "rope_parameters", "")) for kind in ("dynamic", "longrope")):
        return "its rotary positions depend on the whole length"
    layers = DynamicCache(config=config).layers
    if not layers or any(type(layer) is not DynamicLayer for layer in layers):
        return "not all its layers attend to everything before"
    return None


def failed_check(passes: Passes, model: Any, tokenizer: Any) -> str | None:
    """Run a few words whole and behind a shared beginning; what is wrong where the results differ."""
    ids = tokenizer(_SAMPLE, add_special_tokens=False)["input_ids"][:48]
    half = len(ids) // 2
    tails = [ids[half:], ids[half:][::-1][: max(half - 3, 1)]]
    tensor = torch.tensor([ids[:half]])
    layers = passes.prefill([{"input_ids": tensor, "attention_mask": torch.ones_like(tensor)}])[0]
    prefix = Prefix(tuple(ids[:half]), half, 0, layers)
    wave = [Placed(i, prefix, half, tuple(tail), 2) for i, tail in enumerate(tails)]
    got = dict(passes.log_probs([wave]))
    for i, tail in enumerate(tails):
        whole = torch.tensor([ids[:half] + tail], device=model.device)
        logits_2V = model(input_ids=whole, use_cache=False).logits[0, -2:]
        expected = torch.log_softmax(logits_2V.float(), dim=-1)
        error = float(((got[i] - expected).abs() / (1 + expected.abs())).max())
        if not error <= _TOLERANCE.get(model.dtype, 0.1):
            return f"its log-probabilities behind a shared beginning are off by {error:.2g}"
    return None
