"""InfoTabs: statements about Wikipedia infoboxes; three test sets of rising difficulty."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, grid_of, read_splits, table_of
from tabrag.types import Query, Table

NAME = "InfoTabs"
LICENCE = "apache-2.0"
CITATION = "Gupta et al., INFOTABS: Inference on Tables as Semi-structured Data, ACL 2020"
URL = "https://github.com/infotabs/infotabs"
NOTE = (
    "Test splits: test_alpha1 (like training), test_alpha2 (adversarial statements), test_alpha3 (other "
    "domains); "
    "published results name each, so there is no joint test split."
)
_LABELS = {"entail": "SUPPORTED", "contradict": "REFUTED", "neutral": "NOT ENOUGH INFO"}


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read the data set from the folder of its normalised copy; ``limit`` keeps that many tables."""
    return read_splits(
        folder,
        card=Card(name=NAME, licence=LICENCE, citation=CITATION, url=URL, note=NOTE),
        splits=("train", "dev", "test_alpha1", "test_alpha2", "test_alpha3"),
        make_table=_table,
        make_query=_query,
        limit=limit,
    )


def _table(row: Row, repairs: Counter[str]) -> Table:
    return table_of(row, grid_of(row, repairs))


def _query(row: Row) -> tuple[Query, None]:
    return Query(id=row["id"], text=row["statement"], task="verify", label=_LABELS[row["label"]]), None
