"""Lines that are drawn in a picture: thin or thick, dark or light, coloured, broken or dotted.

A line is a ridge: along a stretch that is long beside the text, pixels differ from those on both sides of it.
That holds for black lines on white paper as for white lines in a dark header, and not where two shades meet.
Strokes of letters are short or lie within a line of text; long ones have ink on their flanks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabrag.documents.page_content import PageBox, Rule
from tabrag.documents.picture_lines import (
    DOUBLE,
    GAP,
    MAX_THICKNESS,
    DrawnLine,
    is_beside,
    is_stroke,
    joined_pieces,
    to_corners,
    without_doubles,
    without_echoes,
)

Pixels = np.ndarray
"""uint8 [H, W, 3]."""
_Mask = np.ndarray
"""uint8 [H, W], 0 or 1."""

# All lengths are in heights of a line of text, as OCR boxes it (about 1.4 times the size of the type).
_MIN_PIECE = 0.9
_MIN_HORIZONTAL = 2.0
_MIN_VERTICAL = 1.1
_MIN_DOTTED = 5.0
# Text that touches a line leaves short pieces with short gaps.
_SHORT_PIECE, _SHORT_GAP = 0.35, 0.1
# Height of letters, which fill gaps in a line where they touch it.
_LETTERS = 2.0
# Contrast that a ridge needs, in grey levels, beyond twice the noise of the picture.
_CONTRAST = 14
# The share of a line beside which there may be ink: text that touches it, lines that cross. No strokes of
# text make a run of more than so many heights of a line, whatever stands beside it.
_MAX_FLANK, _MAX_SHORT_FLANK = 0.5, 0.3
_LONG, _SURE = 4.0, 8.0
# Less than this share of a line's contrast is its blurred edge, or what JPEG leaves beside it.
_CORE = 0.4
_MIN_DOTS = 0.2
# Height of a line of text, as a share of the picture, where there is no text to tell it.
_WITHOUT_TEXT = 1 / 25


def find_rules(pixels: Pixels, text_height: float, text_boxes: Sequence[PageBox]) -> list[Rule]:
    """The horizontal and vertical lines of a picture, in pixels.

    Args:
        pixels: uint8 RGB ``[H, W, 3]``.
        text_height: Height of a line of text as OCR boxes it, in pixels; 0 where there is no text.
        text_boxes: Boxes of the lines of text in pixels: what lies within one is a stroke or an underline.

    Returns:
        Horizontal lines from above, then vertical ones from the left; each reaches to the lines it meets.
    """
    height, width = pixels.shape[:2]
    unit = text_height or max(_WITHOUT_TEXT * min(height, width), 4.0)
    if min(height, width) < 4:
        return []
    across = _lines(pixels, unit, list(text_boxes), _MIN_HORIZONTAL)
    turned = [(y0, x0, y1, x1) for x0, y0, x1, y1 in text_boxes]
    down = _lines(np.ascontiguousarray(pixels.transpose(1, 0, 2)), unit, turned, _MIN_VERTICAL)
    across, down = to_corners(across, down, unit), to_corners(down, across, unit)
    across, down = (
        joined_pieces(across, 0.0),
        joined_pieces(down, 0.0),
    )  # pieces that meet at a thick line between them
    return [Rule(line.start, line.at, line.end, line.at) for line in across] + [
        Rule(line.at, line.start, line.at, line.end) for line in down
    ]


def _lines(pixels: Pixels, unit: float, text: list[PageBox], min_length: float) -> list[DrawnLine]:
    """Lines from left to right."""
    found = []
    for ridge, ink in _ridges(pixels, unit):
        least = _CONTRAST + 2 * np.median(ridge)
        mask, dark = (ridge > least).astype(np.uint8), ink > least
        solid = _solid(mask, ridge, unit)
        found.append(joined_pieces(solid + _dotted(mask, ridge, unit, solid), unit, dark))
    dark_lines, light_lines = found
    beside = [line for line in light_lines if not any(is_beside(line, other, unit) for other in dark_lines)]
    lines = without_echoes(without_doubles(dark_lines + beside, unit), unit)
    return [line for line in lines if line.length >= min_length * unit and not is_stroke(line, text, unit)]


def _ridges(pixels: Pixels, unit: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """How much darker pixels are, and how much lighter, than those above and below.

    Returns:
        For dark and for light lines: the contrast of what is as thin as a line, and of what is as high as
        letters, which stand in for a line where they touch it.
    """
    import cv2

    thin, high = (np.ones((_odd(max(share * unit, 5)), 1), np.uint8) for share in (MAX_THICKNESS, _LETTERS))
    return [
        (
            _strongest(cv2.morphologyEx(pixels, how, thin)),
            _strongest(cv2.morphologyEx(pixels, how, high)),
        )
        for how in (cv2.MORPH_BLACKHAT, cv2.MORPH_TOPHAT)
    ]


def _strongest(pixels: Pixels) -> np.ndarray:
    """The largest of the three colours of each pixel; NumPy takes many times longer over so short an axis."""
    import cv2

    red, green, blue = cv2.split(pixels)
    return cv2.max(cv2.max(red, green), blue)


def _odd(length: float) -> int:
    """The odd number at a length or next above it: a kernel of an even one would shift what it finds."""
    return 2 * round(length / 2) + 1


def _solid(mask: _Mask, ridge: np.ndarray, unit: float) -> list[DrawnLine]:
    """Runs that are long beside the text and have no ink on their flanks."""
    import cv2

    runs = mask
    for step, share, least in (
        (cv2.MORPH_OPEN, _SHORT_PIECE, 5),
        (cv2.MORPH_CLOSE, _SHORT_GAP, 3),
        (cv2.MORPH_OPEN, _MIN_PIECE, 9),
    ):
        runs = cv2.morphologyEx(runs, step, np.ones((1, _odd(max(share * unit, least))), np.uint8))
    # A line that slopes steps from row to row: its runs touch at their ends, or nearly so.
    grown = cv2.dilate(runs, np.ones((1, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8)
    lines = []
    for number in range(1, count):
        x, y, width, height, _ = (int(value) for value in stats[number])
        part = (slice(y, y + height), slice(x, x + width))
        inside = (labels[part] == number) & (runs[part] > 0)
        strength = (ridge[part] * inside).sum(axis=1)
        core = np.flatnonzero(strength >= _CORE * strength.max())
        top, bottom = y + int(core[0]), y + int(core[-1]) + 1
        if bottom - top > max(MAX_THICKNESS * unit, 3) + 0.03 * width:
            continue
        inside = inside[core[0] : core[-1] + 1]
        columns, weights = np.flatnonzero(inside.any(axis=0)), inside.sum(axis=1)
        first, last = x + int(columns[0]), x + int(columns[-1]) + 1
        contrast = float(ridge[top:bottom, x : x + width][inside].mean())
        flank = _flank(ridge, _CORE * contrast, top, bottom, first, last)
        if flank <= (_MAX_FLANK if last - first > _LONG * unit else _MAX_SHORT_FLANK) or (
            last - first > _SURE * unit
        ):
            at = top + float((weights * (np.arange(len(weights)) + 0.5)).sum() / weights.sum())
            lines.append(DrawnLine(at, float(first), float(last), contrast))
    return lines


def _dotted(mask: _Mask, ridge: np.ndarray, unit: float, solid: list[DrawnLine]) -> list[DrawnLine]:
    """Rows of dots and dashes with nothing above and below them."""
    import cv2

    gap, length = _odd(max(GAP * unit, 3)), _odd(max(_MIN_DOTTED * unit, 24))
    alone = mask.copy()
    for line in solid:
        y, reach = int(line.at), max(round(DOUBLE * unit), 2)
        alone[max(y - reach, 0) : y + reach + 1, int(line.start) : int(line.end)] = 0
    # The dots are thin: what is high is a letter or a line that crosses.
    thin = max(round(DOUBLE * unit), 2)
    high = cv2.morphologyEx(alone, cv2.MORPH_OPEN, np.ones((_odd(thin + 1), 1), np.uint8))
    dots = cv2.morphologyEx(alone - high, cv2.MORPH_CLOSE, np.ones((1, gap), np.uint8))
    runs = cv2.morphologyEx(dots, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(runs, connectivity=8)
    lines = []
    for number in range(1, count):
        x, y, width, height, _ = (int(value) for value in stats[number])
        ink = float((alone[y : y + height, x : x + width].max(axis=0)).mean())
        if height <= thin and ink >= _MIN_DOTS and _flank(mask, 0, y, y + height, x, x + width) <= 0.3 * ink:
            dots_only = alone[y : y + height, x : x + width] > 0
            contrast = float(ridge[y : y + height, x : x + width][dots_only].mean())
            lines.append(DrawnLine(y + height / 2, float(x), float(x + width), contrast))
    return lines


def _flank(ridge: np.ndarray, least: float, top: int, bottom: int, left: int, right: int) -> float:
    """The larger share of ink, what is above the least, in the two strips of pixels beside a line."""
    above = ridge[max(top - 3, 0) : max(top - 1, 0), left:right]
    below = ridge[bottom + 1 : bottom + 3, left:right]
    return max(
        (float((strip > least).any(axis=0).mean()) for strip in (above, below) if strip.size), default=0.0
    )
