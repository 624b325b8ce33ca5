"""How far rows stand apart, where the lines of one row stand closer together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from tabrag.documents.page_tables.columns import column_of
from tabrag.documents.page_tables.text_lines import TextLine

_APART = 1.15
"""Pitches of rows are at least this many times those of the lines in them."""
_WIDEST = 2.6
"""Rows farther apart, heights of type, say nothing of lines."""


def has_values(line: TextLine, edges: Sequence[float]) -> bool:
    """Whether at least half of what stands behind the label are values."""
    texts = [piece for piece in line.pieces if column_of(piece, edges) > 0]
    num_values = sum(piece.is_value for piece in texts)
    return num_values > 0 and 2 * num_values >= len(texts)


def row_pitch(lines: Sequence[TextLine], edges: Sequence[float]) -> float:
    """Lines closer together than this are of one row; 0 where pitch does not tell.

    It does where pitches are of two kinds, and no two lines of values follow each other at the smaller one.

    Args:
        lines: Lines of a table, from above.
        edges: Edges of its columns.
    """
    if len(lines) < 3:
        return 0.0
    size = median(line.y1 - line.y0 for line in lines)
    pairs = [(below.middle - above.middle, above, below) for above, below in pairwise(lines)]
    pitches = sorted(pitch for pitch, _, _ in pairs if 0.75 * size < pitch <= _WIDEST * size)
    steps = [(high / low, (low + high) / 2) for low, high in pairwise(pitches)]
    if not steps or max(steps)[0] < _APART:
        return 0.0
    pitch = max(steps)[1]
    valued = [has_values(line, edges) for line in lines]
    rows = [
        gap for (gap, _, _), above, below in zip(pairs, valued, valued[1:], strict=False) if above and below
    ]
    # Where no two follow each other, every row has several lines.
    return pitch if min(rows, default=pitch) >= pitch and sum(valued) >= 2 else 0.0
