"""How well the headers of plain grids are found: against the annotation of a data set, which is kept back.

The annotation of a table is what its data set says (``Grid.num_header_rows``, ``num_header_cols`` and, where
they are annotated, ``top_paths`` and ``left_paths``):

- HiTab: the header rows end above the first node of the annotated left tree, the header columns left of the
  first node of the annotated top tree. A row that shows only a unit over the data columns ("percent") below
  the header is a node of the left tree, so it counts as body. The source's own two numbers are not used: they
  mostly count one row more.
- AIT-QA: one header row (column) for each level of the longest path. Tables without row headers have none,
  while the other two data sets count the first column of such lists.
- IM-TQA: the leading rows (columns) in which each filled cell is annotated as a header; headers further down
  or right are not expressed, and no links are annotated.

Counts are right only where they are equal. Header cells are the filled cells on the paths; where no paths are
annotated, the filled cells of the header rows and columns. A link joins a filled header cell to the one above
it on a path. A section row is a row of the body without a text outside its header cells, one of which stands
above those of another row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.files import write_jsonl
from tabrag.tables.grid import left_paths, make_grid, owner_map, section_rows, top_paths, unit_rows
from tabrag.tables.headers import infer_headers
from tabrag.types import Cell, Grid, HeaderPath, Table

PARTS = ("all", "develop", "report")
Link = tuple[Cell, Cell]
"""A header cell and its parent."""


@dataclass(slots=True, kw_only=True)
class SetCounts:
    """Counts of a set that was found against an annotated one.

    Attributes:
        right: Members of both.
        found: Members of the found set.
        annotated: Members of the annotated set.
    """

    right: int = 0
    found: int = 0
    annotated: int = 0

    def add(self, found: set[Any], annotated: set[Any]) -> None:
        """Count one table."""
        self.right += len(found & annotated)
        self.found += len(found)
        self.annotated += len(annotated)

    def figures(self) -> dict[str, float | None]:
        """Precision, recall and F1 in percent over all tables; None where nothing is annotated."""
        if not self.annotated:
            return {"precision": None, "recall": None, "f1": None}
        return {
            "precision": _percent(self.right, self.found),
            "recall": _percent(self.right, self.annotated),
            "f1": _percent(2 * self.right, self.found + self.annotated),
        }


@dataclass(slots=True, kw_only=True)
class HeaderCounts:
    """Figures of header detection over tables.

    Attributes:
        num_tables: Tables that were looked at.
        rows: Tables whose number of header rows is right.
        cols: Tables whose number of header columns is right.
        both: Tables where both are.
        with_cols: Tables that have annotated header columns.
        cols_of_those: Those of them whose number of header columns is right.
        cells: Header cells.
        links: Links of header cells to their parents; of tables with annotated paths.
        sections: Section rows; of tables with annotated paths.
        misses: One record for each table with a wrong number.
    """

    num_tables: int = 0
    rows: int = 0
    cols: int = 0
    both: int = 0
    with_cols: int = 0
    cols_of_those: int = 0
    cells: SetCounts = field(default_factory=SetCounts)
    links: SetCounts = field(default_factory=SetCounts)
    sections: SetCounts = field(default_factory=SetCounts)
    misses: list[dict[str, Any]] = field(default_factory=list)

    def add(self, table: Table, found: Grid) -> None:
        """Count one table.

        Args:
            table: The table with its annotation.
            found: Its grid with the headers that were found.
        """
        grid = table.grid
        assert grid is not None
        is_rows = found.num_header_rows == grid.num_header_rows
        is_cols = found.num_header_cols == grid.num_header_cols
        self.num_tables += 1
        self.rows += is_rows
        self.cols += is_cols
        self.both += is_rows and is_cols
        self.with_cols += grid.num_header_cols > 0
        self.cols_of_those += is_cols and grid.num_header_cols > 0
        has_paths = grid.top_paths is not None and grid.left_paths is not None
        self.cells.add(header_cells(found, on_paths=has_paths), header_cells(grid, on_paths=has_paths))
        if has_paths:
            self.links.add(links(found), links(grid))
            self.sections.add(set(section_rows(found)) | set(unit_rows(found)), annotated_sections(grid))
        if not (is_rows and is_cols):
            self.misses.append(
                {
                    "table_id": table.id,
                    "annotated": [grid.num_header_rows, grid.num_header_cols],
                    "found": [found.num_header_rows, found.num_header_cols],
                    "first_rows": grid.cells[: max(grid.num_header_rows, found.num_header_rows) + 3],
                    "merged": [list(region) for region in grid.merged],
                }
            )

    def figures(self) -> dict[str, Any]:
        """All figures in percent, ready for JSON."""
        return {
            "num_tables": self.num_tables,
            "header_rows": _percent(self.rows, self.num_tables),
            "header_cols": _percent(self.cols, self.num_tables),
            "both": _percent(self.both, self.num_tables),
            "header_cols_where_some": _percent(self.cols_of_those, self.with_cols),
            "header_cells": self.cells.figures(),
            "links": self.links.figures(),
            "section_rows": self.sections.figures(),
        }


def evaluate_headers(
    tables: Iterable[Table], *, spans: bool = True, detect: Callable[[Grid], Grid] = infer_headers
) -> HeaderCounts:
    """Find the headers of each table without its annotation and compare.

    Args:
        tables: Tables with annotated header sizes; those without a grid are left out.
        spans: Whether the finder sees the merged regions, which CSV and pictures do not have.
        detect: Finds the headers of a plain grid.
    """
    counts = HeaderCounts()
    for table in tables:
        if table.grid is not None:
            counts.add(table, detect(plain_grid(table.grid, spans=spans)))
    return counts


def evaluate_folder(
    folder: str | Path,
    *,
    split: str | None = None,
    part: str = "all",
    spans: bool = True,
    fill_right: bool = False,
    misses: str | Path | None = None,
) -> dict[str, Any]:
    """Figures of header detection on the tables of a data set folder.

    Args:
        folder: The data set folder; its tables have annotated header sizes.
        split: Only tables that the judgements of this split name.
        part: ``all``; ``develop`` or ``report``: one half of the tables each, by a hash of the id, for data
            sets whose tables have no split.
        spans: Whether the finder sees the merged regions.
        fill_right: See :func:`tabrag.tables.headers.infer_headers`.
        misses: Also write a record of each table with a wrong number to this JSONL file.

    Raises:
        UserError: An unknown split or part, or no table is left.
    """
    if part not in PARTS:
        raise UserError(f"part '{part}' is not known: choose one of {', '.join(PARTS)}")
    data = DataFolder(folder)
    ids = None if split is None else {item for items in data.qrels(split).values() for item in items}
    chosen = (
        table
        for table in data.tables
        if (ids is None or table.id in ids) and (part == "all" or part == half(table.id))
    )
    counts = evaluate_headers(chosen, spans=spans, detect=partial(infer_headers, fill_right=fill_right))
    if not counts.num_tables:
        raise UserError(f"{folder}: no table with cells in split {split}, part {part}: choose others")
    if misses is not None:
        write_jsonl(Path(misses), counts.misses)
    settings = {"data": str(folder), "split": split, "part": part, "spans": spans, "fill_right": fill_right}
    return settings | counts.figures()


def half(table_id: str) -> str:
    """``develop`` or ``report``, by the first bit of the SHA-256 of the id."""
    return "develop" if hashlib.sha256(table_id.encode()).digest()[0] < 128 else "report"


def plain_grid(grid: Grid, *, spans: bool = True) -> Grid:
    """The grid without header sizes and paths and, where ``spans`` is off, without merged regions."""
    return make_grid(grid.cells, merged=grid.merged if spans else ())


def header_cells(grid: Grid, *, on_paths: bool = True) -> set[Cell]:
    """The filled cells on the header paths, or all filled cells of the header rows and columns."""
    if on_paths:
        cells = {cell for path in _paths(grid) for cell in path}
    else:
        owners = owner_map(grid)
        places = [(row, col) for row in range(grid.num_header_rows) for col in range(grid.num_cols)]
        places += [(row, col) for row in range(grid.num_rows) for col in range(grid.num_header_cols)]
        regions = (owners.get(place, (place[0], place[0], place[1], place[1])) for place in places)
        cells = {(region[0], region[2]) for region in regions}
    return {(row, col) for row, col in cells if grid.cells[row][col].strip()}


def links(grid: Grid) -> set[Link]:
    """Filled header cells with the filled cell above them on a path."""
    found = set()
    for path in _paths(grid):
        cells = [(row, col) for row, col in path if grid.cells[row][col].strip()]
        found.update(zip(cells[1:], cells, strict=False))
    return found


def annotated_sections(grid: Grid) -> set[int]:
    """Rows of the body that are annotated as the heading of other rows and hold nothing else."""
    parents = {cell for path in left_paths(grid) for cell in path[:-1]}
    rows = {row for row, _ in parents if row >= grid.num_header_rows}
    heads = {cell for path in left_paths(grid) for cell in path}
    owners = owner_map(grid)
    return {
        row
        for row in rows
        if all(
            (row, col) in heads or (row, col) in owners or not text.strip()
            for col, text in enumerate(grid.cells[row])
        )
    }


def _paths(grid: Grid) -> list[HeaderPath]:
    return top_paths(grid) + left_paths(grid)


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0
