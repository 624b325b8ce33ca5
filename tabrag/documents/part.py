"""Parts of documents as items: chunks, pages and the nodes of a summary tree.

Their ids say what they are, so that nothing else must be stored:

==================  =======================================================
``DOCUMENT#u7-19``  the units 7 to 19 (:mod:`tabrag.documents.units`), a chunk
``DOCUMENT#p3``     page 3
``DOCUMENT#n5``     node 5 of the document's summary tree
==================  =======================================================
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tabrag.documents.section_paths import Path, section_paths
from tabrag.documents.units import Unit, blocks_of, units_of
from tabrag.documents.whole import WholeDocument, table_ids
from tabrag.errors import UserError
from tabrag.types import Block, Table

_ID = re.compile(
    r"(?P<document>.+)#(?:u(?P<first>\d{1,9})-(?P<last>\d{1,9})|p(?P<page>\d{1,9})|n(?P<node>\d{1,9}))",
    re.DOTALL | re.ASCII,
)
_PAGES = re.compile(r"(\d{1,6})-(\d{1,6})", re.ASCII)
_TABLE = re.compile(r"(?<=.)#t\d+\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PartId:
    """A part's id, taken apart.

    Attributes:
        document: Id of the document.
        units: First and last unit of a chunk, from 1; None for others.
        page: Number of a page, from 1; None for others.
        node: Number of a node, from 1; None for others.
    """

    document: str
    units: tuple[int, int] | None = None
    page: int | None = None
    node: int | None = None

    def __str__(self) -> str:
        if self.units is not None:
            return f"{self.document}#u{self.units[0]}-{self.units[1]}"
        return f"{self.document}#p{self.page}" if self.page is not None else f"{self.document}#n{self.node}"


def parse_part_id(item_id: str) -> PartId | None:
    """What an id says; None where it is no part's."""
    match = _ID.fullmatch(item_id)
    if match is None:
        return None
    if match["first"] is not None:
        return PartId(match["document"], units=(int(match["first"]), int(match["last"])))
    if match["page"] is not None:
        return PartId(match["document"], page=int(match["page"]))
    return PartId(match["document"], node=int(match["node"]))


def document_of(item_id: str) -> str:
    """Id of the document of a part or of a table in it (``DOCUMENT#t3``); of another item its own id."""
    part = parse_part_id(item_id)
    return _TABLE.sub("", item_id) if part is None else part.document


def whole_id_fault(document_id: str) -> str:
    """Why an id cannot be a document's: it is that of a part or table of another one. Empty where it can."""
    other = document_of(document_id)
    if other == document_id:
        return ""
    return (
        f"'{document_id}' is no id of a document but of a part or table of '{other}': documents' ids do not "
        "end in #p3, #n5, #t2 or #u1-9: write another one"
    )


def table_id_fault(table_id: str, documents: Container[str]) -> str:
    """Why an id cannot be a table's: a document or a part of one would hide behind it. Empty where it can.

    Args:
        table_id: The id.
        documents: Ids of the documents of the data set folder.
    """
    part = parse_part_id(table_id) if "#" in table_id else None
    if part is not None and part.document in documents:
        return (
            f"'{table_id}' is no id of a table but of a part of the document '{part.document}': write "
            f"another one, for example '{part.document}#t1'"
        )
    return f"'{table_id}' is the id of a document, too: write another one" if table_id in documents else ""


@dataclass(frozen=True, slots=True)
class DocumentPart(WholeDocument):
    """Some units of a document, or a summary of it, with the tables in them.

    ``document`` has the blocks of the part alone, under the document's own id.

    Attributes:
        part: The part's id; of merged parts that of the first.
        units: Its units, in order; none for a node.
        places: For each block of ``document`` its number in the whole document; none for a node.
        sections: For each block of ``document`` the headings that it stands under, the outermost first.
    """

    part: PartId
    units: tuple[Unit, ...] = ()
    places: tuple[int, ...] = ()
    sections: tuple[Path, ...] = ()

    @property
    def id(self) -> str:
        """The part's id."""
        return str(self.part)

    @property
    def section(self) -> Path:
        """The headings that its first block stands under."""
        return self.sections[0] if self.sections else ()


