"""Settings of the readers. Light to import: command lines are made from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tabrag.chat.config import LocalChatConfig


@dataclass(kw_only=True)
class ContextConfig:
    """How much of a table is shown.

    Attributes:
        max_tokens: Budget of the table's text, in tokens of the model that reads it.
        max_rows: Body rows at most.
        max_cols: Body columns at most.
    """

    max_tokens: int = 280
    max_rows: int = 200
    max_cols: int = 30


@dataclass(kw_only=True)
class ReaderConfig:
    """How answers are read.

    Attributes:
        reader: ``cells`` (header words, no model) or ``chat`` (a chat model).
        show: What the chat model sees of a table: ``text``, ``image`` or ``both``.
        num_tables: How many of the best tables the chat model sees; ``cells`` reads the best one.
        max_new_tokens: Length of a reply at most.
        context: Budget of a table's text.
        chat: The chat model.
    """

    reader: Literal["cells", "chat"] = "cells"
    show: Literal["text", "image", "both"] = "text"
    num_tables: int = 1
    max_new_tokens: int = 24
    context: ContextConfig = field(default_factory=ContextConfig)
    chat: LocalChatConfig = field(default_factory=LocalChatConfig)
