"""Tiny random Qwen-VL models, whose processors need torchvision: a token for each 2 x 2 patches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tiny_chat import byte_tokenizer

_SPECIAL = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
    "<|video_pad|>",
]  # fmt: skip
_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{% for part in m['content'] %}"
    "{% if part['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def make_qwen(kind: str) -> tuple[Any, Any]:
    """Model and tokenizer, which need no torchvision; ``kind`` is ``qwen2_5_vl`` or ``qwen3_vl``."""
    import transformers as t

    tokenizer = byte_tokenizer(special=_SPECIAL, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    numbers = {
        f"{name}_token_id": tokenizer.convert_tokens_to_ids(f"<|{token}|>")
        for name, token in (
            ("image", "image_pad"), ("video", "video_pad"), ("vision_start", "vision_start"),
            ("vision_end", "vision_end"),
        )
    }  # fmt: skip
    text = {
        "vocab_size": len(tokenizer), "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "intermediate_size": 64, "head_dim": 8, "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id,
        "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 10000.0},
    }  # fmt: skip
    vision = {"depth": 2, "hidden_size": 32, "num_heads": 4, "intermediate_size": 64, "out_hidden_size": 32}
    torch.manual_seed(0)
    if kind == "qwen3_vl":
        vision |= {"patch_size": 16, "deepstack_visual_indexes": [0], "num_position_embeddings": 16}
        config = t.Qwen3VLConfig(text_config=text, vision_config=vision, **numbers)
        model = t.Qwen3VLForConditionalGeneration(config)
    else:
        vision |= {"patch_size": 14, "fullatt_block_indexes": [1], "window_size": 56}
        config = t.Qwen2_5_VLConfig(text_config=text, vision_config=vision, **numbers)
        model = t.Qwen2_5_VLForConditionalGeneration(config)
    for parameter in model.parameters():  # far from uniform, so that differences show
        if parameter.ndim > 1:
            parameter.data.mul_(4)
    return model.eval(), tokenizer


def save_qwen(folder: Path, kind: str) -> Path:
    """``kind`` is ``qwen2_5_vl`` or ``qwen3_vl``."""
    import transformers as t

    model, tokenizer = make_qwen(kind)
    make, video = t.Qwen2_5_VLProcessor, t.Qwen2VLVideoProcessor
    if kind == "qwen3_vl":
        make, video = t.Qwen3VLProcessor, t.Qwen3VLVideoProcessor
    patch = model.config.vision_config.patch_size
    sizes = {"patch_size": patch, "temporal_patch_size": 2, "merge_size": 2}
    images = t.Qwen2VLImageProcessor(**sizes)
    images.size = {"shortest_edge": 32 * 32, "longest_edge": 128 * 128}
    processor = make(
        image_processor=images, tokenizer=tokenizer, video_processor=video(**sizes), chat_template=_TEMPLATE
    )
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder
