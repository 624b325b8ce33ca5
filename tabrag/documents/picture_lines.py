"""Lines of a picture from their pieces: joined, doubles and echoes dropped, strokes of text told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tabrag.documents.page_content import PageBox

MAX_THICKNESS = 0.55
"""Of a line, in heights of a line of text as OCR boxes it, as all lengths here."""
GAP = 0.35
"""Broken lines are joined over it; the gaps between the lines under two headers are wider."""
DOUBLE = 0.25
"""Parallel lines nearer than this are one line."""

# Gaps that are filled with ink may be longer.
_FILLED_GAP = 1.5
# Ends of lines reach over this gap to a line that crosses.
_CORNER = 0.5
# A line beside another that has less than this share of its contrast, and how near the two are.
_FAINT, _ECHO = 0.35, 0.6


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line along its own axis: it runs from ``start`` to ``end`` at ``at``."""

    at: float
    start: float
    end: float
    contrast: float = 0.0
    """Grey levels between the line and what is beside it."""

    @property
    def length(self) -> float:
        return self.end - self.start


def joined_pieces(lines: list[DrawnLine], unit: float, ink: np.ndarray | None = None) -> list[DrawnLine]:
    """Pieces of one line put together where the gap is short, or where letters or other lines fill it."""
    reach, gap = max(0.12 * unit, 2.0), max(GAP * unit, 4.0)
    joined: list[DrawnLine] = []
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
        joined[place] = DrawnLine(
            other.at + share * (line.at - other.at),
            other.start,
            max(other.end, line.end),
            other.contrast + share * (line.contrast - other.contrast),
        )
    return joined


def _is_filled(left: DrawnLine, right: DrawnLine, ink: np.ndarray | None) -> bool:
    """Whether there is ink all along the gap between two pieces."""
    row = round((left.at + right.at - 1) / 2)
    if ink is None or not 0 <= row < len(ink):
        return False
    gap = ink[row, int(left.end) : int(right.start)]
    return bool(gap.size == 0 or gap.mean() >= 0.9)


def is_beside(line: DrawnLine, other: DrawnLine, unit: float) -> bool:
    """Whether a light line is the paper, or the halo, along a dark one."""
    overlap = min(line.end, other.end) - max(line.start, other.start)
    return abs(line.at - other.at) <= MAX_THICKNESS * unit and overlap >= 0.5 * line.length


def without_doubles(lines: list[DrawnLine], unit: float) -> list[DrawnLine]:
    """Parallel lines side by side as one; the longer one gives the place."""
    kept: list[DrawnLine] = []
    for line in sorted(lines, key=lambda line: (-line.length, line.at, line.start)):
        for place, other in enumerate(kept):
            overlap = min(line.end, other.end) - max(line.start, other.start)
            if abs(line.at - other.at) <= max(DOUBLE * unit, 3.0) and overlap >= -GAP * unit:
                start, end = min(line.start, other.start), max(line.end, other.end)
                kept[place] = DrawnLine(other.at, start, end, max(line.contrast, other.contrast))
                break
        else:
            kept.append(line)
    return sorted(kept, key=lambda line: (line.at, line.start))


def without_echoes(lines: list[DrawnLine], unit: float) -> list[DrawnLine]:
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


def is_stroke(line: DrawnLine, text: Sequence[PageBox], unit: float) -> bool:
    """Whether a line is a stroke of large letters, an underline, or the dots before a number."""
    for x0, y0, x1, y1 in text:
        size = min(x1 - x0, y1 - y0)
        if not y0 + 0.05 * size <= line.at <= y1 + 0.1 * size:
            continue
        inside = min(line.end, x1) - max(line.start, x0)
        if inside >= 0.8 * line.length and line.length <= (x1 - x0) + 0.5 * size:
            return True
    return False


def to_corners(lines: list[DrawnLine], crossing: list[DrawnLine], unit: float) -> list[DrawnLine]:
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
