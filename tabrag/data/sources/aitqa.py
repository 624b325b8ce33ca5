"""AIT-QA: questions over tables of airlines' annual reports; a test set without titles."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, cell_list, cells_on, grid_of, read_splits, table_of, tree_paths
from tabrag.types import GoldHeaders, Query, Table

NAME = "AIT-QA"
LICENCE = "cdla-sharing-1.0"
CITATION = (
    "Katsis et al., AIT-QA: Question Answering Dataset over Complex Tables in the Airline Industry, "
    "NAACL 2022"
)
URL = "https://github.com/IBM/AITQA"
NOTE = (
    "The answer cell is the one cell whose text equals the answer; questions with several such cells or none "
    "have no gold headers."
)


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read the data set from the folder of its normalised copy; ``limit`` keeps that many tables."""
    return read_splits(
        folder,
        card=Card(name=NAME, licence=LICENCE, citation=CITATION, url=URL, note=NOTE),
        splits=("test",),
        make_table=_table,
        make_query=_query,
        limit=limit,
    )


def _table(row: Row, repairs: Counter[str]) -> Table:
    cells = row["cells"]
    grid = grid_of(
        row,
        repairs,
        top_paths=tree_paths(row["top_header_tree"], axis="col", count=len(cells[0])),
        left_paths=tree_paths(row["left_header_tree"], axis="row", count=len(cells)),
    )
    return table_of(row, grid)


def _query(row: Row) -> tuple[Query, GoldHeaders | None]:
    query = Query(id=row["id"], text=row["question"], answers=list(row["answers"]))
    candidates = cell_list(row["answer_cell_candidates"])
    if len(candidates) != 1:
        return query, None
    return query, GoldHeaders(
        query_id=row["id"],
        table_id=row["table_id"],
        top=cells_on(row["gold_top_paths"]),
        left=cells_on(row["gold_left_paths"]),
        answer_cells=candidates,
    )
