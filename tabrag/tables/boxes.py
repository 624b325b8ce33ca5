"""Word boxes in thousandths of a picture, the form in which layout models take them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tabrag.errors import UserError
from tabrag.types import Box


def normalise_box(box: Sequence[float], width: float, height: float) -> Box:
    """Scale a box from pixels to whole numbers 0..1000, inside the picture, with x0 <= x1 and y0 <= y1.

    Args:
        box: ``(x0, y0, x1, y1)`` in pixels, in any order of the two corners, perhaps beyond the edges.
        width: Width of the picture, pixels.
        height: Height of the picture, pixels.

    Raises:
        UserError: Not four finite numbers, or a picture without area.
    """
    if width <= 0 or height <= 0:
        raise UserError(f"the picture has no area ({width} x {height} pixels)")
    if (
        not isinstance(box, Sequence)
        or len(box) != 4
        or not all(isinstance(value, int | float) and math.isfinite(value) for value in box)
    ):
        raise UserError(f"the box {box!r} is not four finite numbers x0, y0, x1, y1")
    x0, x1 = sorted(_clamp(round(x * 1000 / width)) for x in (box[0], box[2]))
    y0, y1 = sorted(_clamp(round(y * 1000 / height)) for y in (box[1], box[3]))
    return (x0, y0, x1, y1)


def enclosing_box(box: tuple[float, float, float, float], size: tuple[int, int]) -> Box:
    """Like `normalise_box` for an ordered box of ink, rounded outwards: a thin word keeps an area."""
    x0, y0, x1, y1 = box
    horizontal, vertical = 1000 / size[0], 1000 / size[1]
    return (
        _clamp(math.floor(x0 * horizontal)),
        _clamp(math.floor(y0 * vertical)),
        _clamp(math.ceil(x1 * horizontal)),
        _clamp(math.ceil(y1 * vertical)),
    )


def _clamp(value: int) -> int:
    return 0 if value < 0 else 1000 if value > 1000 else value
