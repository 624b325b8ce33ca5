"""A document that Docling converted (its JSON, ``DoclingDocument``) into blocks, tables and pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tabrag.documents.builder import DocumentBuilder
from tabrag.documents.docling.cells import settle_headers, split_rows
from tabrag.documents.docling.joining import join_pieces
from tabrag.documents.docling.pieces import Piece, PieceReader, description
from tabrag.documents.docling.places import Places
from tabrag.documents.docling.tree import DoclingTree, object_of, text_of
from tabrag.documents.embedded_pictures import MAX_PIXELS
from tabrag.documents.markup.page_pictures import PagePictures
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import UserError
from tabrag.files import read_json
from tabrag.tables.image import decode_image
from tabrag.types import Table

SCHEMA = "DoclingDocument"
_KINDS = (
    ("application/pdf", "pdf"),
    ("image/", "image"),
    ("presentationml", "pptx"),
    ("spreadsheetml", "sheets"),
    ("text/csv", "sheets"),
)
_MARKING = ("pdf", "image", "html")
"""Kinds of files in which Docling's marks of headers come from a model or from the file. Of others it marks
the first row, whatever stands there."""


def parse_docling(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Read a file that ``docling --to json``, or ``DoclingDocument.save_as_json``, wrote.

    Headings, lists, tables and pictures come in the document's reading order with page and box. Page headers
    and footers (its furniture) are left out. Tables whose parts stand on pages that follow each other are
    joined. Marks of header cells are kept where a model or the file itself told them, and found by rule
    elsewhere. Pictures are taken from ``data:`` addresses and from files in the folder of the JSON file;
    nothing is fetched. What Docling Serve answers holds such a document too.

    Args:
        path: The file.
        document_id: Id of the document.
        pictures: Takes up its pictures, and those of its pages.
        options: Whether pictures of pages are kept.

    Returns:
        The document; ``kind`` is that of the file that was converted.

    Raises:
        UserError: It is no such file, or nothing stands in it.
    """
    data = _document(path)
    kind = _kind(data)
    places = Places(data, is_sheets=kind == "sheets")
    tree = DoclingTree(data)
    reader = PieceReader(tree, places)
    reader.read()
    builder = DocumentBuilder(path, document_id, pictures)
    files = PagePictures(path)
    for note in reader.lost:
        builder.lose(note)
    pieces = reader.pieces
    if kind in ("pdf", "image"):
        pieces, notes = join_pieces(pieces)
        for note in notes:
            builder.remark(note)
    writer = _Writer(builder, pictures, files, marked=kind in _MARKING)
    for piece in pieces:
        writer.write(piece)
    headings = [block.text for block in builder.blocks if block.kind == "heading"]
    builder.title = reader.title or next(iter(headings), "")
    builder.metadata |= {name: "\n".join(texts) for name, texts in reader.running.items() if texts}
    pages = []
    for page in places.pages:
        image = None
        if options.page_images and page.number in places.images:
            image = writer.page_picture(places.images[page.number], page.number)
        pages.append(replace(page, image=image))
    _remark(builder, reader, files)
    return replace(builder.finish(pages=pages), kind=kind)


class _Writer:
    """Hands pieces to a builder.

    Args:
        builder: Takes up the blocks.
        pictures: Takes up the pictures of pages.
        files: Finds the pictures.
        marked: Whether marks of header cells count.
    """

    def __init__(
        self, builder: DocumentBuilder, pictures: Pictures, files: PagePictures, *, marked: bool
    ) -> None:
        self._builder, self._pictures, self._files, self._marked = builder, pictures, files, marked
        self._tables: dict[int, Table] = {}

    def write(self, piece: Piece) -> None:
        """Add a block."""
        builder = self._builder
        builder.page = piece.place.page
        if piece.kind == "table":
            self._table(piece)
        elif piece.kind == "picture":
            data, name = self._files.load(piece.image) if piece.image else (None, "picture")
            builder.add_picture(data, name, text=description(piece), box=piece.place.box)
        else:
            builder.add(piece.kind, piece.text, level=piece.level, box=piece.place.box)

    def page_picture(self, address: str, number: int) -> str | None:
        """Write the picture of a page; returns its path, None where there is none to be read."""
        data, name = self._files.load(address)
        if data is None:
            return None
        try:
            return self._pictures.add_page(decode_image(data, name=name, max_pixels=MAX_PIXELS), number)
        except UserError as error:
            self._builder.lose(f"page {number}: {error}")
            return None

    def _table(self, piece: Piece) -> None:
        if piece.table is None:
            return
        metadata = {"kind": "chart"} if piece.chart else {}
        if not self._marked and split_rows(piece.table):
            metadata["stacked_rows"] = "split"
        try:
            inferred = settle_headers(piece.table, marked=self._marked and not piece.chart)
        except UserError as error:
            self._builder.lose(str(error))
            return
        caption = " ".join(filter(None, [piece.caption, " ".join(inferred.caption.split())]))
        if notes := "\n".join(filter(None, [inferred.notes, *piece.notes])):
            metadata["notes"] = notes
        if piece.place.page is not None and piece.place.last_page != piece.place.page:
            metadata["pages"] = f"{piece.place.page}-{piece.place.last_page}"
        table = Table(id="", title=piece.caption, caption=caption, grid=inferred.grid, metadata=metadata)
        if piece.image:
            data, name = self._files.load(piece.image)
            table.image = None if data is None else self._picture(data, name)
        outer = self._tables.get(id(piece.outer))
        self._tables[id(piece)] = self._builder.add_table(table, box=piece.place.box, outer=outer)

    def _picture(self, data: bytes, name: str) -> str | None:
        try:
            return self._builder.pictures.add(data, name)
        except UserError as error:
            self._builder.lose(str(error))
            return None


def _document(path: Path) -> dict[str, Any]:
    data = read_json(path)
    served = object_of(object_of(data if isinstance(data, dict) else None, "document"), "json_content")
    data = served or data
    if not isinstance(data, dict) or data.get("schema_name") != SCHEMA:
        raise UserError(f"{path}: is no document of Docling: make it by  docling FILE --to json")
    version = text_of(data, "version")
    if version and version.partition(".")[0] != "1":
        raise UserError(f"{path}: is of version {version[:20]} of Docling's format; 1 can be read")
    return data


def _kind(data: dict[str, Any]) -> str:
    """The kind of file that was converted, as far as it matters here."""
    mimetype = text_of(object_of(data, "origin"), "mimetype").lower()
    return next((kind for mark, kind in _KINDS if mark in mimetype), "html" if "html" in mimetype else "text")


def _remark(builder: DocumentBuilder, reader: PieceReader, files: PagePictures) -> None:
    if reader.tree.num_missing:
        builder.lose(f"{reader.tree.num_missing} of its references lead to nothing")
    if reader.num_added:
        builder.remark(f"{reader.num_added} of its items are not in its reading order and stand last")
    if reader.num_apart:
        builder.remark(
            f"{reader.num_apart} tables and pictures that Docling takes for page headers, footers or hidden "
            "content are left out"
        )
    for note in files.notes():
        builder.remark(note)
