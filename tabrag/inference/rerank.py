"""The stage after retrieval: candidates in the order of how likely they hold the answer.

``pointwise``: a score is a probability, 0..1: ``sigmoid(scale * (s - rank_weight * ln(rank)) + bias)`` over
a model's log-odds ``s`` and the rank before, with numbers that the dev split chose; behind runs of the stage
that it chose them for, the score before can count too (:class:`tabrag.models.blend.Blend`). For a language
model ``s`` is ``log P(True) - log P(False)`` at the first position of its reply, so that with the blend off
P(True) is the two-way softmax ``P(True) / (P(True) + P(False))`` of TabRAG (Xu et al., 2026, section 3.2).
``listwise``: the model names the best candidates in one call, and a score is 1 / rank. ``graded``: the mean
of a model's grade from 0 to 1 and the score before (:mod:`tabrag.inference.grading`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tabrag.chat.grading import GRADING_VERSION
from tabrag.chat.listwise import LISTWISE_VERSION
from tabrag.chat.open import open_chat, refuse_text_alone
from tabrag.chat.protocol import ChatModel
from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.inference.config import RerankConfig
from tabrag.inference.grading import grade_pairs, graded
from tabrag.inference.instructions import split_instructions
from tabrag.inference.listwise import order_lists
from tabrag.inference.scorers import ImagePath, PicturePath, Scorer, load_scorer
from tabrag.inference.show_items import SHOWN_VERSION, ItemShower
from tabrag.inference.view import Items, candidate_item
from tabrag.models.blend import RERANKED, Blend
from tabrag.types import Candidate, Query, Run

LISTWISE = "listwise"
_T = TypeVar("_T")


class Rerank:
    """Called with queries and their run it gives the reranked run.

    Args:
        config: The settings.
        scorer: The model, in place of the one that the settings name.
        image_path: Where a table's picture lies, for a model that sees pictures.
        picture_path: Where a document's picture lies, likewise.
        chat: An opened language model, see :func:`tabrag.inference.scorers.load_scorer`.

    Raises:
        UserError: A setting is out of range.
    """

    def __init__(
        self,
        config: RerankConfig,
        *,
        scorer: Scorer | None = None,
        image_path: ImagePath | None = None,
        picture_path: PicturePath | None = None,
        chat: ChatModel | None = None,
    ) -> None:
        _check(config)
        self.config = config
        self._scorer = scorer
        self._image_path = image_path
        self._picture_path = picture_path
        self._chat = chat
        self._behind: Rerank | None = None
        if config.behind is not None:
            first = dataclasses.replace(
                config, checkpoint=config.behind, behind=None, mode="pointwise", rank_weight=None
            )
            self._behind = Rerank(first, image_path=image_path, picture_path=picture_path)

    def __call__(self, queries: Sequence[Query], run: Run, items: Items) -> Run:
        """The first ``depth`` candidates of each query in the model's order, the best first, then the others.

        Those beyond ``depth`` keep their stage, with scores below 0 in their order.

        Args:
            queries: The questions; instructions how to answer are left out.
            run: Their candidates.
            items: Where the candidates' tables, documents and parts are found.

        Raises:
            UserError: A candidate is not in the corpus.
        """
        if self._behind is not None:
            run = self._behind(queries, run, items)
        depth = self.config.depth
        first = {query.id: run.get(query.id, [])[:depth] for query in queries}
        rank = {"pointwise": self._pointwise, "listwise": self._listwise, "graded": self._graded}
        best = rank[self.config.mode](queries, first, items)
        return {query.id: [*best[query.id], *_below(run.get(query.id, [])[depth:])] for query in queries}

    def _pointwise(self, queries: Sequence[Query], first: Run, items: Items) -> Run:
        scores = iter(_shared(self.scorer, _pairs(queries, first, items)))
        return {query.id: self._ordered(first[query.id], scores) for query in queries}

    def _ordered(self, candidates: Sequence[Candidate], scores: Any) -> list[Candidate]:
        blend = self.blend
        chances = [
            blend.probability(next(scores), rank, gap)
            for rank, gap in enumerate(blend.gaps(candidates), start=1)
        ]
        order = sorted(range(len(candidates)), key=lambda place: (-chances[place], place))
        return [Candidate(item_id=candidates[n].item_id, score=chances[n], stage=RERANKED) for n in order]

    def _graded(self, queries: Sequence[Query], first: Run, items: Items) -> Run:
        config = self.config
        shower = ItemShower(
            config.show, config.context, self.chat.num_tokens, self._image_path, self._picture_path
        )

        def grade(pairs: Sequence[tuple[str, Item]]) -> list[float | None]:
            return grade_pairs(
                pairs, self.chat, shower, by=config.grade_by, max_new_tokens=config.max_reasoning_tokens
            )

        grades = iter(_shared(grade, _pairs(queries, first, items)))
        return {
            query.id: graded(
                first[query.id], [next(grades) for _ in first[query.id]], model_weight=config.model_weight
            )
            for query in queries
        }

    def _listwise(self, queries: Sequence[Query], first: Run, items: Items) -> Run:
        """The candidates as the model orders them in one call; scores are 1 / rank."""
        asked = [
            (
                split_instructions(query.text)[0],
                [candidate_item(items, candidate.item_id) for candidate in first[query.id]],
            )
            for query in queries
        ]

        def order(some: Sequence[tuple[str, Sequence[Item]]]) -> list[list[int] | None]:
            return order_lists(some, self.chat, context=self.config.context, num_best=self.config.num_best)

        ordered: Run = {}
        for query, places in zip(queries, _shared(order, asked), strict=True):
            candidates = first[query.id]
            best = [candidates[place] for place in places or range(len(candidates))]
            ordered[query.id] = [
                Candidate(item_id=one.item_id, score=1 / n, stage=LISTWISE) for n, one in enumerate(best, 1)
            ]
        return ordered

    @property
    def chat(self) -> ChatModel:
        """The language model of list-wise ranking and grades, opened on first use."""
        if self._chat is None:
            self._chat = open_chat(self.config.chat, self.config.server)
        return self._chat

    def open(self) -> None:
        """Load the model now.

        Raises:
            UserError: It is to be shown pictures and reads none.
        """
        if self._behind is not None:
            self._behind.open()
        model = self.scorer if self.config.mode == "pointwise" else self.chat
        if self.config.show != "text" and self.config.checkpoint is None:
            chat = getattr(model, "chat", model)
            refuse_text_alone(chat, self.config.chat.model, setting="rerank.")

    @property
    def scorer(self) -> Scorer:
        """The model of ``pointwise``, loaded on first use."""
        if self._scorer is None:
            self._scorer = load_scorer(
                self.config,
                image_path=self._image_path,
                picture_path=self._picture_path,
                chat=self._chat,
            )
        return self._scorer

    @property
    def blend(self) -> Blend:
        """How log-odds become P(True): the model's own, or by ranks alone with the weight of the settings."""
        weight = self.config.rank_weight
        own = self.scorer.blend
        return own if weight is None else dataclasses.replace(own, rank_weight=weight, scores=None)

    def settings(self) -> dict[str, Any]:
        """All that a reranked run depends on besides its queries, their candidates and tables."""
        own = self._own_settings()
        return own if self._behind is None else {**own, "behind": self._behind.settings()}

    def _own_settings(self) -> dict[str, Any]:
        config = self.config
        if config.mode == "pointwise":
            blend = dataclasses.asdict(self.blend)
            return {**self.scorer.settings(), "depth": config.depth, "blend": blend}
        used = config.chat if config.server is None else config.server
        common = {
            "mode": config.mode,
            "chat": used.identity(),
            "depth": config.depth,
            "context": dataclasses.asdict(config.context),
            "shown_version": SHOWN_VERSION,
        }
        if config.mode == "listwise":
            return {**common, "prompt_version": LISTWISE_VERSION, "num_best": config.num_best}
        length = (
            {"max_reasoning_tokens": config.max_reasoning_tokens} if config.grade_by == "generate" else {}
        )
        return {
            **common,
            "prompt_version": GRADING_VERSION,
            "show": config.show,
            "grade_by": config.grade_by,
            "model_weight": config.model_weight,
            **length,
        }


