"""How good a retriever is while it trains: the dense ranking of the dev queries, without an index folder."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tabrag import distributed
from tabrag.data.folder import DataFolder
from tabrag.evaluation.ranking import evaluate_queries
from tabrag.index.exact import ExactIndex
from tabrag.index.items import search_items
from tabrag.inference.encode import encode
from tabrag.models.retriever import Retriever
from tabrag.representations import build, entries_of, item_kind
from tabrag.training.config import DevConfig
from tabrag.types import Candidate, Entry, Run

_NAMES = ("Hit@1", "Hit@5", "Hit@10", "Hit@50", "MRR@10")


def judge(retriever: Retriever, folder: DataFolder, dev: DevConfig, *, split: str) -> dict[str, float]:
    """Figures of the dense retriever alone; the same on every process.

    Args:
        retriever: The model.
        folder: Data set folder.
        dev: Which queries and items.
        split: Split of the queries.

    Returns:
        ``Hit@1``, ``Hit@5``, ``Hit@10``, ``Hit@50`` and ``MRR@10``, 0..1, over all queries; see
        :func:`by_data_set` for what comes on top where they are of several data sets.
    """
    judged_qrels = folder.qrels(split).items()
    qrels = {query_id: grades for query_id, grades in judged_qrels if max(grades.values()) > 0}
    step = max(1, len(qrels) // dev.max_queries) if dev.max_queries else 1
    qrels = dict(list(qrels.items())[::step])
    of_tables = item_kind(retriever.representation) == "table"
    ids: Sequence[str] = folder.tables.ids if of_tables else folder.documents.ids
    if dev.pool == "judged":
        judged = {item_id for grades in qrels.values() for item_id in grades}
        ids = [item_id for item_id in ids if item_id in judged]
    represent = build(retriever.representation, measure=retriever.item.inputs)

    def of_item(item_id: str) -> list[Entry]:
        return entries_of(represent, folder.items[item_id], folder=folder.path)

    items = [entry for made in distributed.shared_stream(of_item, ids) for entry in made]
    queries = [Entry(id=query_id, item_id=query_id, text=folder.queries[query_id].text) for query_id in qrels]
    found = search_items(
        ExactIndex(metric=retriever.metric).build(encode(retriever.item, items)).search,
        encode(retriever.query, queries),
        dev.depth,
        item_of=lambda row: items[row].item_id,
        num_entries=len(items),
        num_items=len(ids),
    )
    run: Run = {
        query.id: [Candidate(item_id=item_id, score=score, stage="dense") for item_id, score in hits]
        for query, hits in zip(queries, found, strict=True)
    }
    figures = evaluate_queries(run, qrels, ks=(1, 5, 10, 50))
    return by_data_set(figures, {query_id: folder.queries[query_id].data_set for query_id in figures})


def by_data_set(figures: Mapping[str, Mapping[str, float]], sets: Mapping[str, str]) -> dict[str, float]:
    """Means over all queries and, where they come from several data sets, over those of each.

    Args:
        figures: Query id -> its figures; at least one query.
        sets: Query id -> name of its data set, empty where it has none.

    Returns:
        ``MRR@10`` and the other figures over all queries; with several sets also ``MRR@10/SET`` and so on,
        and ``MRR@10/mean``, the mean over the sets, in which a small set counts as much as a large one.
    """
    members: dict[str, list[str]] = {}
    for query_id in figures:
        members.setdefault(sets[query_id] or "unnamed", []).append(query_id)
    means = _means(figures, list(figures))
    if len(members) == 1:
        return means
    by_set = {name: _means(figures, members[name]) for name in sorted(members)}
    for name, values in by_set.items():
        means |= {f"{figure}/{name}": value for figure, value in values.items()}
    means["MRR@10/mean"] = math.fsum(values["MRR@10"] for values in by_set.values()) / len(by_set)
    return means


def _means(figures: Mapping[str, Mapping[str, float]], query_ids: Sequence[str]) -> dict[str, float]:
    return {
        name: math.fsum(figures[query_id][name] for query_id in query_ids) / len(query_ids) for name in _NAMES
    }
