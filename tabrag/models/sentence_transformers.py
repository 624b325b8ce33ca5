"""The files that let sentence-transformers open a text embedder's folder; it is never needed itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from torch import Tensor

from tabrag.files import write_json
from tabrag.models.io import save_tensors

if TYPE_CHECKING:
    from tabrag.models.embedder import EmbedderConfig

_TYPES = "sentence_transformers.models."


def save(config: EmbedderConfig, state: Mapping[str, Tensor], folder: Path, *, width: int) -> None:
    """Write ``modules.json`` and what it points to.

    Args:
        config: The embedder's config.
        state: Its tensors; ``projection.weight`` becomes a Dense module.
        folder: The checkpoint folder.
        width: The backbone's width.
    """
    modules = [("", "Transformer"), ("1_Pooling", "Pooling")]
    write_json(
        folder / "sentence_bert_config.json", {"max_seq_length": config.max_length, "do_lower_case": False}
    )
    write_json(
        folder / "1_Pooling" / "config.json",
        {
            "word_embedding_dimension": width,
            "pooling_mode_cls_token": config.pooling == "cls",
            "pooling_mode_mean_tokens": config.pooling == "mean",
            "pooling_mode_max_tokens": False,
            "pooling_mode_mean_sqrt_len_tokens": False,
            "include_prompt": True,
        },
    )
    if config.projection_dim is not None:
        modules.append(("2_Dense", "Dense"))
        write_json(
            folder / "2_Dense" / "config.json",
            {
                "in_features": width,
                "out_features": config.projection_dim,
                "bias": False,
                "activation_function": "torch.nn.modules.linear.Identity",
            },
        )
        save_tensors({"linear.weight": state["projection.weight"]}, folder / "2_Dense" / "model.safetensors")
    if config.normalize:
        modules.append((f"{len(modules)}_Normalize", "Normalize"))
    write_json(
        folder / "modules.json",
        [
            {"idx": index, "name": str(index), "path": path, "type": _TYPES + name}
            for index, (path, name) in enumerate(modules)
        ],
    )
    write_json(
        folder / "config_sentence_transformers.json",
        {
            "prompts": {"default": config.prefix} if config.prefix else {},
            "default_prompt_name": "default" if config.prefix else None,
            "similarity_fn_name": "cosine" if config.normalize else "dot",
        },
    )
