"""The settings of a reranker's checkpoint, whatever its kind: only its blend is looked at."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.files import read_json
from tabrag.models import chat_files, cross_encoder, word_reranker
from tabrag.models.blend import Blend

_FILES = (cross_encoder.FILE, word_reranker.FILE, chat_files.FILE)


def is_reranker(folder: Path) -> bool:
    """Whether a folder holds a reranker's checkpoint."""
    return any((folder / name).is_file() for name in _FILES)


def read_blend(folder: Path) -> Blend:
    """How the scores of a checkpoint become P(True).

    Raises:
        UserError: It is no reranker's folder, or its file is broken.
    """
    path = folder / _file(folder)
    values = read_json(path)
    if not isinstance(values, dict) or "blend" not in values:
        raise UserError(f"{path}: 'blend' is missing")
    return Blend.from_record(values["blend"], where=path)


def with_blend(folder: Path, blend: Blend) -> tuple[str, dict[str, Any]]:
    """Name and content of the settings file of a checkpoint, with another blend."""
    name = _file(folder)
    return name, {**read_json(folder / name), "blend": dataclasses.asdict(blend)}


def _file(folder: Path) -> str:
    for name in _FILES:
        if (folder / name).is_file():
            return name
    raise UserError(f"{folder}: none of {', '.join(_FILES)}, so this is no reranker's folder")
