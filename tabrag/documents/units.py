"""A document as a row of units: sentences, headings, tables and pictures in reading order.

Units are what chunks and pages are made of. Their numbers depend on the document alone, so that a chunk can
be named by the units that it spans, whatever made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tabrag.documents.sentences import split_sentences
from tabrag.types import Block, Document

_CUT_KINDS = ("text", "list", "caption", "note")
"""Kinds of blocks whose text is cut into sentences; a heading, a table and a picture stay whole."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit.

    Attributes:
        number: Its place among the document's units, from 1.
        block: Number of its block, from 0.
        text: What it says; of a table empty.
    """

    number: int
    block: int
    text: str


def units_of(document: Document) -> list[Unit]:
    """The units of a document in reading order. Blocks that say nothing have none."""
    units: list[Unit] = []
    for place, block in enumerate(document.blocks):
        units += [Unit(0, place, text) for text in _texts(block)]
    return [replace(unit, number=number) for number, unit in enumerate(units, start=1)]


def blocks_of(blocks: Sequence[Block] | Mapping[int, Block], units: Iterable[Unit]) -> dict[int, Block]:
    """The blocks that some units make up, by their numbers: the sentences of one block are joined.

    Args:
        blocks: The document's blocks; those of the units at least.
        units: Some of its units, in order.
    """
    texts: dict[int, list[str]] = {}
    for unit in units:
        texts.setdefault(unit.block, []).append(unit.text)
    return {place: replace(blocks[place], text=" ".join(parts)) for place, parts in texts.items()}


def _texts(block: Block) -> list[str]:
    if block.kind == "table":
        return [""] if block.table is not None else []
    if block.kind == "picture":
        return [block.text] if block.text or block.image is not None else []
    if block.kind in _CUT_KINDS:
        return split_sentences(block.text)
    return [block.text] if block.text.strip() else []
