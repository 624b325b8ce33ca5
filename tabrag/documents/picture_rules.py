"""Lines that are drawn in a picture: thin or thick, dark or light, coloured, broken or dotted.

A line is a ridge: along a stretch that is long beside the text, pixels differ from those on both sides of it.
That holds for black lines on white paper as for white lines in a dark header, and not where two shades meet.
Strokes of letters are short or lie within a line of text; long ones have ink on their flanks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tabrag.documents.page_content import PageBox, Rule

Pixels = np.ndarray
"""uint8 [H, W, 3]."""
_Mask = np.ndarray
"""uint8 [H, W], 0 or 1."""

# All lengths are in heights of a line of text, as OCR boxes it (about 1.4 times the size of the type).
_MAX_THICKNESS = 0.55
_MIN_PIECE = 0.9
_MIN_HORIZONTAL = 2.0
_MIN_VERTICAL = 1.1
_MIN_DOTTED = 5.0
# Text that touches a line leaves short pieces with short gaps.
_SHORT_PIECE, _SHORT_GAP = 0.35, 0.1
# Gaps in a line: broken ones are joined, the gaps between the lines under two headers are wider. Gaps that
# are filled with ink may be longer.
_GAP, _FILLED_GAP = 0.35, 1.5
_LETTERS = 2.0
# Parallel lines nearer than this are one line.
_DOUBLE = 0.25
# Ends of lines reach over this gap to a line that crosses.
_CORNER = 0.5
# Contrast that a ridge needs, in grey levels, beyond twice the noise of the picture.
_CONTRAST = 14
# A line beside one that has this many times its contrast, and how near the two are.
_FAINT, _ECHO = 0.35, 0.6
# The share of a line beside which there may be ink: text that touches it, lines that cross. No strokes of
# text make a run of more than so many heights of a line, whatever stands beside it.
_MAX_FLANK, _MAX_SHORT_FLANK = 0.5, 0.3
_LONG, _SURE = 4.0, 8.0
# Less than this share of a line's contrast is its blurred edge, or what JPEG leaves beside it.
_CORE = 0.4
_MIN_DOTS = 0.2
# Height of a line of text, as a share of the picture, where there is no text to tell it.
_WITHOUT_TEXT = 1 / 25


@dataclass(frozen=True, slots=True)
class _Line:
    """A line along its own axis: it runs from ``start`` to ``end`` at ``at``."""

    at: float
    start: float
    end: float
    contrast: float = 0.0
    """Grey levels between the line and what is beside it."""

    @property
    def length(self) -> float:
        return self.end - self.start


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
    across, down = _to_corners(across, down, unit), _to_corners(down, across, unit)
    across, down = _joined(across, 0.0), _joined(down, 0.0)  # pieces that meet at a thick line between them
    return [Rule(line.start, line.at, line.end, line.at) for line in across] + [
        Rule(line.at, line.start, line.at, line.end) for line in down
    ]


def _lines(pixels: Pixels, unit: float, text: list[PageBox], min_length: float) -> list[_Line]:
    """Lines from left to right."""
    found = []
    for ridge, ink in _ridges(pixels, unit):
        least = _CONTRAST + 2 * np.median(ridge)
        mask, dark = (ridge > least).astype(np.uint8), ink > least
        solid = _solid(mask, ridge, unit)
        found.append(_joined(solid + _dotted(mask, ridge, unit, solid), unit, dark))
    dark_lines, light_lines = found
    beside = [line for line in light_lines if not any(_is_beside(line, other, unit) for other in dark_lines)]
    lines = _without_echoes(_without_doubles(dark_lines + beside, unit), unit)
    return [line for line in lines if line.length >= min_length * unit and not _is_stroke(line, text, unit)]


def _ridges(pixels: Pixels, unit: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """How much darker pixels are, and how much lighter, than those above and below.

    Returns:
        For dark and for light lines: the contrast of what is as thin as a line, and of what is as high as
        letters, which stand in for a line where they touch it.
    """
    import cv2

    thin, high = (np.ones((_odd(max(share * unit, 5)), 1), np.uint8) for share in (_MAX_THICKNESS, _LETTERS))
    return [
        (
            cv2.morphologyEx(pixels, how, thin).max(axis=2),
            cv2.morphologyEx(pixels, how, high).max(axis=2),
        )
        for how in (cv2.MORPH_BLACKHAT, cv2.MORPH_TOPHAT)
    ]


def _odd(length: float) -> int:
    """The odd number at a length or next above it: a kernel of an even one would shift what it finds."""
    return 2 * round(length / 2) + 1


def _solid(mask: _Mask, ridge: np.ndarray, unit: float) -> list[_Line]:
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
        if bottom - top > max(_MAX_THICKNESS * unit, 3) + 0.03 * width:
            continue
        inside = inside[core[0] : core[-1] + 1]
        columns, weights = np.flatnonzero(inside.any(axis=0)), inside.sum(axis=1)
        first, last = x + int(columns[0]), x + int(columns[-1]) + 1
        contrast = float(ridge[top:bottom, x : x + width][inside].mean())
        flank = _flank(ridge > _CORE * contrast, top, bottom, first, last)
        if flank <= (_MAX_FLANK if last - first > _LONG * unit else _MAX_SHORT_FLANK) or (
            last - first > _SURE * unit
        ):
            at = top + float((weights * (np.arange(len(weights)) + 0.5)).sum() / weights.sum())
            lines.append(_Line(at, float(first), float(last), contrast))
    return lines


def _dotted(mask: _Mask, ridge: np.ndarray, unit: float, solid: list[_Line]) -> list[_Line]:
    """Rows of dots and dashes with nothing above and below them."""
    import cv2

    gap, length = _odd(max(_GAP * unit, 3)), _odd(max(_MIN_DOTTED * unit, 24))
    alone = mask.copy()
    for line in solid:
        y, reach = int(line.at), max(round(_DOUBLE * unit), 2)
        alone[max(y - reach, 0) : y + reach + 1, int(line.start) : int(line.end)] = 0
    # The dots are thin: what is high is a letter or a line that crosses.
    thin = max(round(_DOUBLE * unit), 2)
    high = cv2.morphologyEx(alone, cv2.MORPH_OPEN, np.ones((_odd(thin + 1), 1), np.uint8))
    dots = cv2.morphologyEx(alone - high, cv2.MORPH_CLOSE, np.ones((1, gap), np.uint8))
    runs = cv2.morphologyEx(dots, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(runs, connectivity=8)
    lines = []
    for number in range(1, count):
        x, y, width, height, _ = (int(value) for value in stats[number])
        ink = float((alone[y : y + height, x : x + width].max(axis=0)).mean())
        if height <= thin and ink >= _MIN_DOTS and _flank(mask, y, y + height, x, x + width) <= 0.3 * ink:
            dots_only = alone[y : y + height, x : x + width] > 0
            contrast = float(ridge[y : y + height, x : x + width][dots_only].mean())
            lines.append(_Line(y + height / 2, float(x), float(x + width), contrast))
    return lines


def _flank(mask: np.ndarray, top: int, bottom: int, left: int, right: int) -> float:
    """The larger share of ink in the two strips of pixels above and below a line."""
    above = mask[max(top - 3, 0) : max(top - 1, 0), left:right]
    below = mask[bottom + 1 : bottom + 3, left:right]
    return max((float(strip.max(axis=0).mean()) for strip in (above, below) if strip.size), default=0.0)


def _joined(lines: list[_Line], unit: float, ink: np.ndarray | None = None) -> list[_Line]:
    """Pieces of one line put together where the gap is short, or where letters or other lines fill it."""
    reach, gap = max(0.12 * unit, 2.0), max(_GAP * unit, 4.0)
    joined: list[_Line] = []
    for line in sorted(lines, key=lambda line: (line.start, line.at)):
        near = [
            place
            for place, other in enumerate(joined)
            if abs(other.at - line.at) <= reach
            and (
                line.start - other.end <= gap
                or (line.start - other.end <= _FILLED_GAP * unit and _is_filled(other, line, ink))
            )
        ]
        if not near:
            joined.append(line)
            continue
        place = min(near, key=lambda place: abs(joined[place].at - line.at))
        other = joined[place]
        share = line.length / max(line.length + other.length, 1e-9)
        joined[place] = _Line(
            other.at + share * (line.at - other.at),
            other.start,
            max(other.end, line.end),
            other.contrast + share * (line.contrast - other.contrast),
        )
    return joined


def _is_filled(left: _Line, right: _Line, ink: np.ndarray | None) -> bool:
    """Whether there is ink all along the gap between two pieces."""
    row = round((left.at + right.at - 1) / 2)
    if ink is None or not 0 <= row < len(ink):
        return False
    gap = ink[row, int(left.end) : int(right.start)]
    return bool(gap.size == 0 or gap.mean() >= 0.9)


def _is_beside(line: _Line, other: _Line, unit: float) -> bool:
    """Whether a light line is the paper, or the halo, along a dark one."""
    overlap = min(line.end, other.end) - max(line.start, other.start)
    return abs(line.at - other.at) <= _MAX_THICKNESS * unit and overlap >= 0.5 * line.length


def _without_doubles(lines: list[_Line], unit: float) -> list[_Line]:
    """Parallel lines side by side as one; the longer one gives the place."""
    kept: list[_Line] = []
    for line in sorted(lines, key=lambda line: (-line.length, line.at, line.start)):
        for place, other in enumerate(kept):
            overlap = min(line.end, other.end) - max(line.start, other.start)
            if abs(line.at - other.at) <= max(_DOUBLE * unit, 3.0) and overlap >= -_GAP * unit:
                start, end = min(line.start, other.start), max(line.end, other.end)
                kept[place] = _Line(other.at, start, end, max(line.contrast, other.contrast))
                break
        else:
            kept.append(line)
    return sorted(kept, key=lambda line: (line.at, line.start))


def _without_echoes(lines: list[_Line], unit: float) -> list[_Line]:
    """Lines but the faint ones along strong ones: JPEG leaves such, up to the size of its blocks."""
    reach = max(_ECHO * unit, 10.0)
    return [
        line
        for line in lines
        if not any(
            0 < abs(line.at - other.at) <= reach
            and line.contrast < _FAINT * other.contrast
            and min(line.end, other.end) - max(line.start, other.start) >= 0.5 * line.length
            for other in lines
        )
    ]


def _is_stroke(line: _Line, text: list[PageBox], unit: float) -> bool:
    """Whether a line is a stroke of large letters, an underline, or the dots before a number."""
    for x0, y0, x1, y1 in text:
        size = min(x1 - x0, y1 - y0)
        if not y0 + 0.05 * size <= line.at <= y1 + 0.1 * size:
            continue
        inside = min(line.end, x1) - max(line.start, x0)
        if inside >= 0.8 * line.length and line.length <= (x1 - x0) + 0.5 * size:
            return True
    return False


def _to_corners(lines: list[_Line], crossing: list[_Line], unit: float) -> list[_Line]:
    """Ends that stop just before, or just behind, a line that crosses are put upon it."""
    reach = _CORNER * unit
    done = []
    for line in lines:
        met = [other.at for other in crossing if other.start - reach <= line.at <= other.end + reach]
        start = min(met, key=lambda at: abs(at - line.start), default=line.start)
        end = min(met, key=lambda at: abs(at - line.end), default=line.end)
        start = start if abs(start - line.start) <= reach else line.start
        end = end if abs(end - line.end) <= reach else line.end
        done.append(replace(line, start=start, end=end) if end > start else line)
    return done
