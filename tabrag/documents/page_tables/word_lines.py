"""Lines that only the words show: between rows and columns that no drawn line parts.

Where a text runs over several columns, or stands over them as a header, the lines have gaps: what no line
parts is one merged cell, see :mod:`tabrag.documents.page_tables.lattice`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tabrag.documents.page_content import PageWord
from tabrag.documents.page_tables.area import Area
from tabrag.documents.page_tables.bands import Bands, column_edges, rows_of
from tabrag.documents.page_tables.columns import column_of, crosses, split_at
from tabrag.documents.page_tables.header import (
    header_levels,
    level_texts,
    num_header_lines,
    without_middles,
)
from tabrag.documents.page_tables.header_spans import UNIT, drawn_span, level_spans
from tabrag.documents.page_tables.lattice import Lattice, Region, make_lattice, place
from tabrag.documents.page_tables.strokes import Stroke
from tabrag.documents.page_tables.text_lines import Piece, TextLine, text_lines

_Level = tuple[list[TextLine], list[range]]
"""The lines of a header level, and the columns under those of its texts that stand over several."""


def lines_of_words(
    area: Area, drawn: Lattice, words: Sequence[PageWord], size: float
) -> tuple[list[Stroke], list[Stroke]]:
    """Horizontal and vertical lines between rows and columns that the words of an area show.

    Args:
        area: The area with its drawn lines.
        drawn: The rows and columns of these.
        words: Its upright words.
        size: Height of their type in points.
    """
    edges = column_edges(drawn, place(words, drawn), size)
    extra = [x for x in edges if x not in drawn.xs]
    full = [Stroke(x, drawn.ys[0], drawn.ys[-1]) for x in extra]
    short = _to_columns(area.horizontal, edges) if drawn.num_cols == 1 else []
    short += _header_end(short, split_at(text_lines(words), edges), edges)
    lattice = make_lattice(area.box, [*area.horizontal, *short], [*area.vertical, *full])
    if lattice is None:
        return [], []
    cells = place(words, lattice)
    bands = Bands(lattice, cells, drawn)
    horizontal: list[Stroke] = list(short)
    vertical: list[Stroke] = []
    for band in range(lattice.num_rows):
        more_horizontal, more_vertical = _lines_in_band(band, bands, area, drawn, lattice, size)
        horizontal += more_horizontal
        vertical += more_vertical
    for region, inside in cells:
        if inside and region[2] < region[3] and region[0] == region[1]:
            more_horizontal, more_vertical = _split_region(region, inside, lattice)
            horizontal += more_horizontal
            vertical += more_vertical
    return horizontal, vertical


def _lines_in_band(
    band: int, bands: Bands, area: Area, drawn: Lattice, lattice: Lattice, size: float
) -> tuple[list[Stroke], list[Stroke]]:
    """Lines between the header levels and rows of a band, and between their columns."""
    edges = lattice.xs
    top, bottom = lattice.ys[band], lattice.ys[band + 1]
    extra = [x for x in edges if x not in drawn.xs]
    header = bands.header(band)
    if drawn.num_cols > 1:
        levels = [header] if header else []
    else:
        levels = header_levels(without_middles(header, edges), edges, area.horizontal)
    groups = [*levels, *rows_of(bands.body(band), edges, drawn, bands, size)]
    if not groups:
        return [], [Stroke(x, top, bottom) for x in extra]
    starts = _starts(top, groups, bottom)
    spans = [
        _spans(
            group,
            _level_below(index, groups, len(levels), band, bands, edges),
            edges,
            area.horizontal,
            bands.limits(band),
            starts[index + 1] + size,
        )
        for index, group in enumerate(groups)
    ]
    horizontal: list[Stroke] = []
    vertical: list[Stroke] = []
    for index, group in enumerate(groups):
        if index + 1 < len(levels):
            horizontal += _line_between(
                starts[index + 1], edges, (group, spans[index]), (groups[index + 1], spans[index + 1])
            )
        elif index + 1 < len(groups):
            horizontal.append(Stroke(starts[index + 1], edges[0], edges[-1]))
        vertical += _lines_beside(extra, group, spans[index], edges, starts[index], starts[index + 1])
    return horizontal, vertical


def _level_below(
    index: int, groups: list[list[TextLine]], num_levels: int, band: int, bands: Bands, edges: list[float]
) -> list[TextLine]:
    """The lines whose texts show the columns under a header level or a row of units; none for other rows."""
    below = groups[index + 1] if index + 1 < len(groups) else []
    if _is_of_units(groups[index], edges):
        above = groups[index - 1] if index else bands.last_above(band)
        choice = (below or bands.first_below(band), above)
        return max(choice, key=lambda lines: max((len(line.pieces) for line in lines), default=0))
    if index + 1 < num_levels:
        return below
    return bands.header_below(band) if index + 1 == num_levels else []


def _to_columns(strokes: Sequence[Stroke], edges: Sequence[float]) -> list[Stroke]:
    """Short lines under texts as long as the columns that they are drawn over."""
    return [
        Stroke(stroke.at, left, right)
        for stroke in strokes
        for left, right in pairwise(edges)
        if min(right, stroke.end) - max(left, stroke.start) >= 0.4 * (right - left)
    ]


def _header_end(strokes: Sequence[Stroke], lines: Sequence[TextLine], edges: Sequence[float]) -> list[Stroke]:
    """A line below the whole header where lines are drawn below headers of single columns."""
    count = num_header_lines(lines, edges) if strokes else 0
    if count == 0:
        return []
    above, below = lines[count - 1], lines[count]
    if not any(lines[0].middle < stroke.at < below.middle for stroke in strokes):
        return []
    drawn = [stroke.at for stroke in strokes if above.middle < stroke.at < below.middle]
    return [Stroke(drawn[0] if drawn else _between([above], [below]), edges[0], edges[-1])]


def _split_region(
    region: Region, words: list[PageWord], lattice: Lattice
) -> tuple[list[Stroke], list[Stroke]]:
    """Lines inside a cell over several columns that has a text of its own for most of them."""
    edges = lattice.xs[region[2] : region[3] + 2]
    lines = split_at(text_lines(words), edges)
    last = lines[-1].pieces
    own = {column_of(piece, edges) for piece in last}
    is_crossed = any(crosses(piece, x) for piece in last for x in edges[1:-1])
    if is_crossed or len(own) < 2 or 10 * len(own) < 6 * (len(edges) - 1):
        return [], []
    above = next((index for index, line in enumerate(lines) if len(line.pieces) > 1), 0)
    levels = ([lines[:above]] if above else []) + header_levels(lines[above:], edges, [])
    starts = _starts(lattice.ys[region[0]], levels, lattice.ys[region[1] + 1])
    vertical: list[Stroke] = []
    for index, level in enumerate(levels):
        spans: list[range] = []
        if index + 1 < len(levels):
            if len(level[0].pieces) == 1:
                spans = [range(len(edges) - 1)]
            else:
                below = [piece for line in levels[index + 1] for piece in line.pieces]
                spans = level_spans(level_texts(level), below, edges, has_labels=False)
        vertical += _lines_beside(edges[1:-1], level, spans, edges, starts[index], starts[index + 1])
    return [Stroke(y, edges[0], edges[-1]) for y in starts[1:-1]], vertical


def _starts(top: float, groups: Sequence[list[TextLine]], bottom: float) -> list[float]:
    """Where each group of lines begins, and where the last one ends."""
    return [top, *(_between(above, below) for above, below in pairwise(groups)), bottom]


def _between(above: list[TextLine], below: list[TextLine]) -> float:
    low, high = max(line.y1 for line in above), min(line.y0 for line in below)
    if low <= high:
        return (low + high) / 2
    return (max(line.middle for line in above) + min(line.middle for line in below)) / 2


def _is_of_units(row: list[TextLine], edges: Sequence[float]) -> bool:
    """Whether a row says nothing behind its label but units of the columns above or below."""
    texts = [piece.text for piece in row[0].pieces if column_of(piece, edges) > 0]
    return len(row) == 1 and bool(texts) and all(UNIT.fullmatch(text) for text in texts)


def _spans(
    level: list[TextLine],
    below: list[TextLine],
    edges: list[float],
    horizontal: Sequence[Stroke],
    limits: list[float],
    bottom: float,
) -> list[range]:
    """The columns over which the texts of a header level stand, where these are several."""
    if not below:
        return []
    pieces: list[Piece] = [piece for line in below for piece in line.pieces]
    texts = level_texts(level)
    found = [
        drawn_span(text, texts, edges, horizontal, limits, bottom) or span
        for text, span in zip(texts, level_spans(texts, pieces, edges), strict=True)
    ]
    return [span for span in found if len(span) > 1]


def _line_between(y: float, edges: list[float], above: _Level, below: _Level) -> list[Stroke]:
    """A line between two header levels, where both have texts or one of the upper level is over both."""
    spanned = {col for span in above[1] for col in span}
    upper = {column_of(piece, edges) for line in above[0] for piece in line.pieces} | spanned
    lower = {column_of(piece, edges) for line in below[0] for piece in line.pieces} | spanned
    lower |= {col for span in below[1] for col in span}
    return [Stroke(y, edges[col], edges[col + 1]) for col in sorted(upper & lower)]


def _lines_beside(
    places: Sequence[float],
    row: list[TextLine],
    spans: list[range],
    edges: Sequence[float],
    top: float,
    bottom: float,
) -> list[Stroke]:
    """Lines between the columns of a row, but where a text of the row is on both sides."""
    return [
        Stroke(x, top, bottom)
        for x in places
        if not any(crosses(piece, x) for line in row for piece in line.pieces)
        and not any(edges[span.start] < x < edges[span.stop] for span in spans)
    ]
