"""How an index gets its vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabrag.files import sha256_json

if TYPE_CHECKING:
    from tabrag.models.retriever import Retriever


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


def fingerprint(retriever: Retriever) -> str:
    """32 hex digits for both towers: vectors of an index compare with those of its own query tower only."""
    return sha256_json([retriever.query.fingerprint(), retriever.item.fingerprint()])[:32]
