"""The order in which the words of a line stand from left to right.

The Unicode bidirectional algorithm (UAX #9) on whole words: within a word the text shaper applies it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

_LEFT, _RIGHT, _NUMBER, _NEUTRAL = "L", "R", "N", ""


def base_is_right_to_left(words: Iterable[str]) -> bool:
    """Direction of a text: that of its first letter (UAX #9, rules P2 and P3)."""
    for word in words:
        kind = _kind(word)
        if kind in (_LEFT, _RIGHT):
            return kind == _RIGHT
    return False


def visual_order(words: Sequence[str], right_to_left: bool) -> list[int]:
    """Indices of the words from left to right.

    Args:
        words: One line in logical order.
        right_to_left: Direction of the whole text, see `base_is_right_to_left`.
    """
    if not right_to_left and all(word.isascii() for word in words):
        return list(range(len(words)))
    levels = _levels([_kind(word) for word in words], right_to_left)
    order = list(range(len(words)))
    for level in range(max(levels, default=0), 0, -1):
        start = 0
        while start < len(order):
            if levels[order[start]] < level:
                start += 1
                continue
            end = start
            while end < len(order) and levels[order[end]] >= level:
                end += 1
            order[start:end] = reversed(order[start:end])
            start = end
    return order


def _kind(word: str) -> str:
    """Direction of a word: that of its first letter, else a number, else none."""
    if word.isascii():
        if any(char.isalpha() for char in word):
            return _LEFT
        return _NUMBER if any(char.isdigit() for char in word) else _NEUTRAL
    number = False
    for char in word:
        direction = unicodedata.bidirectional(char)
        if direction in ("L", "R", "AL"):
            return _LEFT if direction == "L" else _RIGHT
        number = number or direction in ("EN", "AN")
    return _NUMBER if number else _NEUTRAL


def _levels(kinds: list[str], right_to_left: bool) -> list[int]:
    base = 1 if right_to_left else 0
    last = _RIGHT if right_to_left else _LEFT
    resolved: list[str] = []
    for kind in kinds:
        # A number behind a left-to-right word belongs to it (W7).
        resolved.append(_LEFT if kind == _NUMBER and last == _LEFT else kind)
        last = kind if kind in (_LEFT, _RIGHT) else last
    levels: list[int] = []
    for index, kind in enumerate(resolved):
        if kind == _NEUTRAL:
            before = _strong(resolved[:index][::-1], right_to_left)
            after = _strong(resolved[index + 1 :], right_to_left)
            kind = before if before == after else (_RIGHT if right_to_left else _LEFT)
        if kind == _RIGHT:
            levels.append(1)
        elif kind == _NUMBER:
            levels.append(2)
        else:
            levels.append(2 if base else 0)
    return levels


def _strong(kinds: Sequence[str], right_to_left: bool) -> str:
    """Direction next to a neutral word; a number counts as right-to-left there (N1)."""
    for kind in kinds:
        if kind != _NEUTRAL:
            return _RIGHT if kind == _NUMBER else kind
    return _RIGHT if right_to_left else _LEFT
