"""The parts of chat models by family: language model, vision tower, and what stands between the two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import nn

from tabrag.errors import UserError


@dataclass(frozen=True, slots=True)
class Towers:
    """Names of modules (and of parameters outside of them); "" is the whole model.

    Attributes:
        language: The language model with its output layer.
        vision: The vision tower; empty for a text model.
        projector: What turns its states into those of words.
    """

    language: tuple[str, ...]
    vision: tuple[str, ...] = ()
    projector: tuple[str, ...] = ()


_LANGUAGE = ("model.language_model", "lm_head")
_LLAVA = Towers(_LANGUAGE, ("model.vision_tower",), ("model.multi_modal_projector", "model.image_newline"))
_IDEFICS = Towers(("model.text_model", "lm_head"), ("model.vision_model",), ("model.connector",))
_QWEN = Towers(_LANGUAGE, ("model.visual",), ("model.visual.merger", "model.visual.deepstack_merger_list"))
FAMILIES: dict[str, Towers] = {
    "llava": _LLAVA,
    "llava_next": _LLAVA,
    "idefics3": _IDEFICS,
    "smolvlm": _IDEFICS,
    "qwen2_vl": _QWEN,
    "qwen2_5_vl": _QWEN,
    "qwen3_vl": _QWEN,
}
"""Image-text models by ``model_type``."""


def towers_of(config: Any, *, pictures: bool) -> Towers:
    """The parts of a model of this transformers config.

    Args:
        config: The config.
        pictures: Whether it is an image-text model.

    Raises:
        UserError: An image-text model whose parts are not known.
    """
    if not pictures:
        return Towers(language=("",))
    if config.model_type not in FAMILIES:
        raise UserError(
            f"training of image-text models of the kind {config.model_type} is not supported; "
            f"there are {', '.join(FAMILIES)}"
        )
    return FAMILIES[config.model_type]


def within(name: str, parts: tuple[str, ...]) -> bool:
    """Whether the module or parameter ``name`` belongs to one of ``parts``."""
    return any(not part or name == part or name.startswith(f"{part}.") for part in parts)


def is_read(name: str, config: Any) -> bool:
    """Whether what the model says depends on a parameter of its vision tower.

    LLaVA takes the states of an inner layer (CLIP's last but one), so the layers behind it, the last norm and
    a pooling head get no gradient. Mask tokens serve pre-training alone.
    """
    if name.endswith("mask_token"):
        return False
    if config.model_type not in ("llava", "llava_next") or not within(name, _LLAVA.vision):
        return True
    parts = name.split(".")
    taken = config.vision_feature_layer
    deepest = max(
        layer if layer >= 0 else config.vision_config.num_hidden_layers + 1 + layer
        for layer in (taken if isinstance(taken, list | tuple) else [taken])
    )
    if "layers" in parts:
        return int(parts[parts.index("layers") + 1]) < deepest
    return not ({"post_layernorm", "head"} & set(parts))


def linear_layers(model: nn.Module, parts: tuple[str, ...], *, without: tuple[str, ...] = ()) -> list[str]:
    """Names of the linear layers of ``parts``, those of ``without`` and the output layer left out."""
    output = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
    return [
        name
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear)
        and module is not output
        and within(name, parts)
        and not within(name, without)
    ]