def take_part(whole: WholeDocument, part: PartId, units: Sequence[Unit] | None = None) -> DocumentPart:
    """A chunk or a page of a document.

    Args:
        whole: The document.
        part: Which part; no node.
        units: The document's units, where they are known already.

    Raises:
        UserError: The document has no such units or page.
    """
    units = units_of(whole.document) if units is None else units
    if part.units is not None:
        first, last = part.units
        found = list(units[first - 1 : last]) if 1 <= first <= last <= len(units) else []
    else:
        blocks = whole.document.blocks
        found = [unit for unit in units if _is_on(blocks[unit.block], part.page, whole.tables)]
    if not found and not any(page.number == part.page for page in whole.document.pages):
        raise UserError(
            f"document '{whole.id}' has no part '{part}': its index belongs to another version of the data "
            "set folder: build the index again"
        )
    return part_of(whole, part, found)


def page_span(text: str) -> tuple[int, int] | None:
    """First and last of several pages, ``3-5``; None of any other text."""
    match = _PAGES.fullmatch(text)
    if match is None:
        return None
    first, last = sorted(map(int, match.groups()))
    return first, last


def table_pages(table: Table) -> tuple[int, int] | None:
    """First and last page of a table, which runs on over those between; None where no page is known."""
    span = page_span(table.metadata.get("pages", ""))
    if span is not None or table.source.page is None:
        return span
    return table.source.page, table.source.page


def block_pages(block: Block, tables: Mapping[str, Table]) -> tuple[int, int] | None:
    """First and last page that a block stands on; None where no page is known."""
    table = tables.get(block.table) if block.table is not None else None
    if block.page is None:
        return None
    pages = None if table is None or "pages" not in table.metadata else table_pages(table)
    return (block.page, block.page) if pages is None else pages


def _is_on(block: Block, page: int | None, tables: Mapping[str, Table]) -> bool:
    """Whether a block stands on a page; a table that runs on stands on several."""
    pages = block_pages(block, tables)
    return page is None if pages is None else page is not None and pages[0] <= page <= pages[1]


def part_of(whole: WholeDocument, part: PartId, units: Iterable[Unit]) -> DocumentPart:
    """Given units of a document as a part; they are put in order, each once."""
    kept = tuple(sorted(set(units), key=lambda unit: unit.number))
    blocks = blocks_of(whole.document.blocks, kept)
    document = replace(whole.document, blocks=list(blocks.values()))
    tables = {name: whole.tables[name] for name in table_ids(document)}
    places = tuple(blocks)
    paths = section_paths(whole.document)
    return DocumentPart(document, tables, part, kept, places, tuple(paths[place] for place in places))


def whole_part(whole: WholeDocument) -> DocumentPart:
    """All units of a document."""
    units = units_of(whole.document)
    return part_of(whole, PartId(whole.id, units=(1, len(units))), units)


def merge_parts(parts: Sequence[DocumentPart]) -> DocumentPart:
    """Parts of one document as one, under the first one's id: each unit once, in the document's order."""
    first = parts[0]
    numbered = {unit.number: unit for part in parts for unit in part.units}
    units = tuple(numbered[number] for number in sorted(numbered))
    known: dict[int, Block] = {}
    sections: dict[int, Path] = {}
    for part in parts:
        known |= zip(part.places, part.document.blocks, strict=False)
        sections |= zip(part.places, part.sections, strict=False)
    blocks = blocks_of(known, units)
    document = replace(first.document, blocks=list(blocks.values()))
    tables = {name: table for part in parts for name, table in part.tables.items()}
    paths = tuple(sections[place] for place in blocks)
    return DocumentPart(document, tables, first.part, units, tuple(blocks), paths)


def node_part(whole: WholeDocument, part: PartId, text: str) -> DocumentPart:
    """A node of the document's summary tree: its summary is all it says."""
    document = replace(whole.document, blocks=[Block(kind="text", text=text)], pages=[])
    return DocumentPart(document, {}, part)
