"""A sheet cut into blocks: tables, and the texts around them.

Filled cells that touch make a block. A header that stands one empty row above its numbers, and columns of
numbers that stand one empty column right of their labels, are joined again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tabrag.tables.kinds import Kind, cell_kind
from tabrag.types import Cell

Region = tuple[int, int, int, int]


@dataclass(slots=True, kw_only=True)
class Block:
    """Filled cells that belong together, with the rows and columns (inclusive) that they span."""

    texts: dict[Cell, str] = field(default_factory=dict)
    first_row: int
    last_row: int
    first_col: int
    last_col: int

    @property
    def is_text(self) -> bool:
        """Whether no row has two texts: a title, a remark, a list."""
        rows = [row for row, _ in self.texts]
        return len(rows) == len(set(rows))

    @property
    def is_sparse(self) -> bool:
        """Whether most positions are empty: remarks scattered over some cells."""
        num_rows, num_cols = self.last_row - self.first_row + 1, self.last_col - self.first_col + 1
        return 10 * len(self.texts) < 6 * num_rows * num_cols

    @property
    def has_numbers(self) -> bool:
        """Whether a text is a number."""
        return any(cell_kind(text) is Kind.NUMBER for text in self.texts.values())

    def lines(self) -> list[str]:
        """The texts, row by row."""
        rows: dict[int, list[str]] = {}
        for (row, _), text in sorted(self.texts.items()):
            rows.setdefault(row, []).append(text.replace("\n", " "))
        return [" ".join(texts) for texts in rows.values()]


def find_blocks(
    texts: dict[Cell, str], regions: Iterable[Region], frames: Iterable[Region] = ()
) -> list[Block]:
    """Cut the filled cells of a sheet into blocks, in reading order.

    Args:
        texts: Text of each filled cell by (row, column).
        regions: Merged regions; the text of each stands in its first cell.
        frames: Regions that the workbook itself declares as tables; each is a block of its own.
    """
    # Each filled position points to the cell whose text it shows.
    shown = {cell: cell for cell in texts}
    for region in regions:
        first = (region[0], region[2])
        if first in texts:
            for row in range(region[0], region[1] + 1):
                for col in range(region[2], region[3] + 1):
                    shown[row, col] = first
    frames = list(frames)
    frame_of = {cell: _frame(cell, frames) for cell in shown} if frames else {}
    blocks = []
    left = set(shown)
    for start in sorted(shown):
        if start not in left:
            continue
        left.discard(start)
        stack, members = [start], []
        while stack:
            row, col = stack.pop()
            members.append((row, col))
            for neighbour in ((row + down, col + right) for down in (-1, 0, 1) for right in (-1, 0, 1)):
                if neighbour in left and frame_of.get(neighbour) == frame_of.get((row, col)):
                    left.discard(neighbour)
                    stack.append(neighbour)
        blocks.append(_block({shown[member]: texts[shown[member]] for member in members}, members))
    return sorted(_joined(blocks), key=lambda block: (block.first_row, block.first_col))


def _frame(cell: Cell, frames: list[Region]) -> int | None:
    row, col = cell
    inside = (
        number
        for number, (first_row, last_row, first_col, last_col) in enumerate(frames)
        if first_row <= row <= last_row and first_col <= col <= last_col
    )
    return next(inside, None)


def _block(texts: dict[Cell, str], members: Iterable[Cell]) -> Block:
    rows, cols = zip(*members, strict=True)
    return Block(
        texts=texts, first_row=min(rows), last_row=max(rows), first_col=min(cols), last_col=max(cols)
    )


def _joined(blocks: list[Block]) -> list[Block]:
    for is_pair in (_is_header_over_body, _is_labels_beside_numbers):
        blocks = sorted(blocks, key=lambda block: (block.first_row, block.first_col))
        position = 0
        while position < len(blocks):
            block = blocks[position]
            partner = next((other for other in blocks if other is not block and is_pair(block, other)), None)
            if partner is None:
                position += 1
                continue
            blocks[position] = Block(
                texts=block.texts | partner.texts,
                first_row=min(block.first_row, partner.first_row),
                last_row=max(block.last_row, partner.last_row),
                first_col=min(block.first_col, partner.first_col),
                last_col=max(block.last_col, partner.last_col),
            )
            blocks.remove(partner)
            position = 0
    return blocks


def _is_header_over_body(header: Block, body: Block) -> bool:
    """One empty row between texts and the numbers below them, over the same columns."""
    return (
        body.first_row == header.last_row + 2
        and not header.has_numbers
        and any(
            cell_kind(text) in (Kind.NUMBER, Kind.MISSING)
            for (row, _), text in body.texts.items()
            if row == body.first_row
        )
        and len({col for row, col in header.texts if row == header.last_row}) >= min(2, _width(body))
        and _share(header.first_col, header.last_col, body.first_col, body.last_col) >= 0.5
    )


def _is_labels_beside_numbers(labels: Block, numbers: Block) -> bool:
    """One empty column between a block with row labels and columns of numbers in the same rows."""
    if numbers.first_col != labels.last_col + 2 or labels.is_text or numbers.last_row == numbers.first_row:
        return False
    first = [text for (_, col), text in sorted(numbers.texts.items()) if col == numbers.first_col]
    num_numbers = sum(cell_kind(text) in (Kind.NUMBER, Kind.MISSING) for text in first)
    label_texts = [text for (_, col), text in labels.texts.items() if col == labels.first_col]
    return (
        _share(labels.first_row, labels.last_row, numbers.first_row, numbers.last_row) >= 0.8
        and 2 * num_numbers > len(first)
        and any(cell_kind(text) is Kind.TEXT for text in label_texts[1:])
    )


def _width(block: Block) -> int:
    return block.last_col - block.first_col + 1


def _share(first: int, last: int, other_first: int, other_last: int) -> float:
    """Length of the overlap of two ranges over the length of both together."""
    overlap = min(last, other_last) - max(first, other_first) + 1
    return max(0, overlap) / (max(last, other_last) - min(first, other_first) + 1)