def _check(config: RerankConfig) -> None:
    if config.depth < 1:
        raise UserError(f"rerank.depth is {config.depth}: at least 1 candidate must be scored")
    if config.rank_weight is not None and config.rank_weight < 0:
        raise UserError(f"rerank.rank_weight is {config.rank_weight}: it must be 0 or more")
    if config.num_best < 1:
        raise UserError(f"rerank.num_best is {config.num_best}: the model must name at least 1 candidate")
    if not 0 <= config.model_weight <= 1:
        raise UserError(f"rerank.model_weight is {config.model_weight}: it must be from 0 to 1")
    if config.max_reasoning_tokens < 1:
        raise UserError(
            f"rerank.max_reasoning_tokens is {config.max_reasoning_tokens}: it must be at least 1"
        )
    if config.mode == "pointwise":
        return
    if config.checkpoint is not None:
        raise UserError(
            f"rerank.mode={config.mode} asks a language model as it is, chat or server: leave checkpoint out"
        )
    if config.rank_weight is not None:
        raise UserError(f"rerank.mode={config.mode} has no probabilities: leave rerank.rank_weight out")
    if config.mode == "listwise" and config.show != "text":
        raise UserError("rerank.mode=listwise shows texts: leave rerank.show out")


def _pairs(queries: Sequence[Query], first: Run, items: Items) -> list[tuple[str, Item]]:
    """Each question with each of its candidates.

    An item that several queries have is opened once: the model then also prepares it once.
    """
    names = (candidate.item_id for query in queries for candidate in first[query.id])
    opened = {name: candidate_item(items, name) for name in dict.fromkeys(names)}
    return [
        (split_instructions(query.text)[0], opened[candidate.item_id])
        for query in queries
        for candidate in first[query.id]
    ]


def _shared(work: Callable[[Sequence[Any]], Sequence[_T]], asked: Sequence[Any]) -> list[_T]:
    from tabrag import distributed  # loads torch, which settings and help must not

    return distributed.shared(work, asked)


def _below(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates that were not ranked, with scores below 0 in their order."""
    return [
        Candidate(item_id=candidate.item_id, score=-float(place), stage=candidate.stage)
        for place, candidate in enumerate(candidates, start=1)
    ]
