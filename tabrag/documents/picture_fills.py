"""Shaded areas of a picture: dark headers, coloured cells, rows with a tint; and the picture without them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabrag.documents.page_content import Fill, PageBox

# In heights of a line of text, as OCR boxes it: the window that takes text out of its ground, the least
# height of an area, and its least width.
_WINDOW = 0.8
_MIN_HEIGHT = 0.6
_MIN_WIDTH = 1.5
# A line of text has this many pixels in the picture in which areas are searched.
_SEARCH_HEIGHT = 12
# Grey levels by which areas differ from the paper, the darkest ones first: what is found leaves the rest.
_TINTS = (160, 110, 70, 45, 28, 16, 9, 5)
# Grey levels by which pixels of one area differ.
_SMOOTH = 5
# The share of its box that an area covers: others are drawings and photographs.
_RECTANGULAR = 0.85
# An area of this share of the picture is the paper itself.
_WHOLE = 0.7
# The share of an area that may be as light as the paper: more is text without a shade behind it.
_MAX_PAPER = 0.4
# Less than this many grey levels from the paper, the share of an area that must have its shade: the blur
# of text and the noise of a scan differ as much from the paper as a tint does.
_STRONG = 28
_MIN_EVEN = 0.5
# Pixels of another shade that do not end an area: a line that is drawn on it.
_LINE = 3
# How far the sides of an area may be from where they were seen first, in heights of a line of text.
_EDGE = 0.75
# Ink differs from the ground of an area by so many grey levels, in at least this share of its pixels.
_MIN_INK = 40
_INK_SHARE = 0.004
# Height of a line of text, as a share of the picture, where there is no text to tell it.
_WITHOUT_TEXT = 1 / 25
_GREY = np.array([0.299, 0.587, 0.114], np.float32)


def find_fills(pixels: np.ndarray, text_height: float) -> list[Fill]:
    """Rectangles of one shade that is not the paper's, in pixels.

    Args:
        pixels: uint8 RGB ``[H, W, 3]``.
        text_height: Height of a line of text as OCR boxes it, in pixels; 0 where there is no text.

    Returns:
        The areas from above; text and lines upon them are no part of their shade.
    """
    import cv2

    height, width = pixels.shape[:2]
    unit = text_height or _WITHOUT_TEXT * min(height, width)
    step = max(round(unit / _SEARCH_HEIGHT), 1)
    # The darkest channel shows any tint; single pixels are taken, as means would mix ink into the ground.
    shade = pixels.min(axis=2)
    size = 2 * max(round(_WINDOW * unit / step / 2), 1) + 1
    ground = cv2.medianBlur(np.ascontiguousarray(shade[::step, ::step]), size)
    if min(ground.shape) < 3:
        return []
    paper = int(np.bincount(ground.ravel(), minlength=256).argmax())
    apart = np.abs(ground.astype(np.int16) - paper)
    fills = []
    for tint in _TINTS:
        _, labels, stats, _ = cv2.connectedComponentsWithStats(
            (apart >= tint).astype(np.uint8), connectivity=4
        )
        for number, (x, y, columns, rows, area) in enumerate(stats[1:].tolist(), start=1):
            if rows * step < _MIN_HEIGHT * unit or columns * step < _MIN_WIDTH * unit:
                continue
            if area < _RECTANGULAR * columns * rows or columns * rows > _WHOLE * ground.size:
                continue
            part = (slice(y, y + rows), slice(x, x + columns))
            inside = labels[part] == number
            level = int(np.median(ground[part][inside]))
            box = (x * step, y * step, (x + columns) * step, (y + rows) * step)
            box = _sharp_box(shade, box, level, abs(level - paper), max(round(_EDGE * unit), 3 * step))
            if not _is_shaded(shade, box, paper, level):
                continue
            colour = np.median(_shaded(pixels[::step, ::step][part], inside, ground[part]), axis=0)
            fills.append(Fill(box, round(float(colour @ _GREY) / 255, 3)))
            apart[max(y - 2, 0) : y + rows + 2, max(x - 2, 0) : x + columns + 2] = 0
    return sorted(fills, key=lambda fill: (fill.box[1], fill.box[0]))


def without_fills(pixels: np.ndarray, fills: Sequence[Fill]) -> np.ndarray:
    """The picture with dark ink on white in each of its shaded areas, as OCR reads it best.

    Ink is what differs from the ground, to either side: light letters as well as dark lines around them.

    Args:
        pixels: uint8 RGB ``[H, W, 3]``.
        fills: What :func:`find_fills` found in it.
    """
    clean = pixels.copy()
    grey = pixels.astype(np.float32) @ _GREY
    for fill in sorted(fills, key=lambda fill: -_area(fill)):
        x0, y0, x1, y1 = (round(value) for value in fill.box)
        contrast = grey[y0:y1, x0:x1] - 255 * fill.grey
        ink = np.maximum(_strength(contrast), _strength(-contrast))
        clean[y0:y1, x0:x1] = np.rint(255 - 255 * ink).astype(np.uint8)[..., None]
    return clean


def _strength(contrast: np.ndarray) -> np.ndarray:
    """How much a pixel is ink, 0..1, by how much lighter than the ground it is; 0 without any ink."""
    if not contrast.size or np.mean(contrast > _MIN_INK) < _INK_SHARE:
        return np.zeros_like(contrast)
    full = float(np.percentile(contrast[contrast > _MIN_INK], 75))
    return (contrast / full).clip(0, 1)


def _shaded(pixels: np.ndarray, inside: np.ndarray, ground: np.ndarray) -> np.ndarray:
    """``[N, 3]``: the pixels of an area that have its shade, or all of them where none has it exactly."""
    alike = inside & (np.abs(pixels.min(axis=2).astype(int) - ground) <= _SMOOTH)
    return pixels[alike] if alike.any() else pixels[inside]


def _sharp_box(
    shade: np.ndarray, box: tuple[int, int, int, int], ground: int, tint: int, reach: int
) -> PageBox:
    """The box in pixels, each side where the shade ends: seen first in a picture without detail."""
    x0, y0, x1, y1 = box
    rows = np.abs(np.median(shade[:, x0:x1], axis=1) - ground) > tint / 2
    columns = np.abs(np.median(shade[y0:y1], axis=0) - ground) > tint / 2
    return (
        len(columns) - _end(columns[::-1], len(columns) - x0, reach),
        len(rows) - _end(rows[::-1], len(rows) - y0, reach),
        _end(columns, x1, reach),
        _end(rows, y1, reach),
    )


def _end(other: np.ndarray, near: int, reach: int) -> float:
    """Where a run begins that has another shade, at most ``reach`` from where it was seen; else just there.

    A line of a pixel or two is no end.
    """
    for at in range(max(near - reach, 0), min(near + reach, len(other))):
        if other[at : at + _LINE + 1].all():
            return float(at)
    return float(min(near, len(other)))


def _is_shaded(shade: np.ndarray, box: PageBox, paper: int, ground: int) -> bool:
    """Whether a box has a ground of its own: there is text on it, but little of the paper shows."""
    x0, y0, x1, y1 = (round(value) for value in box)
    part = shade[y0:y1, x0:x1].astype(np.int16)
    tint = abs(ground - paper)
    if not part.size or np.mean(np.abs(part - paper) < tint / 2) > _MAX_PAPER:
        return False
    return tint >= _STRONG or bool(np.mean(np.abs(part - ground) <= _SMOOTH) >= _MIN_EVEN)


def _area(fill: Fill) -> float:
    x0, y0, x1, y1 = fill.box
    return (x1 - x0) * (y1 - y0)
