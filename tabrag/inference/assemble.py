"""What is read of found parts of documents: each part whole, once, in the order of its document.

MM-BizRAG's assembly (Bhathena et al., arXiv 2606.04231): the parts that the hits belong to, the best first,
as long as the budget lasts; in them tables as Markdown and pictures with their descriptions where they stand.
A part that does not fit whole, or that is longer than its share of the budget, gives the units that fit the
question best; what else it has comes where the other parts leave room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tabrag.chat.protocol import Picture
from tabrag.documents.chunking import ARTEFACTS
from tabrag.documents.part import DocumentPart, merge_parts, whole_part
from tabrag.documents.section_paths import Path
from tabrag.documents.select import fill, rarity_scores
from tabrag.documents.units import Unit
from tabrag.documents.whole import Item, WholeDocument
from tabrag.index.tokens import tokenize
from tabrag.inference.config import ContextConfig
from tabrag.inference.context import Context
from tabrag.inference.document_text import GAP, DocumentText, alone
from tabrag.inference.unit_writer import UnitWriter, page_mark, section_mark, summary_text
from tabrag.tables.subtable import Subtable
from tabrag.tables.text import markdown, one_line
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Block, Document, Table

PART_SHARE = 0.4
"""What a part may take of the budget before the others had their turn: what a question needs may stand in two
places, and the best part may be the wrong one. More than a table may take (``TABLE_SHARE``), so that a table
finds room with the lines above it."""
_PASSES = 6
"""Shares first, then the whole budget, at most so often. The lines between texts are counted as if each part
had its own: a further pass uses what they leave."""

PicturePath = Callable[[str], str]
"""A picture's path in the data set folder to its absolute path."""


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
    writer = UnitWriter(question, refined or {}, config, num_tokens)
    found = list(map(_part, items))
    taken: dict[str, list[DocumentPart]] = {}
    joined: list[tuple[WholeDocument, DocumentText]] = []
    room = config.max_tokens
    for number in range(_PASSES):
        is_shared = number == 0 and len(found) > 1
        share = int(PART_SHARE * config.max_tokens) if is_shared else config.max_tokens
        before = sum(map(len, taken.values()))
        for part in found:
            known = taken.setdefault(part.document.id, [])
            fresh = _fresh(part, known)
            if fresh is None:
                continue
            is_first = not any(taken.values())
            marks, costs = writer.marks(fresh, known), writer.costs(fresh)
            if marks + sum(costs) > min(room, share) and fresh.units:
                fresh, costs = _best(fresh, costs, writer, room=min(room, share) - marks, is_first=is_first)
            elif marks + sum(costs) > room and not is_first:
                continue
            if fresh.units or fresh.document.blocks or _own_page(fresh, config, picture_path):
                known.append(fresh)
                room -= marks + sum(costs)
        if number and sum(map(len, taken.values())) == before:
            break
        joined = [_joined(parts, writer, config, picture_path) for parts in taken.values() if parts]
        room = config.max_tokens - sum(writer.size(text.text) for _, text in joined)
    return joined


def _part(item: Item) -> DocumentPart:
    if isinstance(item, DocumentPart):
        return item
    return whole_part(alone(item) if isinstance(item, Table) else item)


def _fresh(part: DocumentPart, known: Sequence[DocumentPart]) -> DocumentPart | None:
    """A part without the units that are shown already; None where nothing is left."""
    if not part.units:
        return None if part.part in [other.part for other in known if not other.units] else part
    before = {unit.number for other in known for unit in other.units}
    units = [unit for unit in part.units if unit.number not in before]
    return _only(part, units) if units else None


def _only(part: DocumentPart, units: Sequence[Unit]) -> DocumentPart:
    """Some units of a part, and the blocks that they stand in."""
    if len(units) == len(part.units):
        return part
    kept = {unit.block for unit in units}
    rows = [row for row, place in enumerate(part.places) if place in kept]
    return replace(
        part,
        document=replace(part.document, blocks=[part.document.blocks[row] for row in rows]),
        units=tuple(units),
        places=tuple(part.places[row] for row in rows),
        sections=tuple(part.sections[row] for row in rows),
    )


def _best(
    part: DocumentPart, costs: Sequence[int], writer: UnitWriter, *, room: int, is_first: bool
) -> tuple[DocumentPart, list[int]]:
    """The units that fit the question best and find room; of the very first part always one."""
    units = list(part.units)
    costs = [cost + writer.gap(part, unit) for unit, cost in zip(units, costs, strict=True)]
    if not is_first:
        small = [place for place, cost in enumerate(costs) if cost <= room]
        units, costs = [units[place] for place in small], [costs[place] for place in small]
    scores = rarity_scores(writer.asked, _words(part, units, writer))
    chosen = fill(scores, costs, budget=room)
    return _only(part, [units[place] for place in chosen]), [costs[place] for place in chosen]


