"""A table as a reader sees it, and the way back to the table as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.inference.evidence import evidence_at, locate, locate_sentence, value_of
from tabrag.tables.subtable import Subtable
from tabrag.types import Cell, Evidence, Table

Parts = Mapping[tuple[str, str], Subtable]
"""Refined tables by query id and table id."""


class Tables(Protocol):
    """Tables by id."""

    def __getitem__(self, item_id: str) -> Table: ...


class Corpus(Protocol):
    """Where tables and their pictures are found; a :class:`tabrag.data.folder.DataFolder` is one."""

    @property
    def tables(self) -> Tables: ...

    @property
    def items(self) -> Items: ...

    def image_path(self, table: Table) -> Path: ...

    def picture_path(self, relative: str) -> str: ...


def picture_of(table: Table, corpus: Corpus) -> str | None:
    """Path of the table's picture; None where it has none."""
    return str(corpus.image_path(table)) if table.image is not None else None


class Items(Protocol):
    """Tables and documents by id; :attr:`tabrag.data.folder.DataFolder.items` is one."""

    def __getitem__(self, item_id: str) -> Item: ...


def candidate_item(items: Items, item_id: str) -> Item:
    """The table or document of a candidate.

    Raises:
        UserError: It is not in the corpus.
    """
    try:
        return items[item_id]
    except KeyError as error:
        raise unknown_candidate(item_id) from error


def unknown_candidate(item_id: str) -> UserError:
    """What is raised for a candidate that the corpus does not hold."""
    return UserError(
        f"the candidate '{item_id}' is no item of the corpus: its index or run belongs to another one"
    )


@dataclass(frozen=True, slots=True)
class View:
    """A table and what of it is read.

    Attributes:
        table: The table.
        part: Its refined grid; None where the whole table is read.
    """

    table: Table
    part: Subtable | None = None

    @property
    def read(self) -> Table:
        """The table with the part as its grid."""
        return self.table if self.part is None else replace(self.table, grid=self.part.grid)

    def evidence_at(self, cells: Iterable[Cell], *, image: str | None) -> Evidence:
        """The evidence for cells of what is read, in coordinates of the table."""
        original = list(cells) if self.part is None else [self.part.original(cell) for cell in cells]
        return self.evidence_of(list(dict.fromkeys(original)), image=image)

    def evidence_of(self, cells: list[Cell], *, image: str | None) -> Evidence:
        """The evidence for cells of the table."""
        return self._with_shown(evidence_at(self.table, cells, image=image))

    def locate(self, answer: str, question: str, *, image: str | None) -> Evidence:
        """Where the answer stands: in what is read, or else in the table."""
        if self.part is not None:
            found = locate(self.read, answer, question, image=image)
            if found.cells:
                return self.evidence_at(found.cells, image=image)
        return self._with_shown(locate(self.table, answer, question, image=image))

    def locate_sentence(self, sentence: str, question: str, *, image: str | None) -> Evidence:
        """Where what a sentence says stands in the table."""
        return self._with_shown(locate_sentence(self.table, sentence, question, image=image))

    def value_of(self, reply: str, question: str) -> str:
        """The value that a chat model's reply to the question gives."""
        return value_of(reply, self.read)

    def _with_shown(self, evidence: Evidence) -> Evidence:
        if self.part is None:
            return evidence
        return replace(evidence, shown_rows=list(self.part.rows), shown_columns=list(self.part.cols))
