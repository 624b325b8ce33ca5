"""The stage before retrieval: questions of a conversation made to stand alone, and step-back questions.

MM-BizRAG (Bhathena et al., arXiv 2606.04231) rewrites a question with the conversation before it;
MHier-RAG (Gong et al., arXiv 2508.00579, in its code) searches for the question together with a more general
one and words of its answer. Both can be had together.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tabrag.chat.open import open_chat
from tabrag.chat.protocol import ChatModel, Message
from tabrag.chat.rewrite import (
    REWRITE_VERSION,
    read_stand_alone,
    read_step_back,
    stand_alone_prompt,
    step_back_prompt,
)
from tabrag.errors import UserError
from tabrag.inference.antecedents import points_back
from tabrag.inference.config import RewriteConfig
from tabrag.inference.follow_ups import RULE_VERSION, stand_alone
from tabrag.inference.instructions import split_instructions
from tabrag.types import Query, Turn

logger = logging.getLogger(__name__)

BY_RULE = "the chat model's reply was no usable question: rewritten by rule"
NO_STEP_BACK = "the chat model's reply was no step-back question: searched for the question alone"


class Rewrite:
    """Called with queries it gives queries: ``text`` stands alone, ``search`` has the step-back question too.

    Queries without a conversation pass as they are, unless step-back questions are asked for. A model is
    loaded only when a query needs it.

    Args:
        config: The settings.
        chat: An opened language model, in place of the one that the settings name.

    Attributes:
        notes: Query id -> what did not go as the settings say, for the queries of the last call.

    Raises:
        UserError: A setting is out of range.
    """

    def __init__(self, config: RewriteConfig, *, chat: ChatModel | None = None) -> None:
        if config.max_turns < 1 or config.max_new_tokens < 1:
            raise UserError(
                f"rewrite.max_turns={config.max_turns}, rewrite.max_new_tokens={config.max_new_tokens}: both "
                "must be at least 1"
            )
        self.config = config
        self.notes: dict[str, list[str]] = {}
        self._chat = chat

    def __call__(self, queries: Sequence[Query]) -> list[Query]:
        """The queries in their order; instructions how to answer stay behind the question."""
        self.notes = {}
        parts = [split_instructions(query.text) for query in queries]
        asked = [question for question, _ in parts]
        histories = [query.history[-self.config.max_turns :] for query in queries]
        texts = self._stand_alone(queries, asked, histories)
        more = self._step_back(queries, texts) if self.config.step_back else [""] * len(queries)
        rewritten = []
        for row, (query, text) in enumerate(zip(queries, texts, strict=True)):
            further = [more[row]]
            if text != asked[row]:
                query = replace(query, text=f"{text} {parts[row][1]}".strip())
                if self.config.search_previous:
                    further.insert(0, split_instructions(histories[row][-1].question)[0].strip())
            if any(further):
                query = replace(
                    query, search=" ".join([query.search.strip() or text, *filter(None, further)])
                )
            rewritten.append(query)
        return rewritten

    @property
    def needs_model(self) -> bool:
        """Whether the settings ask for a language model."""
        return self.config.by == "chat" or self.config.step_back

    @property
    def chat(self) -> ChatModel:
        """The language model, opened on first use."""
        if self._chat is None:
            self._chat = open_chat(self.config.chat, self.config.server)
        return self._chat

    def settings(self) -> dict[str, Any]:
        """All that rewritten queries depend on besides the queries (JSON values)."""
        used = self.config.chat if self.config.server is None else self.config.server
        model = {
            "chat": used.identity(),
            "prompt_version": REWRITE_VERSION,
            "max_new_tokens": self.config.max_new_tokens,
        }
        return {
            "by": self.config.by,
            "step_back": self.config.step_back,
            "search_previous": self.config.search_previous,
            "max_turns": self.config.max_turns,
            "rule_version": RULE_VERSION,
            **(model if self.needs_model else {}),
        }

    def _stand_alone(
        self, queries: Sequence[Query], asked: Sequence[str], histories: Sequence[Sequence[Turn]]
    ) -> list[str]:
        texts = list(asked)
        rows = [
            row for row, history in enumerate(histories) if any(turn.question.strip() for turn in history)
        ]
        if self.config.by == "rule":
            for row in rows:
                texts[row] = stand_alone(asked[row], histories[row])
            return texts
        replies = self._replies([stand_alone_prompt(asked[row], histories[row]) for row in rows])
        for row, reply in zip(rows, replies, strict=True):
            found = read_stand_alone(reply, asked[row], histories[row])
            texts[row] = by_rule = stand_alone(asked[row], histories[row])
            # A small model says the question again, or leaves "the company" in it: whether it stands alone is
            # then for the rule to say.
            is_doubtful = found is not None and (_is_same(found, asked[row]) or points_back(found))
            if found is not None and not is_doubtful:
                texts[row] = found
            elif found is None or by_rule != asked[row]:
                self._note(queries[row], BY_RULE)
        self._tell(BY_RULE, len(rows))
        return texts

    def _step_back(self, queries: Sequence[Query], texts: Sequence[str]) -> list[str]:
        replies = self._replies([step_back_prompt(text) for text in texts])
        found = [read_step_back(reply) for reply in replies]
        for query, one in zip(queries, found, strict=True):
            if one is None:
                self._note(query, NO_STEP_BACK)
        self._tell(NO_STEP_BACK, len(queries))
        return [one or "" for one in found]

    def _replies(self, prompts: Sequence[list[Message]]) -> list[str]:
        """Replies to all prompts; each process asks for a part and all get the whole."""
        if not prompts:
            return []
        from tabrag import distributed

        def ask(own: Sequence[list[Message]]) -> list[str]:
            length = self.config.max_new_tokens
            replies = self.chat.generate_batch(own, max_new_tokens=length) if own else []
            return [reply.text for reply in replies]

        return distributed.shared(ask, prompts)

    def _note(self, query: Query, note: str) -> None:
        self.notes.setdefault(query.id, []).append(note)

    def _tell(self, note: str, total: int) -> None:
        count = sum(note in notes for notes in self.notes.values())
        if count:
            logger.warning("%d of %d queries: %s", count, total, note)


def _is_same(text: str, other: str) -> bool:
    return text.rstrip("?. ").casefold() == other.rstrip("?. ").casefold()


def query_content(query: Query, config: RewriteConfig) -> str | list[Any]:
    """What a batch job's row depends on of a query: its text and the turns that are read (JSON values)."""
    turns = [[turn.question, turn.answer] for turn in query.history[-config.max_turns :]]
    return [query.text, turns] if turns else query.text


def warn_of_history(queries: Iterable[Query]) -> None:
    """Say where conversations are not looked at."""
    count = sum(bool(query.history) for query in queries)
    if count:
        logger.warning(
            "%d queries are parts of conversations, of which only the last question is searched for: "
            "rewrite.by=rule makes them stand alone",
            count,
        )
