"""The stage after retrieval: candidates in the order of P(True), how likely their table holds the answer.

A score is a probability, 0..1: ``sigmoid(scale * (s - rank_weight * ln(rank)) + bias)`` over a model's
log-odds ``s`` and the rank before, with numbers that the dev split chose
(:class:`tabrag.models.blend.Blend`). For a language model ``s`` is ``log P(True) - log P(False)`` at the
first position of its reply, so that with the blend off P(True) is the two-way softmax
``P(True) / (P(True) + P(False))`` of TabRAG (Xu et al., 2026, section 3.2).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from tabrag.chat.open import open_chat
from tabrag.chat.protocol import ChatModel
from tabrag.errors import UserError
from tabrag.inference.config import RerankConfig
from tabrag.inference.instructions import split_instructions
from tabrag.inference.view import Tables, candidate_table
from tabrag.models.blend import Blend
from tabrag.types import Candidate, Query, Run, Table

STAGE = "rerank"
ImagePath = Callable[[Table], str | Path]


class Scorer(Protocol):
    """What tells how likely tables hold answers."""

    @property
    def blend(self) -> Blend:
        """How its log-odds become P(True)."""

    def settings(self) -> dict[str, Any]:
        """All that a score depends on besides question and table (JSON values)."""

    def __call__(self, pairs: Sequence[tuple[str, Table]]) -> list[float]:
        """Log-odds of each (question, table)."""


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
        self.config = config
        self._scorer = scorer
        self._image_path = image_path
        self._chat = chat

    def __call__(self, queries: Sequence[Query], run: Run, tables: Tables) -> Run:
        """The first ``depth`` candidates of each query by P(True), the best first, then the others.

        Those beyond ``depth`` keep their stage, with scores below 0 in their order.

        Args:
            queries: The questions; instructions how to answer are left out.
            run: Their candidates.
            tables: Where the candidates' tables are found.

        Raises:
            UserError: A candidate is not in the corpus.
        """
        depth = self.config.depth
        asked = [
            (split_instructions(query.text)[0], candidate_table(tables, candidate.item_id))
            for query in queries
            for candidate in run.get(query.id, [])[:depth]
        ]
        scores = iter(self._scores(asked))
        ordered: Run = {}
        for query in queries:
            candidates = run.get(query.id, [])
            ordered[query.id] = self._ordered(candidates, [next(scores) for _ in candidates[:depth]])
        return ordered

    def _scores(self, asked: Sequence[tuple[str, Table]]) -> list[float]:
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
        rest = [
            Candidate(item_id=candidate.item_id, score=-float(place), stage=candidate.stage)
            for place, candidate in enumerate(candidates[depth:], start=1)
        ]
        return [*best, *rest]

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
        blend = dataclasses.asdict(self.blend)
        return {**self.scorer.settings(), "depth": self.config.depth, "blend": blend}


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
