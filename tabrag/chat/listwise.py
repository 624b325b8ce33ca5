"""One call that puts several tables or documents in order: the prompt, and how the reply is read.

List-wise ranking as in MixRAG (Zhang et al., "Mixture-of-RAG", 2025, section 3.2) and MM-BizRAG: the model
sees all candidates and names them, the best first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.chat.prompts import Shown
from tabrag.chat.protocol import Message, Part, Picture, Text
from tabrag.chat.thoughts import without_thoughts

LISTWISE_VERSION = 1
"""Raised when the prompt changes: stored rankings name it."""

_NUMBER = re.compile(r"\d+")
_IN_BRACKETS = re.compile(r"\[(?=[\s,;>]*\d)([\d\s,;>]+)\]")
_NOT_NAMED = re.compile(
    r"\b(?:top|best|first)\s+\d+\b|\[\d+\]\s*(?:to|-|–)\s*\[\d+\]"  # it repeats what it was asked for
    r"|^[ \t*_-]*(?:rank[ \t]+)?\d+[.):][ \t*_]+(?=[^\n]*\d)",  # the places of a numbered list
    re.IGNORECASE | re.MULTILINE,
)


def order_prompt(question: str, candidates: Sequence[Shown], *, num_best: int) -> list[Message]:
    """Ask for the numbers (from 1) of the ``num_best`` candidates that answer ``question`` best, in order."""
    parts: list[Part] = []
    for number, shown in enumerate(candidates, start=1):
        parts.append(Text(f"[{number}] {shown.title}\n"))
        if shown.picture is not None:
            parts.append(Picture(shown.picture))
        if shown.text:
            parts.append(Text(f"{shown.text}\n", item_id=shown.item_id))
    parts.append(
        Text(
            f"\nQuestion: {question.strip()}\n"
            f"Which of [1] to [{len(candidates)}] hold what the question asks for? Reply with the numbers of "
            f"the best {num_best}, the best first, separated by commas, and nothing else.",
            question=question.strip(),
        )
    )
    return [Message("user", tuple(parts))]


def read_order(reply: str, num_candidates: int) -> list[int] | None:
    """The order that a reply names, as places from 0; those that it does not name follow in their order.

    Numbers that are no candidate's and repetitions are passed over, and so are the places of a numbered list
    (``1. [5]`` names 5). Where numbers stand in square brackets, as in the prompt, the others are not read.

    Returns:
        All places, or None where the reply names no candidate.
    """
    text = _NOT_NAMED.sub(" ", without_thoughts(reply))
    for part in (" ".join(_IN_BRACKETS.findall(text)), text):
        named = [int(number) - 1 for number in _NUMBER.findall(part) if len(number) < 10]
        valid = list(dict.fromkeys(place for place in named if 0 <= place < num_candidates))
        if valid:
            return valid + [place for place in range(num_candidates) if place not in valid]
    return None
