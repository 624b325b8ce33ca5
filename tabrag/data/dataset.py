"""What a source gives: tables, queries, judgements and the card, before they become a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from tabrag.data.card import Card
from tabrag.types import Document, GoldEvidence, GoldHeaders, Qrels, Query, Table


class LazyTables(Iterable[Table]):
    """Tables that are read anew each time they are iterated, so that a large source needs little memory."""

    def __init__(self, read: Callable[[], Iterator[Table]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Table]:
        return self._read()


class LazyDocuments(Iterable[Document]):
    """Documents that are read anew each time they are iterated."""

    def __init__(self, read: Callable[[], Iterator[Document]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[Document]:
        return self._read()


@dataclass(frozen=True, slots=True, kw_only=True)
class NearDuplicates:
    """Tables that are hard or impossible to tell apart.

    Attributes:
        kind: ``cells`` (nearly the same cells) or ``headers`` (same title and headers, other figures).
        table_ids: Two or more tables.
        similarity: 0..1; see :mod:`tabrag.data.near_duplicates`.
    """

    kind: str
    table_ids: tuple[str, ...]
    similarity: float


@dataclass(kw_only=True)
class Dataset:
    """A data set as a source gives it.

    Attributes:
        card: Name, licence and citation.
        tables: The tables; may be lazy.
        queries: Questions and statements of all splits.
        qrels: Judgements by split.
        gold_headers: Relevant headers and answer cells, where known.
        evidence: What each question rests on, where known.
        failed: What could not be read, as ``{"file", "reason"}``; with ``"status": "partial"`` where the rest
            of the file is there.
        repairs: How often a rule had to mend the source's data, by rule; complete once ``tables`` has been
            iterated.
        near_duplicates: Tables that are nearly the same, where a source looked for them.
        documents: The documents that tables stand in, or none; may be lazy. Queries can be judged on them.
    """

    card: Card
    tables: Iterable[Table]
    queries: list[Query] = field(default_factory=list)
    qrels: dict[str, Qrels] = field(default_factory=dict)
    gold_headers: list[GoldHeaders] = field(default_factory=list)
    evidence: list[GoldEvidence] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    repairs: Counter[str] = field(default_factory=Counter)
    near_duplicates: list[NearDuplicates] = field(default_factory=list)
    documents: Iterable[Document] = ()


def without_tables(data: Dataset, table_ids: Collection[str]) -> Dataset:
    """The data set without some tables, the judgements on them, and the queries that have no other judgement.

    Queries that were in no split before stay, and documents without the blocks that name those tables.
    """
    if not table_ids:
        return data
    judged = {query_id for qrels in data.qrels.values() for query_id in qrels}
    qrels = {
        split: {
            query_id: kept
            for query_id, grades in judgements.items()
            if (kept := {item: grade for item, grade in grades.items() if item not in table_ids})
        }
        for split, judgements in data.qrels.items()
    }
    left = {query_id for judgements in qrels.values() for query_id in judgements}
    return replace(
        data,
        tables=LazyTables(lambda: (table for table in data.tables if table.id not in table_ids)),
        documents=data.documents and LazyDocuments(lambda: _without_blocks(data.documents, table_ids)),
        queries=[query for query in data.queries if query.id in left or query.id not in judged],
        qrels=qrels,
        gold_headers=[gold for gold in data.gold_headers if gold.table_id not in table_ids],
        near_duplicates=[
            replace(group, table_ids=kept)
            for group in data.near_duplicates
            if len(kept := tuple(item for item in group.table_ids if item not in table_ids)) > 1
        ],
    )


def _without_blocks(documents: Iterable[Document], table_ids: Collection[str]) -> Iterator[Document]:
    for document in documents:
        yield replace(document, blocks=[block for block in document.blocks if block.table not in table_ids])
