"""Which encoder an index belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabrag.files import sha256_json

if TYPE_CHECKING:
    from tabrag.models.retriever import Retriever


def fingerprint(retriever: Retriever) -> str:
    """32 hex digits for both towers: vectors of an index compare with those of its own query tower only."""
    return sha256_json([retriever.query.fingerprint(), retriever.item.fingerprint()])[:32]
