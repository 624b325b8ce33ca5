"""The text of one cell from its words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.documents.page_content import PageWord
from tabrag.documents.page_tables.text_lines import is_leader, text_lines, type_size
from tabrag.documents.page_tables.turn import turned_box
from tabrag.documents.word_order import SUPERSCRIPTS, from_the_right, is_rtl

_MARK = re.compile(r"[\d+−-]+")
_MIN_LEADER = 3
_TOUCHING = 0.08
_FIRST_DOT = re.compile(r"[^\W\d_]{4,}\.$(?<!etc\.)(?<!excl\.)(?<!incl\.)(?<!dept\.)")
_NO_BLANKS = re.compile(r"[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_TRAILING = re.compile(r"(?<=[^.\s])(?:\.{4,}|…{2,}|_{4,})$")


def cell_text(words: Sequence[PageWord]) -> str:
    """Words in reading order with one blank between them, line ends as blanks.

    Raised digits become superscript characters of the word before them ("24.91²"). Rows of dots that lead to
    a number are drawn, not said, and left out. Turned words stand behind upright ones, in their own lines.
    """
    parts: list[str] = []
    for turn in sorted({word.turn for word in words}):
        last: PageWord | None = None
        for line in _lines([word for word in words if word.turn == turn], turn):
            for index, word in enumerate(line):
                if index and last is not None and word.raised and _MARK.fullmatch(word.text):
                    parts[-1] += word.text.translate(SUPERSCRIPTS)
                elif last is not None and (
                    _touch(last, word) if index else _is_one_word(last.text, word.text)
                ):
                    parts[-1] += word.text
                else:
                    parts.append(word.text)
                last = word
    return _without_leaders(parts)


def _touch(left: PageWord, right: PageWord) -> bool:
    """Whether two words of a line are one that changes its type: small capitals, digits set one by one."""
    size = type_size(left)
    gap = max(right.box[0] - left.box[2], left.box[0] - right.box[2])
    on_one_line = abs(left.box[3] - right.box[3]) <= 0.15 * size
    return (
        on_one_line and -2 * _TOUCHING * size <= gap <= _TOUCHING * size and not (left.raised or right.raised)
    )


def _is_one_word(above: str, below: str) -> bool:
    """Whether a line end stands between characters of a script that sets no blanks."""
    return _NO_BLANKS.match(above[-1:]) is not None and _NO_BLANKS.match(below[:1]) is not None


def _lines(words: list[PageWord], turn: int) -> list[list[PageWord]]:
    """Words line by line, each in its order of reading."""
    if turn:
        side = max(max(word.box[2], word.box[3]) for word in words)
        words = [
            PageWord(word.text, turned_box(word.box, turn, side, side), word.size, word.bold, word.raised)
            for word in words
        ]
    lines = text_lines(words)
    return [_logical([word for piece in line.pieces for word in piece.words]) for line in lines]


def _logical(words: list[PageWord]) -> list[PageWord]:
    """Words that stand from left to right, in the order in which they are read."""
    num_rtl = sum(is_rtl(word.text) for word in words)
    if not num_rtl or 2 * num_rtl < sum(any(map(str.isalpha, word.text)) for word in words):
        return words
    return from_the_right(words)


def _without_leaders(parts: list[str]) -> str:
    dots = 0
    while dots < len(parts) and is_leader(parts[-1 - dots]):
        dots += 1
    if dots < len(parts) and sum(len(part) for part in parts[len(parts) - dots :]) >= _MIN_LEADER:
        parts = parts[: len(parts) - dots]
        if _FIRST_DOT.search(parts[-1]):
            parts[-1] = parts[-1][:-1]
    if parts:
        parts[-1] = _TRAILING.sub("", parts[-1])
    return " ".join(parts)
