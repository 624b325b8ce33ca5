"""Asking a chat model whether a document is a deck of slides or a report, from its first pages.

MM-BizRAG has a model look at the first one or two pages (Bhathena et al., 2026, section on layout-aware
parsing); the wording is this project's.
"""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.chat.protocol import Message, Picture, Text

LAYOUT_VERSION = 1
"""Raised when the prompt changes: stored decisions name it."""
LAYOUT_LABELS = {"slides": "horizontal", "report": "vertical"}
"""What the model is asked to say, and the layout that it means."""
_ASKED = (
    "Is this document a deck of slides, where each page stands for itself, or a report, form or table whose "
    "content runs on from page to page? Answer with one word: slides or report."
)


def layout_prompt(pages: Sequence[Picture | Text]) -> list[Message]:
    """Ask for the layout of a document.

    Args:
        pages: The pictures or the texts of its first pages, in order.
    """
    head = f"The first {len(pages)} pages of a document:\n" if len(pages) > 1 else "A page of a document:\n"
    return [Message("user", (Text(head), *pages, Text(f"\n\n{_ASKED}")))]
