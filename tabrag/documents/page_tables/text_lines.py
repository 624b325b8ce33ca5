"""Words into lines, and lines into pieces: words that stand as close together as words of one text do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from tabrag.documents.page_content import PageBox, PageWord

_SAME_LINE = 0.42
"""Middles that are no farther apart than this share of the type's height stand in one line."""
_BLANK = 0.95
"""Widest blank between two words of one text, in heights of type: justified lines have wide ones."""
_BLANK_OF_NUMBERS = 0.6
_BLANK_OF_THOUSANDS = 0.45

_VALUE = re.compile(r"[^\w]*(?:\d[\d.,\s'’`·/:%‰°+\-\u2010-\u2015\u2212]*)[^\w]*[A-Za-z]{0,2}[^\w]*")
_MARK = re.compile(
    r"(?:[-\u2010-\u2015\u2212–—.…*†‡/+?#~<>=±]+|\([A-Za-z*]{1,2}\)|n/?\.?a\.?|n\.d\.|nil|x)", re.IGNORECASE
)
_LEADER = re.compile(r"[.…·_]+")
_SIGN = re.compile(
    r"(?:[A-Z]{1,3})?[$€£¥₹]|[()]?%[()]?|[()]"
    r"|AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|INR|JPY|KRW|MXN|NOK|NZD|PLN|RMB|RUB|SEK|SGD|TRY|USD|ZAR"
)
_GROUP_BEFORE = re.compile(r"\W*\d{1,3}(?:[ \u00a0\u202f]\d{3})*")
_GROUP = re.compile(r"\d{3}(?:[.,]\d+)?\W*")
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


@dataclass(slots=True)
class Piece:
    """Words of one line without a wide blank between them, from the left."""

    words: list[PageWord]
    box: PageBox

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def size(self) -> float:
        return median(type_size(word) for word in self.words)

    @property
    def middle(self) -> float:
        return (self.box[1] + self.box[3]) / 2

    @property
    def is_value(self) -> bool:
        return are_values(self.words)

    @property
    def is_sign(self) -> bool:
        """Whether it is what stands beside a number, without the number."""
        return all(_SIGN.fullmatch(word.text) for word in self.words)

    @property
    def num_words(self) -> float:
        """Words; two characters of a script without blanks are one."""
        return sum(max(1.0, len(_WIDE.findall(word.text)) / 2) for word in self.words)


@dataclass(slots=True)
class TextLine:
    """Pieces at one height, from the left."""

    pieces: list[Piece]
    y0: float
    y1: float

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2

    @property
    def x0(self) -> float:
        return self.pieces[0].box[0]

    @property
    def x1(self) -> float:
        return max(piece.box[2] for piece in self.pieces)


def type_size(word: PageWord) -> float:
    """Height of a word's type in points."""
    if word.size > 0:
        return word.size
    x0, y0, x1, y1 = word.box
    return max(0.1, x1 - x0 if word.turn in (90, 270) else y1 - y0)


@lru_cache(maxsize=20_000)
def is_value(text: str) -> bool:
    """Whether a word is a number or stands for a missing one."""
    return _VALUE.fullmatch(text) is not None or _MARK.fullmatch(text) is not None


def are_values(words: Sequence[PageWord]) -> bool:
    """Whether words are numbers or stand for missing ones; signs of currencies may stand beside them."""
    found = [is_value(word.text) for word in words]
    return any(found) and all(
        value or _SIGN.fullmatch(word.text) for word, value in zip(words, found, strict=True)
    )


def is_leader(text: str) -> bool:
    """Whether a word is part of a row of dots that leads to a number."""
    return _LEADER.fullmatch(text) is not None


def bounds(words: Iterable[PageWord]) -> PageBox:
    """The box round some words; at least one."""
    boxes = [word.box for word in words]
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def text_lines(words: Sequence[PageWord]) -> list[TextLine]:
    """Lines from above, of words that run from left to right. A raised mark stands in the line it follows."""
    lines: list[list[PageWord]] = []
    middles: list[float] = []
    plain = sorted((word for word in words if not word.raised), key=_middle)
    middle = 0.0
    for word in plain:
        if lines and _middle(word) - middle <= _SAME_LINE * type_size(word):
            lines[-1].append(word)
            middle += (_middle(word) - middle) / len(lines[-1])
            middles[-1] = middle
        else:
            lines.append([word])
            middle = _middle(word)
            middles.append(middle)
    for word in words:
        if word.raised:
            _put_raised(word, lines, middles)
    return [_line(line) for line in lines]


def _middle(word: PageWord) -> float:
    return (word.box[1] + word.box[3]) / 2


def _put_raised(word: PageWord, lines: list[list[PageWord]], middles: list[float]) -> None:
    near = [
        index
        for index, middle in enumerate(middles)
        if -0.5 * type_size(word) <= middle - _middle(word) <= 2 * type_size(word)
    ]

    def distance(index: int) -> float:
        gap = min(abs(word.box[0] - other.box[2]) for other in lines[index])
        return min(gap, 4 * type_size(word)) + abs(middles[index] - _middle(word))

    if near:
        lines[min(near, key=distance)].append(word)
    else:
        lines.append([word])
        middles.append(_middle(word))


def _line(words: list[PageWord]) -> TextLine:
    pieces: list[list[PageWord]] = []
    end = 0.0
    for word in sorted(words, key=lambda word: word.box[0]):
        if pieces and word.box[0] - end <= _widest_blank(pieces[-1][-1], word):
            pieces[-1].append(word)
            end = max(end, word.box[2])
        else:
            pieces.append([word])
            end = word.box[2]
    full = [word for word in words if not word.raised] or words
    _, y0, _, y1 = bounds(full)
    return TextLine([Piece(piece, bounds(piece)) for piece in pieces], y0, y1)


def _widest_blank(left: PageWord, right: PageWord) -> float:
    size = min(max(type_size(left), type_size(right)), 1.6 * min(type_size(left), type_size(right)))
    if right.raised:
        return 0.5 * max(type_size(left), type_size(right))
    if is_leader(left.text):
        return 0.15 * size if is_value(right.text) and not is_leader(right.text) else _BLANK * size
    if is_value(left.text) and is_value(right.text):
        is_group = _GROUP_BEFORE.fullmatch(left.text) and _GROUP.fullmatch(right.text)
        return (_BLANK_OF_THOUSANDS if is_group else _BLANK_OF_NUMBERS) * size
    return _BLANK * size
