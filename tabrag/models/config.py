"""Settings of the models, apart from the code that imports torch: ``--help`` and mistakes answer at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from tabrag.errors import UserError

KINDS = ("text", "layoutlmv3", "image")


@dataclass(kw_only=True)
class EmbedderConfig:
    """How an embedder is built and what its inputs look like.

    Attributes:
        backbone: Folder, hub id or ``offline:NAME`` of the model that it starts from.
        inputs: ``text``, ``layoutlmv3`` (words, boxes, picture) or ``image`` (a vision backbone).
        revision: Branch, tag or commit of a hub id.
        pooling: ``mean`` over text positions (over patches where there is no text) or ``cls``, the first
            position.
        normalize: Divide each vector by its length.
        prefix: Put before each text.
        max_length: Most tokens of an entry, special tokens included; 0 for a layoutlmv3 that sees the picture
            alone.
        pixels: Whether a layoutlmv3 looks at the picture at all.
        projection_dim: Width of a linear map on top; None for none.
        trust_remote_code: Run code that the backbone's folder brings.
    """

    backbone: str
    inputs: Literal["text", "layoutlmv3", "image"] = "text"
    revision: str | None = None
    pooling: Literal["mean", "cls"] = "mean"
    normalize: bool = True
    prefix: str = ""
    max_length: int = 256
    pixels: bool = True
    projection_dim: int | None = None
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        if self.inputs not in KINDS:
            raise UserError(f"inputs '{self.inputs}' is none of {', '.join(KINDS)}")
        if self.pooling not in ("mean", "cls"):
            raise UserError(f"pooling '{self.pooling}' is neither 'mean' nor 'cls'")
        if self.projection_dim is not None and self.projection_dim < 1:
            raise UserError(f"projection_dim {self.projection_dim} is not 1 or more (null: no projection)")
        if self.inputs == "layoutlmv3":
            check_mode(max_length=self.max_length, pixels=self.pixels)


@dataclass(kw_only=True)
class RetrieverConfig:
    """How a retriever is built.

    Attributes:
        query: The tower that reads queries.
        item: The tower that reads entries.
        share_towers: One set of weights for both; prefix and max_length may still differ.
        temperature: What similarities are divided by, 0.01 or more.
        learn_temperature: Whether training moves it.
    """

    query: EmbedderConfig
    item: EmbedderConfig
    share_towers: bool = False
    temperature: float = 0.05
    learn_temperature: bool = True

    def __post_init__(self) -> None:
        if not (self.temperature >= 0.01 and math.isfinite(self.temperature)):
            raise UserError(f"temperature {self.temperature} is not a number of 0.01 or more")


def check_mode(*, max_length: int, pixels: bool) -> None:
    """Refuse a LayoutLMv3 that sees nothing.

    Raises:
        UserError: Neither words nor picture.
    """
    if max_length <= 0 and not pixels:
        raise UserError(
            "layoutlmv3 inputs with max_length 0 and pixels false see nothing: switch one of them on"
        )
