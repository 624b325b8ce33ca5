"""WikiTableQuestions: compositional questions over Wikipedia tables.

``test`` is the official unseen-tables set; ``seen_tables`` asks about tables that occur in training.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, grid_of, read_splits, table_of
from tabrag.types import Query, Table

NAME = "WikiTableQuestions"
LICENCE = "cc-by-sa-4.0"
CITATION = "Pasupat and Liang, Compositional Semantic Parsing on Semi-Structured Tables, ACL 2015"
URL = "https://github.com/ppasupat/WikiTableQuestions"
NOTE = (
    "The source repeats spanned texts; where it gives the spans, the text stands in the first cell of the "
    "merged "
    "region only. Split test: pristine-unseen-tables; seen_tables: pristine-seen-tables."
)


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read the data set from the folder of its normalised copy; ``limit`` keeps that many tables."""
    return read_splits(
        folder,
        card=Card(name=NAME, licence=LICENCE, citation=CITATION, url=URL, note=NOTE),
        splits=("train", "dev", "test", "seen_tables"),
        make_table=_table,
        make_query=_query,
        limit=limit,
    )


def _table(row: Row, repairs: Counter[str]) -> Table:
    return table_of(row, grid_of(row, repairs), url=row.get("url", ""))


def _query(row: Row) -> tuple[Query, None]:
    return Query(id=row["id"], text=row["question"], answers=list(row["answers"])), None
