"""One text on paper: its words measured, broken into lines, and placed. Lengths are pixels."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from tabrag.tables.fonts import Face, Glyphs, drawable
from tabrag.tables.reading_order import base_is_right_to_left, visual_order
from tabrag.types import Cell

# A word may be cut behind these and inside a script without blanks, but not before closing marks.
_BREAK_BEHIND = set("-/,;:._|\\")
_NEVER_FIRST = set("）)]】」』》〉、。，．：；！？,.;:!?%")
# Longer words are cut before they are measured, so that a blob without blanks costs linear time.
_MAX_WORD = 400
_UNSPACED = (("\u0e00", "\u0eff"), ("\u1780", "\u17ff"), ("\u2e80", "\u9fff"), ("\uf900", "\uffef"))

Line = list[tuple[str, Glyphs]]


@dataclass(slots=True)
class MeasuredText:
    """The words of a text with their ink, in logical order.

    Attributes:
        paragraphs: Words of each line of the source text; no paragraph is empty.
        right_to_left: Direction of the whole text.
        longest: Width of the longest word that should stay whole.
        total: Width of the longest paragraph on one line.
    """

    paragraphs: list[Line]
    right_to_left: bool
    longest: int
    total: int


@dataclass(slots=True)
class Block:
    """A text broken into lines, in logical order."""

    lines: list[Line]
    widths: list[int]
    right_to_left: bool
    face: Face

    @property
    def height(self) -> int:
        return len(self.lines) * self.face.line_height


@dataclass(slots=True)
class PlacedWord:
    """A word with its ink and the pen position (left end of the baseline)."""

    text: str
    glyphs: Glyphs
    x: int
    y: int
    cell: Cell | None


def measure(text: str, face: Face) -> MeasuredText:
    """Split a text at blanks and line ends and measure its words; words without ink are left out."""
    if text.isascii() and text.isprintable():
        split = [text.split()]
        right_to_left = False
    else:
        split = [[word for word in line.split() if drawable(word)] for line in text.splitlines()]
        right_to_left = base_is_right_to_left(word for words in split for word in words)
    paragraphs: list[Line] = []
    longest = total = 0
    for words in split:
        if not words:
            continue
        chunks = [word[i : i + _MAX_WORD] for word in words for i in range(0, len(word), _MAX_WORD)]
        line = [(word, face.glyphs(word, right_to_left=right_to_left)) for word in chunks]
        used = face.space * (len(line) - 1)
        for word, glyphs in line:
            used += glyphs.advance
            if glyphs.advance > longest:
                longest = max(
                    longest, min(glyphs.advance, 4 * face.size) if _is_unspaced(word) else glyphs.advance
                )
        total = max(total, used)
        paragraphs.append(line)
    return MeasuredText(paragraphs, right_to_left, longest, total)


def wrap(text: MeasuredText, face: Face, width: int) -> Block:
    """Break a text into lines of at most `width` pixels; a wider word is cut into pieces."""
    lines: list[Line] = []
    widths: list[int] = []
    for paragraph in text.paragraphs:
        line: Line = []
        used = -face.space
        for whole in paragraph:
            fits = whole[1].advance <= width
            for piece in (whole,) if fits else _pieces(whole[0], face, width, text.right_to_left):
                advance = piece[1].advance + face.space
                if line and used + advance > width:
                    lines.append(line)
                    widths.append(used)
                    line, used = [], -face.space
                line.append(piece)
                used += advance
        lines.append(line)
        widths.append(used)
    return Block(lines, widths, text.right_to_left, face)


def place(
    block: Block, *, left: int, right: int, top: int, cell: Cell | None, align: str
) -> Iterator[PlacedWord]:
    """Give each word of a block its place, in logical order.

    Args:
        block: The lines.
        left: Left end of the space.
        right: Right end of the space.
        top: Upper end of the first line.
        cell: Which cell the words belong to.
        align: ``left``, ``right`` or ``centre``; ``left`` becomes ``right`` for right-to-left text.
    """
    if block.right_to_left and align == "left":
        align = "right"
    space = block.face.space
    y = top + block.face.ascent
    for line, width in zip(block.lines, block.widths, strict=True):
        free = right - left - width
        pen = left if align == "left" else left + free if align == "right" else left + max(free, 0) // 2
        if len(line) == 1:  # most cells of numbers
            yield PlacedWord(*line[0], pen, y, cell)
            y += block.face.line_height
            continue
        places = [0] * len(line)
        for position in visual_order([word for word, _ in line], block.right_to_left):
            places[position] = pen
            pen += line[position][1].advance + space
        for (word, glyphs), x in zip(line, places, strict=True):
            yield PlacedWord(word, glyphs, x, y, cell)
        y += block.face.line_height


def _pieces(word: str, face: Face, width: int, right_to_left: bool) -> Iterator[tuple[str, Glyphs]]:
    """The parts of a word that fit the width, at least one character each."""
    glyphs = face.glyphs(word, right_to_left=right_to_left)
    while glyphs.advance > width and len(word) > 1:
        count = max(1, min(len(word) - 1, len(word) * max(width, 1) // glyphs.advance + 1))
        while count > 1 and face.glyphs(word[:count], right_to_left=right_to_left).advance > width:
            count -= 1
        count = next((place for place in range(count, count // 2, -1) if _may_cut(word, place)), count)
        if not drawable(word[:count]) or not drawable(word[count:]):
            break
        yield word[:count], face.glyphs(word[:count], right_to_left=right_to_left)
        word = word[count:]
        glyphs = face.glyphs(word, right_to_left=right_to_left)
    yield word, glyphs


def _may_cut(word: str, place: int) -> bool:
    """Whether a reader would cut the word before the character at `place`."""
    behind, ahead = word[place - 1], word[place]
    if ahead in _NEVER_FIRST or unicodedata.category(ahead).startswith("M"):
        return False
    return behind in _BREAK_BEHIND or _is_unspaced(behind + ahead)


def _is_unspaced(text: str) -> bool:
    """Whether a character is of a script without blanks (Chinese, Japanese, Thai, Lao, Khmer)."""
    if text.isascii():
        return False
    return any(char >= "\U00020000" or any(low <= char <= high for low, high in _UNSPACED) for char in text)
