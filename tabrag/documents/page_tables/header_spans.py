"""Over which columns the texts of a header level stand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.documents.page_tables.columns import column_of, crosses
from tabrag.documents.page_tables.strokes import Stroke
from tabrag.documents.page_tables.text_lines import Piece

_UNCOVERED = 0.25
"""What a column without a text over it costs, in widths of a column."""
_OFF_CENTRE = 0.5
"""How far a text stands from the middle of its columns at most, on average, in widths of a column."""
_MAX_COLUMNS = 60
UNIT = re.compile(
    r"\(?(?:in )?(?:%|per ?cent(?:age)?s?|numbers?|counts?|thousands?|millions?|billions?|trillions?"
    r"|years?|hours?|days?|dollars?|euros?|pounds?|[$€£¥₹]|kg|tonnes?|km)"
    r"(?: (?:of )?[\w$€£¥₹ ]{1,24})?\)?",
    re.IGNORECASE,
)
"""A text that names the unit of columns."""


def level_spans(
    pieces: Sequence[Piece], below: Sequence[Piece], edges: Sequence[float], *, has_labels: bool = True
) -> list[range]:
    """The columns over which each text of a header level stands.

    A text that crosses sides of columns stands over these. Several texts that share out the columns below so
    that each stands in the middle of its own, stand over them all, unless a text goes on in the line below.

    Args:
        pieces: The texts of the level, from the left.
        below: The texts of the level below.
        edges: Left edges of the columns and the right edge of the last one.
        has_labels: Whether the first column is one of labels, over which no text for others stands.
    """
    own = [crossed_columns(piece, edges) for piece in pieces]
    tops: dict[int, Piece] = {}
    for piece in below:
        tops.setdefault(column_of(piece, edges), piece)
    if any(
        len(span) == 1 and _goes_on(piece, tops.get(span.start))
        for piece, span in zip(pieces, own, strict=True)
    ):
        return own
    shared = _shared_out(pieces, own, tops, edges, int(has_labels and len(edges) > 2))
    return shared or own


def crossed_columns(piece: Piece, edges: Sequence[float]) -> range:
    """The columns that a text stands in."""
    first = last = column_of(piece, edges)
    while first > 0 and crosses(piece, edges[first]):
        first -= 1
    while last < len(edges) - 2 and crosses(piece, edges[last + 1]):
        last += 1
    return range(first, last + 1)


def _goes_on(piece: Piece, below: Piece | None) -> bool:
    return below is not None and below.words[0].text[:1].islower()


def _shared_out(
    pieces: Sequence[Piece],
    own: Sequence[range],
    tops: dict[int, Piece],
    edges: Sequence[float],
    first_col: int,
) -> list[range] | None:
    """Share the columns out among texts so that they stand in the middle of theirs; None where they do not.

    Dynamic programming over texts and columns: what it costs is how far texts stand off their middles, and
    the columns that are left over.
    """
    banners = [index for index, span in enumerate(own) if span.start >= first_col]
    num_cols = len(edges) - 1
    if not banners or num_cols > _MAX_COLUMNS or sum(col >= first_col for col in tops) <= len(banners):
        return None
    if len(banners) == 1 and len(own[banners[0]]) == 1 and UNIT.fullmatch(pieces[banners[0]].text) is None:
        return None
    if any(low.stop > high.start for low, high in zip(own, own[1:], strict=False)):
        return None
    width = (edges[-1] - edges[first_col]) / max(num_cols - first_col, 1)
    filled = sorted(col for col in tops if col >= first_col)
    spans: dict[int, tuple[float, list[range]]] = {first_col: (0.0, [])}
    for place, index in enumerate(banners):
        limit = own[banners[place + 1]].start if place + 1 < len(banners) else num_cols
        reached: dict[int, tuple[float, list[range]]] = {}
        for start, (cost, taken) in spans.items():
            for left in range(start, own[index].start + 1):
                skipped = sum(col in tops for col in range(start, left))
                for right in range(own[index].stop, limit + 1):
                    total = (
                        cost
                        + _UNCOVERED * width * skipped
                        + _off_centre(pieces[index], left, right, tops, edges)
                    )
                    if right not in reached or total < reached[right][0]:
                        reached[right] = (total, [*taken, range(left, right)])
        spans = reached
    best, found = float("inf"), None
    for stop, (cost, taken) in spans.items():
        total = cost + _UNCOVERED * width * sum(col in tops for col in range(stop, num_cols))
        if total < best:
            best, found = total, taken
    if found is None or 2 * sum(len(span) for span in found if len(span) > 1) < len(filled):
        return None
    off = [
        _off_centre(pieces[index], span.start, span.stop, tops, edges)
        for index, span in zip(banners, found, strict=True)
    ]
    if sum(off) > _OFF_CENTRE * width * len(off):
        return None
    spans_of = dict(zip(banners, found, strict=True))
    return [spans_of.get(index, span) for index, span in enumerate(own)]


def _off_centre(piece: Piece, left: int, right: int, tops: dict[int, Piece], edges: Sequence[float]) -> float:
    """How far a text stands from the middle of columns: of their sides, or of the texts in them."""
    middle = (piece.box[0] + piece.box[2]) / 2
    off = abs((edges[left] + edges[right]) / 2 - middle)
    if left in tops and right - 1 in tops:
        x0, x1 = tops[left].box[0], tops[right - 1].box[2]
        off = min(off, abs((x0 + x1) / 2 - middle), abs(x0 - piece.box[0]) if right - left > 1 else off)
        if left - 1 in tops:  # texts that end at the right sides of their columns
            off = min(off, abs((tops[left - 1].box[2] + x1) / 2 - middle))
    return off


def drawn_span(
    piece: Piece,
    level: Sequence[Piece],
    edges: Sequence[float],
    horizontal: Sequence[Stroke],
    limits: Sequence[float],
    bottom: float,
) -> range | None:
    """The columns that drawn lines put under a header text: between two lines beside it, or over a short one.

    Args:
        piece: The text.
        level: The texts of its level.
        edges: Edges of the columns.
        horizontal: Lines drawn across.
        limits: Where lines are drawn between columns at this height, both sides of the table included.
        bottom: Where the level ends, and a little below it.
    """
    return _between_lines(piece, level, edges, limits) or _over_line(piece, level, edges, horizontal, bottom)


def _between_lines(
    piece: Piece, level: Sequence[Piece], edges: Sequence[float], limits: Sequence[float]
) -> range | None:
    middle = (piece.box[0] + piece.box[2]) / 2
    left = max((x for x in limits if x <= middle), default=limits[0])
    right = min((x for x in limits if x > middle), default=limits[-1])
    if left == limits[0]:
        return None
    alone = not any(
        other is not piece and left < (other.box[0] + other.box[2]) / 2 < right for other in level
    )
    cols = [col for col in range(len(edges) - 1) if left - 1 <= edges[col] and edges[col + 1] <= right + 1]
    return range(cols[0], cols[-1] + 1) if alone and cols else None


def _over_line(
    piece: Piece,
    level: Sequence[Piece],
    edges: Sequence[float],
    horizontal: Sequence[Stroke],
    bottom: float,
) -> range | None:
    middle = (piece.box[0] + piece.box[2]) / 2
    for stroke in horizontal:
        if not (piece.middle < stroke.at <= bottom and stroke.start <= middle <= stroke.end):
            continue
        if any(
            other is not piece and stroke.start < (other.box[0] + other.box[2]) / 2 < stroke.end
            for other in level
        ):
            continue
        cols = [
            col
            for col, (left, right) in enumerate(zip(edges, edges[1:], strict=False))
            if min(right, stroke.end) - max(left, stroke.start) >= 0.4 * (right - left)
        ]
        if cols and len(cols) < len(edges) - 1:
            return range(cols[0], cols[-1] + 1)
    return None
