"""OTT-QA: open-domain questions that need a Wikipedia table and linked passages; dev questions only."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, cell_list, grid_of, read_splits, table_of
from tabrag.types import GoldHeaders, Query, Table

NAME = "OTT-QA"
LICENCE = "mit"
CITATION = "Chen et al., Open Question Answering over Tables and Text, ICLR 2021"
URL = "https://github.com/wenhuchen/OTT-QA"
NOTE = (
    "The linked passages are not part of this folder: most answers stand in them, so it serves table "
    "retrieval. "
    "answer_cells are the source's string matches of answers that stand in the table itself."
)


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read the data set from the folder of its normalised copy; ``limit`` keeps that many tables."""
    return read_splits(
        folder,
        card=Card(name=NAME, licence=LICENCE, citation=CITATION, url=URL, note=NOTE),
        splits=("dev",),
        make_table=_table,
        make_query=_query,
        limit=limit,
    )


def _table(row: Row, repairs: Counter[str]) -> Table:
    texts = {key: row.get(key) or "" for key in ("url", "intro", "section_text")}
    return table_of(row, grid_of(row, repairs), **texts)


def _query(row: Row) -> tuple[Query, GoldHeaders]:
    found = [node["cell"] for node in row["answer_nodes"] if node["where"] == "table" and node.get("cell")]
    gold = GoldHeaders(query_id=row["id"], table_id=row["table_id"], answer_cells=cell_list(found))
    return Query(id=row["id"], text=row["question"], answers=list(row["answers"])), gold
