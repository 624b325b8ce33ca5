"""Chunks of a document's text; its tables and pictures by descriptions of their own, or in the text.

The text sides of MM-BizRAG (Bhathena et al., arXiv 2606.04231), by ``artefacts``: ``entries`` (TCTE) searches
text chunks, and beside them a description of each table and each picture, which lead to the chunk that they
stand in; ``interleaved`` (TCMIE) searches chunks with their tables as Markdown and their pictures'
descriptions in place. What text extraction alone gives is a folder of its own
(:mod:`tabrag.data.text_alone`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from tabrag.documents.chunking import chunks_of
from tabrag.documents.descriptions import Written
from tabrag.documents.page_text import Form, UnitTexts
from tabrag.documents.part import PartId
from tabrag.documents.picture_text import described_pictures
from tabrag.documents.section_paths import section_paths, where
from tabrag.documents.units import Unit, units_of
from tabrag.errors import UserError
from tabrag.files import inside
from tabrag.representations import (
    Option,
    Representation,
    RepresentationConfig,
    build,
    has_option,
    item_kind,
    part_entries,
)
from tabrag.representations.image import BLANK
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Document, Entry, Table

Artefacts = Literal["entries", "interleaved"]
_FORMS: dict[str, Form] = {"entries": "none", "interleaved": "inline"}


def entries(
    document: Document,
    *,
    tables: Mapping[str, Table],
    folder: Path | None = None,
    written: Written | None = None,
    size: int = 512,
    overlap: int | None = None,
    window: int | None = None,
    title: bool = True,
    artefacts: str = "entries",
    table: str | None = "summary",
    table_options: dict[str, Option] | None = None,
    picture: bool = True,
    image: bool = False,
) -> list[Entry]:
    """Entries whose items are chunks: ``DOCUMENT#u7-19`` its text, ``DOCUMENT#u7-19#t2`` a table in it,
    ``DOCUMENT#u7-19#i1`` a picture; what is longer than ``window`` goes on in ``...#w2``, ``...#w3``.

    Args:
        document: The document.
        tables: All tables by id.
        folder: The data set folder, for pictures.
        written: What a chat model wrote of tables and pictures, in place of the templates.
        size: Most estimated tokens of a chunk, see :func:`tabrag.documents.chunking.chunks_of`. A page of
            slides is one chunk.
        overlap: Most tokens that two chunks share; an eighth of ``size`` (64 of 512) where None. A table or
            picture in both belongs to the first.
        window: Most estimated tokens of a text that is searched; each leads to its chunk. Of a long text one
            sentence counts little, for words and for vectors. As many as ``size`` where None.
        title: Whether a text begins with the document's title and the headings that it stands under.
        artefacts: ``entries``: tables and pictures have entries of their own. ``interleaved``: they stand in
            the text.
        table: For ``entries``: representation of the tables; None leaves them out.
        table_options: Options of that representation. Where it knows windows, a text that is longer than
            ``size`` is cut.
        picture: For ``entries``: whether pictures have entries.
        image: For ``interleaved``: whether an entry also has the first picture of its chunk, for encoders
            that take text and picture; where it has none, a blank one.

    Raises:
        UserError: An unknown choice, a representation that is not one of tables, sizes out of range.
    """
    if artefacts not in get_args(Artefacts):
        choices = ", ".join(get_args(Artefacts))
        raise UserError(f"representation 'chunks': artefacts is '{artefacts}': use one of {choices}")
    if image and artefacts != "interleaved":
        raise UserError("representation 'chunks': image needs artefacts: interleaved")
    if window is not None and window < 1:
        raise UserError(f"representation 'chunks': window is {window}: it must be 1 or more")
    overlap = size // 8 if overlap is None else overlap
    units = units_of(document)
    wants_pictures = artefacts == "interleaved" or (artefacts == "entries" and picture)
    pictures = described_pictures(document, folder=folder, written=written) if wants_pictures else {}
    form = _FORMS[artefacts]
    texts = UnitTexts(document, tables, form=form, size=size, picture=lambda block: pictures.get(block, ""))
    describe = None
    if artefacts == "entries" and table is not None:
        describe = _of_tables(table, dict(table_options or {}), size, written)
    paths = section_paths(document)
    places = [place for place, block in enumerate(document.blocks) if block.kind == "picture"]
    numbers = {place: number for number, place in enumerate(places, start=1)}
    found: list[Entry] = []
    reached = 0
    for first, last in chunks_of(
        document, units, size=size, overlap=overlap, num_tokens=None if form == "none" else texts.num_tokens
    ):
        span = units[first - 1 : last]
        chunk = str(PartId(document.id, units=(first, last)))
        head = where(document, paths[span[0].block]) if title else ""
        made = part_entries(chunk, texts.texts(span, size=window or size), head=head)
        if image and made:
            made[0] = replace(made[0], image=_first_picture(document, span, folder))
            made[1:] = [replace(entry, image=str(BLANK)) for entry in made[1:]]
        found += made
        fresh = [unit for unit in span if unit.number > reached]
        reached = last
        if describe is not None:
            names = [name for unit in fresh if (name := document.blocks[unit.block].table) is not None]
            found += [
                _of_chunk(entry, chunk, document)
                for name in dict.fromkeys(names)
                for entry in describe(tables[name], folder=folder)
            ]
        if artefacts == "entries":
            found += [
                Entry(id=f"{chunk}#i{numbers[place]}", item_id=chunk, text=pictures[place])
                for place in dict.fromkeys(unit.block for unit in fresh if unit.block in pictures)
            ]
    return found


@dataclass(frozen=True, slots=True)
class _Estimate:
    """What fits into a chunk, as the measure of a representation of tables."""

    limit: int

    def count(self, entries: Sequence[Entry]) -> list[int]:
        return [estimate_tokens(entry.text) for entry in entries]


def _of_tables(name: str, options: dict[str, Option], size: int, written: Written | None) -> Representation:
    """The representation of tables; one that knows windows cuts what is longer than a chunk."""
    config = RepresentationConfig(name=name, options=options)
    if item_kind(config) != "table":
        raise UserError(f"representation 'chunks': '{name}' represents no table: choose another for table")
    if has_option(name, "windows"):
        config.options.setdefault("windows", True)
    return build(config, measure=_Estimate(size), written=written)


def _of_chunk(entry: Entry, chunk: str, document: Document) -> Entry:
    """The entry of a table as one of the chunk that it stands in."""
    name = entry.id.removeprefix(f"{document.id}#")
    return replace(entry, id=f"{chunk}#{name}", item_id=chunk, cells=None)


def _first_picture(document: Document, units: Sequence[Unit], folder: Path | None) -> str:
    """Path of the first picture that tells something; a white one where there is none."""
    blocks = (document.blocks[unit.block] for unit in units)
    images = (block.image for block in blocks if block.kind == "picture" and not block.decoration)
    image = next((image for image in images if image is not None), None)
    return str(BLANK if image is None or folder is None else inside(folder, image))
