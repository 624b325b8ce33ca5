"""Columns of text without lines between them: blanks that run down the page."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from statistics import median

import numpy as np

from tabrag.documents.page_tables.text_lines import Piece, TextLine, bounds

_STEP = 0.5
"""Resolution, points."""
_CROSSED = 0.12
"""A blank may be crossed by this share of the lines: by headings over several columns, by titles."""
_CROSSED_PIECES = 0.14
"""Or by lines that have this share of all pieces."""
_NARROWEST = 0.3
"""Narrowest blank between columns, heights of type."""
_WIDER = 1.3
_NEAR = 1.5
"""Farthest place of a column's left side from its texts, heights of type."""


def gutters(
    lines: Sequence[TextLine], single: Sequence[TextLine], x0: float, x1: float, size: float
) -> list[float]:
    """Places between ``x0`` and ``x1`` at which columns part, ascending, points.

    Args:
        lines: Lines with two pieces or more.
        single: Lines with one piece: they hide no blank, but of a wide blank they show the clear part.
        x0: Left side of the area.
        x1: Right side.
        size: Height of the type.
    """
    count = int((x1 - x0) / _STEP) + 2
    if len(lines) < 1 or count < 3 or count > 20_000:
        return []
    steps = np.zeros(count + 1, dtype=int)
    weighted = np.zeros(count + 1, dtype=int)
    for line in lines:
        for start, end in _spans(line, x0):
            for sums, weight in ((steps, 1), (weighted, len(line.pieces))):
                sums[min(max(start, 0), count)] += weight
                sums[min(max(end, 0), count)] -= weight
    light = _CROSSED_PIECES * sum(len(line.pieces) for line in lines)
    ink, weights = np.cumsum(steps)[:count], np.cumsum(weighted)[:count]
    few = max(int(_CROSSED * len(lines)), int(len(lines) >= 5))
    blank = np.diff(((ink <= few) | (weights <= light)).astype(int), prepend=0, append=0)
    found: list[tuple[int, int]] = []
    for start, end in zip(
        np.flatnonzero(blank == 1).tolist(), np.flatnonzero(blank == -1).tolist(), strict=True
    ):
        is_inside = ink[:start].any() and ink[end:].any()
        if is_inside and (end - start) * _STEP >= _NARROWEST * size:
            found.append((start, end))
    # Of lines across a blank, titles and texts over several columns have the fewest pieces.
    covered = weights.copy()
    for line in single:
        for start, end in _spans(line, x0):
            covered[max(start, 0) : max(end, 0)] += 1
    near = int(_NEAR * size / _STEP)
    places = [_clearest(covered[start:end].tolist(), near) + start for start, end in found]
    crossed = [int(weights[place]) for place in places]
    return _without_thin_columns(lines, [x0 + place * _STEP for place in places], crossed, x0, x1)


def _spans(line: TextLine, x0: float) -> list[tuple[int, int]]:
    return [
        (
            int((piece.box[0] - x0) / _STEP),
            max(int((piece.box[2] - x0) / _STEP), int((piece.box[0] - x0) / _STEP) + 1),
        )
        for piece in line.pieces
    ]


def _clearest(ink: list[int], near: int) -> int:
    """The middle of the longest stretch with the least ink; of a wide one a place near its right side.

    Labels leave wide blanks behind them, and what stands over or under the next column begins near it.
    """
    least = min(ink)
    best = (0, 0)
    start = None
    for index, value in enumerate([*ink, least + 1]):
        if value == least and start is None:
            start = index
        elif value != least and start is not None:
            best = max(best, (index - start, -start))
            start = None
    length, start = best[0], -best[1]
    return start + max(length // 2, length - near)


def _without_thin_columns(
    lines: Sequence[TextLine], places: list[float], crossed: list[int], x0: float, x1: float
) -> list[float]:
    """Drop one side of columns that hold text in one line alone, unless there are few lines: the one that is
    crossed more."""
    while places:
        edges = [x0, *places, x1]
        filled = [0] * (len(edges) - 1)
        for line in lines:
            for col in {column_of(piece, edges) for piece in line.pieces}:
                filled[col] += 1
        thin = [col for col, number in enumerate(filled) if number == 0 or (number == 1 and len(lines) >= 4)]
        if not thin:
            break
        sides = [side for side in (thin[0] - 1, thin[0]) if 0 <= side < len(places)]
        side = max(sides, key=lambda side: crossed[side])
        del places[side], crossed[side]
    return places


def column_of(piece: Piece, edges: Sequence[float]) -> int:
    """The column that a piece shares most of its width with, the nearest one where it shares none."""
    x0, _, x1, _ = piece.box
    first = min(max(bisect_right(edges, x0) - 1, 0), len(edges) - 2)
    last = min(max(bisect_left(edges, x1) - 1, first), len(edges) - 2)
    return max(range(first, last + 1), key=lambda col: (min(x1, edges[col + 1]) - max(x0, edges[col]), -col))


def crosses(piece: Piece, x: float) -> bool:
    """Whether a piece stands on both sides of a place."""
    return piece.box[0] < x - 1 and piece.box[2] > x + 1


def split_at(lines: Sequence[TextLine], edges: Sequence[float]) -> list[TextLine]:
    """Lines whose pieces are cut at edges of columns where the words show that two texts meet there.

    They do where the blank at the edge is wider than the other blanks of the piece. The sign of a currency
    at the other side of a column is one piece with its number.
    """
    return [
        TextLine(
            _with_signs([part for piece in line.pieces for part in _parts(piece, edges)], edges),
            line.y0,
            line.y1,
        )
        for line in lines
    ]


def _with_signs(pieces: Sequence[Piece], edges: Sequence[float]) -> list[Piece]:
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last and (last.is_sign and piece.is_value or last.is_value and piece.is_sign):
            both = Piece([*last.words, *piece.words], bounds([*last.words, *piece.words]))
            if column_of(last, edges) == column_of(piece, edges) and not any(crosses(both, x) for x in edges):
                joined[-1] = both
                continue
        joined.append(piece)
    return joined


def _parts(piece: Piece, edges: Sequence[float]) -> list[Piece]:
    blanks = [right.box[0] - left.box[2] for left, right in zip(piece.words, piece.words[1:], strict=False)]
    cuts = []
    for index, blank in enumerate(blanks):
        left, right = piece.words[index].box[2], piece.words[index + 1].box[0]
        if not any(left - 1 <= x <= right + 1 for x in edges):
            continue
        others = [other for place, other in enumerate(blanks) if place != index]
        usual = median(others) if others else 0.3 * piece.size
        if blank >= max(_WIDER * usual, 0.35 * piece.size):
            cuts.append(index + 1)
    ends = [0, *cuts, len(piece.words)]
    groups = [piece.words[low:high] for low, high in zip(ends, ends[1:], strict=False)]
    return [Piece(group, bounds(group)) for group in groups] if cuts else [piece]
