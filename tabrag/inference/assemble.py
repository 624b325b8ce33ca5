"""What is read of found parts of documents: each part whole, once, in the order of its document.

MM-BizRAG's assembly (Bhathena et al., arXiv 2606.04231): the parts that the hits belong to, the best first,
as long as the budget lasts; in them tables as Markdown and pictures with their descriptions where they stand.
A part that does not fit whole gives the units that fit the question best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tabrag.chat.protocol import Picture
from tabrag.documents.part import DocumentPart, merge_parts, whole_part
from tabrag.documents.select import fill, rarity_scores
from tabrag.documents.units import Unit
from tabrag.documents.whole import Item, WholeDocument
from tabrag.index.tokens import tokenize
from tabrag.inference.config import ContextConfig
from tabrag.inference.context import Context, build_context, estimate_tokens
from tabrag.inference.document_text import GAP, TABLE_SHARE, DocumentText, alone
from tabrag.tables.subtable import Subtable
from tabrag.tables.text import markdown, running_rows, title_text
from tabrag.types import Block, Document, Table

PicturePath = Callable[[str], str]
"""A picture's path in the data set folder to its absolute path."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A unit as text."""

    text: str
    table: Table | None = None
    context: Context | None = None


def assemble(
    items: Sequence[Item],
    question: str,
    *,
    refined: Mapping[str, Subtable] | None = None,
    config: ContextConfig | None = None,
    num_tokens: Callable[[str], int] = estimate_tokens,
    picture_path: PicturePath | None = None,
) -> list[tuple[WholeDocument, DocumentText]]:
    """What is read of each document, those with the best parts first.

    Args:
        items: Chunks, pages, nodes, documents and tables, the best first.
        question: What is asked of them.
        refined: Refined tables by table id; the others are shown from the whole.
        config: The budget of all texts together, and which pictures stand in them.
        num_tokens: How a text is measured; pictures do not count.
        picture_path: Where pictures lie; None leaves them out.

    Returns:
        For each document with something shown its shown part and what is shown of it.
    """
    config = config or ContextConfig()
    writer = _Writer(question, refined or {}, config, num_tokens)
    picture_path = None if config.tables == "flat" else picture_path
    taken: dict[str, list[DocumentPart]] = {}
    room = config.max_tokens
    for part in map(_part, items):
        before = {unit.number for other in taken.get(part.document.id, ()) for unit in other.units}
        units = [unit for unit in part.units if unit.number not in before]
        costs = [writer.cost(part, unit) for unit in units]
        if part.units and sum(costs) > room:
            units, costs = _best(part, units, costs, writer, room=room, is_first=not taken)
        elif not part.units:
            costs = [num_tokens(block.text) + 1 for block in part.document.blocks]
            if sum(costs) > room and taken:
                continue
        if units or not part.units:
            taken.setdefault(part.document.id, []).append(replace(part, units=tuple(units)))
            room -= sum(costs)
    return [_joined(parts, writer, config, picture_path) for parts in taken.values()]


