"""One table from an area: drawn lines first; where they part no columns or no rows, the words do.

What the words show becomes lines, too (with gaps where a text runs over several columns), so that merged
cells are found in one way: they are the regions that no line parts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from tabrag.documents.page_content import PageTable, PageWord
from tabrag.documents.page_tables.area import Area
from tabrag.documents.page_tables.cell_text import cell_text
from tabrag.documents.page_tables.indents import indents
from tabrag.documents.page_tables.lattice import Lattice, Region, make_lattice, place
from tabrag.documents.page_tables.strokes import SNAP
from tabrag.documents.page_tables.text_lines import are_values, type_size
from tabrag.documents.page_tables.totals import without_total_rules
from tabrag.documents.page_tables.word_lines import lines_of_words
from tabrag.tables.indents import BLANKS


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
    upright = [word for word in area.words if word.turn == 0]
    x0, _, x1, _ = area.box
    if not any(x0 + SNAP < stroke.at < x1 - SNAP for stroke in area.vertical):
        kept = without_total_rules(area.horizontal, upright, x0, x1)
        area = replace(area, horizontal=kept)
    drawn = make_lattice(area.box, area.horizontal, area.vertical)
    if drawn is None or not area.words:
        return None
    size = median(type_size(word) for word in area.words)
    horizontal, vertical = lines_of_words(area, drawn, upright, size)
    lattice = make_lattice(area.box, [*area.horizontal, *horizontal], [*area.vertical, *vertical])
    if lattice is None:
        return None
    return _as_table(lattice, place(area.words, lattice), drawn, size)


def _as_table(
    lattice: Lattice, cells: Sequence[tuple[Region, list[PageWord]]], drawn: Lattice, size: float
) -> Built:
    """Texts of the regions; blank rows and columns thinner than a line of text are gaps, not cells."""
    rows = _kept(lattice.ys, {row for region, words in cells if words for row in _range(region[:2])}, size)
    if drawn.num_cols == 1:  # between a last row and the end of a shade or a double line stands no row
        filled = {row for region, words in cells if words for row in _range(region[:2])}
        rows = [row for row in rows if min(filled, default=0) <= row <= max(filled, default=row)]
    cols = _kept(lattice.xs, {col for region, words in cells if words for col in _range(region[2:])}, size)
    texts = [[""] * len(cols) for _ in rows]
    found: list[Region] = []
    contents: list[list[PageWord]] = []
    for region, words in cells:
        first_row, end_row = bisect_left(rows, region[0]), bisect_right(rows, region[1])
        first_col, end_col = bisect_left(cols, region[2]), bisect_right(cols, region[3])
        if first_row < end_row and first_col < end_col:
            found.append((first_row, end_row - 1, first_col, end_col - 1))
            contents.append(words)
            texts[first_row][first_col] = cell_text(words)
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


def _range(ends: Sequence[int]) -> range:
    return range(ends[0], ends[1] + 1)


def _kept(edges: list[float], filled: Collection[int], size: float) -> list[int]:
    return [
        index
        for index, (low, high) in enumerate(pairwise(edges))
        if index in filled or high - low >= 0.6 * size
    ]


def _labels(found: list[Region], contents: list[list[PageWord]]) -> dict[int, list[PageWord]]:
    """The words of the first column from the first row of values down, and of a heading right above it."""
    filled: dict[int, set[int]] = {}
    values: set[int] = set()
    for (row, _, col, _), words in zip(found, contents, strict=True):
        if words:
            filled.setdefault(row, set()).add(col)
            if col > 0 and are_values(words):
                values.add(row)
    first = min(values, default=0)
    if filled.get(first - 1) == {0}:
        first -= 1
    return {
        row: words
        for (row, _, col, last_col), words in zip(found, contents, strict=True)
        if words and values and row >= first and col == 0 and (last_col == 0 or filled[row] == {0})
    }
