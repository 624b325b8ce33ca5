"""Opening a chat model of transformers: its kind, its weights, the tokens that end a reply."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tabrag.chat.config import LocalChatConfig
from tabrag.errors import UserError

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)


def load(config: LocalChatConfig) -> tuple[Any, Any, Any]:
    """Model (on its device, in evaluation mode), tokenizer and processor (None for a text model).

    A trained reranker (:class:`tabrag.models.chat_reranker.ChatReranker`) is its base with what was trained.

    Raises:
        UserError: There is no such model, it is no chat model, or its files do not fill it; or there are no
            ``vision_features`` of it.
    """
    from tabrag.inference import runtime
    from tabrag.models.chat_files import is_trained_on_base
    from tabrag.models.io import resolve

    path = resolve(config.model, revision=config.revision)
    device = runtime.device(config.device)
    dtype = runtime.precision(config.dtype, device)
    if is_trained_on_base(path):
        from tabrag.models.chat_reranker import ChatReranker

        reranker = ChatReranker.from_pretrained(path, device=device, dtype=dtype)
        model, tokenizer, processor = reranker.model, reranker.tokenizer, reranker.processor
    else:
        model, tokenizer, processor = open_model(path, device=device, dtype=dtype)
        logger.info("chat model %s (%s) on %s", config.model, type(model).__name__, device)
    if config.vision_features is not None:
        from tabrag.chat.vision_features import take

        take(model, config.vision_features, name=config.model)
    return model.eval(), tokenizer, processor


def open_model(
    path: Path,
    *,
    device: torch.device,
    dtype: torch.dtype,
    quantization: Any = None,
    files: Path | None = None,
) -> tuple[Any, Any, Any]:
    """Model on its device, tokenizer and processor (None for a text model) of a folder, strictly.

    Args:
        path: The model's folder.
        device: Where it goes.
        dtype: Number format of its weights.
        quantization: transformers' settings of weights in fewer bits; None for none.
        files: Folder of tokenizer and processor; the model's own where None.

    Raises:
        UserError: It is no chat model, or its files do not fill it.
    """
    import transformers

    from tabrag.models.io import load_config

    pictures = reads_pictures(load_config(path), str(path))
    options: dict[str, Any] = {"dtype": dtype, "output_loading_info": True, "local_files_only": True}
    if quantization is not None:
        options |= {"quantization_config": quantization, "device_map": {"": device}}
    files = files or path
    if pictures:
        model, info = transformers.AutoModelForImageTextToText.from_pretrained(path, **options)
        processor = transformers.AutoProcessor.from_pretrained(files, local_files_only=True)
        complete_processor(processor, model)
        tokenizer = processor.tokenizer
    else:
        model, info = transformers.AutoModelForCausalLM.from_pretrained(path, **options)
        processor = None
        tokenizer = transformers.AutoTokenizer.from_pretrained(files, local_files_only=True)
    faults = [*info["missing_keys"], *info["unexpected_keys"], *map(str, info["mismatched_keys"])]
    if faults:  # transformers would fill the missing ones with random numbers
        raise UserError(
            f"{path}: tensors that do not fit {type(model).__name__}: {', '.join(sorted(faults)[:8])}"
        )
    return (model if quantization is not None else model.to(device)), tokenizer, processor


def complete_processor(processor: Any, model: Any) -> None:
    """Set what a LLaVA processor counts a picture's tokens by, where older files lack it or say otherwise.

    It is taken from the model, which gives the features: size of a patch, whether the tower's class token is
    left out, whether it has one at all, and the shapes that a picture may be parted into.

    Raises:
        UserError: The model keeps class tokens among the tiles of a picture, which nothing can arrange.
    """
    from tabrag.models.backbones import num_leading

    config = model.config
    if (
        config.model_type == "llava_next"
        and config.vision_feature_select_strategy == "full"
        and num_leading(model.model.vision_tower)
    ):
        raise UserError(
            f"{config.name_or_path}: vision_feature_select_strategy 'full' keeps the class token of each "
            "tile, so that they form no grid: set it to 'default' in config.json and processor_config.json"
        )
    tower = getattr(model.model, "vision_tower", None)
    wanted: list[tuple[Any, str, Any]] = [
        (
            getattr(processor, "image_processor", None),
            "image_grid_pinpoints",
            getattr(config, "image_grid_pinpoints", None),
        )
    ]
    if tower is not None and hasattr(processor, "num_additional_image_tokens"):
        strategy = getattr(config, "vision_feature_select_strategy", None)
        wanted += [
            (processor, "patch_size", config.vision_config.patch_size),
            (processor, "vision_feature_select_strategy", strategy),
            (processor, "num_additional_image_tokens", num_leading(tower)),
        ]
    for owner, name, value in wanted:
        own = getattr(owner, name, value)
        if value is None or _plain(own) == _plain(value):
            continue
        if own:
            logger.warning("%s: %s is %s, the model has %s", config.name_or_path, name, own, value)
        setattr(owner, name, value)


def _plain(value: Any) -> Any:
    """Lists for tuples, in each other."""
    return list(map(_plain, value)) if isinstance(value, list | tuple) else value


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
