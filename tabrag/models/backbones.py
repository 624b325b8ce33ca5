"""What the families of transformers models do differently, in one place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import nn

from tabrag.errors import UserError
from tabrag.files import read_json
from tabrag.models.io import PICTURE_PARTS, load_backbone, load_config

_OFFSET_FAMILIES = (
    "layoutlmv3",
    "roberta",
    "xlm-roberta",
    "xlm-roberta-xl",
    "camembert",
    "mpnet",
    "data2vec-text",
    "roberta-prelayernorm",
)
"""Families that number positions from ``pad_token_id + 1``, so that the table holds fewer than its size."""

_NEVER_TRAINED = ("rel_pos_bias", "rel_pos_x_bias", "rel_pos_y_bias", "mask_token", "post_layernorm")
"""Parameters that get no gradient: LayoutLMv3 reads its bias tables under ``no_grad``, mask tokens serve
pre-training only, and CLIP's last norm sees only its own pooled output."""


def origin(backbone: str) -> str:
    """What a checkpoint names as its beginning: no path of this machine.

    A trained tower of a retriever passes on what it began from itself.
    """
    folder = Path(backbone).expanduser()
    if not folder.is_dir():
        return backbone
    if (folder / "embedder.json").is_file():
        return str(read_json(folder / "embedder.json")["backbone"])
    return folder.name


def load(folder: Path, kind: str, *, pixels: bool = True, trust_remote_code: bool = False) -> Any:
    """Load the backbone for inputs of ``kind``; a two-tower model gives its vision tower for ``image``.

    A LayoutLMv3 without pictures is built without its picture parts.

    Raises:
        UserError: See :func:`tabrag.models.io.load_backbone`; or the model is of a kind that does not fit.
    """
    config = load_config(folder, trust_remote_code=trust_remote_code)
    if (config.model_type == "layoutlmv3") != (kind == "layoutlmv3"):
        raise UserError(f"{folder}: a {config.model_type} model does not fit inputs '{kind}'")
    if kind == "image" and hasattr(config, "vision_config"):
        return load_backbone(folder, config=config.vision_config, unused=(r"^(?!vision_model\.)",))
    if kind == "layoutlmv3" and not pixels and config.visual_embed:
        return _without_pictures(folder, config)
    return load_backbone(folder, config=config, trust_remote_code=trust_remote_code)


def _without_pictures(folder: Path, config: Any) -> Any:
    """Words and boxes alone.

    The norm that joins words and patches is applied only beside patches. Where the words' own norm does
    nothing but normalise (``offline:layoutlmv3-minilm``) the joint one takes its place, which gives exactly
    the same values for the words.
    """
    joint = load_backbone(folder, config=config)
    config.visual_embed = False
    backbone = load_backbone(folder, config=config, unused=PICTURE_PARTS)
    own = backbone.embeddings.LayerNorm
    if torch.equal(own.weight, torch.ones_like(own.weight)) and not own.bias.any():
        own.load_state_dict(joint.LayerNorm.state_dict())
    return backbone


def freeze_unused(backbone: nn.Module, *, pixels_only: bool = False) -> None:
    """Switch gradients off where none ever comes: data-parallel training and cached gradients rely on it."""
    for name, parameter in backbone.named_parameters():
        parts = name.split(".")
        if any(part in _NEVER_TRAINED for part in parts) or (pixels_only and parts[0] == "embeddings"):
            parameter.requires_grad_(False)


def max_positions(config: Any) -> int | None:
    """The longest text that the position table holds; None where there is no table."""
    size = getattr(config, "max_position_embeddings", None)
    if size is None or config.model_type not in _OFFSET_FAMILIES:
        return size
    return size - config.pad_token_id - 1


def check_length(max_length: int, config: Any, kind: str, name: str) -> None:
    """Refuse a ``max_length`` beyond the position table.

    Raises:
        UserError: Both numbers and the backbone are named.
    """
    limit = max_positions(config) if kind != "image" else None
    if limit is not None and max_length > limit:
        raise UserError(
            f"max_length {max_length} is more than the {limit} positions of {name}: set at most {limit}"
        )


def check_vocabulary(num_ids: int, backbone: Any, name: str) -> None:
    """Refuse a tokenizer that gives ids beyond the embedding table.

    Raises:
        UserError: Both numbers and the backbone are named.
    """
    size = backbone.get_input_embeddings().num_embeddings
    if num_ids > size:
        raise UserError(f"{name}: its tokenizer has {num_ids} tokens, its embedding table only {size} rows")


def num_leading(backbone: nn.Module) -> int:
    """Positions before the first patch: a class token and registers."""
    names = [name.split(".")[-1] for name, _ in backbone.named_parameters()]
    if "cls_token" not in names and "class_embedding" not in names:
        return 0
    return 1 + getattr(backbone.config, "num_register_tokens", 0)


def width(backbone: Any) -> int:
    """Width of the last state."""
    config = backbone.config
    sizes = getattr(config, "hidden_sizes", None)
    return int(sizes[-1] if sizes else config.hidden_size)
