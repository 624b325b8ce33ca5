"""Asking a chat model for the summary of texts that belong together, and how its reply is read.

A node of MHier-RAG's tree (Gong et al., arXiv 2508.00579), whose code asks for as many key details as
possible; the wording is this project's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.chat.protocol import Message, Text
from tabrag.chat.thoughts import without_thoughts
from tabrag.documents.sentences import split_sentences

SUMMARISE_VERSION = 1
"""Raised when the prompt or the reading of its replies changes: batch jobs name it."""

_ASKED = (
    "Summarise these passages of one document in about {words} words, with as many key details as possible:"
    " names, places, years, measures and figures as they are written. Plain sentences, no list, no"
    " introduction, nothing that the passages do not say."
)
_INTRODUCES = re.compile(
    r"^\W*(?:(?:sure|okay|certainly)\b[^\n:]*|here\b[^\n:]*|(?:the\s)?summary)\s*:[*_\s]*", re.IGNORECASE
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+", re.MULTILINE)
_ENDS = re.compile(r"[.!?。！？][\"'”’»)\]]*$")


def summarise_prompt(texts: Sequence[str], *, item_id: str, max_tokens: int) -> list[Message]:
    """Ask for one summary of all texts.

    Args:
        texts: In reading order. Where they are too long for the model, their end is cut.
        item_id: Of the document.
        max_tokens: Length of the summary at most.
    """
    passages = "\n\n".join(texts)
    asked = _ASKED.format(words=max(10, round(0.7 * max_tokens)))
    return [Message("user", (Text("Passages:\n"), Text(passages, item_id=item_id), Text(f"\n\n{asked}")))]


def read_summary(reply: str) -> str:
    """The summary in one line, without an introduction, bullets and a last sentence that was cut off.

    Empty where the reply has none.
    """
    text = _INTRODUCES.sub("", without_thoughts(reply).strip())
    sentences = split_sentences(" ".join(_BULLET.sub("", text).split()))
    if len(sentences) > 1 and not _ENDS.search(sentences[-1]):
        sentences.pop()
    return " ".join(sentences)
