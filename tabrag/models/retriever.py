"""A query embedder, an item embedder and the temperature between them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor, nn

from tabrag.errors import UserError
from tabrag.files import atomic_folder, read_json, write_json
from tabrag.from_json import from_json, value_from_json
from tabrag.models.config import RetrieverConfig
from tabrag.models.embedder import Embedder, config_to_json, read_config, sibling
from tabrag.models.headed import versioned
from tabrag.models.io import check_tensors, resolve
from tabrag.models.plain_encoder import is_plain_encoder, retriever_config

if TYPE_CHECKING:
    from tabrag.representations import RepresentationConfig

FORMAT_VERSION = 1
MAX_LOG_SCALE = math.log(100.0)
"""The scale is bounded as in CLIP (Radford et al. 2021, section 2.5): a temperature of at least 0.01."""


@dataclasses.dataclass
class _Settings:
    """What ``retriever.json`` says besides the representation; ``item`` where the towers are shared."""

    share_towers: bool
    item: dict[str, Any] | None
    temperature: float
    log_scale: float
    learn_temperature: bool


class Retriever(nn.Module):
    """Two embedders whose vectors are compared.

    Attributes:
        config: How it was built.
        query: Embeds queries.
        item: Embeds entries.
        log_scale: ``log(1 / temperature)``, at most ``log(100)``.
        representation: How items become the entries that ``item`` was trained on.
    """

    def __init__(
        self,
        config: RetrieverConfig,
        representation: RepresentationConfig,
        *,
        query: Embedder,
        item: Embedder,
    ) -> None:
        super().__init__()
        if query.dim != item.dim:
            raise UserError(
                f"query vectors have {query.dim} values and item vectors {item.dim}: set the same "
                "projection_dim on both"
            )
        self.config = config
        self.representation = representation
        self.query = query
        self.item = item
        self.log_scale = nn.Parameter(
            torch.tensor(-math.log(config.temperature)), requires_grad=config.learn_temperature
        )

    @classmethod
    def from_config(cls, config: RetrieverConfig, representation: RepresentationConfig) -> Retriever:
        """Start from backbones."""
        query = Embedder.from_config(config.query)
        item = sibling(query, config.item) if config.share_towers else Embedder.from_config(config.item)
        return cls(config, representation, query=query, item=item)

    @classmethod
    def from_pretrained(cls, name: str | Path, *, revision: str | None = None) -> Retriever:
        """Load what :meth:`save_pretrained` wrote, or a sentence encoder as it is.

        Args:
            name: Folder or hub id; of an encoder also ``offline:NAME``, see
                :mod:`tabrag.models.plain_encoder`.
            revision: Branch, tag or commit of a hub id.

        Raises:
            UserError: Neither a retriever's folder nor a model's, or its tensors are not exactly the expected
                ones.
        """
        from tabrag.representations import RepresentationConfig

        folder = resolve(name, revision=revision)
        path = folder / "retriever.json"
        if not path.is_file():
            if not is_plain_encoder(folder):
                raise UserError(
                    f"{folder}: neither retriever.json nor config.json: this is no retriever and no encoder"
                )
            config = retriever_config(str(name), folder, revision=revision)
            return cls.from_config(config, RepresentationConfig()).eval()
        values = versioned(read_json(path), path, version=FORMAT_VERSION)
        representation = value_from_json(
            RepresentationConfig, values.pop("representation", None), where=path, key="representation"
        )
        found = from_json(_Settings, values, where=path)
        query = Embedder.from_pretrained(folder / "query")
        if found.share_towers:
            item = sibling(query, read_config(path, found.item))
        else:
            item = Embedder.from_pretrained(folder / "item")
        try:
            config = RetrieverConfig(
                query=query.config,
                item=item.config,
                share_towers=found.share_towers,
                temperature=found.temperature,
                learn_temperature=found.learn_temperature,
            )
        except UserError as error:
            raise UserError(f"{path}: {error}") from error
        retriever = cls(config, representation, query=query, item=item)
        retriever.log_scale.data.fill_(found.log_scale)
        return retriever.eval()

    def save_pretrained(self, folder: str | Path, *, state_dict: Mapping[str, Tensor] | None = None) -> None:
        """Write ``query/``, ``item/`` (not when the towers are shared) and ``retriever.json``; all of it or
        nothing.

        Args:
            folder: Where to.
            state_dict: This module's gathered tensors, where its own are partitioned over processes.

        Raises:
            UserError: An empty, broken or missing tensor, named.
        """
        state = dict(self.state_dict() if state_dict is None else state_dict)
        check_tensors(state)
        with atomic_folder(folder) as temporary:
            towers = (
                {"query": self.query}
                if self.config.share_towers
                else {"query": self.query, "item": self.item}
            )
            for name, tower in towers.items():
                part = {k.removeprefix(f"{name}."): v for k, v in state.items() if k.startswith(f"{name}.")}
                tower.save_pretrained(temporary / name, state_dict=part)
            log_scale = float(state["log_scale"])
            write_json(
                temporary / "retriever.json",
                {
                    "format_version": FORMAT_VERSION,
                    "representation": dataclasses.asdict(self.representation),
                    "share_towers": self.config.share_towers,
                    "item": config_to_json(self.item.config) if self.config.share_towers else None,
                    "temperature": math.exp(-log_scale),
                    "log_scale": log_scale,
                    "learn_temperature": self.config.learn_temperature,
                },
            )

    @property
    def metric(self) -> Literal["cosine", "ip"]:
        """The similarity that it is trained on: ``cosine``, or ``ip``, the plain inner product, where a
        tower's vectors keep their length.
        """
        return "cosine" if self.query.config.normalize and self.item.config.normalize else "ip"

    def with_item_length(self, max_length: int) -> Retriever:
        """This retriever with another ``max_length`` of its item tower, on the same weights; itself where it
        has that length.

        Args:
            max_length: Most tokens of an entry, special tokens included.

        Raises:
            UserError: More than the backbone has positions for, or an item tower that reads no text.
        """
        if max_length == self.item.config.max_length:
            return self
        if max_length < 1 or getattr(self.item.inputs, "tokenization", None) is None:
            raise UserError(
                f"item_max_length {max_length} does not fit: it is a number of tokens, 1 or more, of an item "
                "tower that reads text"
            )
        item = sibling(self.item, dataclasses.replace(self.item.config, max_length=max_length))
        config = dataclasses.replace(self.config, item=item.config)
        other = Retriever(config, self.representation, query=self.query, item=item)
        other.log_scale = self.log_scale
        return other.train(self.training)

    def scale(self) -> Tensor:
        """``1 / temperature``, a scalar of at most 100.

        The parameter itself is brought back under its bound first: clamping only the result would leave it
        without a gradient for ever once it is above.
        """
        with torch.no_grad():
            self.log_scale.clamp_(max=MAX_LOG_SCALE)
        return self.log_scale.exp()
