"""A document together with its tables: what a model or a reader gets of a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tabrag.types import Document, Table


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document and its tables.

    Attributes:
        document: The document.
        tables: Its tables by id, in reading order.
    """

    document: Document
    tables: Mapping[str, Table]

    @property
    def id(self) -> str:
        """The document's id."""
        return self.document.id


Item = Table | WholeDocument
"""What a query is judged against."""


def table_ids(document: Document) -> list[str]:
    """Ids of its tables in reading order, each once."""
    return list(dict.fromkeys(block.table for block in document.blocks if block.table is not None))
