"""Words of a text for BM25, in any script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

STOP_WORDS = frozenset(
    (
        "an and are as at be been but by did do does for from had has have how if in into is it its "
        "many much of on or that the their them then there these they this to was were what when "
        "where which who whom whose why will with "
    ).split()
)
"""English function words. No single letters: those are labels in tables ("hepatitis A")."""

_ACCENTS = re.compile("[\u0300-\u036f]")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s\b")
_PIECES = re.compile(r"\d+(?:\.\d+)+|[^\s\d]+|\d+")


class _Separators(dict[int, str]):
    """A table for ``str.translate``: all but letters, marks and numbers become spaces; filled as needed."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        keep = unicodedata.category(character)[0] in "LMN"
        self[code] = character if keep else " "
        return self[code]


_SEPARATORS = _Separators()
_SPACELESS = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
"""Thai, Lao, Burmese, Khmer, kana and Han characters."""


def tokenize(text: str, *, stop_words: frozenset[str] = STOP_WORDS, stem: bool = True) -> list[str]:
    """Lower-cased words and numbers of ``text`` in order.

    Letters of all scripts count, with their combining marks; accents of Latin, Greek and Cyrillic letters are
    dropped and full-width forms become plain. Numbers stay whole: ``1,234.5`` is the one word ``1234.5``.
    Scripts that are written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) give single
    characters and pairs of neighbours.

    Args:
        text: Any text.
        stop_words: Words to leave out.
        stem: Cut English plurals: the S stemmer of Harman, "How effective is suffixing?", JASIS 1991.
    """
    text = unicodedata.normalize("NFKC", text).lower()
    if not text.isascii():
        text = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))
    text = _THOUSANDS.sub(lambda match: match.group().replace(",", ""), _POSSESSIVE.sub("", text))
    words: list[str] = []
    for piece in _PIECES.findall(text):
        if piece[0].isdigit():
            words.append(piece)
            continue
        for chunk in piece.translate(_SEPARATORS).split():
            words.extend(_words(chunk, stop_words, stem))
    return words


def _words(chunk: str, stop_words: frozenset[str], stem: bool) -> Iterator[str]:
    """Words of a piece without spaces and punctuation."""
    if chunk.isascii():
        if chunk not in stop_words:
            yield _stem(chunk) if stem else chunk
        return
    for place, part in enumerate(_SPACELESS.split(chunk)):
        if place % 2 == 0:
            if part:
                yield from _words(part, stop_words, stem) if part.isascii() else (part,)
            continue
        yield from part
        yield from (first + second for first, second in zip(part, part[1:], strict=False))


def _stem(word: str) -> str:
    """An English noun without its plural ending."""
    if len(word) < 4 or not word.endswith("s") or not word.isascii():
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]
