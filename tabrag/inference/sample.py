"""Part of a data set folder for an experiment: a pool of tables and the queries that it can answer."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.inference.retrieve import select_queries
from tabrag.types import Qrels, Query


@dataclass(frozen=True)
class Sample:
    """A pool and its queries.

    Attributes:
        item_ids: Tables of the pool.
        queries: Queries, in the order of the judgements.
        qrels: Their judgements.
    """

    item_ids: Sequence[str]
    queries: list[Query]
    qrels: Qrels


def sample(folder: DataFolder, split: str, *, limit: int | None = None) -> Sample:
    """The whole folder and all queries of a split, or a smaller pool.

    A pool holds tables that the split's queries ask for, then others; among each kind an order drawn from the
    ids decides, so that a smaller pool is part of a larger one. A query counts where all its relevant tables
    are in the pool.

    Args:
        folder: The data set folder.
        split: Whose queries.
        limit: Tables of the pool; all where None.

    Raises:
        UserError: An unknown split, a limit below 1, or no query is left.
    """
    queries = select_queries(data=folder, split=split)
    qrels = folder.qrels(split)
    ids = folder.tables.ids
    if limit is None:
        return Sample(ids, queries, qrels)
    if limit < 1:
        raise UserError(f"limit is {limit}: a pool needs at least 1 table")
    relevant = {
        query_id: {item_id for item_id, grade in grades.items() if grade >= 1}
        for query_id, grades in qrels.items()
    }
    gold = set().union(*relevant.values())
    ordered = sorted(ids, key=lambda item_id: (item_id not in gold, zlib.crc32(item_id.encode()), item_id))
    pool = set(ordered[:limit])
    kept = [query for query in queries if relevant[query.id] and relevant[query.id] <= pool]
    if not kept:
        raise UserError(f"{folder.path}: {limit} tables answer no query of split '{split}': raise the limit")
    return Sample(
        [item_id for item_id in ids if item_id in pool],
        kept,
        {query.id: qrels[query.id] for query in kept},
    )
