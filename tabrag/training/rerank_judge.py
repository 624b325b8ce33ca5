"""How good a reranker is while it trains: the candidates of the dev queries, put in a new order."""

from __future__ import annotations

import logging
import statistics
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from tabrag import distributed
from tabrag.data.config import RankingDataConfig
from tabrag.data.folder import DataFolder
from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.evaluation.blending import (
    JudgedQuery,
    cross_validate,
    fit_blend,
    hit_rate,
    mean_reciprocal_rank,
    ranking_figures,
)
from tabrag.evaluation.runs import read_run
from tabrag.models.blend import Blend
from tabrag.types import Candidate

logger = logging.getLogger(__name__)

METRIC = "MRR"
"""The figure that picks the best checkpoint."""
_SAME = 1e-6


class RerankJudge:
    """Judges scores of the candidates of a dev run.

    Args:
        folder: Data set folder.
        data: Which queries and candidates; without ``dev_run`` there is nothing to judge.

    Raises:
        UserError: The run has no candidates for the dev queries.
    """

    def __init__(self, folder: DataFolder, data: RankingDataConfig) -> None:
        self.folder = folder
        self.data = data
        self.candidates = self._candidates() if data.dev_run else {}

    def _candidates(self) -> dict[str, list[Candidate]]:
        """Query id -> candidates of the dev run, best first."""
        run = read_run(self.data.dev_run)
        qrels = self.folder.qrels(self.data.dev_split)
        ids = [query_id for query_id, grades in qrels.items() if max(grades.values()) > 0]
        step = max(1, len(ids) // self.data.max_dev) if self.data.max_dev else 1
        found = {query_id: run.get(query_id, [])[: self.data.dev_depth] for query_id in ids[::step]}
        if not any(found.values()):
            raise UserError(
                f"{self.data.dev_run}: no candidates for the queries of split '{self.data.dev_split}': "
                "name a run over these, or none ('')"
            )
        return found

    def pairs(self) -> list[tuple[str, Item]]:
        """This process's share of the dev queries, each with each of its candidates."""
        return [
            (self.folder.queries[query_id].text, self.folder.items[candidate.item_id])
            for query_id, candidates in self._own()
            for candidate in candidates
        ]

    def relevant(self) -> list[bool]:
        """Whether the table of each of :meth:`pairs` is relevant."""
        qrels = self.folder.qrels(self.data.dev_split)
        return [
            qrels[query_id].get(candidate.item_id, 0) > 0
            for query_id, candidates in self._own()
            for candidate in candidates
        ]

    def __call__(self, scores: Sequence[float]) -> tuple[dict[str, float], Blend]:
        """Figures over all dev queries, and the blend that they are of; the same on every process.

        Every process calls this.

        Args:
            scores: Log-odds of this process's :meth:`pairs`.

        Returns:
            ``Hit@1``, ``Hit@5``, ``MRR`` and ``ECE`` with the blend that is chosen here; with ``held_out/``
            those of blends by ranks and scores before, each judged on queries that it was not fitted on, and
            with ``held_out/ranks/`` by ranks alone; ``before/`` of the order of the run; ``alone/Hit@1`` of
            the scores by themselves; all 0..1.
        """
        parts = distributed.gather_objects([self._judged(scores)])
        # In the order of one process: which queries a fold holds must not depend on their number.
        judged = [query for turn in zip_longest(*parts) for query in turn if query is not None]
        blend, before = fit_blend(judged), Blend(rank_weight=1e9)
        _warn_if_equal([score for query in judged for score in query.scores])
        figures = {
            **ranking_figures(judged, blend),
            **_named("held_out/", cross_validate(judged, with_scores=True)),
            **_named("held_out/ranks/", cross_validate(judged, with_scores=False)),
            "before/Hit@1": hit_rate(judged, before, k=1),
            "before/MRR": mean_reciprocal_rank(judged, before),
            "alone/Hit@1": hit_rate(judged, Blend(), k=1),
            "rank_weight": blend.rank_weight,
        }
        return figures, blend

    def _own(self) -> list[tuple[str, list[Candidate]]]:
        return list(self.candidates.items())[distributed.rank() :: distributed.world_size()]

    def _judged(self, scores: Sequence[float]) -> list[JudgedQuery]:
        values, qrels = iter(scores), self.folder.qrels(self.data.dev_split)
        return [
            JudgedQuery.of(candidates, scores=[next(values) for _ in candidates], grades=qrels[query_id])
            for query_id, candidates in self._own()
        ]


def _named(prefix: str, figures: Mapping[str, float]) -> dict[str, float]:
    return {f"{prefix}{name}": value for name, value in figures.items()}


def _warn_if_equal(scores: Sequence[float]) -> None:
    if distributed.is_main() and len(scores) > 1 and statistics.pstdev(scores) < _SAME:
        logger.warning(
            "all %d scores of the dev split are equal: the reranker tells nothing apart; look at the shares "
            "of positives and of cut tables, and at the learning rate",
            len(scores),
        )
