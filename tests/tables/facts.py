"""Looks up the checked facts of real files in the tables that were read from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tabrag.tables.grid import cell_text, corner_paths, left_paths, path_texts, top_paths
from tabrag.types import Grid, Table

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))


def plain(text: str) -> str:
    """Without regard to case, line ends, kinds of blank and dash, and a footnote mark behind a number."""
    text = re.sub(r"\s+", " ", text.translate(_DASHES)).strip().casefold()
    return re.sub(r"(?<=[\d%])\s*(?:[*†‡§]|\[\w+\]|[¹²³])+$", "", text)


def cell_values(
    tables: Sequence[Table], column: Sequence[str] | None, row: Sequence[str] | None
) -> Iterator[str]:
    """Texts under a column path, in a row with all texts of a row path; a missing path fits all."""
    for table in tables:
        grid = table.grid
        if grid is None:
            continue
        columns = [
            number for number, texts in enumerate(_column_texts(grid)) if not column or _holds(texts, column)
        ]
        rows = [
            number
            for number, texts in enumerate(_row_texts(grid))
            if number >= grid.num_header_rows and (not row or _holds(texts, row))
        ]
        yield from (plain(cell_text(grid, number, place)) for number in rows for place in columns)


def has_cell(tables: Sequence[Table], fact: dict[str, Any]) -> bool:
    """Whether a fact of type ``cell`` holds; a row is known by its headers and by its cells."""
    wanted = plain(str(fact["value"]))
    return wanted in cell_values(tables, fact.get("column"), fact.get("row"))


def missing_headers(tables: Sequence[Table], headers: Sequence[str]) -> list[str]:
    """The header texts of a fact that no column or row of any table has; ``>`` separates levels."""
    found: set[str] = set()
    for table in tables:
        if table.grid is None:
            continue
        for texts in [*_column_texts(table.grid), *_row_header_texts(table.grid)]:
            found.update(map(plain, texts))
            found.add(plain(" > ".join(texts)))
            found.add(plain(" ".join(texts)))
    return [header for header in headers if plain(header) not in found]


def _column_texts(grid: Grid) -> list[list[str]]:
    paths = corner_paths(grid) + top_paths(grid)[grid.num_header_cols :]
    return [path_texts(grid, path) for path in paths]


def _row_header_texts(grid: Grid) -> list[list[str]]:
    return [path_texts(grid, path) for path in left_paths(grid)]


def _row_texts(grid: Grid) -> list[list[str]]:
    cells = [[cell_text(grid, row, col) for col in range(grid.num_cols)] for row in range(grid.num_rows)]
    return [texts + others for texts, others in zip(_row_header_texts(grid), cells, strict=True)]


def _holds(texts: Sequence[str], path: Sequence[str]) -> bool:
    """Whether the texts hold those of a path in its order."""
    rest = iter(map(plain, texts))
    return all(any(plain(wanted) == text for text in rest) for wanted in path)
