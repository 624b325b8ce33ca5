"""Which parts of a chat model are trained, and what is read of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from tabrag.errors import UserError
from tabrag.models import peft_adapter
from tabrag.models.config import ChatRerankerConfig
from tabrag.models.towers import Towers, is_read, linear_layers, within


def prepare(model: Any, config: ChatRerankerConfig, towers: Towers) -> None:
    """Give gradients to what is trained, in float32, and to nothing else."""
    model.requires_grad_(False)
    layers: list[str] = []
    if config.language == "lora":
        layers += linear_layers(model, towers.language)
    if config.vision == "lora":
        some = linear_layers(model, towers.vision, without=towers.projector)
        layers += [name for name in some if is_read(name, model.config)]
    if layers:
        peft_adapter.add_adapters(model, layers, config.lora)
    for name, parameter in model.named_parameters():
        if peft_adapter.is_adapter(name) or is_full(name, config, towers, model.config):
            parameter.requires_grad_(True)
            parameter.data = parameter.data.float()
    if not any(parameter.requires_grad for parameter in model.parameters()):
        raise UserError("nothing is trained: set language, vision or projector to something but frozen")


def is_full(name: str, config: ChatRerankerConfig, towers: Towers, base_config: Any) -> bool:
    """Whether a parameter is trained as a whole."""
    if within(name, towers.projector):
        return config.projector == "full" and config.show != "text"
    if within(name, towers.vision):
        return config.vision == "full" and is_read(name, base_config)
    return config.language == "full" and within(name, towers.language)


def read_tensors(path: Path) -> Mapping[str, Tensor]:
    """The tensors of a safetensors file.

    Raises:
        UserError: It is missing or broken.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if not path.is_file():
        raise UserError(f"{path}: file not found; the checkpoint is not whole")
    try:
        return load_file(path)
    except SafetensorError as error:
        raise UserError(f"{path}: {error}") from error


def limit_pixels(processor: Any, most: int) -> None:
    """Make a processor of pictures of any size shrink those above ``most`` pixels.

    Raises:
        UserError: The processor has sizes of its own.
    """
    images = getattr(processor, "image_processor", None)
    if images is None or not hasattr(images, "merge_size"):
        raise UserError("max_pixels: this model's pictures have sizes of their own: set it to null")
    images.size = {"shortest_edge": min(images.size["shortest_edge"], most), "longest_edge": most}
