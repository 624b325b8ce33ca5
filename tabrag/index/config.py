"""Settings of indexes and of search. Light to import: command lines are made from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tabrag.errors import UserError

FilterValue = str | int | float | bool | list[str | int | float | bool]


@dataclass(kw_only=True)
class Bm25Config:
    """How texts become words and words become scores.

    The defaults are the best of a small grid on the dev questions of HiTab (title and header paths of 3,597
    tables).

    Attributes:
        k1: Saturation of repeated words, >= 0.
        b: How far long texts are scaled down, 0..1.
        stem: Cut English plurals.
        stop_words: Leave out English function words.
    """

    k1: float = 0.9
    b: float = 0.75
    stem: bool = True
    stop_words: bool = True

    def __post_init__(self) -> None:
        if not self.k1 >= 0 or not 0 <= self.b <= 1:
            raise UserError(f"BM25 needs k1 >= 0 and b in 0..1, found k1={self.k1} and b={self.b}")


@dataclass(kw_only=True)
class EncodeConfig:
    """How entries and queries are embedded.

    Attributes:
        batch_tokens: Most positions in a batch, padding included; what suits the device where null.
        device: ``cpu``, ``cuda`` or ``auto``.
        dtype: ``auto``, ``float32``, ``bfloat16`` or ``float16``.
    """

    batch_tokens: int | None = None
    device: str = "auto"
    dtype: str = "auto"


@dataclass(kw_only=True)
class FusionConfig:
    """How the rankings of several indexes become one.

    Attributes:
        method: ``rrf`` (reciprocal rank fusion: of ranks alone) or ``convex`` (weighted mean of normalised
            scores), see :mod:`tabrag.index.fusion`.
        k: Constant of reciprocal rank fusion, >= 0.
        weights: One number >= 0 an index; all 1 where null.
        depth: Candidates that each index gives, one number for all or one an index; as many as are asked for
            where null.
        document_weight: How much the document of a candidate counts beside the candidate itself, where these
            are parts of documents: 0 for not at all, 1 for as much, see
            :func:`tabrag.index.fusion.with_documents`. It also works with a single index.
    """

    method: Literal["rrf", "convex"] = "rrf"
    k: float = 60
    weights: list[float] | None = None
    depth: int | list[int] | None = None
    document_weight: float = 0.0

    def __post_init__(self) -> None:
        depths = self.depth if isinstance(self.depth, list) else [self.depth]
        if any(depth is not None and depth < 1 for depth in depths) or not depths:
            raise UserError(
                f"fusion needs a depth of 1 or more (null: as many as asked for), found {self.depth}"
            )

    def depths(self, num_indexes: int, *, k: int) -> list[int]:
        """The depth of each index.

        Args:
            num_indexes: How many indexes there are.
            k: Candidates asked for.

        Raises:
            UserError: Another number of depths than of indexes.
        """
        if not isinstance(self.depth, list):
            return [self.depth or k] * num_indexes
        if len(self.depth) != num_indexes:
            raise UserError(
                f"fusion.depth has {len(self.depth)} numbers for {num_indexes} indexes: give one for each, "
                "or a single one"
            )
        return self.depth


@dataclass(kw_only=True)
class RetrieveConfig:
    """Where candidates come from.

    Attributes:
        indexes: Index folders; the rankings of several are fused.
        checkpoint: Retriever of the dense indexes; the one that each index names where null.
        k: Candidates a query.
        fusion: How several rankings become one.
        encoding: How queries are embedded.
        filter: Which items may be found: names and what their values must be, for example
            ``{file: 'reports/*', year: '>=2023', page: '7-9'}``; all where null.
    """

    indexes: list[str]
    checkpoint: str | None = None
    k: int = 100
    fusion: FusionConfig = field(default_factory=FusionConfig)
    encoding: EncodeConfig = field(default_factory=EncodeConfig)
    filter: dict[str, FilterValue] | None = None
