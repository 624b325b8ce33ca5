"""What the pixels of a picture show at a first look: nothing, a smooth ground, a line, or something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageChops, ImageFilter

_SIDE = 512
"""Pixels of the longer side at which a picture is looked at."""
_ONE_COLOUR = 12
"""Steps of 255 within which all pixels are of one colour: what JPEG makes of one."""
_NO_EDGE = 20
"""Steps of 255 by which a pixel differs from those around it at most where nothing is drawn."""
_BLUR = 2.0
_LONG = 10.0
"""Times of its height that a line is long, or the other way round."""
_PAPER, _MUCH_PAPER = 215, 0.75
"""Brightness of paper from 0 to 255, and the share of it around writing."""
_EVEN = 8.0
"""Steps of 255 by which the pixels along a line differ on average."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is seen.

    Attributes:
        size: Width and height in pixels.
        is_blank: All pixels are of one colour.
        is_smooth: Colours change, but nowhere suddenly: a shaded ground.
        is_rule: Long, narrow, and the same from end to end: a line, a bar, a border.
        is_ink: Most of it is paper, as around writing.
    """

    size: tuple[int, int]
    is_blank: bool
    is_smooth: bool
    is_rule: bool
    is_ink: bool


def look_of(image: Image.Image) -> Look:
    """Look at a picture.

    Args:
        image: In RGB, as :func:`tabrag.tables.image.open_image` gives it.
    """
    size = image.size
    is_blank = _range(image) <= _ONE_COLOUR
    longest = max(size)
    if longest > _SIDE:
        scaled = tuple(max(round(side * _SIDE / longest), 1) for side in size)
        image = image.resize((scaled[0], scaled[1]), Image.Resampling.BOX)
    blurred = image.filter(ImageFilter.GaussianBlur(_BLUR))
    is_smooth = not is_blank and _range(ImageChops.difference(image, blurred), from_zero=True) <= _NO_EDGE
    paper = np.asarray(image.convert("L")) >= _PAPER
    is_ink = not is_blank and float(paper.mean()) >= _MUCH_PAPER
    return Look(size, is_blank, is_smooth, _is_rule(image, size), is_ink)


def _range(image: Image.Image, *, from_zero: bool = False) -> int:
    """The widest range of a channel's values."""
    bounds = [(0, high) if from_zero else (low, high) for low, high in _extrema(image)]
    return max(high - low for low, high in bounds)


def _extrema(image: Image.Image) -> list[tuple[int, int]]:
    return [(int(low), int(high)) for low, high in (band.getextrema() for band in image.split())]


def _is_rule(image: Image.Image, size: tuple[int, int]) -> bool:
    width, height = size
    if max(width, height) < _LONG * min(width, height):
        return False
    pixels = np.asarray(image, dtype=np.float32)
    along = 1 if width > height else 0
    return float(np.abs(pixels - pixels.mean(axis=along, keepdims=True)).mean()) <= _EVEN
