"""What scores (question, candidate) pairs one by one, and which of them the settings name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from tabrag.chat.open import open_chat
from tabrag.chat.protocol import ChatModel
from tabrag.documents.whole import Item
from tabrag.inference.config import RerankConfig
from tabrag.models.blend import Blend
from tabrag.types import Table

ImagePath = Callable[[Table], str | Path]
"""Where a table's picture lies."""
PicturePath = Callable[[str], str]
"""A document's picture, by its path in the data set folder, to its absolute path."""


class Scorer(Protocol):
    """What tells how likely tables hold answers."""

    @property
    def blend(self) -> Blend:
        """How its log-odds become P(True)."""

    def settings(self) -> dict[str, Any]:
        """All that a score depends on besides question and table (JSON values)."""

    def __call__(self, pairs: Sequence[tuple[str, Item]]) -> list[float]:
        """Log-odds of each (question, table or document)."""


def load_scorer(
    config: RerankConfig,
    *,
    image_path: ImagePath | None = None,
    picture_path: PicturePath | None = None,
    chat: ChatModel | None = None,
) -> Scorer:
    """The reranker that the settings name.

    Args:
        config: The settings.
        image_path: Where a table's picture lies.
        picture_path: Where a document's picture lies.
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
            picture_path=picture_path,
            identity={"chat": used.identity()},
        )
    from tabrag.models.chat_files import FILE as CHAT_FILE
    from tabrag.models.io import resolve
    from tabrag.models.reranker_files import needed_settings_file

    folder = resolve(config.checkpoint)
    if needed_settings_file(folder) == CHAT_FILE:
        served_chat = None if config.server is None else open_chat(config.chat, config.server)
        return ChatPairScorer.from_pretrained(
            folder,
            local=config.chat,
            chat=chat or served_chat,
            image_path=image_path,
            picture_path=picture_path,
        )
    from tabrag.inference.runtime import device
    from tabrag.inference.score_pairs import PairScorer
    from tabrag.models.pair_model import load_pair_model

    model = load_pair_model(folder).to(device(config.device))
    return PairScorer(model, batch_tokens=config.batch_tokens, dtype=config.dtype)


def checkpoint_identity(folder: Path) -> str:
    """What stands for a checkpoint as ``model`` in the :meth:`Scorer.settings` of its scorer.

    Raises:
        UserError: It is no reranker, or its files are not exactly the expected ones.
    """
    from tabrag.inference.chat_scorer import checkpoint_digest
    from tabrag.models.chat_files import FILE as CHAT_FILE
    from tabrag.models.pair_model import load_pair_model
    from tabrag.models.reranker_files import needed_settings_file

    if needed_settings_file(folder) == CHAT_FILE:
        return checkpoint_digest(folder)
    return load_pair_model(folder).fingerprint()
