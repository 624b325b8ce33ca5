"""The items of a data set folder: its tables, and its documents with their tables, by id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabrag.data.store import RecordStore
from tabrag.documents.whole import Item, WholeDocument, table_ids
from tabrag.errors import UserError
from tabrag.types import Document, Table


class Items:
    """Random access to tables and documents alike. Can be pickled; safe after a fork.

    Args:
        tables: The tables.
        documents: The documents; None where there are none.
    """

    def __init__(self, tables: RecordStore[Table], documents: RecordStore[Document] | None) -> None:
        self._tables = tables
        self._documents = documents

    @property
    def ids(self) -> Sequence[str]:
        """All ids: tables first, then documents, in the order of their files."""
        if self._documents is None:
            return self._tables.ids
        return [*self._tables.ids, *self._documents.ids]

    def __contains__(self, item_id: object) -> bool:
        return item_id in self._tables or (self._documents is not None and item_id in self._documents)

    def __getitem__(self, item_id: str) -> Item:
        """The table or document of this id.

        Raises:
            KeyError: There is none.
            UserError: Its line is broken, or a document names a table that is not there.
        """
        if self._documents is None or item_id in self._tables:
            return self._tables[item_id]
        document = self._documents[item_id]
        try:
            return WholeDocument(document, {name: self._tables[name] for name in table_ids(document)})
        except KeyError as error:
            raise UserError(
                f"{self._documents.path}: document '{item_id}' names the table {error}, which is not in "
                f"{self._tables.path.name}: make the folder again"
            ) from error

    def record(self, item_id: str) -> dict[str, Any]:
        """The JSON object of this id, as it stands in its file."""
        if self._documents is None or item_id in self._tables:
            return self._tables.record(item_id)
        return self._documents.record(item_id)
