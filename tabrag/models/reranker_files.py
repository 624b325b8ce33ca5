"""The settings of a reranker's checkpoint, whatever its kind: which file has them, and its blend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.files import read_json
from tabrag.models import chat_files, cross_encoder, word_reranker
from tabrag.models.blend import Blend

_FILES = (cross_encoder.FILE, word_reranker.FILE, chat_files.FILE)


def settings_file(folder: Path) -> str | None:
    """The name of a reranker's settings in a folder; None where it holds none."""
    return next((name for name in _FILES if (folder / name).is_file()), None)


def needed_settings_file(folder: Path) -> str:
    """The name of a reranker's settings in a folder.

    Raises:
        UserError: It holds none.
    """
    name = settings_file(folder)
    if name is None:
        raise UserError(f"{folder}: none of {', '.join(_FILES)}, so this is no reranker's folder")
    return name


def read_settings(folder: Path) -> tuple[str, dict[str, Any], Blend]:
    """Name and content of a reranker's settings, and its blend: how its scores become P(True).

    Raises:
        UserError: It is no reranker's folder, or its file is broken.
    """
    name = needed_settings_file(folder)
    values = read_json(folder / name)
    if not isinstance(values, dict) or "blend" not in values:
        raise UserError(f"{folder / name}: 'blend' is missing")
    return name, values, Blend.from_record(values["blend"], where=folder / name)
