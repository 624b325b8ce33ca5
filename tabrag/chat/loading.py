"""Opening a chat model of transformers: its kind, its weights, the tokens that end a reply."""

from __future__ import annotations

import logging
from typing import Any

from tabrag.chat.config import LocalChatConfig
from tabrag.errors import UserError

logger = logging.getLogger(__name__)


def load(config: LocalChatConfig) -> tuple[Any, Any, Any]:
    """Model (on its device, in evaluation mode), tokenizer and processor (None for a text model).

    Raises:
        UserError: There is no such model, it is no chat model, or its files do not fill it.
    """
    import transformers

    from tabrag.inference import runtime
    from tabrag.models.io import load_config, resolve

    path = resolve(config.model, revision=config.revision)
    model_config = load_config(path)
    device = runtime.device(config.device)
    options = {"dtype": runtime.precision(config.dtype, device), "output_loading_info": True}
    if reads_pictures(model_config, str(config.model)):
        model, info = transformers.AutoModelForImageTextToText.from_pretrained(path, **options)
        processor = transformers.AutoProcessor.from_pretrained(path)
        tokenizer = processor.tokenizer
    else:
        model, info = transformers.AutoModelForCausalLM.from_pretrained(path, **options)
        processor, tokenizer = None, transformers.AutoTokenizer.from_pretrained(path)
    faults = [*info["missing_keys"], *info["unexpected_keys"], *map(str, info["mismatched_keys"])]
    if faults:  # transformers would fill the missing ones with random numbers
        raise UserError(
            f"{path}: tensors that do not fit {type(model).__name__}: {', '.join(sorted(faults)[:8])}"
        )
    logger.info("chat model %s (%s) on %s", config.model, type(model).__name__, device)
    return model.to(device).eval(), tokenizer, processor


def reads_pictures(model_config: Any, name: str) -> bool:
    """Whether a transformers config is that of an image-text model (True) or of a text model (False).

    Raises:
        UserError: It is neither.
    """
    from transformers.models.auto import modeling_auto

    names = set(model_config.architectures or ())
    pictures = modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
    text = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    if names & set(pictures.values()) or (not names and model_config.model_type in pictures):
        return True
    if names & set(text.values()) or (not names and model_config.model_type in text):
        return False
    raise UserError(
        f"{name}: architecture {sorted(names) or model_config.model_type} is no chat model;"
        " give a causal language model or an image-text-to-text model"
    )


def end_ids(model: Any, tokenizer: Any) -> list[int]:
    """Every token that ends a reply, of the model's generation settings and of the tokenizer."""
    ends = model.generation_config.eos_token_id
    ends = [] if ends is None else list(ends) if isinstance(ends, list | tuple) else [ends]
    if tokenizer.eos_token_id is not None and tokenizer.eos_token_id not in ends:
        ends.append(tokenizer.eos_token_id)
    return ends


def pad_id(model: Any, tokenizer: Any) -> int:
    """The token that fills a batch up; never read, since the mask hides it."""
    if tokenizer.pad_token_id is not None:
        return tokenizer.pad_token_id
    return next(iter(end_ids(model, tokenizer)), 0)
