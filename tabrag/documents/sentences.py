"""Text into sentences, by rule, for any language that ends them with a sign."""

from __future__ import annotations

import re

_SHORT = frozenset(
    "mr mrs ms dr prof st no nos vs etc inc corp co ltd plc fig figs eq sec ch vol pp p approx dept est gen "
    "gov rep sen hon jr sr cf al ed eds e.g i.e u.s u.k u.n a.m p.m jan feb mar apr jun jul aug sep sept oct "
    "nov dec bzw ca z.b d.h u.a nr art abs".split()
)
"""Words whose point ends no sentence."""
_END = re.compile(r"[.!?]+[\"'”’»)\]]*(?=\s)|[。！？]+[”’」』）]*")
_LAST_WORD = re.compile(r"([\w.]+)\.[\"'”’»)\]]*$")
_BEGINS = re.compile(r"[\"'“‘«(\[]*[^\W_a-zà-öø-ÿ]")
"""A sentence begins with anything but a small letter."""


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in order; nothing of it is lost but the blanks between them.

    A point ends a sentence where a blank and no small letter follow, unless the word before it is a known
    short form or a single letter ("J. Smith"). An empty text has none.
    """
    sentences = []
    start = 0
    for end in _END.finditer(text):
        rest = text[end.end() :].lstrip()
        if rest and not _BEGINS.match(rest):
            continue
        before = text[start : end.end()].strip()
        if end.group()[0] == "." and _is_short(before):
            continue
        if before:
            sentences.append(before)
        start = end.end()
    if rest := text[start:].strip():
        sentences.append(rest)
    return sentences


def _is_short(text: str) -> bool:
    word = _LAST_WORD.search(text)
    if word is None:
        return False
    return word[1].casefold() in _SHORT or (len(word[1]) == 1 and word[1].isalpha() and word[1].isupper())
