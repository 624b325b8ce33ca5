"""One table from an area: drawn lines first; where they part no columns or no rows, the words do.

What the words show becomes lines, too (with gaps where a text runs over several columns), so that merged
cells are found in one way: they are the regions that no line parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from tabrag.documents.page_content import PageBox, PageTable, PageWord
from tabrag.documents.page_tables.cell_text import cell_text
from tabrag.documents.page_tables.columns import column_of, crosses, gutters, split_at
from tabrag.documents.page_tables.header import covered, header_levels, num_header_lines
from tabrag.documents.page_tables.indents import BLANKS, indents
from tabrag.documents.page_tables.lattice import Lattice, Region, make_lattice, regions
from tabrag.documents.page_tables.rows import group_rows
from tabrag.documents.page_tables.strokes import Stroke
from tabrag.documents.page_tables.text_lines import (
    Piece,
    TextLine,
    is_leader,
    is_value,
    text_lines,
    type_size,
)

_VALUES = 0.7
"""Columns that lines bound are split where this share of their lines shows values behind a blank."""


@dataclass(slots=True)
class Area:
    """A part of a page that may be a table.

    Attributes:
        box: Where it stands.
        words: What stands in it.
        horizontal: Lines drawn in it.
        vertical: Lines drawn in it.
        drawn: Whether lines bound it.
    """

    box: PageBox
    words: list[PageWord]
    horizontal: list[Stroke] = field(default_factory=list)
    vertical: list[Stroke] = field(default_factory=list)
    drawn: bool = False


@dataclass(slots=True)
class Built:
    """A table and how it was found.

    Attributes:
        table: The table.
        regions: Its cells.
        words: The words of each cell.
        drawn_cols: Inner lines between columns that are drawn.
        drawn_rows: Inner lines between rows that are drawn.
    """

    table: PageTable
    regions: list[Region]
    words: list[list[PageWord]]
    drawn_cols: int
    drawn_rows: int


def build_table(area: Area) -> Built | None:
    """The rows and columns of an area, or None where it has no words or too many lines."""
    drawn = make_lattice(area.box, area.horizontal, area.vertical)
    if drawn is None or not area.words:
        return None
    size = median(type_size(word) for word in area.words)
    upright = [word for word in area.words if word.turn == 0]
    edges = _column_edges(drawn, _place(upright, drawn), size)
    horizontal, vertical = _lines_of_words(drawn, upright, edges, area, size)
    lattice = make_lattice(area.box, [*area.horizontal, *horizontal], [*area.vertical, *vertical])
    if lattice is None:
        return None
    return _as_table(lattice, _place(area.words, lattice), drawn, size)


def _place(words: Sequence[PageWord], lattice: Lattice) -> list[tuple[Region, list[PageWord]]]:
    """The words of each region, by their middles."""
    cells = [(region, list[PageWord]()) for region in regions(lattice)]
    owner: dict[tuple[int, int], int] = {}
    for index, (region, _) in enumerate(cells):
        for row in range(region[0], region[1] + 1):
            for col in range(region[2], region[3] + 1):
                owner[row, col] = index
    for word in words:
        x0, y0, x1, y1 = word.box
        y = y1 if word.raised else (y0 + y1) / 2
        cells[owner[lattice.row_at(y), lattice.col_at((x0 + x1) / 2)]][1].append(word)
    return cells


def _column_edges(drawn: Lattice, cells: list[tuple[Region, list[PageWord]]], size: float) -> list[float]:
    """Edges of the columns: those that are drawn, and blanks that run down between them."""
    by_col: dict[int, list[TextLine]] = {}
    for (_, _, first, last), words in cells:
        if first == last and words:
            by_col.setdefault(first, []).extend(text_lines(words))
    edges = list(drawn.xs)
    for col, lines in by_col.items():
        parted = [line for line in lines if len(_said(line)) > 1]
        if drawn.num_cols > 1:
            with_values = [line for line in parted if any(piece.is_value for piece in _said(line)[1:])]
            enough = (
                len(parted) >= 3
                and len(with_values) >= _VALUES * len(parted)
                and 2 * len(parted) >= len(lines)
            )
        else:
            enough = len(parted) >= 1
        if enough:
            edges += gutters(parted, drawn.xs[col], drawn.xs[col + 1], size)
    return sorted(edges)


def _said(line: TextLine) -> list[Piece]:
    return [piece for piece in line.pieces if not all(is_leader(word.text) for word in piece.words)]


def _lines_of_words(
    drawn: Lattice, words: Sequence[PageWord], edges: list[float], area: Area, size: float
) -> tuple[list[Stroke], list[Stroke]]:
    """Lines between the rows and columns that only the words show."""
    extra = [x for x in edges if x not in drawn.xs]
    full = [Stroke(x, drawn.ys[0], drawn.ys[-1]) for x in extra]
    lattice = make_lattice(area.box, area.horizontal, [*area.vertical, *full])
    if lattice is None:
        return [], []
    edges = lattice.xs
    cells = _place(words, lattice)
    bands: list[list[PageWord]] = [[] for _ in range(lattice.num_rows)]
    for (first_row, last_row, _, _), inside in cells:
        if first_row == last_row:
            bands[first_row].extend(inside)
    lines = [split_at(text_lines(band), edges) for band in bands]
    head = _header_end([line for band in lines for line in band], edges, drawn, lines)
    num_lines = sum(map(len, lines))
    horizontal: list[Stroke] = []
    vertical: list[Stroke] = []
    for band, band_lines in enumerate(lines):
        top, bottom = drawn.ys[band], drawn.ys[band + 1]
        header = [line for line in band_lines if line.middle < head]
        body = [line for line in band_lines if line.middle >= head]
        levels = _levels(header, edges, drawn, area.horizontal, size)
        groups = [*levels, *_rows_of(body, edges, drawn, num_lines, size)]
        starts = [
            top,
            *(_between(above, below) for above, below in zip(groups, groups[1:], strict=False)),
            bottom,
        ]
        for index, group in enumerate(groups):
            is_header = index < len(levels)
            below = groups[index + 1] if index + 1 < len(levels) else _next_header(lines, band, head)
            limits = _limits(drawn, band)
            spans = (
                _spans(group, below, edges, area.horizontal, size, starts[index + 1], limits)
                if is_header
                else []
            )
            if index + 1 < len(groups):
                horizontal += _level_line(starts[index + 1], edges, groups, index, len(levels), spans)
            for x in extra:
                is_crossed = any(crosses(piece, x) for line in group for piece in line.pieces)
                is_spanned = any(edges[span.start] < x < edges[span.stop] for span in spans)
                if not is_crossed and not is_spanned:
                    vertical.append(Stroke(x, starts[index], starts[index + 1]))
        if not groups:
            vertical += [Stroke(x, top, bottom) for x in extra]
    for region, inside in cells:
        if inside and region[2] < region[3] and region[0] == region[1]:
            more_h, more_v = _split_region(region, inside, lattice, size)
            horizontal += more_h
            vertical += more_v
    return horizontal, vertical


def _split_region(
    region: Region, words: list[PageWord], lattice: Lattice, size: float
) -> tuple[list[Stroke], list[Stroke]]:
    """Lines inside a cell over several columns that has a text of its own for most of them."""
    edges = lattice.xs[region[2] : region[3] + 2]
    lines = split_at(text_lines(words), edges)
    own = {column_of(piece, edges) for piece in lines[-1].pieces}
    is_apart = not any(crosses(piece, x) for piece in lines[-1].pieces for x in edges[1:-1])
    if not is_apart or len(own) < 2 or 10 * len(own) < 6 * (len(edges) - 1):
        return [], []
    above = next((index for index, line in enumerate(lines) if len(line.pieces) > 1), 0)
    levels = [lines[:above]] if above else []
    levels += header_levels(lines[above:], edges, [], size)
    starts = [
        lattice.ys[region[0]],
        *(_between(above, below) for above, below in zip(levels, levels[1:], strict=False)),
        lattice.ys[region[1] + 1],
    ]
    horizontal = [Stroke(y, edges[0], edges[-1]) for y in starts[1:-1]]
    vertical: list[Stroke] = []
    for index, level in enumerate(levels):
        below = [piece for line in lines if line.middle > starts[index + 1] for piece in line.pieces]
        spans = (
            [covered(piece, line, below, edges, size) for line in level for piece in line.pieces]
            if below
            else []
        )
        if len(level[0].pieces) == 1 and below:
            spans = [range(len(edges) - 1)]
        for x in edges[1:-1]:
            if not any(crosses(piece, x) for line in level for piece in line.pieces) and not any(
                edges[span.start] < x < edges[span.stop] for span in spans
            ):
                vertical.append(Stroke(x, starts[index], starts[index + 1]))
    return horizontal, vertical


def _rows_of(
    body: list[TextLine], edges: list[float], drawn: Lattice, num_lines: int, size: float
) -> list[list[TextLine]]:
    """Rows among the lines of a band."""
    if body and _has_several_rows(body, edges, drawn, num_lines):
        return [row.lines for row in group_rows(body, edges, size)]
    return [body] if body else []


def _limits(drawn: Lattice, band: int) -> list[float]:
    """Where lines are drawn between the columns of a band, its sides included."""
    inner = [x for index, x in enumerate(drawn.xs[1:-1]) if drawn.right[band, index]]
    return [drawn.xs[0], *inner, drawn.xs[-1]]


def _levels(
    header: list[TextLine], edges: list[float], drawn: Lattice, horizontal: Sequence[Stroke], size: float
) -> list[list[TextLine]]:
    """Levels of the header lines of a band: one where lines bound its cells."""
    if not header:
        return []
    return [header] if drawn.num_cols > 1 else header_levels(header, edges, horizontal, size)


def _header_end(
    lines: list[TextLine], edges: list[float], drawn: Lattice, bands: list[list[TextLine]]
) -> float:
    """Where the header ends: at the first values, or at the first line that is drawn over the whole width."""
    count = num_header_lines(lines, edges)
    filled = [index for index, band in enumerate(bands) if band]
    if count:
        band = next(index for index in filled if lines[count] in bands[index])
        if drawn.num_cols > 1 and len(filled) > 1:
            return drawn.ys[band]
        return (lines[count - 1].middle + lines[count].middle) / 2
    if len(filled) >= 2 and not any(piece.is_value for line in lines for piece in line.pieces[1:]):
        return drawn.ys[filled[0] + 1]
    return drawn.ys[0]


def _has_several_rows(body: list[TextLine], edges: list[float], drawn: Lattice, num_lines: int) -> bool:
    """Whether lines that no drawn line parts are several rows, and not one row of wrapped texts."""
    if len(body) < 2:
        return False
    counts: dict[int, int] = {}
    texts: dict[int, int] = {}
    for line in body:
        for piece in line.pieces:
            col = column_of(piece, edges)
            into = counts if piece.is_value else texts
            into[col] = into.get(col, 0) + 1
    columns = [col for col, number in counts.items() if number >= 2 and number >= 3 * texts.get(col, 0)]
    if len(columns) >= 2 or (len(columns) == 1 and len(edges) <= 4):
        return True
    if drawn.num_cols > 1:
        return False
    if any(sum(piece.is_value for piece in line.pieces[1:]) >= 2 for line in body):
        return True
    return 2 * len(body) > num_lines and len(body) >= 3


def _between(above: list[TextLine], below: list[TextLine]) -> float:
    low, high = max(line.y1 for line in above), min(line.y0 for line in below)
    if low <= high:
        return (low + high) / 2
    return (max(line.middle for line in above) + min(line.middle for line in below)) / 2


def _next_header(lines: list[list[TextLine]], band: int, head: float) -> list[TextLine]:
    """The first header line below a band, where one follows."""
    for later in lines[band + 1 :]:
        header = [line for line in later if line.middle < head]
        if later:
            return header[:1]
    return []


def _spans(
    group: list[TextLine],
    below: list[TextLine],
    edges: list[float],
    horizontal: Sequence[Stroke],
    size: float,
    bottom: float,
    limits: list[float],
) -> list[range]:
    """The columns over which each text of a header level stands, where it is more than one."""
    if not below:
        return []
    pieces = [piece for line in below for piece in line.pieces]
    found: list[range] = []
    for line in group:
        for piece in line.pieces:
            span = (
                _between_lines(piece, group, edges, limits)
                or _over_line(piece, line, edges, horizontal, bottom, size)
                or covered(piece, line, pieces, edges, size)
            )
            if len(span) > 1:
                found.append(span)
    return found


def _between_lines(
    piece: Piece, group: list[TextLine], edges: list[float], limits: list[float]
) -> range | None:
    """All columns between two lines drawn beside a text that stands there alone."""
    middle = (piece.box[0] + piece.box[2]) / 2
    left = max((x for x in limits if x <= middle), default=limits[0])
    right = min((x for x in limits if x > middle), default=limits[-1])
    if left == limits[0] or (left, right) == (limits[0], limits[-1]):
        return None
    alone = all(
        other is piece or not left < (other.box[0] + other.box[2]) / 2 < right or len(group) > 1
        for line in group
        for other in line.pieces
    )
    cols = [col for col in range(len(edges) - 1) if left - 1 <= edges[col] and edges[col + 1] <= right + 1]
    return range(cols[0], cols[-1] + 1) if alone and cols else None


def _over_line(
    piece: Piece, line: TextLine, edges: list[float], horizontal: Sequence[Stroke], bottom: float, size: float
) -> range | None:
    """The columns over a short line drawn below a header text that no other text of its level shares."""
    middle = (piece.box[0] + piece.box[2]) / 2
    for stroke in horizontal:
        if not (line.middle < stroke.at <= bottom + size and stroke.start <= middle <= stroke.end):
            continue
        if any(
            other is not piece and stroke.start < (other.box[0] + other.box[2]) / 2 < stroke.end
            for other in line.pieces
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


def _level_line(
    y: float,
    edges: list[float],
    groups: list[list[TextLine]],
    index: int,
    num_levels: int,
    spans: list[range],
) -> list[Stroke]:
    """A line between two rows; between two header levels, only where both have texts or one is over several."""
    if index + 1 >= num_levels:
        return [Stroke(y, edges[0], edges[-1])]
    above = {column_of(piece, edges) for line in groups[index] for piece in line.pieces}
    above |= {col for span in spans for col in span}
    below = {column_of(piece, edges) for line in groups[index + 1] for piece in line.pieces}
    return [
        Stroke(y, edges[col], edges[col + 1])
        for col in range(len(edges) - 1)
        if col in above and (col in below or any(col in span for span in spans))
    ]


def _as_table(
    lattice: Lattice, cells: list[tuple[Region, list[PageWord]]], drawn: Lattice, size: float
) -> Built:
    """Texts of the regions; blank rows and columns that are thinner than a line of text are gaps, not cells."""
    rows = _kept(
        lattice.ys,
        {row for (first, last, _, _), words in cells if words for row in range(first, last + 1)},
        size,
    )
    cols = _kept(
        lattice.xs,
        {col for (_, _, first, last), words in cells if words for col in range(first, last + 1)},
        size,
    )
    texts = [[""] * len(cols) for _ in rows]
    found: list[Region] = []
    contents: list[list[PageWord]] = []
    for (first_row, last_row, first_col, last_col), words in cells:
        inside_rows = [index for index, row in enumerate(rows) if first_row <= row <= last_row]
        inside_cols = [index for index, col in enumerate(cols) if first_col <= col <= last_col]
        if inside_rows and inside_cols:
            found.append((inside_rows[0], inside_rows[-1], inside_cols[0], inside_cols[-1]))
            contents.append(words)
            texts[inside_rows[0]][inside_cols[0]] = cell_text(words)
    for row, level in indents(_labels(found, contents)).items():
        texts[row][0] = BLANKS * level + texts[row][0]
    table = PageTable(
        box=lattice.box,
        cells=texts,
        merged=[region for region in found if region[0] < region[1] or region[2] < region[3]],
        col_edges=[lattice.xs[col] for col in cols] + [lattice.xs[-1]],
        ruled=drawn.num_cols > 1 and drawn.num_rows > 1,
    )
    return Built(table, found, contents, drawn.num_cols - 1, drawn.num_rows - 1)


def _labels(found: list[Region], contents: list[list[PageWord]]) -> dict[int, list[PageWord]]:
    """The words of the first column below the header: from the first row of values, a heading above it included."""
    filled: dict[int, set[int]] = {}
    values: set[int] = set()
    for (row, _, col, _), words in zip(found, contents, strict=True):
        if words:
            filled.setdefault(row, set()).add(col)
            if col > 0 and all(is_value(word.text) for word in words):
                values.add(row)
    first = min(values, default=0)
    if filled.get(first - 1) == {0}:
        first -= 1
    return {
        row: words
        for (row, _, col, last_col), words in zip(found, contents, strict=True)
        if words and values and row >= first and col == 0 and (last_col == 0 or filled[row] == {0})
    }


def _kept(edges: list[float], filled: set[int], size: float) -> list[int]:
    return [
        index
        for index, (low, high) in enumerate(zip(edges, edges[1:], strict=False))
        if index in filled or high - low >= 0.6 * size
    ]
