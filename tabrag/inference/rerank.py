"""The stage after retrieval: candidates in the order of how likely they hold the answer.

A score is a probability, 0..1: ``sigmoid(scale * (s - rank_weight * ln(rank)) + bias)`` over a model's
log-odds ``s`` and the rank before, with numbers that the dev split chose
(:class:`tabrag.models.blend.Blend`). For a language model ``s`` is ``log P(True) - log P(False)`` at the
first position of its reply, so that with the blend off P(True) is the two-way softmax
``P(True) / (P(True) + P(False))`` of TabRAG (Xu et al., 2026, section 3.2). List-wise, the model names the
best candidates in one call, and a score is 1 / rank.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from tabrag.chat.listwise import LISTWISE_VERSION
from tabrag.chat.open import open_chat
from tabrag.chat.protocol import ChatModel
from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.inference.config import RerankConfig
from tabrag.inference.instructions import split_instructions
from tabrag.inference.view import Items, candidate_item
from tabrag.models.blend import Blend
from tabrag.types import Candidate, Query, Run, Table

STAGE = "rerank"
LISTWISE = "listwise"
ImagePath = Callable[[Table], str | Path]


class Scorer(Protocol):
    """What tells how likely tables hold answers."""

    @property
    def blend(self) -> Blend:
        """How its log-odds become P(True)."""

    def settings(self) -> dict[str, Any]:
        """All that a score depends on besides question and table (JSON values)."""

    def __call__(self, pairs: Sequence[tuple[str, Item]]) -> list[float]:
        """Log-odds of each (question, table or document)."""


class Rerank:
    """Called with queries and their run it gives the reranked run.

    Args:
        config: The settings.
        scorer: The model, in place of the one that the settings name.
        image_path: Where a table's picture lies, for a model that sees pictures.
        chat: An opened language model, see :func:`load_scorer`.

    Raises:
        UserError: A setting is out of range.
    """

    def __init__(
        self,
        config: RerankConfig,
        *,
        scorer: Scorer | None = None,
        image_path: ImagePath | None = None,
        chat: ChatModel | None = None,
    ) -> None:
        if config.depth < 1:
            raise UserError(f"rerank.depth is {config.depth}: at least 1 candidate must be scored")
        if config.rank_weight is not None and config.rank_weight < 0:
            raise UserError(f"rerank.rank_weight is {config.rank_weight}: it must be 0 or more")
        if config.num_best < 1:
            raise UserError(f"rerank.num_best is {config.num_best}: the model must name at least 1 candidate")
        if config.mode == "listwise" and config.checkpoint is not None:
            raise UserError(
                "rerank.mode=listwise asks a language model as it is, chat or server: leave checkpoint out"
            )
        if config.mode == "listwise" and (config.show != "text" or config.rank_weight is not None):
            raise UserError(
                "rerank.mode=listwise shows texts and has no probabilities: leave rerank.show and "
                "rerank.rank_weight out"
            )
        self.config = config
        self._scorer = scorer
        self._image_path = image_path
        self._chat = chat

    def __call__(self, queries: Sequence[Query], run: Run, items: Items) -> Run:
        """The first ``depth`` candidates of each query in the model's order, the best first, then the others.

        Those beyond ``depth`` keep their stage, with scores below 0 in their order.

        Args:
            queries: The questions; instructions how to answer are left out.
            run: Their candidates.
            items: Where the candidates' tables or documents are found.

        Raises:
            UserError: A candidate is not in the corpus.
        """
        depth = self.config.depth
        if self.config.mode == "listwise":
            return self._listwise(queries, run, items)
        # An item that several queries have is opened once: the model then also prepares it once.
        names = (candidate.item_id for query in queries for candidate in run.get(query.id, [])[:depth])
        opened = {name: candidate_item(items, name) for name in dict.fromkeys(names)}
        asked = [
            (split_instructions(query.text)[0], opened[candidate.item_id])
            for query in queries
            for candidate in run.get(query.id, [])[:depth]
        ]
        scores = iter(self._scores(asked))
        ordered: Run = {}
        for query in queries:
            candidates = run.get(query.id, [])
            ordered[query.id] = self._ordered(candidates, [next(scores) for _ in candidates[:depth]])
        return ordered

    def _listwise(self, queries: Sequence[Query], run: Run, items: Items) -> Run:
        """The first ``depth`` candidates as the model orders them in one call; scores are 1 / rank."""
        from tabrag import distributed
        from tabrag.inference.listwise import order_lists

        own = [
            (
                split_instructions(query.text)[0],
                [
                    candidate_item(items, candidate.item_id)
                    for candidate in run.get(query.id, [])[: self.config.depth]
                ],
            )
            for query in distributed.shard(queries)
        ]
        orders = distributed.gather_objects(
            order_lists(own, self.chat, context=self.config.context, num_best=self.config.num_best)
        )
        ordered: Run = {}
        for query, order in zip(queries, orders, strict=True):
            candidates = run.get(query.id, [])
            best = [candidates[place] for place in order or range(len(candidates[: self.config.depth]))]
            ranked = [
                Candidate(item_id=one.item_id, score=1 / n, stage=LISTWISE) for n, one in enumerate(best, 1)
            ]
            ordered[query.id] = [*ranked, *_below(candidates[self.config.depth :])]
        return ordered

    @property
    def chat(self) -> ChatModel:
        """The language model of list-wise ranking, opened on first use."""
        if self._chat is None:
            self._chat = open_chat(self.config.chat, self.config.server)
        return self._chat

    def open(self) -> None:
        """Load the model now."""
        _ = self.chat if self.config.mode == "listwise" else self.scorer

    def _scores(self, asked: Sequence[tuple[str, Item]]) -> list[float]:
        """Log-odds of all pairs; each process scores a part and all get the whole."""
        from tabrag import distributed

        own: list[float] = []
        faults: list[UserError] = []
        try:
            own = self.scorer(distributed.shard(asked))
        except UserError as error:
            faults = [error]  # told to all processes: one that left alone would leave the others waiting
        for fault in distributed.gather_objects(faults):
            raise fault
        return distributed.gather_objects(own)

    def _ordered(self, candidates: Sequence[Candidate], scores: Sequence[float]) -> list[Candidate]:
        blend, depth = self.blend, len(scores)
        chances = [blend.probability(score, rank) for rank, score in enumerate(scores, start=1)]
        order = sorted(range(depth), key=lambda place: (-chances[place], place))
        best = [Candidate(item_id=candidates[n].item_id, score=chances[n], stage=STAGE) for n in order]
        return [*best, *_below(candidates[depth:])]

    @property
    def scorer(self) -> Scorer:
        """The model, loaded on first use."""
        if self._scorer is None:
            self._scorer = load_scorer(self.config, image_path=self._image_path, chat=self._chat)
        return self._scorer

    @property
    def blend(self) -> Blend:
        """How log-odds become P(True): the model's own, or with the weight that the settings give."""
        weight = self.config.rank_weight
        own = self.scorer.blend
        return own if weight is None else dataclasses.replace(own, rank_weight=weight)

    def settings(self) -> dict[str, Any]:
        """All that a reranked run depends on besides its queries, their candidates and tables."""
        if self.config.mode == "listwise":
            used = self.config.chat if self.config.server is None else self.config.server
            return {
                "mode": "listwise",
                "chat": used.identity(),
                "prompt_version": LISTWISE_VERSION,
                "depth": self.config.depth,
                "num_best": self.config.num_best,
                "context": dataclasses.asdict(self.config.context),
            }
        blend = dataclasses.asdict(self.blend)
        return {**self.scorer.settings(), "depth": self.config.depth, "blend": blend}


