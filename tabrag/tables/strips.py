"""Parts of a picture put together into a smaller one, with the boxes of the words that stand in them.

A picture cannot wrap: what of it belongs together (a title, header rows, some rows further below) is cut out
in strips, which then stand below one another. All edges are in 0..1000 of the whole picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tabrag.types import Box, Strip, Word

if TYPE_CHECKING:
    from PIL.Image import Image

LIMIT = 1000
"""Edges and boxes are in 0..1000."""


def enclosing(words: Iterable[Word]) -> Strip:
    """The strip of one part that just holds some words, at least one of them."""
    boxes = [word.box for word in words]
    x0, y0 = (min(max(0, min(box[side] for box in boxes)), LIMIT - 1) for side in (0, 1))
    x1, y1 = (min(LIMIT, max(box[side] for box in boxes)) for side in (2, 3))
    return y0, max(y1, y0 + 1), ((x0, max(x1, x0 + 1)),)


def holds(strip: Strip, word: Word) -> bool:
    """Whether a word stands in one part of a strip."""
    x0, y0, x1, y1 = word.box
    return strip[0] <= y0 <= y1 <= strip[1] and any(left <= x0 <= x1 <= right for left, right in strip[2])


def moved(words: Sequence[Word], places: Sequence[int], strips: Sequence[Strip]) -> list[Word]:
    """Words with their boxes in the picture that strips make.

    Args:
        words: Words with boxes of the whole picture.
        places: The number of the strip that each stands in; a box that reaches over its part is cut off.
        strips: The strips from above.
    """
    width, height, tops = _size(strips)
    result = []
    for word, place in zip(words, places, strict=True):
        top, bottom, spans = strips[place]
        x0, y0, x1, y1 = word.box
        left = 0
        for first, last in spans:
            if first <= x0 <= last:
                break
            left += last - first
        else:
            left, (first, last) = 0, spans[0]
        edges = (
            left + min(max(x0, first), last) - first,
            tops[place] + min(max(y0, top), bottom) - top,
            left + min(max(x1, first), last) - first,
            tops[place] + min(max(y1, top), bottom) - top,
        )
        result.append(replace(word, box=_scaled(edges, width, height)))
    return result


def paste(image: Image, strips: Sequence[Strip]) -> Image:
    """The picture that strips of a picture make, as many pixels to the unit; what no strip fills is white."""
    from PIL.Image import new

    width, height, tops = _size(strips)
    size = (max(1, _pixels(width, image.width)), max(1, _pixels(height, image.height)))
    canvas = new("RGB", size, "white")
    for (top, bottom, spans), y in zip(strips, tops, strict=True):
        x = 0
        y0, y1 = _stretch(top, bottom, image.height)
        for left, right in spans:
            x0, x1 = _stretch(left, right, image.width)
            canvas.paste(image.crop((x0, y0, x1, y1)), (_pixels(x, image.width), _pixels(y, image.height)))
            x += right - left
    return canvas


def _size(strips: Sequence[Strip]) -> tuple[int, int, list[int]]:
    """Width and height of the picture that strips make, and where each begins."""
    tops, height = [], 0
    for top, bottom, _ in strips:
        tops.append(height)
        height += bottom - top
    return max(sum(right - left for left, right in spans) for _, _, spans in strips), height, tops


def _scaled(edges: Box, width: int, height: int) -> Box:
    """Edges within a picture of this size in 0..1000 of it, never smaller than they are."""
    x0, y0, x1, y1 = edges
    return (
        x0 * LIMIT // width,
        y0 * LIMIT // height,
        -(-x1 * LIMIT // width),
        -(-y1 * LIMIT // height),
    )


def _pixels(edge: int, size: int) -> int:
    """An edge in pixels, of a side of ``size`` pixels."""
    return round(edge * size / LIMIT)


def _stretch(first: int, last: int, size: int) -> tuple[int, int]:
    """Two edges in pixels, at least one apart and within the side."""
    begin = min(_pixels(first, size), size - 1)
    return begin, min(max(_pixels(last, size), begin + 1), size)
