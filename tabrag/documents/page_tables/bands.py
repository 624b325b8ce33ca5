"""What stands between two lines drawn across a table: header lines, rows, or one row of wrapped texts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tabrag.documents.page_content import PageWord
from tabrag.documents.page_tables.columns import column_of, gutters, split_at
from tabrag.documents.page_tables.header import num_header_lines
from tabrag.documents.page_tables.lattice import Lattice, Region
from tabrag.documents.page_tables.pitch import has_values
from tabrag.documents.page_tables.rows import group_rows
from tabrag.documents.page_tables.text_lines import Piece, TextLine, is_leader, text_lines

Cells = Sequence[tuple[Region, list[PageWord]]]

_AFTER = ("%", ")", ")%", "%)")
"""Signs that stand behind their number."""
_TIGHT = 1.25
"""Lines of one wrapped label are at most so many heights of type apart."""
_VALUES = 0.7
"""Columns that lines bound are split where this share of their lines shows values behind a blank."""


class Bands:
    """The lines of text of each band, parted in header and body.

    Args:
        lattice: Rows (the bands) and columns, those that only words show included.
        cells: Its regions with their words; texts over several bands are left out.
        drawn: Rows and columns that are drawn.
    """

    def __init__(self, lattice: Lattice, cells: Cells, drawn: Lattice) -> None:
        words: list[list[PageWord]] = [[] for _ in range(lattice.num_rows)]
        for (first_row, last_row, _, _), inside in cells:
            if first_row == last_row:
                words[first_row].extend(inside)
        self._lines = [split_at(text_lines(band), lattice.xs) for band in words]
        self._drawn = drawn
        self._edges = lattice.xs
        self._header_end = self._find_header_end()
        self.num_lines = sum(map(len, self._lines))
        valued = [sum(has_values(line, self._edges) for line in band) for band in self._lines]
        self.are_rows = sum(number == 1 for number in valued) > max(3, sum(number > 1 for number in valued))
        """Whether most bands hold one row of values each."""

    def header(self, band: int) -> list[TextLine]:
        """The lines of a band that belong to the header."""
        return [line for line in self._lines[band] if line.middle < self._header_end]

    def body(self, band: int) -> list[TextLine]:
        """The lines of a band below the header."""
        return [line for line in self._lines[band] if line.middle >= self._header_end]

    def header_below(self, band: int) -> list[TextLine]:
        """The first header line of the bands below, where a header line is what comes first there."""
        return [line for line in self.first_below(band) if line.middle < self._header_end]

    def first_below(self, band: int) -> list[TextLine]:
        """The first line of the bands below."""
        return next((lines for lines in self._lines[band + 1 :] if lines), [])[:1]

    def last_above(self, band: int) -> list[TextLine]:
        """The last line of the bands above."""
        return next((lines for lines in reversed(self._lines[:band]) if lines), [])[-1:]

    def limits(self, band: int) -> list[float]:
        """Where lines are drawn between the columns of a band, both sides of the table included."""
        xs = self._drawn.xs
        return [xs[0], *(x for index, x in enumerate(xs[1:-1]) if self._drawn.right[band, index]), xs[-1]]

    def _find_header_end(self) -> float:
        """At the first values, or at the first line that is drawn over the whole width."""
        ys = self._drawn.ys
        lines = [line for band in self._lines for line in band]
        filled = [index for index, band in enumerate(self._lines) if band]
        count = num_header_lines(lines, self._edges)
        if count:
            band = next(index for index in filled if lines[count] in self._lines[index])
            if self._drawn.num_cols > 1 and len(filled) > 1:
                return ys[band]
            return (lines[count - 1].middle + lines[count].middle) / 2
        if len(filled) >= 2 and not any(piece.is_value for line in lines for piece in line.pieces[1:]):
            return ys[filled[0] + 1]
        return ys[0]


def column_edges(drawn: Lattice, cells: Cells, size: float) -> list[float]:
    """Edges of the columns: those that are drawn, and blanks that run down between them."""
    by_col: dict[int, list[TextLine]] = {}
    for (_, _, first, last), words in cells:
        if first == last and words:
            by_col.setdefault(first, []).extend(text_lines(words))
    edges = list(drawn.xs)
    for col, lines in by_col.items():
        parted = [line for line in lines if len(_said(line)) > 1]
        if drawn.num_cols > 1:
            with_values = sum(any(piece.is_value for piece in _said(line)[1:]) for line in parted)
            enough = (
                len(parted) >= 3 and 2 * len(parted) >= len(lines) and with_values >= _VALUES * len(parted)
            )
        else:
            enough = len(parted) >= 1
        if enough:
            single = [line for line in lines if len(_said(line)) == 1]
            x0, x1 = drawn.xs[col], drawn.xs[col + 1]
            edges += _without_sign_columns(lines, gutters(parted, single, x0, x1, size), x0, x1)
    return sorted(edges)


def _without_sign_columns(
    lines: Sequence[TextLine], places: list[float], x0: float, x1: float
) -> list[float]:
    """Places where columns part, but those between numbers and nothing but the signs of their currency."""
    edges = [x0, *places, x1]
    others: set[int] = set()
    with_signs: dict[int, set[str]] = {}
    for line in lines:
        for piece in line.pieces:
            col = column_of(piece, edges)
            if piece.is_sign:
                with_signs.setdefault(col, set()).add(piece.text)
            else:
                others.add(col)
    dropped = set()
    for col, signs in with_signs.items():
        if 0 < col and col not in others:
            comes_after = all(sign in _AFTER for sign in signs)
            dropped.add(col if comes_after else min(col + 1, len(places)))
    return [x for index, x in enumerate(places, start=1) if index not in dropped]


def _said(line: TextLine) -> list[Piece]:
    return [piece for piece in line.pieces if not all(is_leader(word.text) for word in piece.words)]


def rows_of(
    body: list[TextLine], edges: Sequence[float], drawn: Lattice, bands: Bands, size: float
) -> list[list[TextLine]]:
    """The rows of a band.

    Args:
        body: Its lines below the header.
        edges: Edges of the columns.
        drawn: Rows and columns that are drawn.
        bands: All bands of the table.
        size: Height of the type in points.
    """
    num_lines = bands.num_lines
    valued = [index for index, line in enumerate(body) if has_values(line, edges)]
    if bands.are_rows and len(valued) == 1:
        # What stands below its values is the end of a wrapped label.
        head, rest = body[: valued[0] + 1], body[valued[0] + 1 :]
        rows = rows_of(head, edges, drawn, bands, size) if rest else []
        if rows:
            return [*rows[:-1], [*rows[-1], *rest]]
        tight = _TIGHT * size
        if all(below.middle - above.middle <= tight for above, below in pairwise(body)):
            return [body]
    if body and _has_several_rows(body, edges, drawn, num_lines):
        return [row.lines for row in group_rows(body, edges, size)]
    return [body] if body else []


def _has_several_rows(body: list[TextLine], edges: Sequence[float], drawn: Lattice, num_lines: int) -> bool:
    """Whether lines that no drawn line parts are several rows, and not one row of wrapped texts."""
    if len(body) < 2:
        return False
    values: dict[int, int] = {}
    texts: dict[int, int] = {}
    for line in body:
        for piece in line.pieces:
            col = column_of(piece, edges)
            counts = values if piece.is_value else texts
            counts[col] = counts.get(col, 0) + 1
    columns = [col for col, number in values.items() if number >= 2 and number >= 3 * texts.get(col, 0)]
    if len(columns) >= 2 or (len(columns) == 1 and len(edges) <= 4):
        return True
    if drawn.num_cols > 1:
        return False
    if any(sum(piece.is_value for piece in line.pieces[1:]) >= 2 for line in body):
        return True
    return 2 * len(body) > num_lines and len(body) >= 3
