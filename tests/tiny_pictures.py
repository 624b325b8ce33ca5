"""Tiny random image-text models whose pictures take many tokens: LLaVA-NeXT and Idefics3."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from tiny_chat import PICTURE_TEMPLATE

_LAYERS = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
_SPECIAL = [
    "<s>", "</s>", "<pad>", "<image>", "<fake_token_around_image>", "<global-img>", "<end_of_utterance>",
    *(f"<row_{row}_col_{col}>" for row in range(1, 7) for col in range(1, 7)),
]  # fmt: skip


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=340, special_tokens=_SPECIAL, initial_alphabet=alphabet)
    raw.train_from_iterator(["True", "False"] * 5, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        extra_special_tokens={
            "image_token": "<image>",
            "fake_image_token": "<fake_token_around_image>",
            "global_image_token": "<global-img>",
            "end_of_utterance_token": "<end_of_utterance>",
        },
    )


def _text_config(tokenizer: Any) -> Any:
    from transformers import LlamaConfig

    return LlamaConfig(
        vocab_size=len(tokenizer), num_key_value_heads=2, eos_token_id=1, pad_token_id=2, **_LAYERS
    )


def _save(model: Any, processor: Any, folder: Path) -> Path:
    for parameter in model.parameters():  # far from uniform, so that differences show
        if parameter.ndim > 1:
            parameter.data.mul_(5)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def save_llava_next(folder: Path) -> Path:
    """A tile is 28 x 28 pixels, 4 tokens; a picture is cut into up to four of them besides the whole."""
    from transformers import (
        CLIPVisionConfig,
        LlavaNextConfig,
        LlavaNextForConditionalGeneration,
        LlavaNextProcessor,
    )
    from transformers.models.llava_next.image_processing_pil_llava_next import LlavaNextImageProcessorPil

    tokenizer = _tokenizer()
    grid = [[28, 56], [56, 28], [56, 56]]
    processor = LlavaNextProcessor(
        image_processor=LlavaNextImageProcessorPil(
            size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28}, image_grid_pinpoints=grid
        ),
        tokenizer=tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=PICTURE_TEMPLATE,
    )
    torch.manual_seed(0)
    config = LlavaNextConfig(
        vision_config=CLIPVisionConfig(image_size=28, patch_size=14, **_LAYERS),
        text_config=_text_config(tokenizer),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=grid,
        vision_feature_layer=-1,
    )
    return _save(LlavaNextForConditionalGeneration(config), processor, folder)


def save_idefics3(folder: Path) -> Path:
    """A picture is resized to at most 56 pixels a side and cut into tiles of 28 x 28, one token each."""
    from transformers import Idefics3Config, Idefics3ForConditionalGeneration, Idefics3Processor
    from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil

    tokenizer = _tokenizer()
    processor = Idefics3Processor(
        image_processor=Idefics3ImageProcessorPil(
            size={"longest_edge": 56}, max_image_size={"longest_edge": 28}
        ),
        tokenizer=tokenizer,
        image_seq_len=1,
        chat_template=PICTURE_TEMPLATE,
    )
    torch.manual_seed(0)
    vision = {"image_size": 28, "patch_size": 14, **_LAYERS}
    config = Idefics3Config(
        vision_config=vision,
        text_config=_text_config(tokenizer),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        pad_token_id=2,
    )
    return _save(Idefics3ForConditionalGeneration(config), processor, folder)
