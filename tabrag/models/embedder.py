"""One encoder class for every tower: a backbone, its inputs, pooling, an optional projection.

Shapes: ``B`` entries, ``T`` text positions, ``V`` patch positions, ``H`` backbone width, ``E`` embedding
    width.
"""

from __future__ import annotations

import copy
import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from tabrag.errors import UserError
from tabrag.files import atomic_folder, read_json, write_json
from tabrag.from_json import from_json
from tabrag.models import backbones, sentence_transformers
from tabrag.models.config import EmbedderConfig
from tabrag.models.headed import versioned
from tabrag.models.inputs import load_inputs
from tabrag.models.io import load_tensors, resolve, save_backbone, save_tensors
from tabrag.models.pooling import mean_pool, unit
from tabrag.models.weights import add_weights, part_of

FORMAT_VERSION = 1
_ORIGIN = ("backbone", "revision", "trust_remote_code", "format_version")
"""Settings that say where the weights came from and change no vector."""


class Embedder(nn.Module):
    """Entries to vectors.

    Attributes:
        config: How it was built.
        backbone: The transformers model.
        inputs: What makes :meth:`forward`'s arguments from entries.
        projection: Linear map ``H -> E`` or None.
    """

    def __init__(
        self, config: EmbedderConfig, *, backbone: Any, inputs: Any, projection: nn.Linear | None = None
    ) -> None:
        super().__init__()
        backbones.check_length(config.max_length, backbone.config, config.inputs, config.backbone)
        tokenization = getattr(inputs, "tokenization", None)
        if tokenization is not None:
            backbones.check_vocabulary(tokenization.num_ids, backbone, config.backbone)
        self.config = config
        self.backbone = backbone
        self.inputs = inputs
        self.projection = projection
        self._num_leading = backbones.num_leading(backbone) if config.inputs != "text" else 0
        if config.pooling == "cls" and config.inputs == "image" and not self._num_leading:
            raise UserError(f"{type(backbone).__name__} has no class token: set pooling: mean")
        backbones.freeze_unused(backbone, pixels_only=self._pixels_only)

    @property
    def _pixels_only(self) -> bool:
        return self.config.inputs == "layoutlmv3" and self.config.max_length == 0

    @classmethod
    def from_config(cls, config: EmbedderConfig) -> Embedder:
        """Start from a backbone; a projection gets random weights.

        Raises:
            UserError: See :func:`tabrag.models.io.resolve` and :func:`tabrag.models.io.load_backbone`.
        """
        folder = resolve(config.backbone, revision=config.revision)
        embedder = cls._load(folder, config)
        if config.projection_dim is not None:
            embedder.projection = nn.Linear(embedder.dim, config.projection_dim, bias=False)
        return embedder

    @classmethod
    def _load(cls, folder: Path, config: EmbedderConfig) -> Embedder:
        backbone = backbones.load(
            folder, config.inputs, pixels=config.pixels, trust_remote_code=config.trust_remote_code
        )
        inputs = load_inputs(
            config.inputs,
            folder,
            prefix=config.prefix,
            max_length=config.max_length,
            pixels=config.pixels,
            trust_remote_code=config.trust_remote_code,
        )
        return cls(config, backbone=backbone, inputs=inputs)

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> Embedder:
        """Load what :meth:`save_pretrained` wrote.

        Args:
            name: Folder or hub id.
            revision: Branch, tag or commit of a hub id.

        Raises:
            UserError: Not an embedder's folder, or its tensors are not exactly the expected ones.
        """
        folder = resolve(name, revision=revision)
        if not (folder / "embedder.json").is_file():
            raise UserError(
                f"{folder}: no embedder.json; a plain backbone is opened with Embedder.from_config"
            )
        config = read_config(folder / "embedder.json", read_json(folder / "embedder.json"))
        embedder = cls._load(folder, config)
        if config.projection_dim is not None:
            embedder.projection = nn.Linear(embedder.dim, config.projection_dim, bias=False)
            load_tensors(folder / "projection.safetensors", embedder.projection)
        return embedder.eval()

    def save_pretrained(self, folder: str | Path, *, state_dict: Mapping[str, Tensor] | None = None) -> None:
        """Write the checkpoint folder; it stands whole or the previous one stays.

        Args:
            folder: Where to.
            state_dict: This module's gathered tensors, where its own are partitioned over processes.

        Raises:
            UserError: An empty, broken or missing tensor, named.
        """
        state = dict(self.state_dict() if state_dict is None else state_dict)
        with atomic_folder(folder) as temporary:
            save_backbone(self.backbone, temporary, state_dict=part_of(state, "backbone."))
            if self.projection is not None:
                save_tensors(part_of(state, "projection."), temporary / "projection.safetensors")
            self.inputs.save(temporary)
            write_json(temporary / "embedder.json", config_to_json(self.config))
            if self.config.inputs == "text":
                sentence_transformers.save(self.config, state, temporary, width=self.width)

    def forward(
        self,
        *,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        bbox: Tensor | None = None,
        pixel_values: Tensor | None = None,
    ) -> Tensor:
        """Vectors of a batch that :attr:`inputs` made.

        Args:
            input_ids: Tensor[B, T] int64.
            attention_mask: Tensor[B, T], 1 for tokens and 0 for padding.
            bbox: Tensor[B, T, 4] int64 in 0..1000.
            pixel_values: Tensor[B, 3, S, S].

        Returns:
            Tensor[B, E] float32, of length 1 where ``normalize`` is set (a zero vector stays zero).
        """
        given = {
            "input_ids": input_ids,
            "attention_mask": attention_mask,
            "bbox": bbox,
            "pixel_values": None if pixel_values is None else pixel_values.to(self.backbone.dtype),
        }
        states_BTH = self.backbone(**{name: value for name, value in given.items() if value is not None})[0]
        if states_BTH.dim() == 4:  # a convolutional backbone: Tensor[B, H, height, width]
            states_BTH = states_BTH.flatten(2).transpose(1, 2)
        if self.config.pooling == "cls":
            pooled_BH = states_BTH[:, 0].float()
        elif input_ids is not None:
            assert attention_mask is not None
            pooled_BH = mean_pool(states_BTH[:, : input_ids.shape[1]], attention_mask)
        else:
            pooled_BH = mean_pool(states_BTH[:, self._num_leading :])
        if self.projection is not None:
            pooled_BH = self.projection(pooled_BH.to(self.projection.weight.dtype)).float()
        return unit(pooled_BH) if self.config.normalize else pooled_BH

    @property
    def width(self) -> int:
        """``H``, the backbone's width."""
        return backbones.width(self.backbone)

    @property
    def dim(self) -> int:
        """``E``, the number of values of a vector."""
        return self.width if self.projection is None else self.projection.out_features

    def fingerprint(self) -> str:
        """32 hex digits that change with anything that changes a vector.

        Settings, tokenizer, handling of pictures and weights count; where the backbone came from does not.
        """
        settings = {k: v for k, v in config_to_json(self.config).items() if k not in _ORIGIN}
        digest = hashlib.sha256(repr(sorted(settings.items())).encode())
        digest.update(self.inputs.state().encode())
        add_weights(digest, self.state_dict())
        return digest.hexdigest()[:32]


