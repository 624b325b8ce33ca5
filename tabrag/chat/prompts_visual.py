"""Asking an image-text model what the pictures of pages show about a question.

MHier-RAG's visual evidence (Gong et al., arXiv 2508.00579): what the model says joins the reader's context.
"""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.chat.protocol import Message, Picture, Text

VISUAL_VERSION = 1
"""Raised when the prompt changes."""
NOTHING = "nothing"
LABEL = "What the pages' pictures show:"

_ASKED = (
    "These are pictures of pages of documents. Say in one to three sentences what they show that helps to"
    " answer the question: what stands in their charts, diagrams, photos and tables, with numbers, units and"
    " colours as they stand there. Do not guess what cannot be read."
    f" Reply '{NOTHING}' when they show nothing about it."
)


def visual_prompt(question: str, pictures: Sequence[str]) -> list[Message]:
    """Ask what pictures (paths) show about a question."""
    parts = [Picture(path) for path in pictures]
    asked = Text(f"{_ASKED}\nQuestion: {question.strip()}\n", question=question.strip())
    return [Message("user", (*parts, asked))]
