"""The tree of row labels of a grid: rows of a unit, section rows, indented labels, and columns of labels.

The levels of a row's path, outermost first: the unit of the rows ("percent", where it has a row of its own),
the section row above it, labels above it that are indented less, and its own labels from left to right.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from tabrag.tables.kinds import Kind, cell_kind
from tabrag.tables.spans import Region, first_cell, owner_map, path_of
from tabrag.types import Cell, Grid, HeaderPath

_TOTALS = ("total", "grand total", "overall total", "all")
_INDENT = re.compile(r"[^\S\r\n]*")
_MAX_UNIT = 60
"""Longest name of a unit, characters."""


def left_paths(grid: Grid) -> list[HeaderPath]:
    """One header path a row, outermost level first; empty for the header rows.

    A section row is a level of the rows below it that are indented at least as much, up to the next section
    row; its own path ends with itself. A row of one unit begins sections anew, but for one right below a
    section row, which belongs to it. A label with values is a level of the rows below it that are indented
    more, or whose labels come again below another one ("men: under 30, over 30; women: under 30, over 30"). A
    total of all sections (the last row, "Total", where no other row is called so) is in none of them.
    """
    if grid.left_paths is not None:
        return list(grid.left_paths)
    owners = owner_map(grid)
    sections, units = set(_section_rows(grid, owners)), set(_unit_rows(grid, owners))
    depths = _depths(grid, sections | units)
    paths: list[HeaderPath] = [() for _ in range(grid.num_header_rows)]
    above: list[tuple[float, bool, Cell]] = []  # depth, whether a section or unit, label
    for row in range(grid.num_header_rows, grid.num_rows):
        depth, is_section = depths[row], row in sections
        if row in units:
            if row - 1 not in sections:
                above = []
            depth, is_section = (above[-1][0] if above else -1), True
            path: HeaderPath = ((row, grid.num_header_cols),)
        else:
            if row == grid.num_rows - 1 and len(sections) > 1 and _is_only_total(grid, row):
                above = []
            while above and (
                above[-1][0] > depth or (above[-1][0] == depth and (is_section or not above[-1][1]))
            ):
                above.pop()
            if is_section:
                path = (first_cell(owners, row, 0),)
            else:
                path = path_of(grid, owners, ((row, col) for col in range(grid.num_header_cols)))
        outer = tuple(cell for _, _, cell in above)
        paths.append(path if set(outer) & set(path) else (*outer, *path))
        if is_section or (path and grid.num_header_cols == 1):
            above.append((depth, is_section, path[0]))
    return paths


def section_rows(grid: Grid) -> list[int]:
    """Body rows that label the rows below them.

    Such a row is one merged region over the full width, or its first cell is its only text. A first cell
    that spans further rows is an ordinary row header, not a section.
    """
    return _section_rows(grid, owner_map(grid))


def unit_rows(grid: Grid) -> list[int]:
    """Body rows that show one text alone, over all columns of data, above a row of numbers: their unit."""
    return _unit_rows(grid, owner_map(grid))


def _depths(grid: Grid, headings: set[int]) -> list[float]:
    """How far the label of each row is indented: characters, or 0.5 more for a row of a repeated group."""
    depths = [0.0] * grid.num_rows
    if grid.num_header_cols != 1:
        return depths
    body = range(grid.num_header_rows, grid.num_rows)
    # What all labels are indented by is the side of the column.
    side = min((_indent(grid.cells[row][0]) for row in body if grid.cells[row][0].strip()), default=0)
    for row in body:
        depths[row] = float(max(_indent(grid.cells[row][0]) - side, 0))
    if not any(depths):
        for row in _repeated_rows(grid, headings):
            depths[row] = 0.5
    return depths


def _indent(text: str) -> int:
    """Characters before a text; one alone is a slip, and blanks before a number are its alignment."""
    blanks = _INDENT.match(text)
    width = 0 if blanks is None else len(blanks[0].expandtabs(4))
    return width if width > 1 and cell_kind(text) is Kind.TEXT else 0


def _repeated_rows(grid: Grid, headings: set[int]) -> set[int]:
    """Rows of groups of labels that come again, each group below a label that does not."""
    found: set[int] = set()
    run: list[int] = []
    for row in range(grid.num_header_rows, grid.num_rows + 1):
        if row < grid.num_rows and row not in headings:
            run.append(row)
            continue
        labels = {row: grid.cells[row][0].strip().casefold() for row in run}
        counts = Counter(labels.values())
        groups: list[list[int]] = []
        for row_of_run in run:
            if counts[labels[row_of_run]] == 1:
                groups.append([])
            elif groups:
                groups[-1].append(row_of_run)
        texts = [tuple(labels[row_of_group] for row_of_group in group) for group in groups]
        often = Counter(texts)
        for group, names in zip(groups, texts, strict=True):
            if len(names) > 1 and often[names] > 1 and len(set(names)) == len(names) and all(names):
                found.update(group)
        run = []
    return found


def without_indents(grid: Grid) -> Grid:
    """The grid without blanks before its texts; the levels that they show become its left paths."""
    cells = [[text.lstrip() for text in texts] for texts in grid.cells]
    if cells == grid.cells:
        return grid
    has_levels = any(_depths(grid, set(range(grid.num_rows))))
    return replace(grid, cells=cells, left_paths=left_paths(grid) if has_levels else grid.left_paths)


def _section_rows(grid: Grid, owners: dict[Cell, Region]) -> list[int]:
    if grid.num_cols < 2:
        return []
    sections = []
    for row in range(grid.num_header_rows, grid.num_rows):
        region = owners.get((row, 0), (row, row, 0, 0))
        if not grid.cells[region[0]][0].strip():
            continue
        is_full_width = region[3] == grid.num_cols - 1
        if not is_full_width and region[0] != region[1]:
            continue
        others = (first_cell(owners, row, col) for col in range(region[3] + 1, grid.num_cols))
        if not any(grid.cells[other_row][other_col].strip() for other_row, other_col in others):
            sections.append(row)
    return sections


def _unit_rows(grid: Grid, owners: dict[Cell, Region]) -> list[int]:
    first, last = grid.num_header_cols, grid.num_cols - 1
    if not 0 < first < last:
        return []
    units = []
    for row in range(grid.num_header_rows, grid.num_rows - 1):
        texts = grid.cells[row]
        filled = [col for col in range(grid.num_cols) if texts[col].strip()]
        if filled != [first] or len(texts[first]) > _MAX_UNIT or cell_kind(texts[first]) is not Kind.TEXT:
            continue
        region = owners.get((row, first), (row, row, first, first))
        if region[3] not in (first, last) or any(
            owners.get((row, col), region)[0] < row for col in range(first, grid.num_cols)
        ):
            continue
        units.append(row)
    return units


def _is_only_total(grid: Grid, row: int) -> bool:
    labels = [texts[0].strip().casefold().rstrip(":") for texts in grid.cells[grid.num_header_rows :]]
    label = labels[row - grid.num_header_rows]
    return label in _TOTALS and labels.count(label) == 1
