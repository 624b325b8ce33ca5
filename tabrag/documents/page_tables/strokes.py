"""The lines of a page, whatever drew them: rules in pieces, dashes, thin boxes, the edges of shaded areas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tabrag.documents.page_content import Fill, PageContent, PageWord

SNAP = 3.0
"""Lines that are no farther apart are one line, points: double lines, an edge of a fill beside a rule."""

_DASH = 3.0
"""Pieces of a line no farther apart are one line, points."""
_WHITE = 0.99
_WHOLE_PAGE = 0.7
"""A fill of this share of the page is its paper."""
_SHORTEST = 4.0
_UNDERLINE = 1.5
"""An underline ends at the words above it, but for so many points."""
_INSET = 12.0
"""Farthest side of a cell from the shading of its paragraphs, points."""
_TALLEST_CELL = 120.0
_SAME_GREY = 0.02


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line along one axis, ``at`` a place of the other axis, from ``start`` to ``end``, points."""

    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start


def page_strokes(page: PageContent) -> tuple[list[Stroke], list[Stroke]]:
    """Horizontal and vertical lines of a page, pieces of one line joined, lines under words left out."""
    horizontal: list[Stroke] = []
    vertical: list[Stroke] = []
    for rule in page.rules:
        width, height = abs(rule.x1 - rule.x0), abs(rule.y1 - rule.y0)
        if height <= width / 20:
            horizontal.append(Stroke((rule.y0 + rule.y1) / 2, *sorted((rule.x0, rule.x1))))
        elif width <= height / 20:
            vertical.append(Stroke((rule.x0 + rule.x1) / 2, *sorted((rule.y0, rule.y1))))
    horizontal, vertical = _without_underlines(join(horizontal), page.words), join(vertical)
    drawn = list(vertical)
    for fill in _bounding_fills(page, drawn):
        _add_edges(fill, horizontal, vertical)
    return join(horizontal), join(vertical)


def join(strokes: Iterable[Stroke]) -> list[Stroke]:
    """Join pieces of one line and lines drawn twice; what stays short is dropped (dots, marks)."""
    joined: list[Stroke] = []
    level: list[Stroke] = []
    for stroke in sorted(strokes, key=lambda stroke: stroke.at):
        if level and stroke.at - level[0].at > SNAP / 2:
            joined.extend(_join_level(level))
            level = []
        level.append(stroke)
    joined.extend(_join_level(level))
    return [stroke for stroke in joined if stroke.length >= _SHORTEST]


def _join_level(level: list[Stroke]) -> list[Stroke]:
    runs: list[list[Stroke]] = []
    end = 0.0
    for stroke in sorted(level, key=lambda stroke: stroke.start):
        if runs and stroke.start - end <= _DASH:
            runs[-1].append(stroke)
            end = max(end, stroke.end)
        else:
            runs.append([stroke])
            end = stroke.end
    return [Stroke(_mean_at(run), run[0].start, max(stroke.end for stroke in run)) for run in runs]


def _mean_at(run: list[Stroke]) -> float:
    weight = sum(stroke.length + 0.01 for stroke in run)
    return sum(stroke.at * (stroke.length + 0.01) for stroke in run) / weight


def _without_underlines(strokes: list[Stroke], words: Sequence[PageWord]) -> list[Stroke]:
    """Lines but those right below words, from the first one's left side to the last one's right side."""
    if not words or not strokes:
        return strokes
    boxes = np.array([word.box for word in words])
    x0, y0, x1, y1 = boxes.T
    height = y1 - y0
    kept = []
    for stroke in strokes:
        under = (stroke.at >= y0 + 0.7 * height) & (stroke.at <= y1 + 0.1 * height)
        under &= (x0 >= stroke.start - _UNDERLINE) & (x1 <= stroke.end + _UNDERLINE)
        is_underline = (
            under.any()
            and abs(x0[under].min() - stroke.start) <= _UNDERLINE
            and abs(x1[under].max() - stroke.end) <= _UNDERLINE
            and (x1 - x0)[under].sum() >= 0.6 * stroke.length
        )
        if not is_underline:
            kept.append(stroke)
    return kept


def _bounding_fills(page: PageContent, vertical: Sequence[Stroke]) -> list[Fill]:
    """Fills whose sides may part cells: no white ones, no paper, and none behind the lines of a cell's text.

    Word processors shade each paragraph in a shaded cell once more; such a fill ends short of both sides of
    its cell, whether lines or another fill of this colour bound it.
    """
    whole = page.width * page.height
    fills = [
        fill
        for fill in page.fills
        if fill.grey < _WHITE
        and (fill.box[2] - fill.box[0]) * (fill.box[3] - fill.box[1]) < _WHOLE_PAGE * whole
    ]
    if not fills:
        return []
    boxes = np.array([(*fill.box, fill.grey) for fill in fills])
    lines = np.array([(stroke.at, stroke.start, stroke.end) for stroke in vertical]).reshape(-1, 3)
    kept = []
    for fill in fills:
        x0, y0, x1, y1 = fill.box
        around = (
            (boxes[:, 0] < x0 - SNAP)
            & (boxes[:, 2] > x1 + SNAP)
            & (boxes[:, 1] <= y0 + 1)
            & (boxes[:, 3] >= y1 - 1)
            & (boxes[:, 3] - boxes[:, 1] <= _TALLEST_CELL)
            & (abs(boxes[:, 4] - fill.grey) <= _SAME_GREY)
        )
        beside = lines[(lines[:, 1] <= y0 + SNAP) & (lines[:, 2] >= y1 - SNAP), 0]
        is_bounded = ((beside >= x0 - _INSET) & (beside < x0 - SNAP)).any() and (
            (beside <= x1 + _INSET) & (beside > x1 + SNAP)
        ).any()
        is_behind_text = around.any() or (is_bounded and not (abs(beside - x0) <= SNAP).any())
        if not is_behind_text:
            kept.append(fill)
    return kept


def _add_edges(fill: Fill, horizontal: list[Stroke], vertical: list[Stroke]) -> None:
    x0, y0, x1, y1 = fill.box
    width, height = x1 - x0, y1 - y0
    if height <= SNAP:
        horizontal.append(Stroke((y0 + y1) / 2, x0, x1))
    elif width <= SNAP:
        vertical.append(Stroke((x0 + x1) / 2, y0, y1))
    else:
        horizontal += [Stroke(y0, x0, x1), Stroke(y1, x0, x1)]
        vertical += [Stroke(x0, y0, y1), Stroke(x1, y0, y1)]
