"""One pool of several data sets: their tables as one corpus, their questions by common splits.

Rules, in this order; what each one did is counted by data set and split:

1. Ids get the data set before them (``hitab/12``); queries and tables name their data set.
2. *Merged*: tables with the same titles and cells (:mod:`tabrag.data.content`) become the first of them. The
   others' ids stand in its metadata, and their queries are judged on it. Same cells under other titles stay
   apart.
3. *Names nothing*: queries that name nothing of their table are dropped; see :mod:`tabrag.data.answerable`.
4. *Seen*: a dev query is dropped where its table is one of a test query, or nearly the same by its cells (see
   :mod:`tabrag.data.near_duplicates`); a training query where its table is so for a test query or a dev query
   that is left. Names of pages play no part. The tables stay in the pool.

All tables are in memory at once: 1.3 GiB for 39,000 tables and 185,000 queries.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tabrag.data.answerable import MAX_TABLES, WordIndex
from tabrag.data.content import table_digest
from tabrag.data.dataset import Dataset, NearDuplicates
from tabrag.data.near_duplicates import near_duplicates
from tabrag.types import GoldHeaders, Qrels, Query, Table

SPLITS = ("train", "dev", "test")

READ, NAMES_NOTHING, SEEN_IN_TEST, SEEN_IN_DEV, KEPT = "read", "names nothing", "test", "dev", "kept"
RULES = (READ, NAMES_NOTHING, SEEN_IN_TEST, SEEN_IN_DEV, KEPT)
"""What is counted of queries: those of the sources, dropped by each rule, and left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A data set that goes into a pool.

    Attributes:
        name: Stands before its ids.
        data: What its source gave.
        splits: Its splits -> those of the pool; queries of others are left out.
    """

    name: str
    data: Dataset
    splits: Mapping[str, str] = field(default_factory=lambda: {split: split for split in SPLITS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What :func:`make_pool` gives.

    Attributes:
        tables: The tables that are left, in the order of the parts.
        queries: The queries that are left.
        qrels: Split -> query -> table -> grade.
        gold_headers: As in the parts.
        near_duplicates: Of the tables that are left.
        query_counts: (data set, split, one of :data:`RULES`) -> queries.
        table_counts: (data set, ``read``, ``merged`` or ``kept``) -> tables.
    """

    tables: list[Table]
    queries: list[Query]
    qrels: dict[str, Qrels]
    gold_headers: list[GoldHeaders]
    near_duplicates: list[NearDuplicates]
    query_counts: Counter[tuple[str, str, str]]
    table_counts: Counter[tuple[str, str]]


