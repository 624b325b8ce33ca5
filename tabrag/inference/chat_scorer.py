"""Log-odds of (question, table) pairs by a chat model that says True or False.

P(True) is ``P(True) / (P(True) + P(False))`` of the first reply position: the softmax over the two labels
alone, ``sigmoid(log-odds)``, as TabRAG's reranker has it (Xu et al., 2026, section 3.2). The probability of
True among all that the model could say is :func:`tabrag.chat.protocol.probabilities` with
``among="vocabulary"`` over :meth:`ChatPairScorer.log_probabilities`; it is no measure across prompts and
engines.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.prompts import RANK_LABELS, RANK_VERSION, rank_prompt
from tabrag.chat.protocol import ChatModel
from tabrag.documents.whole import Item
from tabrag.errors import UserError
from tabrag.inference.config import ContextConfig
from tabrag.inference.finite import refuse_nan
from tabrag.inference.show import Show
from tabrag.inference.show_items import SHOWN_VERSION, ItemShower
from tabrag.models.blend import Blend
from tabrag.types import Table


class ChatPairScorer:
    """Scores pairs with a chat model, all at once, so that it can run each table once for all questions.

    Args:
        chat: The model, local or served.
        show: What it sees of a table: ``text``, ``image`` or ``both``.
        context: Budget of a table's text.
        image_path: Where a table's picture lies; None where no pictures are to be had.
        picture_path: Where a document's picture lies; None likewise.
        blend: How log-odds become P(True).
        identity: What stands for the model in :meth:`settings` (JSON values).
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        show: Show = "text",
        context: ContextConfig | None = None,
        image_path: Callable[[Table], str | Path] | None = None,
        picture_path: Callable[[str], str] | None = None,
        blend: Blend | None = None,
        identity: dict[str, Any] | None = None,
    ) -> None:
        self.chat = chat
        self.context = context or ContextConfig()
        self.image_path = image_path
        self.picture_path = picture_path
        self.show: Show = show
        self.blend = blend or Blend()
        self._identity = identity or {}

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path,
        *,
        revision: str | None = None,
        local: LocalChatConfig | None = None,
        chat: ChatModel | None = None,
        image_path: Callable[[Table], str | Path] | None = None,
        picture_path: Callable[[str], str] | None = None,
    ) -> ChatPairScorer:
        """The scorer of a trained reranker (a folder with ``chat_reranker.json``, merged or not).

        Args:
            name: Folder or hub id.
            revision: Branch, tag or commit of a hub id.
            local: How the model runs; its ``model`` and ``max_length`` are those of the checkpoint.
            chat: An opened model of the same checkpoint, for example the reader's or a served one.
            image_path: Where a table's picture lies.
            picture_path: Where a document's picture lies.

        Raises:
            UserError: It is no such folder, or was trained with other prompts.
        """
        from tabrag.models.chat_files import FILE, read
        from tabrag.models.io import resolve

        folder = resolve(name, revision=revision)
        found = read(folder)
        if chat is None:
            from tabrag.chat.local import LocalChat

            settings = dataclasses.replace(
                local or LocalChatConfig(),
                model=str(folder),
                revision=None,
                max_length=found.config.max_length,
            )
            chat = LocalChat(settings)
        return cls(
            chat,
            show=found.config.show,
            context=found.config.context,
            image_path=image_path,
            picture_path=picture_path,
            blend=found.blend,
            identity={"model": checkpoint_digest(folder), "settings": FILE},
        )

    def settings(self) -> dict[str, Any]:
        """All that a score depends on besides question and table (JSON values)."""
        return {
            **self._identity,
            "show": self.show,
            "context": dataclasses.asdict(self.context),
            "prompt_version": RANK_VERSION,
            "shown_version": SHOWN_VERSION,
            "blend": dataclasses.asdict(self.blend),
        }

    def __call__(self, pairs: Sequence[tuple[str, Item]]) -> list[float]:
        """``log P(True) - log P(False)`` of each pair, in their order: the two-way log-odds."""
        return [true - false for true, false in self.log_probabilities(pairs)]

    def log_probabilities(self, pairs: Sequence[tuple[str, Item]]) -> list[tuple[float, float]]:
        """Natural log-probabilities of True and of False as the reply, among all that could be said.

        Raises:
            UserError: A table has no picture and one is to be shown, or it does not open; or the log-odds of
                a pair are NaN.
        """
        make = ItemShower(self.show, self.context, self.chat.num_tokens, self.image_path, self.picture_path)
        prompts = [rank_prompt(question, [make(item, question)]) for question, item in pairs]
        found = self.chat.score_batch(prompts, RANK_LABELS) if prompts else []
        refuse_nan([true - false for true, false in found], pairs)
        return [(true, false) for true, false in found]


def checkpoint_digest(folder: Path) -> str:
    """32 hex digits of a checkpoint's settings and weights; of the base through its own digest.

    Raises:
        UserError: It has no weights.
    """
    import hashlib

    from tabrag.files import sha256_file

    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.safetensors"), *folder.glob("*.json")]):
        if path.name not in ("training.json",):
            digest.update(f"{path.name} {sha256_file(path)}".encode())
    if not any(folder.glob("*.safetensors")):
        raise UserError(f"{folder}: no weights in it")
    return digest.hexdigest()[:32]
