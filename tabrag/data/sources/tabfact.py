"""TabFact: statements about Wikipedia tables, supported or refuted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, grid_of, read_splits, table_of
from tabrag.types import Query, Table

NAME = "TabFact"
LICENCE = "mit"
CITATION = "Chen et al., TabFact: A Large-scale Dataset for Table-based Fact Verification, ICLR 2020"
URL = "https://github.com/wenhuchen/Table-Fact-Checking"
NOTE = (
    "Statements are the released tokenised, lower-cased ones; a statement is relevant to its table whether "
    "the "
    "table supports or refutes it."
)
_LABELS = {1: "SUPPORTED", 0: "REFUTED"}


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
    return table_of(row, grid_of(row, repairs), url=row.get("url", ""))


def _query(row: Row) -> tuple[Query, None]:
    return Query(id=row["id"], text=row["statement"], task="verify", label=_LABELS[row["label"]]), None
