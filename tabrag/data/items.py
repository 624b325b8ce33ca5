"""The items of a data set folder by id: tables, documents with their tables, and parts of documents."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tabrag.data.store import RecordStore
from tabrag.documents.part import PartId, node_part, parse_part_id, take_part
from tabrag.documents.tree_file import check_trees, read_tree
from tabrag.documents.units import Unit, units_of
from tabrag.documents.whole import Item, WholeDocument, table_ids
from tabrag.errors import UserError
from tabrag.types import Document, Table

_NUM_KEPT = 64
"""Documents whose units are kept: the candidates of a question are parts of a few documents."""


class Items:
    """Random access to tables, documents and their parts alike. Can be pickled; safe after a fork.

    Args:
        tables: The tables.
        documents: The documents; None where there are none.
        trees: File of summary trees of the documents; None where there is none.

    Raises:
        UserError: The file of trees is missing or broken.
    """

    def __init__(
        self,
        tables: RecordStore[Table],
        documents: RecordStore[Document] | None,
        trees: Path | None = None,
    ) -> None:
        if trees is not None:
            check_trees(trees)
        self._tables = tables
        self._documents = documents
        self._trees = trees
        self._kept: OrderedDict[str, tuple[WholeDocument, list[Unit]]] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": OrderedDict()}

    @property
    def ids(self) -> Sequence[str]:
        """Ids of all tables, then of all documents, in the order of their files; those of parts are not
        listed."""
        if self._documents is None:
            return self._tables.ids
        return [*self._tables.ids, *self._documents.ids]

    def __contains__(self, item_id: object) -> bool:
        return item_id in self._tables or (self._documents is not None and item_id in self._documents)

    def __getitem__(self, item_id: str) -> Item:
        """The table, document or part of this id.

        Raises:
            KeyError: There is none.
            UserError: Its line is broken, a document names a table that is not there, or a document has no
                such part.
        """
        if self._documents is None or item_id in self._tables:
            return self._tables[item_id]
        if item_id in self._documents:
            return self._whole(self._documents, item_id)
        part = parse_part_id(item_id)
        if part is None:
            raise KeyError(item_id)
        whole, units = self._with_units(self._documents, part.document)
        return take_part(whole, part, units) if part.node is None else self._node(whole, part)

    def record(self, item_id: str) -> dict[str, Any]:
        """The JSON object of a table or document, as it stands in its file."""
        if self._documents is None or item_id in self._tables:
            return self._tables.record(item_id)
        return self._documents.record(item_id)

    def _whole(self, documents: RecordStore[Document], document_id: str) -> WholeDocument:
        document = documents[document_id]
        try:
            return WholeDocument(document, {name: self._tables[name] for name in table_ids(document)})
        except KeyError as error:
            raise UserError(
                f"{documents.path}: document '{document_id}' names the table {error}, which is not in "
                f"{self._tables.path.name}: make the folder again"
            ) from error

    def _with_units(
        self, documents: RecordStore[Document], document_id: str
    ) -> tuple[WholeDocument, list[Unit]]:
        if document_id not in self._kept:
            whole = self._whole(documents, document_id)
            self._kept[document_id] = (whole, units_of(whole.document))
            if len(self._kept) > _NUM_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(document_id)
        return self._kept[document_id]

    def _node(self, whole: WholeDocument, part: PartId) -> WholeDocument:
        if self._trees is None:
            raise UserError(f"'{part}' is a node of a summary tree: name the file of trees (tree.file)")
        tree = read_tree(self._trees, whole.id)
        if part.node is None or not 1 <= part.node <= len(tree.nodes):
            raise UserError(
                f"{self._trees}: no node '{part}': the index belongs to another file of trees: build it again"
            )
        return node_part(whole, part, tree.nodes[part.node - 1].text)
