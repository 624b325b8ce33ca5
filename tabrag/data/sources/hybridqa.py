"""HybridQA: questions over a Wikipedia table and the passages that its cells link to; part of dev.

:func:`read_linked` also reads the like-made dev part of OTT-QA for :mod:`tabrag.data.sources.docrag_open`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

from tabrag.data.card import Card
from tabrag.data.dataset import Dataset
from tabrag.data.sources.base import Row, cell_list, grid_of, rows
from tabrag.data.sources.document_base import Asked, DocumentTables, Made, document_set
from tabrag.types import Block, Document, GoldHeaders, Query, Source

NAME = "HybridQA"
LICENCE = "mit"
CITATION = (
    "Chen et al., HybridQA: A Dataset of Multi-Hop Question Answering over Tabular and Textual Data, "
    "Findings of EMNLP 2020"
)
URL = "https://github.com/wenhuchen/HybridQA"
NOTE = (
    "2,357 of the 3,466 official dev questions, all of them here as dev: train is missing and the answers of "
    "test are not released. A document is a page's introduction and section text, its table, and the "
    "passages that the table links to, in the order of the links. Questions are judged on documents. "
    "evidence is both where an answer was traced to a passage, table where only to the table."
)


def read(folder: Path, limit: int | None = None) -> Dataset:
    """Read the data set from the folder of its normalised copy; ``limit`` keeps that many documents."""
    card = Card(name=NAME, licence=LICENCE, citation=CITATION, url=URL, note=NOTE)
    return read_linked(folder, card=card, limit=limit)


def read_linked(folder: Path, *, card: Card, limit: int | None = None) -> Dataset:
    """Documents of tables with linked passages and their dev questions.

    Tables without ``links`` are left out: their passages are not in the folder.

    Args:
        folder: Holds ``tables``, ``passages`` and ``dev``; the passages stay in memory from the first
            document that is read (40 MB for 52,000).
        card: Goes into the data set.
        limit: Keep this many documents.
    """

    @cache
    def passages() -> dict[str, str]:
        return {row["id"]: row["text"] for row in rows(folder, "passages", data_set=card.name)}

    def made(kept: Collection[str] | None, repairs: Counter[str]) -> Iterator[Made]:
        for row in rows(folder, "tables", data_set=card.name):
            if row.get("links") and (kept is None or row["id"] in kept):
                yield _made(row, passages, repairs)

    questions = {"dev": [_question(row) for row in rows(folder, "dev", data_set=card.name)]}
    return document_set(card=card, made=made, questions=questions, limit=limit)


def _made(row: Row, passages: Callable[[], Mapping[str, str]], repairs: Counter[str]) -> Made:
    tables = DocumentTables(row["id"])
    section = " > ".join(row.get("section") or [])
    table_id = tables.add(lambda: grid_of(row, repairs), title=row["title"], section=section)

    def document() -> Document:
        return _document(row, section, table_id, passages())

    return Made(id=row["id"], document=document, tables=tables)


def _document(row: Row, section: str, table_id: str, passages: Mapping[str, str]) -> Document:
    blocks = [Block(kind="text", text=row[key]) for key in ("intro", "section_text") if row.get(key)]
    if section:
        blocks.insert(min(1, len(blocks)), Block(kind="heading", text=section, level=2))
    blocks.append(Block(kind="table", table=table_id))
    linked = dict.fromkeys(passage for _, _, ids in row["links"] for passage in ids)
    blocks += [Block(kind="text", text=passages[passage]) for passage in linked if passages.get(passage)]
    return Document(
        id=row["id"],
        title=row["title"],
        blocks=blocks,
        source=Source(file=row["id"]),
        metadata={"url": row.get("url") or ""},
    )


def _question(row: Row) -> Asked:
    traced = {node["where"] for node in row["answer_nodes"]}
    evidence = "both" if "passage" in traced else "table" if traced else ""
    query = Query(id=row["id"], text=row["question"], answers=list(row["answers"]), evidence=evidence)
    cells = [node["cell"] for node in row["answer_nodes"] if node["where"] == "table" and node.get("cell")]
    gold = GoldHeaders(query_id=row["id"], table_id=f"{row['table_id']}#t1", answer_cells=cell_list(cells))
    return Asked(document_id=row["table_id"], query=query, gold=lambda: gold if cells else None)
