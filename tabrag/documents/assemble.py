"""Pages into a document: blocks in reading order, tables that are whole, pictures as files.

The pages may come from a PDF's text layer or from OCR. They are taken one at a time; of each only its lines
of text and its tables are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tabrag.documents.around_tables import claim_texts
from tabrag.documents.headings import heading_levels
from tabrag.documents.joins import TablePart, first_line_stands_out
from tabrag.documents.page_content import PageBox, PageContent
from tabrag.documents.page_layout import lay_out
from tabrag.documents.page_tables import find_tables
from tabrag.documents.paragraphs import (
    Paragraph,
    body_size,
    column_end,
    continues,
    hyphenated_words,
    paragraph_text,
    paragraphs,
)
from tabrag.documents.parts import Part, join_tables, mark_captions, mark_notes
from tabrag.documents.running import Layout, drop_running
from tabrag.errors import UserError
from tabrag.tables.headers import infer_table
from tabrag.types import Block, Source, Table

Crop = Callable[[int, PageBox], str | None]
"""Writes a region of a page (its number, a box in points) as a picture and returns its path."""

_FOOT = 0.92  # of the page's height: what begins below it heads nothing
_MAX_LABELS = 1000  # characters of the text upon a picture that describe it


@dataclass(slots=True, kw_only=True)
class Assembled:
    """What pages were put together to.

    Attributes:
        title: The outermost heading of the first page, or what its first table is called; may be empty.
        blocks: In reading order.
        tables: In reading order.
        notes: What had to be guessed or left apart.
        metadata: Texts of running headers and footers, which are in no block.
        lost: Whether the tables of a page could not be read.
    """

    title: str = ""
    blocks: list[Block] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    metadata: dict[str, str] = field(default_factory=dict)
    lost: bool = False


def assemble(pages: Iterable[PageContent], document_id: str, *, crop: Crop | None = None) -> Assembled:
    """Put pages together to a document.

    Args:
        pages: In order; read once, one at a time.
        document_id: Its tables are ``DOCUMENT#t1``, ``DOCUMENT#t2``.
        crop: Writes pictures; None leaves them out.
    """
    result = Assembled()
    layouts: list[Layout] = []
    stand_out: set[int] = set()
    scanned: set[int] = set()
    for page in pages:
        try:
            tables = find_tables(page)
        except (ArithmeticError, LookupError, ValueError) as fault:
            tables = []
            result.notes.append(f"page {page.number}: its tables cannot be read: {fault}")
            result.lost = True
        stand_out.update(id(table) for table in tables if first_line_stands_out(page, table))
        layouts.append(Layout(page.number, page.width, page.height, lay_out(page, tables)))
        if page.scanned:
            scanned.add(page.number)
    for name, texts in drop_running(layouts).items():
        result.metadata[name] = "\n".join(texts)
    parts = _parts(layouts, stand_out)
    body = body_size([(line.size, len(line.text)) for part in parts for line in part.lines])
    texts = [part for part in parts if part.paragraph is not None]
    levels = heading_levels(
        [part.paragraph for part in texts if part.paragraph],
        body,
        scanned=scanned,
        at_foot={place for place, part in enumerate(texts) if part.box[1] > _FOOT * part.layout.height},
    )
    for place, level in levels.items():
        texts[place].kind, texts[place].level = "heading", level
    mark_captions(parts, body)
    parts, notes = join_tables(parts, body)
    result.notes += notes
    parts = _paragraphs_joined(parts)
    _make_blocks(parts, document_id, result, crop)
    mark_notes(parts, result.blocks, body)
    return result


def _parts(layouts: list[Layout], stand_out: set[int]) -> list[Part]:
    parts: list[Part] = []
    for layout in layouts:
        for region in layout.regions:
            if region.table is not None:
                table = TablePart(
                    region.table,
                    layout.number,
                    layout.number,
                    id(region.table) in stand_out,
                    region.table.col_edges,
                )
                parts.append(Part("table", layout, region.box, table=table))
            elif region.lines:
                parts += [
                    Part("list" if paragraph.is_point else "text", layout, paragraph.box, paragraph)
                    for paragraph in paragraphs(region, column_end(region, layout.regions))
                ]
            else:
                parts.append(Part("picture", layout, region.box, labels=region.labels[:_MAX_LABELS]))
    return parts


def _paragraphs_joined(parts: list[Part]) -> list[Part]:
    """Join paragraphs that go on in the next column or on the next page, whatever stands between."""
    kept: list[Part] = []
    for part in parts:
        if part.kind == "text" and part.paragraph is not None:
            before = _last_paragraph(kept)
            if before is not None and continues(before, part.paragraph):
                before.lines.extend(part.paragraph.lines)
                continue
        kept.append(part)
    return kept


def _last_paragraph(parts: list[Part]) -> Paragraph | None:
    """The paragraph before the notes, tables, captions and pictures at the end."""
    for part in reversed(parts[-12:]):
        if part.kind in ("text", "list"):
            if part.is_small:
                continue
            return part.paragraph
        if part.kind == "heading":
            return None
    return None


def _make_blocks(parts: list[Part], document_id: str, result: Assembled, crop: Crop | None) -> None:
    hyphenated = hyphenated_words(line for part in parts for line in part.lines)
    section = ""
    kept: list[Part] = []
    for place, part in enumerate(parts):
        block = Block(kind=part.kind, level=part.level, page=part.layout.number, box=part.record_box())
        if part.paragraph is not None:
            block.text = paragraph_text(
                part.paragraph, hyphenated, keep_mark=part.is_small or _is_alone(parts, place)
            )
            if part.kind == "heading":
                section = block.text
        elif part.table is not None:
            table = _table(part, f"{document_id}#t{len(result.tables) + 1}", document_id, section)
            if table is None:
                continue
            if outer := _outer(part, parts[:place]):
                table.metadata["outer_table"] = outer
            if kept and kept[-1].title and kept[-1].layout is part.layout:
                table.title = kept[-1].title
                table.caption = table.caption or result.blocks[-1].text
            elif section and not table.caption and _belongs_above(parts, place):
                table.title = section
            part.table_id = table.id
            block.table = table.id
            result.tables.append(table)
        else:
            block.text = part.labels
            block.image = crop(part.layout.number, part.box) if crop else None
            if not (block.image or block.text):
                continue
        kept.append(part)
        result.blocks.append(block)
    parts[:] = kept
    claim_texts(result.blocks, result.tables)
    result.title = _title(result.blocks, result.tables)
    for table in result.tables:
        table.page_title = result.title


def _belongs_above(parts: list[Part], place: int) -> bool:
    """Whether the text before a table is nearer to what stands above it and does not lead to the table."""
    if place < 2 or any(part.layout is not parts[place].layout for part in parts[place - 2 : place]):
        return False
    before, text, table = parts[place - 2 : place + 1]
    return (
        text.kind == "text"
        and not text.text.rstrip().endswith(":")
        and text.box[1] - before.box[3] < table.box[1] - text.box[3]
    )


def _outer(part: Part, before: list[Part]) -> str:
    """Id of the table in whose cell a table stands."""
    x0, y0, x1, y1 = part.box
    for other in reversed(before):
        if other.layout is part.layout and other.table is not None:
            left, top, right, bottom = other.box
            if left <= x0 + 1 and top <= y0 + 1 and right >= x1 - 1 and bottom >= y1 - 1:
                return other.table_id
    return ""


def _is_alone(parts: list[Part], place: int) -> bool:
    """Whether no other point beside this one begins with the same sign: it is no list."""
    sign = parts[place].text[:1]
    if sign not in "–—-*·":
        return False
    beside = [*parts[max(place - 1, 0) : place], *parts[place + 1 : place + 2]]
    return not any(part.kind == "list" and part.text[:1] == sign for part in beside)


def _table(part: Part, table_id: str, document_id: str, section: str) -> Table | None:
    if part.table is None:
        return None
    try:
        inferred = infer_table(part.table.table.cells, part.table.table.merged)
    except UserError:
        return None  # a frame without any text
    metadata = {"notes": inferred.notes} if inferred.notes else {}
    if part.table.num_parts > 1:
        metadata["pages"] = f"{part.table.page}-{part.table.last_page}"
    return Table(
        id=table_id,
        section=section,
        caption=" ".join(inferred.caption.split()),
        grid=inferred.grid,
        source=Source(file=document_id, page=part.layout.number, box=part.record_box()),
        document=document_id,
        metadata=metadata,
    )


def _title(blocks: list[Block], tables: list[Table]) -> str:
    """The outermost heading of the first page with text; the first table's where that stands above it."""
    first_page = next((block.page for block in blocks if block.text or block.table), None)
    beginning = [block for block in blocks if block.page == first_page]
    headings = [block for block in beginning if block.kind == "heading"]
    outermost = min((block.level for block in headings), default=0)
    title = next((block for block in headings if block.level == outermost), None)
    table = next((block for block in beginning if block.table), None)
    if table is not None and (title is None or beginning.index(table) < beginning.index(title)):
        caption = next(other.caption and other.title for other in tables if other.id == table.table)
        return caption or (title.text if title else "")
    return title.text if title else ""
