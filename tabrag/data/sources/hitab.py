"""HiTab: questions over hierarchical tables of statistical reports, with annotated header trees.

The test questions keep the wording that published results used, not the later corrections.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, cell_list, cells_on, grid_of, read_splits, table_of, tree_paths
from tabrag.types import GoldHeaders, Query, Table

NAME = "HiTab"
LICENCE = "c-uda"
CITATION = (
    "Cheng et al., HiTab: A Hierarchical Table Dataset for Question Answering and Natural Language "
    "Generation, ACL 2022"
)
URL = "https://github.com/microsoft/HiTab"
NOTE = (
    "Gold headers are all cells on the header paths of the cells that a question links to. Test questions "
    "and "
    "answers are the original ones, which published results used."
)


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read the data set from the folder of its normalised copy; ``limit`` keeps that many tables."""
    return read_splits(
        folder,
        card=Card(name=NAME, licence=LICENCE, citation=CITATION, url=URL, note=NOTE),
        splits=("train", "dev", "test"),
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
    return table_of(row, grid, source=row.get("source", ""))


def _query(row: Row) -> tuple[Query, GoldHeaders]:
    gold = GoldHeaders(
        query_id=row["id"],
        table_id=row["table_id"],
        top=cells_on(row["gold_top_paths"]),
        left=cells_on(row["gold_left_paths"]),
        answer_cells=cell_list(row["answer_cells"]),
        formula="; ".join(str(formula) for formula in row.get("answer_formulas") or []) or None,
    )
    return Query(id=row["id"], text=row["question"], answers=[str(answer) for answer in row["answers"]]), gold