def make_pool(parts: Sequence[Part], *, max_tables: int = MAX_TABLES) -> Pool:
    """Pool data sets by the rules of this module.

    Args:
        parts: Data sets with different names.
        max_tables: See :func:`tabrag.data.answerable.WordIndex.names_its_table`.
    """
    from tqdm import tqdm

    read: list[Table] = []
    for part in parts:
        tables = tqdm(part.data.tables, desc=f"read {part.name}", unit=" tables", mininterval=1.0)
        read += (_named(table, part.name) for table in tables)
    tables, kept_id = merge_identical(read)
    similar = near_duplicates(tables)
    queries, qrels = _queries(parts, kept_id)

    counts: Counter[tuple[str, str, str]] = Counter()

    def drop(split: str, dropped: Collection[str], rule: str) -> None:
        counts.update((queries[query_id].data_set, split, rule) for query_id in dropped)
        for query_id in dropped:
            del qrels[split][query_id]

    for split, judged in qrels.items():
        counts.update((queries[query_id].data_set, split, READ) for query_id in judged)
    words = WordIndex(tqdm(tables, desc="words of tables", unit=" tables", mininterval=1.0))
    for split, judged in qrels.items():
        progress = tqdm(judged.items(), desc=f"queries of {split}", unit=" queries", mininterval=1.0)
        unnamed = [
            query_id
            for query_id, grades in progress
            if not any(
                words.names_its_table(queries[query_id].text, item, max_tables=max_tables) for item in grades
            )
        ]
        drop(split, unnamed, NAMES_NOTHING)
    neighbours = _neighbours(similar)
    drop("dev", seen(qrels["dev"], qrels["test"], neighbours), SEEN_IN_TEST)
    drop("train", seen(qrels["train"], qrels["test"], neighbours), SEEN_IN_TEST)
    drop("train", seen(qrels["train"], qrels["dev"], neighbours), SEEN_IN_DEV)
    for split, judged in qrels.items():
        counts.update((queries[query_id].data_set, split, KEPT) for query_id in judged)

    left = {query_id for judged in qrels.values() for query_id in judged}
    gold = [
        replace(
            item, query_id=f"{part.name}/{item.query_id}", table_id=kept_id[f"{part.name}/{item.table_id}"]
        )
        for part in parts
        for item in part.data.gold_headers
        if f"{part.name}/{item.query_id}" in left
    ]
    table_counts = Counter((table.metadata["data_set"], "read") for table in read)
    table_counts.update((table.metadata["data_set"], "kept") for table in tables)
    for name in {name for name, _ in table_counts}:
        table_counts[name, "merged"] = table_counts[name, "read"] - table_counts[name, "kept"]
    return Pool(
        tables=tables,
        queries=[query for query in queries.values() if query.id in left],
        qrels=qrels,
        gold_headers=gold,
        near_duplicates=similar,
        query_counts=counts,
        table_counts=table_counts,
    )


def merge_identical(tables: Iterable[Table]) -> tuple[list[Table], dict[str, str]]:
    """Merge tables with the same titles and cells.

    Returns:
        The first table of each kind, with the ids of the others as a JSON list in ``metadata["merged"]``, and
        the id of the table that stands for each id.
    """
    members: defaultdict[bytes, list[Table]] = defaultdict(list)
    for table in tables:
        members[table_digest(table)].append(table)
    merged, kept_id = [], {}
    for first, *others in members.values():
        kept_id |= {table.id: first.id for table in (first, *others)}
        ids = {"merged": json.dumps([table.id for table in others], ensure_ascii=False)} if others else {}
        merged.append(replace(first, metadata=first.metadata | ids))
    return merged, kept_id


def seen(judged: Qrels, held_out: Qrels, neighbours: Mapping[str, Collection[str]]) -> list[str]:
    """The queries of ``judged`` with a table that ``held_out`` judges, or a neighbour of one."""
    tables = {item for grades in held_out.values() for item in grades}
    tables.update(*(neighbours.get(item, ()) for item in tables))
    return [query_id for query_id, grades in judged.items() if not tables.isdisjoint(grades)]


def _named(table: Table, name: str) -> Table:
    return replace(table, id=f"{name}/{table.id}", metadata={"data_set": name} | table.metadata)


def _queries(parts: Iterable[Part], kept_id: Mapping[str, str]) -> tuple[dict[str, Query], dict[str, Qrels]]:
    """The queries of the splits that the pool takes, by their new ids, and their judgements."""
    queries: dict[str, Query] = {}
    qrels: dict[str, Qrels] = {split: {} for split in SPLITS}
    for part in parts:
        texts = {query.id: query for query in part.data.queries}
        for split, pool_split in part.splits.items():
            for query_id, grades in part.data.qrels.get(split, {}).items():
                new_id = f"{part.name}/{query_id}"
                queries[new_id] = replace(texts[query_id], id=new_id, data_set=part.name)
                judged: dict[str, int] = {}
                for item, grade in grades.items():  # merged tables keep the best of their grades
                    kept = kept_id[f"{part.name}/{item}"]
                    judged[kept] = max(grade, judged.get(kept, grade))
                qrels[pool_split][new_id] = judged
    return queries, qrels


def _neighbours(groups: Iterable[NearDuplicates]) -> dict[str, set[str]]:
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for group in groups:
        if group.kind == "cells":
            for item in group.table_ids:
                neighbours[item].update(group.table_ids)
    return neighbours
