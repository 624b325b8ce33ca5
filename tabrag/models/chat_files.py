"""The files of a trained chat model: its settings, and what its base is recognised by."""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tabrag.chat.prompts import RANK_LABELS, RANK_VERSION, VERSION
from tabrag.errors import UserError
from tabrag.from_json import from_json
from tabrag.models.blend import Blend
from tabrag.models.config import ChatRerankerConfig
from tabrag.models.headed import read_settings

FILE = "chat_reranker.json"
FORMAT_VERSION = 1
BASE = "base"
"""Subfolder of a checkpoint where its base may lie, so that both can move together."""
_SAMPLE = 4096


@dataclass(frozen=True, kw_only=True)
class ChatRerankerFile:
    """What ``chat_reranker.json`` says.

    Attributes:
        config: How the model was built, and what it sees.
        base_digest: Of the base's weights (:func:`base_digest`); empty where the model stands for itself,
            merged.
        dtype: Number format of the frozen weights in training.
        label_ids: Label -> token ids that follow a prompt.
        blend: How log-odds become P(True).
        mix: The tasks that it was trained on, and negatives a positive.
    """

    config: ChatRerankerConfig
    base_digest: str
    dtype: str
    label_ids: dict[str, list[int]]
    blend: Blend
    mix: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Values to write."""
        return {
            "format_version": FORMAT_VERSION,
            "prompt_version": RANK_VERSION,
            "answer_prompt_version": VERSION,
            **asdict(self),
        }


def is_trained_on_base(folder: Path) -> bool:
    """Whether a folder holds a trained chat model that needs its base; False for a plain or merged one.

    Raises:
        UserError: Its settings are broken or of another version.
    """
    return (folder / FILE).is_file() and bool(read(folder).base_digest)


def read(folder: Path) -> ChatRerankerFile:
    """Read ``chat_reranker.json``.

    Raises:
        UserError: It is missing, broken, or of another version; or the model was trained with other prompts
            than those of this tabrag.
    """
    path = folder / FILE
    values = read_settings(folder, FILE, kind="trained chat model", version=FORMAT_VERSION)
    prompts = values.pop("prompt_version", None)
    values.pop("answer_prompt_version", None)
    if prompts != RANK_VERSION:
        raise UserError(
            f"{path}: trained with version {prompts} of the prompts, this tabrag asks with {RANK_VERSION}, "
            "which gives other scores: use the tabrag that trained it, or train again"
        )
    found = from_json(ChatRerankerFile, values, where=path)
    if set(found.label_ids) != set(RANK_LABELS):
        raise UserError(f"{path}: labels {sorted(found.label_ids)}, expected {sorted(RANK_LABELS)}")
    return found


def base_digest(folder: Path) -> str:
    """32 hex digits of a model's weights: names, formats, shapes and the first numbers of each tensor.

    Only these are read, so it takes moments for a model of any size. Another model of the same architecture
    differs, the same model in other files does not.

    Raises:
        UserError: There are no weights, or a file is broken.
    """
    paths = sorted(folder.glob("model*.safetensors"))
    if not paths:
        return _digest_of_bins(folder)
    facts: list[list[Any]] = []
    for path in paths:
        try:
            with path.open("rb") as file:
                (length,) = struct.unpack("<Q", file.read(8))
                header = json.loads(file.read(length))
                start = 8 + length
                for name, tensor in header.items():
                    if name == "__metadata__":
                        continue
                    first, end = tensor["data_offsets"]
                    file.seek(start + first)
                    sample = hashlib.sha256(file.read(min(_SAMPLE, end - first))).hexdigest()
                    facts.append([name, tensor["dtype"], tensor["shape"], sample])
        except (struct.error, ValueError, KeyError, TypeError) as error:
            raise UserError(f"{path}: not a safetensors file: {error}") from error
    return hashlib.sha256(json.dumps(sorted(facts)).encode()).hexdigest()[:32]


def _digest_of_bins(folder: Path) -> str:
    paths = sorted(folder.glob("pytorch_model*.bin"))
    if not paths:
        raise UserError(f"{folder}: no weights in it (neither model*.safetensors nor pytorch_model.bin)")
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            digest.update(f"{path.stat().st_size}".encode() + file.read(1 << 20))
    return digest.hexdigest()[:32]
