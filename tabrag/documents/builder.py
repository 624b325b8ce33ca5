"""A document put together block by block: headings give tables their section, captions find their tables."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Sequence
from pathlib import Path

from tabrag.documents.around_tables import claim_texts
from tabrag.documents.embedded_pictures import EmbeddedPictures
from tabrag.documents.parsed import Parsed, Pictures
from tabrag.errors import UserError
from tabrag.tables.headers import infer_table
from tabrag.types import Block, Box, Document, Page, Source, Table

_MAX_CELLS = 1_000_000
_UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad " + string.whitespace
_NO_DESCRIPTION = re.compile(
    r"[a-z]:\\.*|\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg)|(?:picture|image|photo|bild|grafik)\s*\d*",
    re.IGNORECASE,
)
"""What programs set as the description of a picture."""


class DocumentBuilder:
    """Takes up the parts of one document in reading order.

    Args:
        path: The file, for errors.
        document_id: Id of the document; its tables are ``DOCUMENT#t1``, ``DOCUMENT#t2``.
        pictures: Where pictures are written.
    """

    def __init__(self, path: Path, document_id: str, pictures: Pictures) -> None:
        self.path = path
        self.id = document_id
        self.title = ""
        self.blocks: list[Block] = []
        self.tables: list[Table] = []
        self.pictures = EmbeddedPictures(pictures)
        self.page: int | None = None
        """Given to all blocks from now on."""
        self.metadata: dict[str, str] = {}
        self._section = ""
        self._notes: dict[str, None] = {}
        self._lost: dict[str, None] = {}

    def add(self, kind: str, text: str, *, level: int = 0, box: Box | None = None) -> None:
        """Add a block of text; a blank one is left out. A heading is the section of the tables after it."""
        text = text.strip(_UNSEEN)
        if not text:
            return
        if kind == "heading":
            text = " ".join(text.split())
            self._section = text
        self.blocks.append(
            Block(
                kind=kind,
                text=text,
                level=min(max(level, 1), 9) if kind == "heading" else 0,
                page=self.page,
                box=box,
            )
        )

    def begin_section(self, title: str = "") -> None:
        """The tables from now on stand under this title, without a heading that says so."""
        self._section = title

    def add_cells(
        self,
        cells: Sequence[Sequence[str]],
        merged: Iterable[Sequence[int]] = (),
        *,
        box: Box | None = None,
        outer: Table | None = None,
        metadata: dict[str, str] | None = None,
    ) -> Table | None:
        """Add a table whose headers are found by rule; None where no cell has a text.

        Args:
            cells: Texts, row by row, all rows of one length.
            merged: Regions ``(first_row, last_row, first_col, last_col)``, inclusive.
            box: Where it stands on the page.
            outer: The table that it stands in.
            metadata: What else is known of it.

        Raises:
            UserError: More than a million cells.
        """
        if not any(text.strip() for row in cells for text in row):
            return None
        self.check_size(len(cells), len(cells[0]))
        inferred = infer_table(cells, merged)
        table = Table(
            id="",
            caption=" ".join(inferred.caption.split()),
            grid=inferred.grid,
            metadata={**({"notes": inferred.notes} if inferred.notes else {}), **(metadata or {})},
        )
        return self.add_table(table, box=box, outer=outer)

    def check_size(self, num_rows: int, num_cols: int) -> None:
        """Refuse a table before its positions are laid out.

        Raises:
            UserError: More than a million of them.
        """
        if num_rows * num_cols > _MAX_CELLS:
            raise UserError(f"{self.path}: a table of {num_rows} x {num_cols} cells; split it")

    def add_table(self, table: Table, *, box: Box | None = None, outer: Table | None = None) -> Table:
        """Add a table that is ready but for its place: id, document, source and section are set here."""
        table.id = f"{self.id}#t{len(self.tables) + 1}"
        table.document = self.id
        table.source = Source(file=self.id, page=self.page, box=box, sheet=table.source.sheet)
        table.section = self._section
        if outer is not None:
            table.metadata["outer_table"] = outer.id
        self.tables.append(table)
        self.blocks.append(Block(kind="table", table=table.id, page=self.page, box=box))
        return table

    def add_picture(
        self, data: bytes | None, name: str, *, text: str = "", box: Box | None = None
    ) -> str | None:
        """Add a picture; one that cannot be read becomes a note.

        Args:
            data: Its bytes; None where only its description is there.
            name: What notes call it.
            text: Its description.
            box: Where it stands on the page.

        Returns:
            Its path relative to the data set folder, where it was written.
        """
        text = " ".join(text.split()).strip(_UNSEEN)
        text = "" if _NO_DESCRIPTION.fullmatch(text) else text
        image = None
        if data is not None:
            try:
                image = self.pictures.add(data, name)
            except UserError as error:
                self.lose(str(error))
        if image or text:
            self.blocks.append(Block(kind="picture", text=text, image=image, page=self.page, box=box))
        return image

    def remark(self, note: str) -> None:
        """Note what people should know of the file; each note once."""
        self._notes[note] = None

    def lose(self, note: str) -> None:
        """Note a part of the content that could not be read."""
        self._lost[note] = None

    def finish(self, *, pages: list[Page] | None = None) -> Parsed:
        """The document.

        Raises:
            UserError: Nothing was found in the file.
        """
        if not self.blocks:
            lost = f" ({'; '.join(self._lost)})" if self._lost else ""
            raise UserError(f"{self.path}: holds no text, table or picture{lost}; drop it or save it again")
        claim_texts(self.blocks, self.tables)
        for table in self.tables:
            table.page_title = self.title
        document = Document(
            id=self.id,
            title=self.title,
            blocks=self.blocks,
            pages=pages or [],
            source=Source(file=self.id),
            metadata=self.metadata,
        )
        notes = [*_short(list(self._lost)), *_short(list(self._notes))]
        return Parsed(document=document, tables=self.tables, notes=notes, partial=bool(self._lost))


def _short(notes: list[str], most: int = 20) -> list[str]:
    return notes if len(notes) <= most else [*notes[: most - 1], f"{len(notes) - most + 1} more of this kind"]
