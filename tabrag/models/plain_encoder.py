"""A sentence encoder that nobody trained here, as a retriever: both towers are the encoder as it is.

``offline:layoutlmv3-minilm`` reads the words of a picture as the sentence encoder that it was made from reads
a text, which embeds the queries; it does not look at the picture, for its patches are untrained.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tabrag.errors import UserError
from tabrag.files import read_json
from tabrag.from_json import value_from_json
from tabrag.models.config import EmbedderConfig, RetrieverConfig

_MAX_LENGTH = 256
_QUERY_TOWERS = {
    "offline:layoutlmv3-minilm": "offline:minilm",
    "offline:tiny-layoutlmv3": "offline:tiny-bert",
}
"""Encoders of pictures with words -> the sentence encoder beside them; the first was made from it."""
_PICTURE_WORDS = 512
_POOLING = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}


def is_plain_encoder(folder: Path) -> bool:
    """Whether a folder holds a transformers model rather than one of this package's checkpoints."""
    return (folder / "config.json").is_file()


def retriever_config(name: str, folder: Path, *, revision: str | None) -> RetrieverConfig:
    """Settings of a retriever whose two towers are the encoder.

    The pooling, the length and the normalisation are those of sentence-transformers' files where the folder
    has them; otherwise the mean of the last states, 256 tokens or as many as the model reads, and normalised.

    Args:
        name: Folder, hub id or ``offline:NAME``.
        folder: Where its files lie.
        revision: Branch, tag or commit of a hub id.

    Raises:
        UserError: Its pooling is none that this package knows.
    """
    if name in _QUERY_TOWERS:
        query = EmbedderConfig(backbone=_QUERY_TOWERS[name])
        item = EmbedderConfig(backbone=name, inputs="layoutlmv3", max_length=_PICTURE_WORDS, pixels=False)
        return RetrieverConfig(query=query, item=item)
    positions = _number(folder / "config.json", "max_position_embeddings")
    length = _number(folder / "sentence_bert_config.json", "max_seq_length")
    path = folder / "modules.json"
    found = read_json(path) if path.is_file() else None
    modules = value_from_json(list[dict[str, Any]] | None, found, where=path, key="modules")
    tower = EmbedderConfig(
        backbone=name,
        revision=revision,
        pooling=_pooling(folder),  # type: ignore[arg-type]
        normalize=modules is None or any("Normalize" in str(one.get("type")) for one in modules),
        max_length=min(value for value in (length or _MAX_LENGTH, positions) if value),
    )
    return RetrieverConfig(query=tower, item=tower, share_towers=True)


def _pooling(folder: Path) -> str:
    modes = _read(folder / "1_Pooling" / "config.json")
    if not modes:
        return "mean"
    chosen = [name for name, value in modes.items() if name.startswith("pooling_mode_") and value]
    if len(chosen) != 1 or chosen[0] not in _POOLING:
        raise UserError(f"{folder}: pooling {chosen} is not known here: it is mean or cls")
    return _POOLING[chosen[0]]


def _number(path: Path, key: str) -> int | None:
    return value_from_json(int | None, _read(path).get(key), where=path, key=key)


def _read(path: Path) -> dict[str, Any]:
    values = read_json(path) if path.is_file() else {}
    if not isinstance(values, dict):
        raise UserError(f"{path}: expected names with values; fetch the model again")
    return values
