"""Folders of models that are a text encoder with a small module on top: how they are written and read."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor

from tabrag.errors import UserError
from tabrag.files import atomic_folder, read_json, write_json
from tabrag.models import backbones
from tabrag.models.io import save_backbone, save_tensors
from tabrag.models.weights import part_of


class Headed(Protocol):
    """A text encoder with a module on top."""

    config: Any
    """A dataclass with ``backbone``, the encoder that it started from."""
    backbone: Any
    inputs: Any

    def state_dict(self) -> Mapping[str, Tensor]: ...


def read_settings(folder: Path, file: str, *, kind: str, version: int) -> dict[str, Any]:
    """The settings in a model's folder, without their format version.

    Args:
        folder: The folder.
        file: Name of the file with the settings, which only folders of this kind have.
        kind: What the model is, for messages.
        version: The format version that is read.

    Raises:
        UserError: The file is missing, broken, or of another version.
    """
    path = folder / file
    if not path.is_file():
        raise UserError(f"{folder}: no {file}, so this is not a {kind}'s folder")
    return versioned(read_json(path), path, version=version)


def versioned(values: Any, path: Path, *, version: int) -> dict[str, Any]:
    """What a file with a format version says besides.

    Raises:
        UserError: It is of another version, or no mapping.
    """
    found = values.get("format_version") if isinstance(values, dict) else None
    if found != version:
        raise UserError(f"{path}: format version {found}, but this tabrag reads {version}")
    return {name: value for name, value in values.items() if name != "format_version"}


def save_headed(
    model: Headed,
    folder: str | Path,
    *,
    file: str,
    values: Mapping[str, Any],
    head: str,
    head_file: str,
    state_dict: Mapping[str, Tensor] | None,
) -> None:
    """Write the checkpoint folder; it stands whole or the previous one stays.

    Args:
        model: The model.
        folder: Where to.
        file: Name of the file with the settings.
        values: What stands in it before the model's ``config``.
        head: Name of the module on top.
        head_file: Name of the file with its tensors.
        state_dict: The model's gathered tensors, where its own are partitioned over processes.
    """
    state = dict(model.state_dict() if state_dict is None else state_dict)
    config = dataclasses.replace(model.config, backbone=backbones.origin(model.config.backbone))
    with atomic_folder(folder) as temporary:
        save_backbone(model.backbone, temporary, state_dict=part_of(state, "backbone."))
        save_tensors(part_of(state, f"{head}."), temporary / head_file)
        model.inputs.save(temporary)
        write_json(temporary / file, {**values, **dataclasses.asdict(config)})
