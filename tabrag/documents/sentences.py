"""Text into sentences, by rule, for any language that ends them with a sign."""

from __future__ import annotations

import re

_SHORT = frozenset(
    "mr mrs ms dr prof st no nos vs etc inc corp co ltd plc fig figs eq sec ch vol pp p approx dept est gen "
    "gov rep sen hon jr sr cf al ed eds e.g i.e u.s u.k u.n a.m p.m jan feb mar apr jun jul aug sep sept oct "
    "nov dec bzw ca z.b d.h u.a nr art abs".split()
)
"""Words whose point ends no sentence."""
_MAX_LENGTH = 1000
"""Characters; text without any sign that ends a sentence would be one of any length otherwise."""
_LONGEST_SHORT = 40
"""Characters that are looked at before a point."""
_BLANKS = re.compile(r"\s*")
_END = re.compile(r"[.!?]+[\"'”’»)\]]*(?=\s)|[。！？]+[”’」』）]*")
_LAST_WORD = re.compile(r"([\w.]+)\.[\"'”’»)\]]*$")
_BEGINS = re.compile(r"[\"'“‘«(\[]*[^\W_a-zà-öø-ÿ]")
"""A sentence begins with anything but a small letter."""


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in order; nothing of it is lost but the blanks between them.

    A point ends a sentence where a blank and no small letter follow, unless the word before it is a known
    short form or a single letter ("J. Smith"). One of more than 1,000 characters is cut at a blank, or where
    there is none at that length. An empty text has none.
    """
    return [part for sentence in _sentences(text) for part in _cut(sentence)]


def _sentences(text: str) -> list[str]:
    sentences = []
    start = 0
    for end in _END.finditer(text):
        after = _BLANKS.match(text, end.end())
        if after is not None and after.end() < len(text) and not _BEGINS.match(text, after.end()):
            continue
        if end.group()[0] == "." and _is_short(text[max(start, end.end() - _LONGEST_SHORT) : end.end()]):
            continue
        if before := text[start : end.end()].strip():
            sentences.append(before)
        start = end.end()
    if rest := text[start:].strip():
        sentences.append(rest)
    return sentences


def _cut(sentence: str) -> list[str]:
    parts = []
    while len(sentence) > _MAX_LENGTH:
        blank = max(sentence.rfind(blank, 1, _MAX_LENGTH + 1) for blank in " \n\t")
        at = blank if blank > 0 else _MAX_LENGTH
        parts.append(sentence[:at].rstrip())
        sentence = sentence[at:].lstrip()
    return [*parts, sentence]


def _is_short(text: str) -> bool:
    word = _LAST_WORD.search(text)
    if word is None:
        return False
    return word[1].casefold() in _SHORT or (len(word[1]) == 1 and word[1].isalpha() and word[1].isupper())
