"""Units of a document as text, with tables and pictures in their places, and cut into texts of one size.

A table is Markdown in windows that each have its title and headers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tabrag.documents.chunking import Piece, group
from tabrag.documents.sentences import split_sentences
from tabrag.documents.units import Unit
from tabrag.tables.grid_windows import markdown_windows
from tabrag.tables.text import one_line
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.tables.windows import Meter, words_windows
from tabrag.types import Document, Table

Form = Literal["none", "inline"]
"""How tables and pictures stand in a text: not at all; as Markdown and descriptions."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A text that is not parted.

    Attributes:
        text: What it says.
        block: Number of its block.
        line: Whether it begins a line; else it goes on with the sentence before.
        heading: Whether it heads what follows.
    """

    text: str
    block: int
    line: bool
    heading: bool = False


class UnitTexts:
    """Texts of one document's units.

    Args:
        document: The document.
        tables: Its tables by id.
        form: How tables and pictures stand in the texts.
        size: Most estimated tokens of a window of a table.
        picture: What is said of the picture of a block, by its number; empty for nothing.
    """

    def __init__(
        self,
        document: Document,
        tables: Mapping[str, Table],
        *,
        form: Form,
        size: int,
        picture: Callable[[int], str],
    ) -> None:
        self._document = document
        self._tables = tables
        self._form = form
        self._meter = Meter(limit=size, count=lambda texts: [estimate_tokens(text) for text in texts])
        self._picture = picture
        self._known: dict[int, list[TextPiece]] = {}

    def pieces(self, unit: Unit) -> list[TextPiece]:
        """A unit as texts that are not parted: a sentence, windows or rows of a table, a description."""
        if unit.number not in self._known:
            self._known[unit.number] = self._write(unit)
        return self._known[unit.number]

    def num_tokens(self, unit: Unit) -> int:
        """Estimated tokens of a unit in this form."""
        return sum(estimate_tokens(piece.text) for piece in self.pieces(unit))

    def texts(self, units: Sequence[Unit], *, size: int | None, overlap: int = 0) -> list[str]:
        """Units as one text, or as several where they are longer than ``size`` estimated tokens.

        Args:
            units: In order.
            size: Most tokens of a text; a single piece that is longer stays whole. None for one text.
            overlap: Most tokens of whole pieces that two texts share.
        """
        pieces = [piece for unit in units for piece in self.pieces(unit)]
        if size is None:
            return [_joined(pieces)] if pieces else []
        sized = [Piece(estimate_tokens(piece.text), heading=piece.heading) for piece in pieces]
        return [_joined(pieces[first:end]) for first, end in group(sized, size=size, overlap=overlap)]

    def _write(self, unit: Unit) -> list[TextPiece]:
        block = self._document.blocks[unit.block]
        if block.kind == "table":
            lines = self._table(self._tables[block.table]) if block.table is not None else []
            return [TextPiece(text, unit.block, True) for text in lines if text.strip()]
        if block.kind == "picture":
            lines = self._picture_lines(unit)
            return [TextPiece(text, unit.block, True) for text in lines if text.strip()]
        text = one_line(unit.text)
        return [TextPiece(text, unit.block, block.kind == "heading", block.kind == "heading")] if text else []

    def _table(self, table: Table) -> list[str]:
        if self._form == "none":
            return []
        windows = (
            words_windows(table, self._meter) if table.grid is None else markdown_windows(table, self._meter)
        )
        return [window.text for window in windows]

    def _picture_lines(self, unit: Unit) -> list[str]:
        if self._form == "none":
            return []
        return [line for text in self._picture(unit.block).split("\n") for line in split_sentences(text)]


def _joined(pieces: Sequence[TextPiece]) -> str:
    parts: list[str] = []
    for place, piece in enumerate(pieces):
        follows = place > 0 and not piece.line and pieces[place - 1].block == piece.block
        parts.append(f" {piece.text}" if follows else f"\n{piece.text}")
    return "".join(parts)[1:]
