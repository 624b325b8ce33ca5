"""Rows of text without lines between them: which line begins a row and which one goes on with a row."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.documents.page_tables.columns import column_of
from tabrag.documents.page_tables.header_spans import UNIT
from tabrag.documents.page_tables.pitch import row_pitch
from tabrag.documents.page_tables.text_lines import Piece, TextLine, is_leader

_OPEN_END = re.compile(
    r"(?:[-\u2010,&/(]|\b(?:and|or|of|the|to|for|in|on|by|with|from|at|a|an|et|de|und|der|die))$",
    re.IGNORECASE,
)
_LOOSE = 1.35
"""Lines farther apart than this many times the smallest pitch begin a new row, where lines of one row stand
close together."""


class Row:
    """The lines of one row, with the pieces of each column."""

    def __init__(self, line: TextLine, edges: Sequence[float]) -> None:
        self.lines = [line]
        self.cells = cells_of(line, edges)

    def add(self, line: TextLine, edges: Sequence[float]) -> None:
        self.lines.append(line)
        for col, pieces in cells_of(line, edges).items():
            self.cells.setdefault(col, []).extend(pieces)

    def has_value(self) -> bool:
        return any(col > 0 and any(piece.is_value for piece in pieces) for col, pieces in self.cells.items())


def cells_of(line: TextLine, edges: Sequence[float]) -> dict[int, list[Piece]]:
    """The pieces of a line by column."""
    cells: dict[int, list[Piece]] = {}
    for piece in line.pieces:
        cells.setdefault(column_of(piece, edges), []).append(piece)
    return cells


def group_rows(lines: Sequence[TextLine], edges: Sequence[float], size: float) -> list[Row]:
    """Rows of a body.

    Args:
        lines: Its lines from above.
        edges: Left edges of the columns and the right edge of the last one; the first column holds labels.
        size: Height of the type in points.
    """
    pitches = [below.middle - above.middle for above, below in zip(lines, lines[1:], strict=False)]
    full = sorted(pitch for pitch in pitches if pitch > 0.8 * size)
    smallest = full[len(full) // 10] if full else 0.0
    rights = [0.0] * (len(edges) - 1)
    for line in lines:
        for col, pieces in cells_of(line, edges).items():
            rights[col] = max(rights[col], *(piece.box[2] for piece in pieces))
    apart = row_pitch(lines, edges)
    labels = [
        piece.text for line in lines for piece in cells_of(line, edges).get(0, [])[:1] if not piece.is_value
    ]
    small = 3 * sum(label[:1].islower() for label in labels) < len(labels)
    rows: list[Row] = []
    for index, line in enumerate(lines):
        if rows and apart and pitches[index - 1] > 0.75 * size:
            goes_on = pitches[index - 1] < apart
        else:
            goes_on = bool(rows) and _goes_on(
                rows[-1], line, edges, rights, pitches[index - 1], smallest, size, small
            )
        if goes_on:
            rows[-1].add(line, edges)
        else:
            rows.append(Row(line, edges))
    return rows


def _goes_on(
    row: Row,
    line: TextLine,
    edges: Sequence[float],
    rights: Sequence[float],
    pitch: float,
    smallest: float,
    size: float,
    small: bool,
) -> bool:
    """Whether a line belongs to the row above.

    Args:
        row: The row.
        line: The line below it.
        edges: Edges of the columns.
        rights: Where the texts of each column end at most.
        pitch: From the middle of the row's last line to that of the line.
        smallest: Pitch of lines that stand close together.
        size: Height of the type.
        small: Whether small letters at the beginning say that a text goes on: most labels have capitals.
    """
    cells = cells_of(line, edges)
    last = cells_of(row.lines[-1], edges)
    if pitch < 0.75 * size:
        return not set(cells) & set(last)
    if pitch > max(_LOOSE * smallest, 1.2 * size) or pitch > 2.2 * size:
        return False
    has_value = any(col > 0 and any(piece.is_value for piece in pieces) for col, pieces in cells.items())
    if has_value:
        is_label_before = set(row.cells) == {0} and 0 in cells
        if not is_label_before or row.cells[0][0].is_value:
            return False
        return small and _is_open(row, cells, 0)
    if not set(cells) <= set(row.cells):
        return False
    if 0 not in cells:
        return not (row.has_value() and all(UNIT.fullmatch(piece.text) for piece in line.pieces))
    if any(piece.is_value for piece in cells[0]):
        return False
    if set(cells) == {0}:
        begin = cells[0][0].words[0].text[:1]
        return (small and _is_open(row, cells, 0)) or (
            not begin.isalpha() and len(row.cells) > 1 and _is_wrapped(row, cells, rights, 0, size)
        )
    wrapped = [_is_wrapped(row, cells, rights, col, size) for col in cells]
    opened = [_is_open(row, cells, col) for col in cells]
    return any(opened) and all(one or other for one, other in zip(wrapped, opened, strict=True))


def _is_open(row: Row, cells: dict[int, list[Piece]], col: int) -> bool:
    """Whether a text goes on: it ends as no text ends, or the next line begins in small letters."""
    below = cells.get(col)
    above = row.cells.get(col)
    if not below or not above:
        return False
    words = [word.text for word in above[-1].words if not is_leader(word.text)]
    has_leader = len(words) < len(above[-1].words)
    begin = below[0].words[0].text
    return not has_leader and bool(words) and (begin[:1].islower() or _OPEN_END.search(words[-1]) is not None)


def _is_wrapped(
    row: Row, cells: dict[int, list[Piece]], rights: Sequence[float], col: int, size: float
) -> bool:
    """Whether the next word would not have fitted into the line above."""
    above = row.cells.get(col)
    if not above or any(is_leader(word.text) for word in above[-1].words):
        return False
    first = cells[col][0].words[0]
    return above[-1].box[2] + 0.25 * size + (first.box[2] - first.box[0]) > rights[col] + 0.3 * size