def _below(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates that were not ranked, with scores below 0 in their order."""
    return [
        Candidate(item_id=candidate.item_id, score=-float(place), stage=candidate.stage)
        for place, candidate in enumerate(candidates, start=1)
    ]


def load_scorer(
    config: RerankConfig, *, image_path: ImagePath | None = None, chat: ChatModel | None = None
) -> Scorer:
    """The reranker that the settings name.

    Args:
        config: The settings.
        image_path: Where a table's picture lies.
        chat: An opened language model to use, in place of the one that the settings name.

    Raises:
        UserError: The checkpoint is no reranker, or the device is not there.
    """
    from tabrag.inference.chat_scorer import ChatPairScorer

    if config.checkpoint is None:
        used = config.chat if config.server is None else config.server
        return ChatPairScorer(
            chat or open_chat(config.chat, config.server),
            show=config.show,
            context=config.context,
            image_path=image_path,
            identity={"chat": used.identity()},
        )
    from tabrag.models.chat_files import FILE as CHAT_FILE
    from tabrag.models.cross_encoder import FILE as CROSS_FILE
    from tabrag.models.io import resolve

    folder = resolve(config.checkpoint)
    if (folder / CHAT_FILE).is_file():
        served_chat = None if config.server is None else open_chat(config.chat, config.server)
        return ChatPairScorer.from_pretrained(
            folder, local=config.chat, chat=chat or served_chat, image_path=image_path
        )
    if not (folder / CROSS_FILE).is_file():
        raise UserError(f"{folder}: neither {CROSS_FILE} nor {CHAT_FILE}, so this is no reranker's folder")
    from tabrag.inference.runtime import device
    from tabrag.inference.score_pairs import PairScorer
    from tabrag.models.cross_encoder import CrossEncoder

    model = CrossEncoder.from_pretrained(folder).to(device(config.device))
    return PairScorer(model, batch_tokens=config.batch_tokens, dtype=config.dtype)
