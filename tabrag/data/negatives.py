"""Hard negatives from runs: tables that a retriever takes for the relevant one, without those that are.

For each training query, the first of these rules that fits a candidate drops it:

==================  ==================================================================================
``positive``        judged relevant in any split to this query, or to another one of the same text
``same_content``    the cells of such a table (see :func:`tabrag.data.content.content_digest`)
``skipped``         one of the first ``skip`` ranks; candidates dropped so far take up no rank
``margin``          scores so near to the relevant table, or above it, that it may be relevant too (see
                    :func:`tabrag.data.candidates.too_near`)
``answer``          holds the answers of the question (see :mod:`tabrag.data.answer_cells`)
``near_duplicate``  most of its cell texts are those of a relevant table
==================  ==================================================================================

The first ``num_negatives`` that are left, by rank, are the negatives. Scores of different runs cannot be
compared: runs are mixed by rank, and a margin holds within each run. All that is written follows from
ranks, and scores equal up to a tolerance are ordered by id, so that a run made on another device gives the
same file.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tabrag.config import to_dict
from tabrag.data.answer_cells import answer_keys, cell_keys
from tabrag.data.candidates import in_order, mixed, too_near
from tabrag.data.config import MiningConfig
from tabrag.data.content import content_digest
from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.evaluation.answers import normalise
from tabrag.evaluation.ranking import check_qrels
from tabrag.evaluation.runs import RunFile, run_record
from tabrag.files import write_json, write_jsonl
from tabrag.types import Candidate, Query, Table

logger = logging.getLogger(__name__)

RULES = ("positive", "same_content", "skipped", "margin", "answer", "near_duplicate")
_KEPT_TABLES = 10_000
"""Tables whose cell values are kept in memory: those of a large corpus would not fit."""


def mine_negatives(
    config: MiningConfig, *, data: str | Path, split: str, runs: Sequence[str | Path], out: str | Path
) -> dict[str, Any]:
    """Write a run file of hard negatives, which ``data.negatives`` of the trainer reads, and a report.

    A negative's score is 1 / its rank in the mixed runs. The report lies beside ``out``, as
    ``NAME.report.json``.

    Args:
        config: How negatives are chosen.
        data: Data set folder.
        split: Split of the queries.
        runs: Run files over these queries.
        out: The run file to write.

    Returns:
        The report: ``queries``, ``negatives``, ``short`` (queries with fewer negatives than asked for),
        ``without`` (with none), ``dropped`` (candidates by rule), ``unranked`` and ``without_positive`` (for
        each run, queries that it lacks, and queries of which it names no relevant table), ``seconds``.

    Raises:
        UserError: A run is broken, names an unknown table, or knows none of the queries.
    """
    from tqdm import tqdm

    if not runs:
        raise UserError("name at least one run file to mine: runs")
    start = time.perf_counter()
    miner = Miner(DataFolder(data), config, split=split, runs=[RunFile(run) for run in runs])

    def records() -> Iterator[dict[str, Any]]:
        for query_id in tqdm(miner.query_ids, desc="mine", disable=len(miner.query_ids) < 1000):
            yield run_record(query_id, miner(query_id))

    write_jsonl(out, records())
    figures = {**miner.report(), "seconds": round(time.perf_counter() - start, 3)}
    settings = {"data": str(data), "split": split, "runs": list(map(str, runs)), **to_dict(config)}
    write_json(Path(out).with_suffix(".report.json"), {**figures, "settings": settings})
    return figures


def _values(folder: DataFolder, item_id: str) -> frozenset[str]:
    """The values in the cells of a table, or of all tables of a document."""
    item = folder.items[item_id]
    ids = [item_id] if isinstance(item, Table) else list(item.tables)
    return frozenset().union(*(cell_keys(folder.tables.record(table_id)) for table_id in ids))


class Miner:
    """Chooses the negatives of one query after the other, and counts what it drops.

    Args:
        folder: Data set folder.
        config: How negatives are chosen.
        split: Split of the queries.
        runs: For each run, query id -> candidates.

    Attributes:
        query_ids: The queries of the split that have a relevant table, in the order of the judgements.

    Raises:
        UserError: The split has no such query, or no run knows one.
    """

    def __init__(
        self,
        folder: DataFolder,
        config: MiningConfig,
        *,
        split: str,
        runs: Sequence[Mapping[str, list[Candidate]]],
    ) -> None:
        self.folder = folder
        self.config = config
        self.runs = runs
        judged = folder.qrels(split)
        self.query_ids = [query_id for query_id, grades in judged.items() if max(grades.values()) >= 1]
        if not any(query_id in run for query_id in self.query_ids for run in runs):
            raise UserError(
                f"the runs hold no query with a relevant table of split '{split}' of {folder.path}: "
                f"make them with  infer/retrieve.py --data={folder.path} --split={split}"
            )
        self._relevant = self._relevant_by_text()
        self._dropped: Counter[str] = Counter()
        self._num_negatives: Counter[int] = Counter()
        self._unranked = [0] * len(runs)
        self._without_positive = [0] * len(runs)
        self._first_short = ""
        self._contents: dict[str, bytes] = {}
        self._cells = lru_cache(maxsize=_KEPT_TABLES)(lambda item_id: _values(folder, item_id))

    def __call__(self, query_id: str) -> list[Candidate]:
        """The negatives of one query, hardest first; their scores are 1 / rank."""
        query = self.folder.queries[query_id]
        relevant = self._relevant[_text_key(query)]
        rankings: list[list[str]] = []
        near: set[str] = set()
        found: set[str] = set()
        for number, run in enumerate(self.runs):
            self._unranked[number] += query_id not in run
            scores = self._scores(run.get(query_id, ()), query_id)
            if scores and not scores.keys() & relevant:
                self._without_positive[number] += 1
            near |= too_near(scores, relevant, self.config)
            found |= scores.keys()
            ranking = in_order(scores, tolerance=self.config.tolerance)
            rankings.append([item_id for item_id in ranking if item_id not in relevant])
        self._dropped["positive"] += len(found & relevant)

        chosen: list[Candidate] = []
        rank = 0
        contents = {self._content(item_id) for item_id in relevant}
        answers = (
            answer_keys(query.answers) if self.config.drop_answers and query.task == "qa" else frozenset()
        )
        for item_id in mixed(rankings, self.config):
            if rank == self.config.depth or len(chosen) == self.config.num_negatives:
                break
            if self._content(item_id) in contents:
                self._dropped["same_content"] += 1
                continue
            rank += 1
            if rule := self._fault(item_id, rank, relevant, near, answers):
                self._dropped[rule] += 1
            else:
                chosen.append(Candidate(item_id=item_id, score=1 / rank, stage="mined"))
        self._num_negatives[len(chosen)] += 1
        if len(chosen) < self.config.num_negatives:
            self._first_short = self._first_short or query_id
        return chosen

    def report(self) -> dict[str, Any]:
        """Counts over the queries so far, see :func:`mine_negatives`; a warning where some came out short."""
        asked, found = self.config.num_negatives, self._num_negatives
        queries = found.total()
        short = sum(count for size, count in found.items() if size < asked)
        if short:
            dropped = ", ".join(f"{rule} {self._dropped[rule]}" for rule in RULES if self._dropped[rule])
            logger.warning(
                "%d of %d queries have fewer than %d negatives, the first is '%s': make deeper runs, "
                "raise depth, or drop less (dropped: %s)",
                *(short, queries, asked, self._first_short, dropped or "none"),
            )
        return {
            "queries": queries,
            "negatives": sum(size * count for size, count in found.items()),
            "short": short,
            "without": found[0],
            "dropped": {rule: self._dropped[rule] for rule in RULES},
            "unranked": self._unranked,
            "without_positive": self._without_positive,
        }

    def _fault(
        self, item_id: str, rank: int, relevant: set[str], near: set[str], answers: frozenset[str]
    ) -> str:
        """The rule that drops a candidate, or an empty text."""
        if rank <= self.config.skip:
            return "skipped"
        if item_id in near:
            return "margin"
        if answers and answers <= self._cells(item_id):
            return "answer"
        limit = self.config.near_duplicates
        if limit is not None and any(self._overlap(item_id, other) >= limit for other in relevant):
            return "near_duplicate"
        return ""

    def _relevant_by_text(self) -> dict[str, set[str]]:
        """Text of a query -> tables relevant to a query of that text in any split."""
        relevant: dict[str, set[str]] = {}
        for split in self.folder.splits:
            qrels = self.folder.qrels(split)
            check_qrels(qrels, query_ids=self.folder.queries, item_ids=self.folder.items.ids)
            for query_id, grades in qrels.items():
                items = {item_id for item_id, grade in grades.items() if grade >= 1}
                relevant.setdefault(_text_key(self.folder.queries[query_id]), set()).update(items)
        return relevant

    def _scores(self, candidates: Sequence[Candidate], query_id: str) -> dict[str, float]:
        """Item -> its best score."""
        scores: dict[str, float] = {}
        for candidate in candidates:
            if candidate.item_id not in self.folder.items:
                raise UserError(
                    f"candidate '{candidate.item_id}' of query '{query_id}' is not an item of "
                    f"{self.folder.path}: make the run over this corpus"
                )
            scores[candidate.item_id] = max(candidate.score, scores.get(candidate.item_id, candidate.score))
        return scores

    def _content(self, item_id: str) -> bytes:
        if item_id not in self._contents:
            record = self.folder.items.record(item_id)
            self._contents[item_id] = content_digest(record, folder=self.folder.path, titles=False)
        return self._contents[item_id]

    def _overlap(self, item_id: str, other_id: str) -> float:
        cells, others = self._cells(item_id), self._cells(other_id)
        return len(cells & others) / max(1, len(cells | others))


def _text_key(query: Query) -> str:
    return normalise(query.text)