def _words(part: DocumentPart, units: Sequence[Unit], writer: UnitWriter) -> list[list[str]]:
    """What is compared with the question of each unit; a table or a picture has its captions' words too."""
    kinds = {place: block.kind for place, block in zip(part.places, part.document.blocks, strict=True)}
    said = [writer.said(part, unit) for unit in units]
    own = [tokenize(one.text if one.table is None else f"{one.text}\n{markdown(one.table)}") for one in said]
    captions = {
        unit.number: words for unit, words in zip(units, own, strict=True) if kinds[unit.block] == "caption"
    }
    return [
        [*words, *captions.get(unit.number - 1, ()), *captions.get(unit.number + 1, ())]
        if kinds[unit.block] in ARTEFACTS
        else words
        for unit, words in zip(units, own, strict=True)
    ]


def _joined(
    parts: Sequence[DocumentPart],
    writer: UnitWriter,
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
        pieces, tables = _pieces(merged, writer, config, picture_path)
    pages = dict.fromkeys(block.page for block in blocks if block.page is not None)
    for part in parts:
        number = part.part.page
        if number is not None and number not in pages and (own := _own_page(part, config, picture_path)):
            pages[number] = None
            pieces += [page_mark(number), *own]
    pieces += [summary_text(block.text) for block in summaries]
    document = replace(parts[0].document, blocks=[*blocks, *summaries])
    shown = WholeDocument(document, {name: table for part in spans for name, table in part.tables.items()})
    text = "\n".join(piece for piece in pieces if isinstance(piece, str))
    numbers = tuple(range(len(document.blocks)))
    return shown, DocumentText(text, numbers, tables, tuple(pieces), tuple(pages))


def _pieces(
    merged: DocumentPart, writer: UnitWriter, config: ContextConfig, picture_path: PicturePath | None
) -> tuple[list[str | Picture], dict[str, Context]]:
    """Pieces of text and pictures of a document's units, and its tables as they are shown.

    Args:
        merged: The units.
        writer: Makes texts of units.
        config: Which pictures.
        picture_path: Where they lie.
    """
    pieces: list[str | Picture] = []
    tables: dict[str, Context] = {}
    rows = {place: row for row, place in enumerate(merged.places)}
    page: int | None = None
    last: Unit | None = None
    by_page = config.pictures == "pages"
    whole_page: list[Picture] = []
    told: Path = ()
    reached = 0
    follows = False
    for unit in merged.units:
        # Only pictures that tell nothing may stand between two units that follow each other.
        follows = follows and unit.number == reached + 1
        reached = unit.number
        block, said = merged.document.blocks[rows[unit.block]], writer.said(merged, unit)
        if not said.text:
            continue
        if last is not None and not follows:
            pieces.append(GAP)
        if block.page is not None and block.page != page:
            page = block.page
            pieces.append(page_mark(page))
            whole_page = _page_picture(merged.document, page, picture_path) if by_page else []
            pieces += whole_page
        section = merged.sections[rows[unit.block]]
        if block.kind == "heading":
            section = (*section, one_line(unit.text))
        elif not follows and section not in ((), told):
            pieces.append(section_mark(section))
        told = section
        # The picture of a page shows those on it.
        if block.kind == "picture" and block.image is not None and not whole_page:
            pieces += [] if picture_path is None else [Picture(picture_path(block.image))]
        if said.context is not None and said.table is not None:
            tables[said.table.id] = said.context
        if follows and last is not None and last.block == unit.block:
            pieces[-1] = f"{pieces[-1]} {said.text}"
        else:
            pieces.append(said.text)
        last, follows = unit, True
    return pieces, tables


def _own_page(part: DocumentPart, config: ContextConfig, picture_path: PicturePath | None) -> list[Picture]:
    """The picture of a page that was found, where pages' pictures are shown: it may be all there is of it."""
    if config.pictures != "pages" or part.part.page is None:
        return []
    return _page_picture(part.document, part.part.page, picture_path)


def _page_picture(document: Document, number: int, picture_path: PicturePath | None) -> list[Picture]:
    if picture_path is None:
        return []
    return [
        Picture(picture_path(page.image))
        for page in document.pages
        if page.number == number and page.image is not None
    ]
