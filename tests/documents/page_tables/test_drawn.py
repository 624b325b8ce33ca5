"""Tables drawn into PDF files in ten styles come back as the grids that they were drawn from."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from drawn_tables import Style, draw, random_grid

from tabrag.data.sources import hitab
from tabrag.documents.page_tables import find_tables
from tabrag.tables.grid import owner_map
from tabrag.types import Grid

STYLES = {
    "grid": Style(),
    "grid, small": Style(middle=True, size=9, max_width=70),
    "cells": Style(lines="none", fill="cells", size=7),
    "rows": Style(lines="rows", size=7),
    "book": Style(lines="book"),
    "book, wide": Style(lines="book", pad=8, size=9),
    "stripes": Style(lines="none", fill="stripes", pad=5),
    "head": Style(lines="head", pad=5),
    "none": Style(lines="none", pad=5),
    "none, tight": Style(lines="none", pad=4, gap=1, size=7),
}
BOUNDED = ("grid", "grid, small", "cells")
"""Styles in which lines or shades bound every cell."""


def _read_back(grid: Grid, style: Style, path: Path) -> tuple[float, bool]:
    """The share of cell texts that are found at their place, and whether the merged regions are the same."""
    pytest.importorskip("pdfplumber")
    from tabrag.documents.pdf.read import read_pages

    draw(
        grid, style, path, above="Table 3. Persons by region", below="Source: own calculations of the office."
    )
    tables = find_tables(next(iter(read_pages(path))))
    wanted = [[" ".join(text.split()) for text in row] for row in grid.cells]
    if len(tables) != 1:
        return 0.0, False
    found = [[" ".join(text.split()) for text in row] for row in tables[0].cells]
    if (len(found), len(found[0])) != (len(wanted), len(wanted[0])):
        return 0.0, False
    pairs = [
        (one, two)
        for row, other in zip(wanted, found, strict=True)
        for one, two in zip(row, other, strict=True)
    ]
    filled = [(one, two) for one, two in pairs if one or two]
    return sum(one == two for one, two in filled) / len(filled), sorted(tables[0].merged) == sorted(
        grid.merged
    )


def test_random_tables_come_back(tmp_path: Path) -> None:
    """A hundred tables, ten in each style: at least 98 of them exactly."""
    exact = {}
    for number in range(100):
        name = list(STYLES)[number % len(STYLES)]
        grid = random_grid(random.Random(number))
        share, same_regions = _read_back(grid, STYLES[name], tmp_path / f"{number}.pdf")
        exact[number, name] = share == 1 and same_regions
    assert sum(exact.values()) >= 98, [key for key, good in exact.items() if not good]


@pytest.mark.slow
def test_tables_of_reports_come_back(data_root: Path, tmp_path: Path) -> None:
    """Hierarchical tables of HiTab: exact where lines bound the cells; elsewhere most of their cells."""
    dataset = hitab.read(data_root / "hitab", limit=600)
    train = {item for items in dataset.qrels["train"].values() for item in items}
    grids = [
        table.grid
        for table in dataset.tables
        if table.id in train and table.grid and _can_be_told(table.grid)
    ]
    random.Random(0).shuffle(grids)
    bounded, others, same = [], [], []
    for number, grid in enumerate(grids[:100]):
        name = list(STYLES)[number % len(STYLES)]
        share, same_regions = _read_back(grid, STYLES[name], tmp_path / f"{number}.pdf")
        if name in BOUNDED:
            bounded.append(share == 1 and same_regions)
        else:
            others.append(share)
            same.append(share == 1)
    assert len(bounded) == 30 and len(others) == 70
    assert sum(bounded) == 30
    assert sum(others) / len(others) >= 0.6
    assert sum(same) / len(same) >= 0.4


def _can_be_told(grid: Grid) -> bool:
    """Whether the page says all of it: no characters that the font lacks, no blank rows, no dots."""
    texts = [text for row in grid.cells for text in row]
    owners = owner_map(grid)
    return (
        3 <= grid.num_rows <= 45
        and 3 <= grid.num_cols <= 12
        and all(ord(char) < 256 for text in texts for char in text)
        and not any(".." in text or text.strip() == "." for text in texts)
        and all(
            any(grid.cells[row][col].strip() or (row, col) in owners for col in range(grid.num_cols))
            for row in range(grid.num_rows)
        )
    )
