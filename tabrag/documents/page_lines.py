"""Lines of text of one page: words side by side, unless a white strip or a wide blank parts them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from tabrag.documents.page_content import PageBox, PageContent, PageWord
from tabrag.documents.page_tables.turn import turned_back, turned_box
from tabrag.documents.word_order import SUPERSCRIPTS, from_the_right, is_rtl

_STEP = 2.0  # points: a cell of the map of white space
_STRIP_WIDTH = 0.75  # of the type size: a narrower strip is a blank between words
_STRIP_HEIGHT = 4.0  # of the type size: shorter ones come about by chance
_STRIP_LINES = 3  # lines with text on both sides of a strip
_WIDE_BLANK = 1.6  # of the type size: words further apart are not of one line
_AFTER_MARKER = 4.0  # the same behind the mark of a list's point
_TOUCHING = 0.12  # of the type size: a smaller gap behind a raised mark is no blank
_BUCKET = 6.0  # points: height of the stripes in which neighbours are looked for
_BOLD_SHARE = 0.8  # of a line's letters

MARKER = re.compile(
    r"(?:[•▪●○■□◦‣➢❖✓·*–—-]|[⁃∙]|\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,4})[.)]|\(\d{1,2}\)|[①-⑳○◎※])"
)
"""What a point of a list begins with, alone."""
_UNSPACED = re.compile(r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uff60]")
"""Scripts that are written without blanks, and their punctuation."""


@dataclass(slots=True)
class Line:
    """A line of text.

    Attributes:
        text: In reading order.
        box: Where it stands, in points.
        page: Number of its page.
        size: Height of most of its type in points.
        bold: Whether it is set in bold type as a whole.
        raised: Whether it begins with a mark above the line.
        lead: Width of its first word in points.
        ruled: Whether a line is drawn right above it.
    """

    text: str
    box: PageBox
    page: int
    size: float
    bold: bool = False
    raised: bool = False
    lead: float = 0.0
    ruled: bool = False


def page_lines(page: PageContent, words: Sequence[PageWord], obstacles: Iterable[PageBox]) -> list[Line]:
    """Lines of the words of a page, upright ones and turned ones.

    Args:
        page: The page.
        words: Those of its words that belong to no table and no picture.
        obstacles: Boxes of tables and pictures, in points.
    """
    upright = [word for word in words if word.turn == 0]
    lines = _lines(upright, page.width, page.height, list(obstacles), page.number)
    for turn in sorted({word.turn for word in words} - {0}):
        turned = [
            PageWord(word.text, turned_box(word.box, turn, page.width, page.height), word.size, word.bold)
            for word in words
            if word.turn == turn
        ]
        swapped = turn in (90, 270)
        width, height = (page.height, page.width) if swapped else (page.width, page.height)
        for line in _lines(turned, width, height, [], page.number):
            line.box = turned_back(line.box, turn, page.width, page.height)
            lines.append(line)
    return lines


def _lines(
    words: list[PageWord], width: float, height: float, obstacles: list[PageBox], number: int
) -> list[Line]:
    if not words:
        return []
    strips = _strips(words, width, height, obstacles)
    follower = _followers(words, strips)
    firsts = set(range(len(words))) - set(follower.values())
    lines = []
    for first in sorted(firsts, key=lambda place: (words[place].box[1], words[place].box[0])):
        chain = [first]
        while (place := follower.get(chain[-1])) is not None:
            chain.append(place)
        lines.append(make_line([words[place] for place in chain], number))
    return lines


def make_line(words: Sequence[PageWord], number: int) -> Line:
    """A line of words that stand from left to right."""
    boxes = [word.box for word in words if not word.raised] or [word.box for word in words]
    letters = sum(len(word.text) for word in words)
    bold = sum(len(word.text) for word in words if word.bold)
    ordered = in_reading_order(words)
    first = ordered[0].box
    return Line(
        text=join_words(ordered),
        box=(
            min(word.box[0] for word in words),
            min(box[1] for box in boxes),
            max(word.box[2] for word in words),
            max(box[3] for box in boxes),
        ),
        page=number,
        size=_usual_size(words),
        bold=bold >= _BOLD_SHARE * letters,
        raised=ordered[0].raised,
        lead=first[2] - first[0],
    )


def _usual_size(words: Sequence[PageWord]) -> float:
    weights: dict[float, int] = defaultdict(int)
    for word in words:
        if not word.raised or len(words) == 1:
            weights[round(word_size(word), 1)] += len(word.text)
    return max(weights, key=lambda size: weights[size], default=word_size(words[0]))


def word_size(word: PageWord) -> float:
    """Height of a word's type in points."""
    return word.size or max(word.box[3] - word.box[1], 1.0)


def in_reading_order(words: Sequence[PageWord]) -> list[PageWord]:
    """Words of a line in reading order, where they stand from left to right."""
    num_rtl = sum(is_rtl(word.text) for word in words)
    most_are_rtl = num_rtl > sum(any(map(str.isalpha, word.text)) for word in words) / 2
    return from_the_right(words) if most_are_rtl else list(words)


def join_words(words: Sequence[PageWord]) -> str:
    """Words in reading order as one text; raised figures become superscripts of the word before them."""
    text = ""
    for place, word in enumerate(words):
        if word.raised and word.text.translate(SUPERSCRIPTS) != word.text:
            text += word.text.translate(SUPERSCRIPTS)
            continue
        if word.raised and text:
            text += word.text
        else:
            apart = place and needs_blank(text, word.text) and not _touches(words[place - 1], word)
            text += f" {word.text}" if apart else word.text
    return text


def _touches(mark: PageWord, word: PageWord) -> bool:
    """Whether a word goes on right behind a raised mark."""
    return mark.raised and 0 <= word.box[0] - mark.box[2] < _TOUCHING * word_size(word)


