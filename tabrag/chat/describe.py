"""Asking a chat model to say in sentences what a table, or a header of it, lets a reader look up.

The input is the template's text (:mod:`tabrag.tables.verbalise`), headers without figures, as MixRAG gives it
to its model (Zhang et al., "Mixture-of-RAG", 2025, section 3.1); the wording is this project's.
"""

from __future__ import annotations

from tabrag.chat.protocol import Message, Text

DESCRIBE_VERSION = 1
"""Raised when the prompt changes: stored descriptions name it."""

_ASKED = (
    "Say in one or two plain sentences what can be looked up there. Name every header with its parents."
    " No figures, no list, no introduction."
)


def describe_prompt(text: str) -> list[Message]:
    """Ask for a description of what a template's text lists."""
    return [Message("user", (Text("Part of a table, as title and headers:\n"), Text(f"{text}\n\n{_ASKED}")))]
