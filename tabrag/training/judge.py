"""How good a retriever is while it trains: the dense ranking of the dev queries, without an index folder."""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.data.folder import DataFolder
from tabrag.evaluation.ranking import evaluate
from tabrag.index.exact import ExactIndex
from tabrag.inference.encode import encode
from tabrag.models.retriever import Retriever
from tabrag.representations import build
from tabrag.training.config import DevConfig
from tabrag.types import Candidate, Entry, Run


def judge(retriever: Retriever, folder: DataFolder, dev: DevConfig, *, split: str) -> dict[str, float]:
    """Figures of the dense retriever alone; the same on every process.

    Args:
        retriever: The model.
        folder: Data set folder.
        dev: Which queries and items.
        split: Split of the queries.

    Returns:
        ``Hit@1``, ``Hit@5``, ``Hit@10``, ``Hit@50`` and ``MRR@10``, 0..1.
    """
    judged_qrels = folder.qrels(split).items()
    qrels = {query_id: grades for query_id, grades in judged_qrels if max(grades.values()) > 0}
    step = max(1, len(qrels) // dev.max_queries) if dev.max_queries else 1
    qrels = dict(list(qrels.items())[::step])
    ids: Sequence[str] = folder.tables.ids
    if dev.pool == "judged":
        judged = {item_id for grades in qrels.values() for item_id in grades}
        ids = [item_id for item_id in ids if item_id in judged]
    represent = build(retriever.representation)
    items = [entry for item_id in ids for entry in represent(folder.tables[item_id], folder=folder.path)]
    queries = [Entry(id=query_id, item_id=query_id, text=folder.queries[query_id].text) for query_id in qrels]
    index = ExactIndex().build(encode(retriever.item, items))
    scores, rows = index.search(encode(retriever.query, queries), dev.depth)
    run: Run = {}
    for query, line, places in zip(queries, scores.tolist(), rows.tolist(), strict=True):
        best: dict[str, float] = {}
        for score, place in zip(line, places, strict=True):
            best.setdefault(items[place].item_id, score)
        run[query.id] = [Candidate(item_id=key, score=value, stage="dense") for key, value in best.items()]
    figures = evaluate(run, qrels, ks=(1, 5, 10, 50))
    return {name: float(figures[name]) for name in ("Hit@1", "Hit@5", "Hit@10", "Hit@50", "MRR@10")}
