"""Random chat models of some ten thousand weights, text and image-text: see :mod:`tabrag.models.tiny`.

They read any text byte by byte, and the labels True and False as one token each.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from tabrag.models.io import write_model

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n"
    "{% if m['content'] is string %}{{ m['content'] }}{% else %}{% for part in m['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""Turns as ChatML marks them; a message is a text, or parts of which some are pictures."""
_SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<image>"]
_LABELS = ("True", "False")
_POSITIONS = 4096
_SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    merges = [(label[:end], label[end]) for label in _LABELS for end in range(1, len(label))]
    words = [*_SPECIAL, *sorted(pre_tokenizers.ByteLevel.alphabet()), *(a + b for a, b in merges)]
    made = Tokenizer(models.BPE(vocab={word: number for number, word in enumerate(words)}, merges=merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(_SPECIAL)
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=TEMPLATE,
        extra_special_tokens={"image_token": "<image>"},
    )


def _text_config(tokenizer: Any) -> Any:
    from transformers import LlamaConfig

    return LlamaConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=_POSITIONS,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        **_SIZES,
    )


def llama(folder: Path) -> None:
    """A text model of 4096 positions."""
    from transformers import LlamaForCausalLM

    tokenizer = _tokenizer()
    _save(LlamaForCausalLM, _text_config(tokenizer), folder)
    tokenizer.save_pretrained(folder)


def llava(folder: Path) -> None:
    """An image-text model; a picture is 32 x 32 pixels, 16 tokens."""
    from transformers import CLIPVisionConfig, LlavaConfig, LlavaForConditionalGeneration, LlavaProcessor
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    tokenizer = _tokenizer()
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(image_size=32, patch_size=8, **_SIZES),
        text_config=_text_config(tokenizer),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    _save(LlavaForConditionalGeneration, config, folder)
    LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size={"height": 32, "width": 32}, do_center_crop=False, crop_size={"height": 32, "width": 32}
        ),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    ).save_pretrained(folder)


def _save(model_class: type, config: object, folder: Path) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        write_model(model_class(config), folder)
