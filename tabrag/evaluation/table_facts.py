"""Looks up checked facts of real files in the grids that were read from them: by header paths, not loosely.

A fact says where a text stands (``column``: the header texts above it from the outermost down, ``row``: the
labels of its row) and what it is. Texts are equal without regard to case, line ends, kinds of blank, dash and
apostrophe, forms of the same character, and a footnote mark behind a number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from tabrag.tables.grid import cell_text, corner_paths, left_paths, path_texts, top_paths
from tabrag.types import Cell, Grid, Table

_DASHES = str.maketrans(dict.fromkeys("\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))
_APOSTROPHES = str.maketrans(dict.fromkeys("`\u00b4\u2018\u2019\u02bc\u2032", "'"))
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_MARK = re.compile(r"(?<=[\d%])\s*(?:[*†‡§¹²³⁰⁴-⁹ᵃ-ᶻ]|\[\w+\])+$")
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
# A blank counts between letters or digits alone: elsewhere it may come from a line end or from typesetting.
_BLANK = re.compile(rf"\s+(?=[^\w]|[{_WIDE}])|(?<=[^\w])\s+|(?<=[{_WIDE}])\s+")


@lru_cache(maxsize=1 << 16)
def plain(text: str) -> str:
    """A text as it is compared, see the module's docstring."""
    text = _UNSEEN.sub("", text).translate(_DASHES).translate(_APOSTROPHES)
    text = _MARK.sub("", text.strip())
    text = unicodedata.normalize("NFKC", text).replace("^", "").casefold()
    return _BLANK.sub("", re.sub(r"\s+", " ", text)).strip()


def cells_at(
    table: Table, column: Sequence[str] | None, row: Sequence[str] | None
) -> Iterator[tuple[Cell, str]]:
    """Body cells under a column path and in a row, with their texts as they stand; a missing path fits all.

    Args:
        table: One without a grid has none.
        column: Texts of the path of the column, in order; a text may be split over several levels.
        row: Texts of the left path of the row, in order, or of cells of the row besides the one given, in any
            order.
    """
    grid = table.grid
    if grid is None:
        return
    columns = [
        col for col, texts in enumerate(column_texts(grid)) if not column or holds(texts, column, joined=True)
    ]
    if not columns:
        return
    paths = left_paths(grid)
    for number in range(grid.num_header_rows, grid.num_rows):
        texts = path_texts(grid, paths[number])
        in_path = not row or holds(texts, row)
        for col in columns:
            if in_path or _among(texts, _others(grid, number, col), row or ()):
                yield (number, col), cell_text(grid, number, col)


def has_row(table: Table, row: Sequence[str] | None) -> bool:
    """Whether a body row of the table has these labels."""
    return any(True for _ in cells_at(table, None, row))


def column_texts(grid: Grid) -> list[list[str]]:
    """Header texts above each column, outermost first; of header columns those of the corner."""
    paths = corner_paths(grid) + top_paths(grid)[grid.num_header_cols :]
    return [path_texts(grid, path) for path in paths]


def missing_headers(table: Table, headers: Sequence[str]) -> list[str]:
    """The header texts that no header cell of the table says; ``>`` separates the levels of a path."""
    grid = table.grid
    if grid is None:
        return list(headers)
    paths = {tuple(texts) for texts in column_texts(grid)}
    paths |= {tuple(path_texts(grid, path)) for path in left_paths(grid)}
    return [
        header
        for header in headers
        if plain(header)
        and not any(
            holds(path, [header], joined=True) or holds(path, header.split(">"), joined=True)
            for path in paths
        )
    ]


def holds(texts: Sequence[str], path: Sequence[str], *, joined: bool = False) -> bool:
    """Whether the texts hold those of a path in its order.

    Args:
        texts: Header texts, outermost first.
        path: Texts that are looked for; blank ones are passed over.
        joined: Whether several texts that follow each other may say one text of the path together.
    """
    wanted = [text for text in map(plain, path) if text]

    def fits(start: int, done: int) -> bool:
        if done == len(wanted):
            return True
        for first in range(start, len(texts)):
            for last in range(first + 1, (len(texts) if joined else first + 1) + 1):
                if plain(" ".join(texts[first:last])) == wanted[done] and fits(last, done + 1):
                    return True
        return False

    return fits(0, 0)


def _others(grid: Grid, row: int, col: int) -> list[str]:
    return [cell_text(grid, row, place) for place in range(grid.num_cols) if place != col]


def _among(path: Sequence[str], others: Sequence[str], row: Sequence[str]) -> bool:
    found = {plain(text) for text in (*path, *others)}
    return all(text in found for text in map(plain, row) if text)
