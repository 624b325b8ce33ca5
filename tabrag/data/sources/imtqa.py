"""IM-TQA: look-up questions over tables of four layouts with annotated headers, in Chinese and English."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, cell_list, grid_of, read_splits, table_of
from tabrag.errors import UserError
from tabrag.tables.grid import owner_map
from tabrag.types import Cell, GoldHeaders, Grid, Query, Table

NAME = "IM-TQA"
LICENCE = "c-uda"
CITATION = (
    "Zheng et al., IM-TQA: A Chinese Table Question Answering Dataset with Implicit and Multi-type Table "
    "Structures, ACL 2023"
)
URL = "https://github.com/SpursGoZmy/IM-TQA"
NOTE = (
    "Header sizes are the leading rows and columns whose cells are all annotated as headers or blank; "
    "headers "
    "elsewhere in a table are not expressed. Tables have no titles."
)
_SUFFIXES = {"en": "", "zh": "_zh"}
_TOP_KINDS = ("column_attribute", "column_index")
_LEFT_KINDS = ("row_attribute", "row_index")


def read(folder: Path, limit: int | None = None, language: str = "en") -> Dataset:
    """Read the data set from the folder of its normalised copy.

    Args:
        folder: The folder.
        limit: Keep this many tables.
        language: ``en`` (the source's translation) or ``zh`` (the original).
    """
    if language not in _SUFFIXES:
        raise UserError(f"IM-TQA has no language '{language}'; choose from {', '.join(_SUFFIXES)}")
    return read_splits(
        folder,
        card=Card(name=NAME, licence=LICENCE, citation=CITATION, url=URL, languages=(language,), note=NOTE),
        splits=("train", "dev", "test"),
        make_table=partial(_table, suffix=_SUFFIXES[language]),
        make_query=partial(_query, suffix=_SUFFIXES[language]),
        limit=limit,
    )


def _table(row: Row, repairs: Counter[str], *, suffix: str) -> Table:
    grid = grid_of(row, repairs, cells=row["cells" + suffix])
    kinds = {kind: set(cell_list(cells)) for kind, cells in row["header_cells"].items()}
    top = set().union(*(kinds.get(kind, set()) for kind in _TOP_KINDS))
    left = set().union(*(kinds.get(kind, set()) for kind in _LEFT_KINDS))
    grid.num_header_rows, grid.num_header_cols = header_sizes(grid, top=top, left=left)
    return table_of(row, grid, layout=row.get("type", ""))


def header_sizes(grid: Grid, *, top: set[Cell], left: set[Cell]) -> tuple[int, int]:
    """Number of header rows and columns from annotated header cells.

    Header rows are the leading rows in which each cell that is not blank is a header and at least one heads a
    column; header columns are the same for the rows below them. Cells under a merged region count as its
    first cell.
    """
    owners = owner_map(grid)
    headers = top | left

    def first(row: int, col: int) -> Cell:
        region = owners.get((row, col))
        return (row, col) if region is None else (region[0], region[2])

    def leads(cells: list[Cell], kind: set[Cell]) -> bool:
        filled = {cell for cell in (first(*cell) for cell in cells) if grid.cells[cell[0]][cell[1]].strip()}
        return filled <= headers and bool(filled & kind)

    num_rows = num_cols = 0
    while num_rows < grid.num_rows and leads([(num_rows, col) for col in range(grid.num_cols)], top):
        num_rows += 1
    body = range(num_rows, grid.num_rows)
    while num_cols < grid.num_cols and leads([(row, num_cols) for row in body], left):
        num_cols += 1
    return num_rows, num_cols


def _query(row: Row, *, suffix: str) -> tuple[Query, GoldHeaders]:
    gold = GoldHeaders(
        query_id=row["id"], table_id=row["table_id"], answer_cells=cell_list(row["answer_cells"])
    )
    query = Query(
        id=row["id"], text=row["question" + suffix], answers=[str(a) for a in row["answers" + suffix]]
    )
    return query, gold