class _Writer:
    """Units as texts, each made once."""

    def __init__(
        self,
        question: str,
        refined: Mapping[str, Subtable],
        config: ContextConfig,
        num_tokens: Callable[[str], int],
    ) -> None:
        self.asked = tokenize(question)
        self._question = question
        self._refined = refined
        self._share = replace(config, max_tokens=max(1, config.max_tokens // TABLE_SHARE))
        self._num_tokens = num_tokens
        self._flat = config.tables == "flat"
        self._said: dict[tuple[str, int], _Said] = {}

    def cost(self, part: DocumentPart, unit: Unit) -> int:
        """Tokens of a unit."""
        text = self.said(part, unit).text
        return self._num_tokens(text) + 1 if text else 0

    def said(self, part: DocumentPart, unit: Unit) -> _Said:
        """A unit as text; empty for a picture that tells nothing."""
        key = (part.document.id, unit.number)
        if key not in self._said:
            self._said[key] = self._write(part, unit)
        return self._said[key]

    def _write(self, part: DocumentPart, unit: Unit) -> _Said:
        block = block_of(part, unit)
        table = part.tables.get(block.table) if block.table is not None else None
        if table is not None and self._flat:
            return _Said(" ".join(filter(None, running_rows(table))), table)
        if table is not None:
            context = build_context(
                table,
                self._question,
                part=self._refined.get(table.id),
                config=self._share,
                num_tokens=self._num_tokens,
            )
            text = "\n".join(text for text in (title_text(table), context.text) if text)
            return _Said(text, table, context)
        if block.kind == "picture":
            said = " ".join(unit.text.split())
            return _Said("" if block.decoration else f"[picture: {said}]" if said else "[picture]")
        if block.kind == "heading":
            return _Said(f"{'#' * min(max(block.level, 1), 6)} {unit.text.strip()}")
        return _Said(unit.text)


def block_of(part: DocumentPart, unit: Unit) -> Block:
    """The block of a unit of a part."""
    return part.document.blocks[part.places.index(unit.block)]


def _part(item: Item) -> DocumentPart:
    if isinstance(item, DocumentPart):
        return item
    return whole_part(alone(item) if isinstance(item, Table) else item)


def _best(
    part: DocumentPart, units: list[Unit], costs: list[int], writer: _Writer, *, room: int, is_first: bool
) -> tuple[list[Unit], list[int]]:
    """The units that fit the question best and find room; of the very first part always one."""
    if not is_first:
        small = [place for place, cost in enumerate(costs) if cost <= room]
        units, costs = [units[place] for place in small], [costs[place] for place in small]
    said = [writer.said(part, unit) for unit in units]
    words = [
        tokenize(one.text if one.table is None else f"{one.text}\n{markdown(one.table)}") for one in said
    ]
    chosen = fill(rarity_scores(writer.asked, words), costs, budget=room)
    return [units[place] for place in chosen], [costs[place] for place in chosen]


def _joined(
    parts: Sequence[DocumentPart],
    writer: _Writer,
    config: ContextConfig,
    picture_path: PicturePath | None,
) -> tuple[WholeDocument, DocumentText]:
    """The parts of one document as pieces of text and pictures; summaries stand at the end."""
    spans = [part for part in parts if part.units]
    summaries = [block for part in parts if not part.units for block in part.document.blocks]
    pieces: list[str | Picture] = []
    tables: dict[str, Context] = {}
    blocks: list[Block] = []
    if spans:
        merged = merge_parts(spans)
        blocks = merged.document.blocks
        sections = {part.units[0].number: part.section for part in spans}
        pieces, tables = _pieces(merged, sections, writer, config, picture_path)
    pieces += [f"[summary] {block.text}" for block in summaries]
    document = replace(parts[0].document, blocks=[*blocks, *summaries])
    shown = WholeDocument(document, {name: table for part in spans for name, table in part.tables.items()})
    text = "\n".join(piece for piece in pieces if isinstance(piece, str))
    numbers = tuple(range(len(document.blocks)))
    pages = dict.fromkeys(block.page for block in blocks if block.page is not None)
    return shown, DocumentText(text, numbers, tables, tuple(pieces), tuple(pages))


def _pieces(
    merged: DocumentPart,
    sections: Mapping[int, tuple[str, ...]],
    writer: _Writer,
    config: ContextConfig,
    picture_path: PicturePath | None,
) -> tuple[list[str | Picture], dict[str, Context]]:
    """Pieces of text and pictures of a document's units, and its tables as they are shown.

    Args:
        merged: The units.
        sections: First unit of a found part -> the headings it stands under.
        writer: Makes texts of units.
        config: Which pictures.
        picture_path: Where they lie.
    """
    pieces: list[str | Picture] = []
    tables: dict[str, Context] = {}
    page: int | None = None
    last: Unit | None = None
    for unit in merged.units:
        block, said = block_of(merged, unit), writer.said(merged, unit)
        if not said.text:
            continue
        follows = last is not None and _follows(last, unit, merged)
        if last is not None and not follows:
            pieces.append(GAP)
        if block.page is not None and block.page != page:
            page = block.page
            pieces.append(f"[page {page}]")
            if config.pictures == "pages":
                pieces += _page_picture(merged.document, page, picture_path)
        if not follows and block.kind != "heading" and sections.get(unit.number):
            pieces.append(f"[section: {' > '.join(sections[unit.number])}]")
        if block.kind == "picture" and block.image is not None and config.pictures == "artefacts":
            pieces += [] if picture_path is None else [Picture(picture_path(block.image))]
        if said.context is not None and said.table is not None:
            tables[said.table.id] = said.context
        if follows and last is not None and last.block == unit.block:
            pieces[-1] = f"{pieces[-1]} {said.text}"
        else:
            pieces.append(said.text)
        last = unit
    return pieces, tables


def _follows(last: Unit, unit: Unit, part: DocumentPart) -> bool:
    """Whether nothing but pictures that tell nothing can stand between two units."""
    numbers = {other.number for other in part.units}
    return all(number in numbers for number in range(last.number + 1, unit.number))


def _page_picture(document: Document, number: int, picture_path: PicturePath | None) -> list[Picture]:
    if picture_path is None:
        return []
    return [
        Picture(picture_path(page.image))
        for page in document.pages
        if page.number == number and page.image is not None
    ]
