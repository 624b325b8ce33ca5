"""Chunks: the units of a document in groups of about one size, no sentence parted.

The text side of MM-BizRAG's token chunks (Bhathena et al., arXiv 2606.04231), the leaves of MHier-RAG's tree
and its in-page chunks (Gong et al., arXiv 2508.00579). Sizes are estimated, not counted by a tokenizer, so
that indexes of all kinds have the same chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tabrag.documents.placeholders import placeholder
from tabrag.documents.units import Unit
from tabrag.errors import UserError
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Block, Document

_FULL_ENOUGH = 0.5
"""A chunk ends before the last heading in it where it is at least this full without it."""
ARTEFACTS = ("table", "picture")


@dataclass(frozen=True, slots=True)
class Piece:
    """What is put into chunks.

    Attributes:
        size: Its tokens.
        heading: Whether it heads what follows; a chunk does not end with it.
        joined: Whether it stays with the next piece where both find room, as a caption does with its table.
    """

    size: int
    heading: bool = False
    joined: bool = False


def group(pieces: Sequence[Piece], *, size: int, overlap: int = 0) -> list[tuple[int, int]]:
    """Pieces in groups.

    A group is as large as fits; it ends before a heading in its second half where there is one. A piece that
    is too long makes a group of its own, with its headings. Pieces at the end of a group begin the next one
    too where they fit into ``overlap`` and that does not begin with a heading.

    Args:
        pieces: In order.
        size: Most tokens of a group, at least 1.
        overlap: Most tokens of the pieces that two groups share, 0 or more and less than ``size``.

    Returns:
        First piece of each group and the one behind its last, from 0. Each group has at least one piece that
        those before it have not; together they have all.

    Raises:
        UserError: Sizes out of range.
    """
    if size < 1 or not 0 <= overlap < size:
        raise UserError(
            f"chunks of {size} tokens with an overlap of {overlap}: set a size of 1 or more and a smaller "
            "overlap of 0 or more"
        )
    atoms = list(_atoms(pieces, size))
    sizes = [sum(piece.size for piece in pieces[first:end]) for first, end in atoms]
    heads = [pieces[first].heading for first, _ in atoms]
    groups: list[tuple[int, int]] = []
    start = fresh = 0
    while fresh < len(atoms):
        end = _end(sizes, heads, start, fresh, size)
        groups.append((atoms[start][0], atoms[end - 1][1]))
        start = end if end == len(atoms) or heads[end] else _carried(sizes, heads, start, end, size, overlap)
        fresh = end
    return groups


def chunks_of(
    document: Document,
    units: Sequence[Unit],
    *,
    size: int = 512,
    overlap: int = 64,
    slides: bool = True,
    num_tokens: Callable[[Unit], int] | None = None,
) -> list[tuple[int, int]]:
    """The chunks of a document, each by the numbers of its first and its last unit.

    Args:
        document: The document.
        units: All its units.
        size: Most estimated tokens of a chunk; a longer unit is a chunk of its own, with its headings.
        overlap: Most tokens of the units that two chunks share.
        slides: Whether each page of a ``horizontal`` document is one chunk, whatever its size.
        num_tokens: The size of a unit; the tokens of its text where None, and of a table or a picture those
            of its placeholder.

    Raises:
        UserError: Sizes out of range.
    """
    blocks = document.blocks
    counted = num_tokens or (lambda unit: placeholder_tokens(blocks[unit.block], unit))
    slides = slides and document.layout == "horizontal"
    chunks: list[tuple[int, int]] = []
    for run in _pages(document, units) if slides else ([list(units)] if units else []):
        if slides and blocks[run[0].block].page is not None:
            chunks.append((run[0].number, run[-1].number))
            continue
        pieces = [_piece(blocks, run, place, counted(unit)) for place, unit in enumerate(run)]
        found = group(pieces, size=size, overlap=overlap)
        chunks += [(run[first].number, run[end - 1].number) for first, end in found]
    return chunks


def placeholder_tokens(block: Block, unit: Unit) -> int:
    """Tokens of a unit where a placeholder stands for a table or a picture."""
    return estimate_tokens(placeholder(block) if block.kind in ARTEFACTS else unit.text)


def _pages(document: Document, units: Sequence[Unit]) -> list[list[Unit]]:
    """Neighbouring units of one page."""
    return [list(run) for _, run in groupby(units, key=lambda unit: document.blocks[unit.block].page)]


def _piece(blocks: Sequence[Block], run: Sequence[Unit], place: int, size: int) -> Piece:
    kinds = [blocks[unit.block].kind for unit in run[place : place + 2]]
    joined = len(kinds) == 2 and "caption" in kinds and (kinds[0] in ARTEFACTS or kinds[1] in ARTEFACTS)
    return Piece(size, heading=kinds[0] == "heading", joined=joined)


def _atoms(pieces: Sequence[Piece], size: int) -> Iterator[tuple[int, int]]:
    """Runs of pieces that stay together: headings with what they head, and joined pieces."""
    start = total = 0
    for place, piece in enumerate(pieces):
        before = pieces[place - 1] if place > start else None
        if before is not None:
            fits = total + piece.size <= size
            stays = before.heading or (before.joined and fits and not piece.heading)
            if not stays or (piece.heading and not fits):
                yield start, place
                start, total = place, 0
        total += piece.size
    if start < len(pieces):
        yield start, len(pieces)


def _end(sizes: Sequence[int], heads: Sequence[bool], start: int, fresh: int, size: int) -> int:
    """Behind the last atom of the group that begins with ``start``; it has ``fresh`` at least."""
    end, total = start, 0
    last_heading, filled = -1, 0
    while end < len(sizes) and (end <= fresh or total + sizes[end] <= size):
        if heads[end] and end > fresh:
            last_heading, filled = end, total
        total += sizes[end]
        end += 1
    if end == len(sizes) or heads[end] or last_heading < 0 or filled < _FULL_ENOUGH * size:
        return end
    return last_heading


def _carried(
    sizes: Sequence[int], heads: Sequence[bool], start: int, end: int, size: int, overlap: int
) -> int:
    """Where the next group begins: with atoms of the last one, as many as the overlap allows."""
    room = min(overlap, size - sizes[end])
    begin = end
    while begin - 1 > start and sizes[begin - 1] <= room and not heads[begin]:
        begin -= 1
        room -= sizes[begin]
    return begin
