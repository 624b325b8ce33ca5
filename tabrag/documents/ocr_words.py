"""Words with exact places from lines that OCR read: by their ink, parted at lines that are drawn.

The recogniser guesses where in a line a word stands, and its lines are boxed with a wide margin. A table's
columns are told by blanks of a character's width, so that places must be better than that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from PIL import Image

from tabrag.documents.page_content import PageWord, Rule
from tabrag.tables.ocr_engine import TextLine, is_upside_down

# Parts of the size of type: height of capitals and digits, of small letters, and depth below the line.
_CAPITAL, _SMALL, _DEPTH = 0.72, 0.52, 0.21
_ASCENDING = re.compile(r"[^\Wacegmnopqrsuvwxyz_]|[&$€£¥%()\[\]{}/|#@!?]")
_DESCENDING = re.compile(r"[gjpqyQ,;()\[\]{}/|$@]")
_IDEOGRAPH = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
# Height of a line of type of size 1, as OCR boxes it, where its ink does not tell.
_BOXED = 1.5
# A box this many times as high as wide holds a line that runs up or down.
_TALL = 1.5
# Rows without ink inside one line, in its box's height: below the dots of an "i", inside "=" and "二".
_ROW_GAP = 0.15
_RULE_REACH = 2
# The share of a column's height that may be dirt.
_DIRT = 0.05
# Parts of the size of type: how far a blank may be from where it was guessed, and how deep a line that is
# drawn must cut into a word.
_BLANK_REACH = 0.6
_CUT = 0.2
# Sizes of type that differ by less than this share are one size.
_ALIKE = 0.15
# Two words of a line have at least this blank between them.
_BLANK = 0.2
# Words that were read as one have a blank between their letters of this part of the size of type, and this
# many times the usual one of the line; between other signs it takes a blank that parts columns.
_GLUED, _GLUED_RATIO = 0.25, 2.2
_APART = 0.8


@dataclass(frozen=True, slots=True)
class _Token:
    """A word and the middles of its characters, in pixels."""

    text: str
    middles: tuple[float, ...]


def page_words(lines: Sequence[TextLine], image: Image.Image, rules: Sequence[Rule]) -> list[PageWord]:
    """The words of lines, in pixels.

    Args:
        lines: What OCR read.
        image: The RGB picture it was read from: dark ink on a light ground.
        rules: Lines that are drawn in it, in pixels.
    """
    grey = np.asarray(image.convert("L"))
    upright = [rule for rule in rules if rule.x0 == rule.x1]
    level = [rule for rule in rules if rule.y0 == rule.y1]
    words: list[PageWord] = []
    for line in lines:
        x0, y0, x1, y1 = line.box
        if y1 - y0 >= _TALL * (x1 - x0) and len(line.text.strip()) > 1:
            words.append(_turned_word(line, image))
        else:
            words += _split(_level_words(line, grey, level, upright), upright)
    return _evened(words)


def _evened(words: Sequence[PageWord]) -> list[PageWord]:
    """The words with one size of type for all lines that are nearly alike: ink shows it only roughly."""
    sizes = np.array([word.size for word in words])
    even = [float(np.median(sizes[np.abs(sizes / size - 1) <= _ALIKE])) for size in sizes]
    return [replace(word, size=size) for word, size in zip(words, even, strict=True)]


def _turned_word(line: TextLine, image: Image.Image) -> PageWord:
    """A line that runs upwards or downwards as one word."""
    x0, y0, x1, y1 = line.box
    piece = image.crop((round(x0), round(y0), round(x1), round(y1))).transpose(Image.Transpose.ROTATE_90)
    turn = 90 if is_upside_down(piece) else 270
    return PageWord(line.text, line.box, size=(x1 - x0) / _BOXED, turn=turn)


def _level_words(
    line: TextLine, grey: np.ndarray, level: Sequence[Rule], upright: Sequence[Rule]
) -> list[tuple[PageWord, tuple[float, ...]]]:
    """The words of a line that runs from side to side, and the middles of their characters."""
    height, width = grey.shape
    x0, y0 = max(int(line.box[0]), 0), max(int(line.box[1]), 0)
    x1, y1 = min(int(np.ceil(line.box[2])), width), min(int(np.ceil(line.box[3])), height)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return []
    ink = _ink(grey[y0:y1, x0:x1])
    for rule in level:
        if y0 <= rule.y0 <= y1:
            at = int(rule.y0) - y0
            ink[max(at - _RULE_REACH, 0) : at + _RULE_REACH + 1] = False
    for rule in upright:
        if x0 <= rule.x0 <= x1 and rule.y0 < (y0 + y1) / 2 < rule.y1:
            at = int(rule.x0) - x0
            ink[:, max(at - _RULE_REACH, 0) : at + _RULE_REACH + 1] = False
    top, bottom = _rows_of_text(ink)
    size, first, last = _type_size(line.text, y0 + top, y0 + bottom, y1 - y0)
    columns = ink[top:bottom].sum(axis=0) > _DIRT * (bottom - top)
    tokens = _tokens(line, columns, x0, size)
    places = _places(tokens, columns, x0, size)
    return [
        (PageWord(token.text, (left, first, right, last), size=size), token.middles)
        for token, (left, right) in zip(tokens, places, strict=True)
    ]


def _tokens(line: TextLine, columns: np.ndarray, x0: int, size: float) -> list[_Token]:
    """The words of a line, glued ones apart: where letters have a wide blank between them."""
    starts, ends = _blanks(columns)
    widths = (starts - ends)[(starts - ends) > 0]
    usual = float(np.median(widths)) if len(widths) else 0.0
    wide = [
        (x0 + float(start), x0 + float(end))
        for start, end in zip(ends, starts, strict=True)
        if end - start >= max(_GLUED * size, _GLUED_RATIO * usual)
    ]
    tokens: list[_Token] = []
    place = 0
    for text, _ in line.words:
        middles = line.middles[place : place + len(text)]
        place += len(text)
        first = 0
        for at in range(1, len(text)):
            blanks = [blank for blank in wide if middles[at - 1] < sum(blank) / 2 < middles[at]]
            if blanks and _may_part(text[at - 1], text[at], blanks[0][1] - blanks[0][0], size):
                tokens.append(_Token(text[first:at], middles[first:at]))
                first = at
        tokens.append(_Token(text[first:], middles[first:]))
    return tokens


def _may_part(before: str, behind: str, blank: float, size: float) -> bool:
    """Whether a blank between two characters is one between words: figures have wide blanks inside."""
    if _IDEOGRAPH.match(before) or _IDEOGRAPH.match(behind):
        return blank >= _APART * size
    if behind.isalpha() and (before.isalnum() or before in ".,;:)"):
        return True
    return (before.isalpha() and behind.isdigit()) or blank >= _APART * size


def _ink(part: np.ndarray) -> np.ndarray:
    """``bool [h, w]``: the pixels of letters, by Otsu's threshold."""
    import cv2

    _, mask = cv2.threshold(np.ascontiguousarray(part), 0, 1, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    return (mask if mask.mean() <= 0.5 else 1 - mask).astype(bool)


def _rows_of_text(ink: np.ndarray) -> tuple[int, int]:
    """First row of a line's ink and the row behind its last one: what hangs together with its middle."""
    height = len(ink)
    filled = np.flatnonzero(ink.sum(axis=1) > 0)
    if not len(filled):
        return 0, height
    gap = max(round(_ROW_GAP * height), 2)
    parts = np.split(filled, np.flatnonzero(np.diff(filled) > gap) + 1)
    middle = (height - 1) / 2
    best = max(
        parts, key=lambda part: int(ink[part[0] : part[-1] + 1].sum()) / (1 + abs(part.mean() - middle))
    )
    return int(best[0]), int(best[-1]) + 1


def _type_size(text: str, top: float, bottom: float, boxed: float) -> tuple[float, float, float]:
    """Size of the type of a line, and the upper and lower side of its words, from its ink."""
    if _IDEOGRAPH.search(text):
        size = (bottom - top) / 0.92
        if 0.45 * boxed <= size <= boxed:
            return size, top - 0.04 * size, bottom + 0.04 * size
    depth = _DEPTH if _DESCENDING.search(text) else 0.0
    size = (bottom - top) / ((_CAPITAL if _ASCENDING.search(text) else _SMALL) + depth)
    base = bottom - depth * size
    if not 0.4 * boxed <= size <= 1.1 * boxed:  # dashes, dots, or ink that is no text
        size = boxed / _BOXED
        base = (top + bottom) / 2 + 0.36 * size
    return size, base - _CAPITAL * size, base + _DEPTH * size


def _blanks(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each blank between columns of ink ends, and where it starts."""
    steps = np.diff(columns.astype(np.int8), prepend=0, append=0)
    return np.flatnonzero(steps == 1)[1:], np.flatnonzero(steps == -1)[:-1]


def _places(tokens: Sequence[_Token], columns: np.ndarray, x0: int, size: float) -> list[tuple[float, float]]:
    """Left and right side of each word: between words stands the widest blank near where one was guessed."""
    filled = np.flatnonzero(columns)
    if not len(filled):
        return [(token.middles[0] - 0.3 * size, token.middles[-1] + 0.3 * size) for token in tokens]
    sides = [float(x0 + filled[0])]
    starts, ends = _blanks(columns)
    for before, behind in pairwise(tokens):
        left, right = before.middles[-1], behind.middles[0]
        near = (ends + x0 >= left - _BLANK_REACH * size) & (starts + x0 <= right + _BLANK_REACH * size)
        near &= ends + x0 > sides[-1]
        end = start = (left + right) / 2
        if near.any():
            best = int(np.argmax(np.where(near, starts - ends, -1)))
            end, start = float(x0 + ends[best]), float(x0 + starts[best])
        narrow = max(_BLANK * size - (start - end), 0.0) / 2
        end = max(end - narrow, sides[-1])
        sides += [end, max(start + narrow, end)]
    sides.append(max(float(x0 + filled[-1] + 1), sides[-1]))
    return list(zip(sides[::2], sides[1::2], strict=True))


def _split(words: Iterable[tuple[PageWord, tuple[float, ...]]], upright: Sequence[Rule]) -> list[PageWord]:
    """Words that a drawn line cuts in two, in two; a bar at the side of a word is the line itself."""
    parted: list[PageWord] = []
    for word, middles in words:
        x0, y0, x1, y1 = word.box
        middle, reach = (y0 + y1) / 2, _CUT * word.size
        crossing = sorted(rule.x0 for rule in upright if rule.y0 < middle < rule.y1)
        cuts = [x for x in crossing if x0 + reach < x < x1 - reach]
        beside = [any(abs(x - side) <= 2 * reach for x in crossing) for side in (x0, x1)]
        for left, right in pairwise([x0, *cuts, x1]):
            text = "".join(
                char
                for char, at in zip(word.text, middles, strict=True)
                if (at >= left or left == x0) and (at < right or right == x1)
            )
            text = text.lstrip("|") if beside[0] or left != x0 else text
            text = text.rstrip("|") if beside[1] or right != x1 else text
            if text:
                parted.append(PageWord(text, (left, y0, right, y1), size=word.size))
    return parted
