"""What models that think aloud say before their reply, between ``<think>`` and ``</think>``.

The first mark is missing where the prompt holds it, the second one where a reply was cut off in a thought.
"""

from __future__ import annotations

import re

_BEGIN = re.compile(r"<think(?:ing)?>", re.IGNORECASE)
_END = re.compile(r"</think(?:ing)?>", re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """What is said outside of thoughts: behind the last one that ends, and before one that does not."""
    ends = [found.end() for found in _END.finditer(text)]
    said = text[ends[-1] :] if ends else text
    begun = _BEGIN.search(said)
    return said if begun is None else said[: begun.start()]


def first_said(text: str) -> int | None:
    """Where the reply begins behind a thought and blanks; None while the thought goes on."""
    lead = len(text) - len(text.lstrip())
    begun = _BEGIN.match(text, lead)
    if begun is None:
        return lead
    end = _END.search(text, begun.end())
    if end is None:
        return None
    return len(text) - len(text[end.end() :].lstrip())
