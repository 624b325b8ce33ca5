"""A small LLaVA of real parts: DINOv2-small reads the picture, SmolLM2-135M says what it sees.

Liu et al., 2023 ("Visual Instruction Tuning") and 2024 ("Improved Baselines with Visual Instruction Tuning"):
an MLP turns the patches of a picture into words of the language model. Here the MLP is new and knows nothing:
it is trained first by itself (``configs/reranker/small_projector.yaml``), then with the language model
(``small.yaml``).

A picture is 224 x 168 pixels, 16 x 12 patches, and takes 192 positions. Tables are about that wide for their
height (the median of HiTab's is 1.5, that of the synthetic ones 1.2), so they are resized to it as they are:
padding would draw the letters smaller along one axis and no larger along the other. A line of 13 pixels in a
table of 600 x 500 is 5 pixels high then; more patches show more and cost as much more.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from tabrag.models.io import write_model
from tabrag.models.tiny_chat import TEMPLATE

PATCH = 14
SIZE = {"height": 12 * PATCH, "width": 16 * PATCH}
_PLACEHOLDER, _RESERVED = "<image>", "<empty_output>"
_LAYERS = (-9, -5, -1)
"""States of an early, a middle and the last layer: strokes of letters are lost towards the end."""
_LAYER_NORMS = (0.056, 0.154, 2.5)
"""Root mean squares of their values over rendered tables: the MLP's first weights make them alike."""
_WORD_NORM = 0.136
"""Root mean square of the language model's word embeddings: what the MLP gives has it too, at first."""
_GELU_NORM = 0.652
"""Root mean square of GELU(x) of a normal x."""


def build(folder: Path, *, vision: Path, language: Path) -> None:
    """Write the model and its processor.

    Args:
        folder: Where to.
        vision: Folder of a DINOv2 of 384 values a patch.
        language: Folder of SmolLM2-135M.
    """
    from transformers import (
        AutoModelForCausalLM,
        Dinov2Model,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )
    from transformers.models.bit.image_processing_pil_bit import BitImageProcessorPil

    tokenizer = _tokenizer(language)
    text = AutoModelForCausalLM.from_pretrained(language, dtype="auto", local_files_only=True)
    tower = Dinov2Model.from_pretrained(vision, local_files_only=True)
    config = LlavaConfig(
        vision_config=tower.config,
        text_config=text.config,
        image_token_index=tokenizer.convert_tokens_to_ids(_PLACEHOLDER),
        vision_feature_layer=list(_LAYERS),
        image_seq_length=SIZE["height"] // PATCH * (SIZE["width"] // PATCH),
        tie_word_embeddings=True,
    )
    with torch.device("meta"):
        model = LlavaForConditionalGeneration(config)
    model.model.vision_tower = tower
    model.model.language_model = text.model
    model.lm_head = text.lm_head
    projector = model.model.multi_modal_projector.to_empty(device="cpu")
    _initialise(projector.linear_1, projector.linear_2)
    model.generation_config = text.generation_config
    write_model(model, folder)
    LlavaProcessor(
        image_processor=BitImageProcessorPil(
            size=SIZE,
            crop_size=SIZE,
            do_center_crop=False,
            image_mean=[0.485, 0.456, 0.406],
            image_std=[0.229, 0.224, 0.225],
        ),
        tokenizer=tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE,
    ).save_pretrained(folder)


def _initialise(first: torch.nn.Linear, second: torch.nn.Linear) -> None:
    """First values of the MLP, the same in every conversion."""
    draw = torch.Generator().manual_seed(0)
    each = first.in_features // len(_LAYERS)
    norms_I = torch.tensor(_LAYER_NORMS).repeat_interleave(each)
    with torch.no_grad():
        first.weight.normal_(generator=draw).div_(norms_I * first.in_features**0.5)
        second.weight.normal_(generator=draw).mul_(_WORD_NORM / (_GELU_NORM * second.in_features**0.5))
        first.bias.zero_()
        second.bias.zero_()


def _tokenizer(language: Path) -> Any:
    """SmolLM2's, with a reserved token, which no text holds, for pictures: the word table keeps its size."""
    from tokenizers import Tokenizer
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    own = AutoTokenizer.from_pretrained(language, local_files_only=True)
    state = json.loads(own.backend_tokenizer.to_str())
    for token in state["added_tokens"]:
        if token["content"] == _RESERVED:
            token["content"] = _PLACEHOLDER
    words = state["model"]["vocab"]
    words[_PLACEHOLDER] = words.pop(_RESERVED)
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(state)),
        bos_token=own.bos_token,
        eos_token=own.eos_token,
        pad_token=own.pad_token,
        unk_token=own.unk_token,
        chat_template=TEMPLATE,
        extra_special_tokens={"image_token": _PLACEHOLDER},
    )
