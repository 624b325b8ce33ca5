"""LoRA through peft: adapters put into a model in place, their tensors by peft's names, merging.

The model keeps its class, so that nothing else has to know of the adapters. The files are those of peft's own
``save_pretrained`` (``adapter_config.json``, ``adapter_model.safetensors``), which other tools read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tabrag.errors import UserError
from tabrag.models.config import LoraConfig

WEIGHTS = "adapter_model.safetensors"
_NAME = "default"
_PREFIX = "base_model.model."
_PART = re.compile(rf"\.(lora_[AB])\.{_NAME}\.")


def add_adapters(model: nn.Module, layers: Sequence[str], config: LoraConfig) -> None:
    """Put trainable adapters, which do nothing yet, on the linear layers of these names.

    Raises:
        UserError: There is no such layer.
    """
    from peft import inject_adapter_in_model

    if not layers:
        raise UserError("LoRA: the model has no linear layers to put adapters on")
    inject_adapter_in_model(_settings(layers, config), model, adapter_name=_NAME)
    found = {name.split(".lora_A.")[0] for name, _ in model.named_parameters() if ".lora_A." in name}
    if found != set(layers):
        raise UserError(f"LoRA: {len(layers)} layers were asked for, {len(found)} got an adapter")


def _settings(layers: Sequence[str], config: LoraConfig) -> Any:
    from peft import LoraConfig as PeftLoraConfig

    # A regular expression over whole names: of a list, peft would take every layer that ends like one.
    return PeftLoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,  # type: ignore[arg-type]
        lora_dropout=config.dropout,
        target_modules=_pattern(layers),
        bias="none",
        task_type="CAUSAL_LM",
    )


def _pattern(layers: Sequence[str]) -> str:
    """A regular expression of exactly these names, which differ in numbers and last parts mostly."""
    shapes: dict[str, set[str]] = {}
    for name in layers:
        shapes.setdefault(re.sub(r"\.\d+\.", ".#.", name), set()).update(re.findall(r"\.(\d+)\.", name))
    parts = []
    for shape, numbers in sorted(shapes.items()):
        some = "|".join(sorted(numbers, key=int))
        parts.append(re.escape(shape).replace(r"\.\#\.", rf"\.({some})\."))
    return "|".join(parts)


def is_adapter(name: str) -> bool:
    """Whether a parameter of this name is an adapter's."""
    return _PART.search(name) is not None


def public_name(name: str) -> str:
    """The name of an adapter's parameter in peft's files."""
    return _PREFIX + _PART.sub(r".\1.", name)


def save_settings(model: nn.Module, config: LoraConfig, folder: Path, *, base: str) -> None:
    """Write ``adapter_config.json``."""
    layers = sorted({name.split(".lora_A.")[0] for name, _ in model.named_parameters() if ".lora_A." in name})
    settings = _settings(layers, config)
    settings.base_model_name_or_path = base
    settings.inference_mode = True
    settings.save_pretrained(folder)


def check_names(path: Path, found: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> None:
    """Refuse tensors that are not exactly the expected ones, by name and shape.

    Raises:
        UserError: Which ones, up to three of each kind.
    """
    missing = sorted(expected.keys() - found.keys())
    unknown = sorted(found.keys() - expected.keys())
    misshapen = sorted(
        f"{name} {tuple(found[name].shape)} instead of {tuple(expected[name].shape)}"
        for name in found.keys() & expected.keys()
        if found[name].shape != expected[name].shape
    )
    faults = [
        f"{len(names)} {kind}: {', '.join(names[:3])}"
        for kind, names in (("missing", missing), ("unknown", unknown), ("of another shape", misshapen))
        if names
    ]
    if faults:
        raise UserError(f"{path}: its tensors are not those that were trained ({'; '.join(faults)})")


@torch.no_grad()
def merge(model: nn.Module) -> int:
    """Add the adapters to the weights they stand on and take them out; how many weights changed."""
    changed = 0
    for name, module in list(model.named_modules()):
        if not hasattr(module, "lora_A"):
            continue
        base = module.get_base_layer()
        delta = module.get_delta_weight(_NAME)
        before = base.weight.data.clone()
        base.weight.data += delta.to(base.weight.dtype)
        changed += not torch.equal(before, base.weight.data)
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, base)
    return changed
