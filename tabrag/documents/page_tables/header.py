"""Header lines above the rows of a table without lines: their levels, and over which columns they stand."""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.documents.page_tables.columns import column_of, crosses
from tabrag.documents.page_tables.strokes import Stroke
from tabrag.documents.page_tables.text_lines import Piece, TextLine

_ALIGNED = 0.5
"""Two pieces stand below each other where edges or middles differ by less than this many heights of type."""


def num_header_lines(lines: Sequence[TextLine], edges: Sequence[float]) -> int:
    """Lines above the first line of values."""
    for index, line in enumerate(lines):
        values = [piece for piece in line.pieces if column_of(piece, edges) > 0]
        num_values = sum(piece.is_value for piece in values)
        if num_values and 2 * num_values >= len(values):
            return index
    return 0


def header_levels(
    lines: Sequence[TextLine], edges: Sequence[float], horizontal: Sequence[Stroke], size: float
) -> list[list[TextLine]]:
    """Header lines by level: a line drawn between them parts two levels, and so does a text over columns."""
    levels: list[list[TextLine]] = []
    for index, line in enumerate(lines):
        above = lines[index - 1] if index else None
        if above is None or _parts(above, line, edges, horizontal, size):
            levels.append([line])
        else:
            levels[-1].append(line)
    return levels


def _parts(
    above: TextLine, below: TextLine, edges: Sequence[float], horizontal: Sequence[Stroke], size: float
) -> bool:
    if any(
        above.middle < stroke.at < below.middle and stroke.end > edges[0] and stroke.start < edges[-1]
        for stroke in horizontal
    ):
        return True
    return any(len(covered(piece, above, below.pieces, edges, size)) > 1 for piece in above.pieces)


def covered(
    piece: Piece, line: TextLine, below: Sequence[Piece], edges: Sequence[float], size: float
) -> range:
    """The columns over which a header text stands.

    Args:
        piece: The text.
        line: Its line; its neighbours bound it.
        below: The pieces of the level below.
        edges: Edges of the columns.
        size: Height of the type in points.
    """
    col = column_of(piece, edges)
    first = last = col
    while first > 0 and crosses(piece, edges[first]):
        first -= 1
    while last < len(edges) - 2 and crosses(piece, edges[last + 1]):
        last += 1
    tops = {column_of(other, edges): other for other in below}
    if first == last and _stands_over(piece, tops.get(col), size):
        return range(first, last + 1)
    index = line.pieces.index(piece)
    low = column_of(line.pieces[index - 1], edges) + 1 if index else 0
    high = column_of(line.pieces[index + 1], edges) - 1 if index + 1 < len(line.pieces) else len(edges) - 2
    best, best_error = range(first, last + 1), 1.2 * size
    middle = (piece.box[0] + piece.box[2]) / 2
    for left in range(max(low, 0), first + 1):
        for right in range(last, high + 1):
            if right == left or left not in tops or right not in tops:
                continue
            centre = (tops[left].box[0] + tops[right].box[2]) / 2
            error = abs(centre - middle)
            if error < best_error and left > 0:
                best, best_error = range(left, right + 1), error
    return best


def _stands_over(piece: Piece, below: Piece | None, size: float) -> bool:
    if below is None:
        return False
    left, right = piece.box[0] - below.box[0], piece.box[2] - below.box[2]
    return min(abs(left), abs(right), abs(left + right) / 2) <= _ALIGNED * size
