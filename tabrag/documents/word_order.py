"""Words of a line that stand from left to right, in the order in which they are read."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from tabrag.documents.page_content import PageWord

SUPERSCRIPTS = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
"""Figures and signs to the characters that stand for raised ones."""


def is_rtl(text: str) -> bool:
    """Whether a text has a letter that is written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)


def from_the_right(words: Sequence[PageWord]) -> list[PageWord]:
    """Words from the right to the left; those between them that are read from the left keep their order."""
    ordered: list[PageWord] = []
    forward: list[PageWord] = []
    for word in reversed(words):
        if is_rtl(word.text):
            ordered += [*reversed(forward), word]
            forward = []
        else:
            forward.append(word)
    return ordered + forward[::-1]
