"""FeTaQA: questions over Wikipedia tables, answered with whole sentences.

The task is ``qa``: each query asks something; ``describe`` is for requests without a question.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, cell_list, grid_of, read_splits, table_of
from tabrag.types import GoldHeaders, Query, Table

NAME = "FeTaQA"
LICENCE = "cc-by-sa-4.0"
CITATION = "Nan et al., FeTaQA: Free-form Table Question Answering, TACL 2022"
URL = "https://github.com/Yale-LILY/FeTaQA"
NOTE = "answer_cells of headers.jsonl are the highlighted cells that an answer rests on, headers among them."


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


def _query(row: Row) -> tuple[Query, GoldHeaders]:
    evidence = GoldHeaders(
        query_id=row["id"], table_id=row["table_id"], answer_cells=cell_list(row["evidence_cells"])
    )
    return Query(id=row["id"], text=row["question"], answers=list(row["answers"])), evidence