def needs_blank(left: str, right: str) -> bool:
    """Whether a blank stands between two texts of a line or of two lines: not inside Chinese or Japanese."""
    return not (left and right and _UNSPACED.match(left[-1]) and _UNSPACED.match(right[0]))


def _strips(
    words: list[PageWord], width: float, height: float, obstacles: list[PageBox]
) -> NDArray[np.bool_]:
    """Map of the white strips that part columns: true in cells of ``_STEP`` points inside one."""
    rows, cols = int(height / _STEP) + 2, int(width / _STEP) + 2
    white = np.ones((rows, cols), dtype=bool)
    for box in [*(word.box for word in words), *obstacles]:
        x0, y0, x1, y1 = (max(round(value / _STEP), 0) for value in box)
        white[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)] = False
    size = median(map(word_size, words))
    tall = _run_lengths(white, 0) * _STEP >= _STRIP_HEIGHT * size
    return tall & (_run_lengths(tall, 1) * _STEP >= _STRIP_WIDTH * size)


def _run_lengths(mask: NDArray[np.bool_], axis: int) -> NDArray[np.int32]:
    """For each true cell the length of the run of true cells along an axis that it belongs to."""
    shape = [1, 1]
    shape[axis] = length = mask.shape[axis]
    places = np.arange(length, dtype=np.int32).reshape(shape)
    last = np.maximum.accumulate(np.where(mask, -1, places), axis)
    following = np.flip(np.minimum.accumulate(np.flip(np.where(mask, length, places), axis), axis), axis)
    return np.where(mask, following - last - 1, 0)


def _followers(words: list[PageWord], strips: NDArray[np.bool_]) -> dict[int, int]:
    """For each word the one that continues its line, where there is one."""
    stripes: dict[int, list[tuple[float, int]]] = defaultdict(list)
    for place, word in enumerate(words):
        for stripe in range(int(word.box[1] // _BUCKET), int(word.box[3] // _BUCKET) + 1):
            stripes[stripe].append((word.box[0], place))
    for stripe in stripes.values():
        stripe.sort()
    candidates: list[tuple[float, int, int]] = []
    parted: list[tuple[float, float, float, float, int, int]] = []
    for place, word in enumerate(words):
        x0, y0, x1, y1 = word.box
        size = word_size(word)
        is_marker = MARKER.fullmatch(word.text) is not None
        reach = x1 + size * (_AFTER_MARKER if is_marker else _WIDE_BLANK)
        for stripe in range(int(y0 // _BUCKET), int(y1 // _BUCKET) + 1):
            other = _next_word(place, words, stripes[stripe], reach)
            if other is None:
                continue
            box = words[other].box
            gap = box[0] - x1
            cost = gap + 2 * abs(y0 + y1 - box[1] - box[3]) / size
            middle = (max(y0, box[1]) + min(y1, box[3])) / 2
            narrow = gap < _STRIP_WIDTH * min(size, word_size(words[other]))
            if not narrow and not is_marker and _is_parted(x1, box[0], middle, strips):
                parted.append((middle, x1, box[0], cost, place, other))
            else:
                candidates.append((cost, place, other))
    candidates += _false_strips(parted, strips)
    follower: dict[int, int] = {}
    taken: set[int] = set()
    for _, place, other in sorted(candidates):
        if place not in follower and other not in taken:
            follower[place] = other
            taken.add(other)
    return follower


def _next_word(
    place: int, words: list[PageWord], stripe: list[tuple[float, int]], reach: float
) -> int | None:
    """The nearest word to the right, on about the same line and not beyond ``reach``."""
    word = words[place]
    x0, y0, x1, y1 = word.box
    for start, other in stripe[bisect_left(stripe, (x1 - 0.3 * word_size(word), -1)) :]:
        if start > reach:
            return None
        box = words[other].box
        overlap = min(y1, box[3]) - max(y0, box[1])
        needed = 0.25 if word.raised or words[other].raised else 0.5
        if other != place and start > x0 and overlap >= needed * min(y1 - y0, box[3] - box[1]):
            return other
    return None


def _false_strips(
    parted: list[tuple[float, float, float, float, int, int]], strips: NDArray[np.bool_]
) -> list[tuple[float, int, int]]:
    """Pairs of words at strips with too few lines on both sides: the white above and below makes them.

    Args:
        parted: Height, left, right, cost and the two words of each gap in a strip.
        strips: Map of the strips.
    """
    pairs = {(place, other): (y, left, right, cost) for y, left, right, cost, place, other in parted}
    gaps = sorted({(y, left, right) for y, left, right, _ in pairs.values()})
    found = []
    for (place, other), (y, left, right, cost) in pairs.items():
        heights = {
            round(at / 3)
            for at, start, end in gaps
            if min(end, right) - max(start, left) >= 2 * _STEP
            and _is_one_strip(y, at, max(start, left), min(end, right), strips)
        }
        if len(heights) < _STRIP_LINES:
            found.append((cost, place, other))
    return found


def _is_one_strip(y: float, at: float, left: float, right: float, strips: NDArray[np.bool_]) -> bool:
    top, bottom = sorted((int(y / _STEP), int(at / _STEP)))
    columns = strips[top : bottom + 1, round(left / _STEP) : round(right / _STEP)]
    return columns.shape[1] > 0 and bool(columns.all(axis=0).any())


def _is_parted(left: float, right: float, y: float, strips: NDArray[np.bool_]) -> bool:
    row = min(max(int(y / _STEP), 0), strips.shape[0] - 1)
    start, end = max(round(left / _STEP), 0), max(round(right / _STEP), 0)
    return bool(strips[row, start:end].any())