def sibling(embedder: Embedder, config: EmbedderConfig) -> Embedder:
    """A second embedder on the same weights that may differ in prefix and ``max_length`` only.

    Raises:
        UserError: The configs differ in more.
    """
    changed = dataclasses.replace(
        config, prefix=embedder.config.prefix, max_length=embedder.config.max_length
    )
    if changed != embedder.config:
        raise UserError(
            "share_towers needs the same query and item settings; only prefix and max_length may differ"
        )
    inputs = copy.deepcopy(embedder.inputs)
    inputs.prefix = config.prefix
    if inputs.tokenization is not None:
        inputs.tokenization.max_length = config.max_length
    return Embedder(config, backbone=embedder.backbone, inputs=inputs, projection=embedder.projection)


def config_to_json(config: EmbedderConfig) -> dict[str, Any]:
    """The config as it is saved; a local backbone folder is named without its path."""
    values = dataclasses.asdict(config)
    if Path(config.backbone).expanduser().is_dir():
        values["backbone"] = Path(config.backbone).name
    return {"format_version": FORMAT_VERSION, **values}


def read_config(where: Path, values: Any) -> EmbedderConfig:
    """The config that :func:`config_to_json` gave.

    Raises:
        UserError: Another format version, an unknown or missing key or a value of another kind; ``where`` is
            named.
    """
    return from_json(EmbedderConfig, versioned(values, where, version=FORMAT_VERSION), where=where)
