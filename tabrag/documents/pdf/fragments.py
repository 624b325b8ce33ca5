"""Pieces of words that stand on another baseline: marks above the line, figures below it."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from tabrag.documents.page_content import PageWord
from tabrag.documents.pdf.glyphs import is_rtl

_BUCKET = 6.0  # points: height of the strips in which neighbours are looked for
_SMALLER = 0.85  # type of a mark against the type beside it
_SHIFT = 0.1  # of the type size: a smaller shift of the baseline is none
_DESCENT = 0.2  # of the type size: usual depth below the baseline


def settle_fragments(words: Sequence[PageWord]) -> list[PageWord]:
    """Mark what is raised, and put figures below the line and torn pieces back into their words.

    Args:
        words: Upright words of one page, each line from left to right.

    Returns:
        The words in their order; a piece that joined its word is gone.
    """
    strips: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for place, word in enumerate(words):
        if word.turn == 0:
            for strip in _strips(word):
                strips[strip].append((word.box[0], place))
    for strip in strips.values():
        strip.sort()
    result: list[PageWord | None] = list(words)
    home = list(range(len(words)))  # the word that each piece has become a part of
    for place in sorted(range(len(words)), key=lambda place: words[place].box[0]):
        word = words[place]
        if word.turn != 0:
            continue
        left = _left_of(place, words, strips)
        if left is None:
            continue
        into = home[left]
        whole, beside = result[into], words[left]
        if whole is None:
            continue
        gap = word.box[0] - beside.box[2]
        shift = _base(beside) - _base(word)  # above zero: higher
        if word.size < _SMALLER * whole.size:
            if shift > _SHIFT * whole.size and gap < 0.35 * whole.size:
                result[place] = replace(word, raised=True)
            elif shift < -_SHIFT * whole.size / 2 and gap < 0.1 * whole.size:
                result[into], result[place], home[place] = _joined(whole, word), None, into
        elif gap < 0.1 * word.size and _torn(whole, word):
            result[into], result[place], home[place] = _joined(whole, word), None, into
        elif whole.size < _SMALLER * word.size and gap < 0.6 * word.size and not whole.raised:
            if -shift > _SHIFT * word.size and _is_mark(whole.text):
                result[into] = replace(whole, raised=True)
    return [word for word in result if word is not None]


def _strips(word: PageWord) -> range:
    return range(int(word.box[1] // _BUCKET), int(word.box[3] // _BUCKET) + 1)


def _base(word: PageWord) -> float:
    return word.box[3] - _DESCENT * word.size


def _torn(left: PageWord, right: PageWord) -> bool:
    """Whether two pieces of one size stand on lines that differ a little: those of one line are apart."""
    shift = abs(_base(left) - _base(right)) / max(right.size, 0.1)
    return not left.raised and 0.9 < left.size / max(right.size, 0.1) < 1.1 and 0.02 < shift < 0.3


def _is_mark(text: str) -> bool:
    return len(text) <= 3 and not any(char.isalpha() for char in text[1:])


def _left_of(place: int, words: Sequence[PageWord], strips: dict[int, list[tuple[float, int]]]) -> int | None:
    """The word that ends where this one begins, on about the same line."""
    word = words[place]
    x0, y0, _, y1 = word.box
    best, best_end = None, x0 - word.size
    for strip in _strips(word):
        entries = strips[strip]
        at = bisect_left(entries, (x0, -1))
        for entry in range(at - 1, max(at - 6, -1), -1):
            other = words[entries[entry][1]]
            end = other.box[2]
            overlap = min(y1, other.box[3]) - max(y0, other.box[1])
            if best_end < end <= x0 + 0.3 * word.size and overlap > 0.25 * min(
                y1 - y0, other.box[3] - other.box[1]
            ):
                best, best_end = entries[entry][1], end
    return best


def _joined(left: PageWord, right: PageWord) -> PageWord:
    a, b = left.box, right.box
    box = (min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3]))
    parts = (right.text, left.text) if is_rtl(left.text) and is_rtl(right.text) else (left.text, right.text)
    return replace(left, text="".join(parts), box=box)
