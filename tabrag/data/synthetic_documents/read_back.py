"""Looks for what questions rest on in the documents as the parsers read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tabrag.evaluation.table_facts import cells_at, plain
from tabrag.tables.grid import left_paths, top_paths
from tabrag.types import Block, Cell, Document, Fact, GoldEvidence, GoldHeaders, Table

_PROSE = ("text", "list", "caption", "note", "heading")
_NEAR = 2
"""Blocks between a picture and its caption, at most."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fact was found.

    Attributes:
        page: 1-based, None where the document has no pages.
        table: Of a cell: its table.
        cell: Of a cell: its place in the grid.
        in_path: Of a cell: whether its row and its column carry all labels, and not only the innermost ones.
    """

    page: int | None
    table: Table | None = None
    cell: Cell | None = None
    in_path: bool = True


def find_fact(fact: Fact, document: Document, tables: Mapping[str, Table]) -> Place | None:
    """Where a fact stands in a document; None where the parser lost it.

    A sentence stands in one block of text, a cell in a table whose row and column carry its labels, a picture
    beside its caption.
    """
    if fact.kind == "sentence":
        wanted = plain(fact.text)
        blocks = (block for block in document.blocks if block.kind in _PROSE and wanted in plain(block.text))
        return next((Place(block.page) for block in blocks), None)
    if fact.kind == "picture":
        return _picture(plain(fact.text), document.blocks)
    names = [block.table for block in document.blocks if block.table is not None]
    return _cell(fact, [tables[name] for name in names if name in tables])


def found_back(
    evidence: Iterable[GoldEvidence], documents: Mapping[str, Document], tables: Mapping[str, Table]
) -> tuple[list[GoldEvidence], list[GoldHeaders], dict[str, int]]:
    """The evidence with pages, the cells of questions on one table, and how many facts were found.

    Returns:
        All evidence, of lost facts without a page; gold cells of questions all of whose facts are cells of
        one table; counts ``KIND/SUFFIX/found``, ``KIND/SUFFIX/lost`` and, of cells, ``cell/SUFFIX/whole
        paths``.
    """
    counts: Counter[str] = Counter()
    seen: set[Fact] = set()
    placed, gold = [], []
    for one in evidence:
        places = [find_fact(fact, documents[fact.document], tables) for fact in one.facts]
        for fact, place in zip(one.facts, places, strict=True):
            if fact not in seen:
                seen.add(fact)
                _count(fact, place, counts)
        facts = [
            replace(fact, page=None if place is None else place.page)
            for fact, place in zip(one.facts, places, strict=True)
        ]
        placed.append(GoldEvidence(query_id=one.query_id, facts=facts))
        if (headers := _gold(one.query_id, places)) is not None:
            gold.append(headers)
    return placed, gold, dict(sorted(counts.items()))


def _count(fact: Fact, place: Place | None, counts: Counter[str]) -> None:
    start = f"{fact.kind}/{fact.document.rpartition('.')[2]}"
    counts[f"{start}/{'lost' if place is None else 'found'}"] += 1
    if fact.kind == "cell" and place is not None:
        counts[f"{start}/whole paths"] += place.in_path


def _picture(caption: str, blocks: list[Block]) -> Place | None:
    for number, block in enumerate(blocks):
        if caption not in plain(block.text):
            continue
        near = blocks[max(number - _NEAR, 0) : number + _NEAR + 1]
        for other in near:
            if other.kind == "picture" and other.image is not None and other.page == block.page:
                return Place(block.page)
    return None


def _cell(fact: Fact, tables: list[Table]) -> Place | None:
    wanted = plain(fact.text)
    for row, column, in_path in ((fact.row, fact.column, True), (fact.row[-1:], fact.column[-1:], False)):
        for table in tables:
            for cell, text in cells_at(table, column, row):
                if plain(text) == wanted:
                    return Place(table.source.page, table, cell, in_path)
    return None


def _gold(query_id: str, places: list[Place | None]) -> GoldHeaders | None:
    first = places[0].table if places and places[0] is not None else None
    if first is None or first.grid is None:
        return None
    grid, cells = first.grid, []
    for place in places:
        if place is None or place.table is None or place.cell is None or place.table.id != first.id:
            return None
        cells.append(place.cell)
    top, left = top_paths(grid), left_paths(grid)
    return GoldHeaders(
        query_id=query_id,
        table_id=first.id,
        top=sorted({header for _, col in cells for header in top[col]}),
        left=sorted({header for row, _ in cells for header in left[row]}),
        answer_cells=cells,
    )
