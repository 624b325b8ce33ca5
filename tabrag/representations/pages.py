"""Pages of a document: their texts, whole or in chunks, and their pictures.

The page entries of MM-BizRAG's PCMHE (Bhathena et al., arXiv 2606.04231), which fuses a ranking of page texts
with one of page pictures, and the in-page index of MHier-RAG (Gong et al., arXiv 2508.00579), whose chunks
lead to their pages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tabrag.documents.chunking import chunks_of
from tabrag.documents.descriptions import Written
from tabrag.documents.page_text import UnitTexts
from tabrag.documents.page_words import page_words
from tabrag.documents.part import PartId
from tabrag.documents.picture_text import described_pictures
from tabrag.documents.section_paths import section_paths, where
from tabrag.documents.units import Unit, units_of
from tabrag.errors import UserError
from tabrag.files import inside
from tabrag.representations import part_entries
from tabrag.types import Document, Entry, Table

_SPAN = 500
"""Estimated tokens of what stands for a page where there are none."""


def entries(
    document: Document,
    *,
    tables: Mapping[str, Table],
    folder: Path | None = None,
    written: Written | None = None,
    text: bool = True,
    chunk: int | None = None,
    overlap: int | None = None,
    title: bool = True,
    image: bool = False,
) -> list[Entry]:
    """Entries whose items are pages: ``DOCUMENT#p3`` its text (``DOCUMENT#p3#w2`` its second chunk),
    ``DOCUMENT#p3#i`` its picture.

    Tables stand in the text as Markdown, pictures as their descriptions. A table that runs over several pages
    belongs to its first. Where a document has no pages, the items are spans of its units, ended at headings.

    Args:
        document: The document.
        tables: All tables by id.
        folder: The data set folder, for pictures.
        written: What a chat model wrote of pictures, in place of the template.
        text: Whether pages have entries of their text.
        chunk: Most estimated tokens of a text (MHier-RAG: 300); None for whole pages, which an encoder cuts.
        overlap: Most tokens of whole sentences that two chunks of a page share; a sixth of ``chunk`` (50 of
            300) where None.
        title: Whether a text begins with the document's title and the headings that its page stands under.
        image: Whether pages that have a picture have an entry of it, with the words of the page.

    Raises:
        UserError: Neither text nor image, sizes out of range, or no folder for pictures.
    """
    if not (text or image):
        raise UserError("representation 'pages' without text and image has no entries: set one of them")
    found: list[Entry] = []
    if text:
        units = units_of(document)
        pictures = described_pictures(document, folder=folder, written=written)

        def writer(size: int) -> UnitTexts:
            """Texts with tables in windows of a size."""
            return UnitTexts(
                document,
                tables,
                form="inline",
                size=size,
                picture=lambda block: pictures.get(block, ""),
            )

        whole = writer(sys.maxsize)
        texts = whole if chunk is None else writer(chunk)
        shared = 0 if chunk is None else chunk // 6 if overlap is None else overlap
        paths = section_paths(document)
        for part, own in _parts(document, units, whole):
            head = where(document, paths[own[0].block]) if title else ""
            cut = texts.texts(own, size=chunk, overlap=shared)
            found += part_entries(str(part), cut, head=head)
    if image:
        found += _images(document, tables, folder)
    return found


def _parts(
    document: Document, units: Sequence[Unit], texts: UnitTexts
) -> Iterator[tuple[PartId, list[Unit]]]:
    """The pages that say something, then spans of what stands on none: the same whatever the chunks are."""
    pages: dict[int | None, list[Unit]] = {}
    for unit in units:
        pages.setdefault(document.blocks[unit.block].page, []).append(unit)
    loose = pages.pop(None, [])
    for number in sorted(number for number in pages if number is not None):
        yield PartId(document.id, page=number), pages[number]
    for run in _runs(loose):
        for first, last in chunks_of(
            document, run, size=_SPAN, overlap=0, slides=False, num_tokens=texts.num_tokens
        ):
            yield PartId(document.id, units=(first, last)), list(units[first - 1 : last])


def _runs(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Units in runs of neighbours."""
    start = 0
    for place in range(1, len(units) + 1):
        if place == len(units) or units[place].number != units[place - 1].number + 1:
            yield list(units[start:place])
            start = place


def _images(document: Document, tables: Mapping[str, Table], folder: Path | None) -> Iterator[Entry]:
    for page in document.pages:
        if page.image is None:
            continue
        if folder is None:
            raise UserError("representation 'pages': image needs the data set folder")
        part = str(PartId(document.id, page=page.number))
        words = page_words(document, tables, page.number)
        path = inside(folder, page.image)
        yield Entry(id=f"{part}#i", item_id=part, text=where(document, ()), image=str(path), words=words)
