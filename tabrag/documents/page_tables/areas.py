"""Areas that drawn lines bound: lines that touch, and lines of one width above each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tabrag.documents.page_content import PageBox, PageWord
from tabrag.documents.page_tables.area import Area
from tabrag.documents.page_tables.lattice import levels
from tabrag.documents.page_tables.strokes import SNAP, Stroke
from tabrag.documents.page_tables.text_lines import TextLine, text_lines, type_size
from tabrag.documents.page_tables.totals import bounds_numbers_alone

_SAME_SIDE = 5.0
"""Lines end at one side where their ends differ by less, points."""
_CAPTION = 1.3
"""A caption stands in a blank of at least this many times the height of the header below it."""
_SHORTEST = 30.0
"""Shortest line that bounds an area of its own, points."""


def drawn_areas(
    words: Sequence[PageWord], horizontal: Sequence[Stroke], vertical: Sequence[Stroke]
) -> list[Area]:
    """Areas bounded by lines that touch, or by lines of one width, from above, without their words."""
    items: list[Area] = []
    for hs, vs in _components(horizontal, vertical):
        if vs:
            items.extend(_split_sides(_area(hs, vs)))
        else:
            items.extend(_area([stroke], []) for stroke in hs if stroke.length >= _SHORTEST)
    return _stacks(items, words, horizontal, vertical)


def _area(horizontal: list[Stroke], vertical: list[Stroke]) -> Area:
    xs = [value for s in horizontal for value in (s.start, s.end)] + [s.at for s in vertical]
    ys = [value for s in vertical for value in (s.start, s.end)] + [s.at for s in horizontal]
    return Area((min(xs), min(ys), max(xs), max(ys)), [], horizontal, vertical)


def _components(
    horizontal: Sequence[Stroke], vertical: Sequence[Stroke]
) -> list[tuple[list[Stroke], list[Stroke]]]:
    """Lines that touch each other."""
    if not horizontal or not vertical:
        return [([stroke], []) for stroke in horizontal]
    h = np.array([(s.at, s.start, s.end) for s in horizontal])
    v = np.array([(s.at, s.start, s.end) for s in vertical])
    touch = (
        (v[None, :, 0] >= h[:, None, 1] - SNAP)
        & (v[None, :, 0] <= h[:, None, 2] + SNAP)
        & (h[:, None, 0] >= v[None, :, 1] - SNAP)
        & (h[:, None, 0] <= v[None, :, 2] + SNAP)
    )
    free_h, free_v = np.ones(len(h), dtype=bool), np.ones(len(v), dtype=bool)
    found: list[tuple[list[Stroke], list[Stroke]]] = []
    for first in range(len(h)):
        if not free_h[first]:
            continue
        free_h[first] = False
        members_h, members_v, todo = [first], list[int](), [first]
        while todo:
            new_v = np.flatnonzero(touch[todo].any(axis=0) & free_v)
            free_v[new_v] = False
            members_v.extend(new_v.tolist())
            new_h = (
                np.flatnonzero(touch[:, new_v].any(axis=1) & free_h)
                if len(new_v)
                else np.array([], dtype=int)
            )
            free_h[new_h] = False
            todo = new_h.tolist()
            members_h.extend(todo)
        found.append(([horizontal[i] for i in sorted(members_h)], [vertical[i] for i in sorted(members_v)]))
    return found


def _split_sides(area: Area) -> list[Area]:
    """Two things side by side in one frame: a line from top to bottom with other rows on either side."""
    x0, y0, x1, y1 = area.box
    for stroke in area.vertical:
        if stroke.length < 0.95 * (y1 - y0) or not x0 + SNAP < stroke.at < x1 - SNAP:
            continue
        inner = [s for s in area.horizontal if y0 + SNAP < s.at < y1 - SNAP]
        if any(s.start < stroke.at - SNAP and s.end > stroke.at + SNAP for s in inner):
            continue
        left = [s.at for s in inner if abs(s.end - stroke.at) <= SNAP]
        right = [s.at for s in inner if abs(s.start - stroke.at) <= SNAP]
        if not left or not right:
            continue
        common = sum(any(abs(a - b) <= SNAP for b in right) for a in left)
        if 3 * common <= min(len(left), len(right)):
            parts = []
            for low, high in ((x0, stroke.at), (stroke.at, x1)):
                hs = [
                    Stroke(s.at, max(s.start, low), min(s.end, high))
                    for s in area.horizontal
                    if min(s.end, high) - max(s.start, low) > SNAP
                ]
                vs = [s for s in area.vertical if low - SNAP <= s.at <= high + SNAP]
                parts.extend(_split_sides(Area((low, y0, high, y1), [], hs, vs)))
            return parts
    return [area]


def _stacks(
    items: list[Area], words: Sequence[PageWord], horizontal: Sequence[Stroke], vertical: Sequence[Stroke]
) -> list[Area]:
    """Join areas and lines of one width where what stands between them is part of a table."""
    groups: list[list[Area]] = []
    for item in sorted(items, key=lambda item: (item.box[1], item.box[3])):
        for group in groups:
            box = group[0].box
            if abs(box[0] - item.box[0]) <= _SAME_SIDE and abs(box[2] - item.box[2]) <= _SAME_SIDE:
                group.append(item)
                break
        else:
            groups.append([item])
    by_y = sorted(words, key=lambda word: word.box[1])
    tops = np.array([word.box[1] for word in by_y])
    found: list[Area] = []
    for group in groups:
        run = [group[0]]
        for place, item in enumerate(group[1:], start=1):
            bottom = max(part.box[3] for part in run)
            box = (run[0].box[0], bottom, run[0].box[2], item.box[1])
            low, high = np.searchsorted(tops, [box[1] - SNAP, box[3]])
            between = by_y[low:high]
            if _is_tabular(box, between) and not _begins_anew(box, between, run, group[place:], by_y, tops):
                run.append(item)
            else:
                found.extend(_joined(run, horizontal, vertical))
                run = [item]
        found.extend(_joined(run, horizontal, vertical))
    found = [area for area in found if area.vertical or not _is_of_numbers(area, by_y, tops)]
    return [area for area in found if area.vertical or not any(_holds(other, area) for other in found)]


def _begins_anew(
    box: PageBox,
    between: Sequence[PageWord],
    run: Sequence[Area],
    rest: Sequence[Area],
    words: Sequence[PageWord],
    tops: npt.NDArray[np.float64],
) -> bool:
    """Whether the header stands again below a text that fills no columns: a second table below its caption.

    Args:
        box: From the areas above to those below.
        between: Words at this height.
        run: The areas above.
        rest: The areas below.
        words: Those of the page, from above.
        tops: Their tops.
    """
    lines = text_lines(_inside(box, between))
    if not lines or any(piece.is_value for line in lines for piece in line.pieces[1:]):
        return False
    headers = []
    for parts in (run, rest):
        ats = levels(stroke.at for part in parts for stroke in part.horizontal)[:2]
        if len(ats) < 2 or box[3] - box[1] < _CAPTION * (ats[1] - ats[0]):
            return False
        low, high = np.searchsorted(tops, [ats[0] - SNAP, ats[1]])
        inside = _inside((box[0], ats[0], box[2], ats[1]), words[low:high])
        headers.append([piece.text for line in text_lines(inside) for piece in line.pieces])
    return headers[0] == headers[1] and len(headers[0]) > max(len(line.pieces) for line in lines)


def _is_of_numbers(area: Area, words: Sequence[PageWord], tops: npt.NDArray[np.float64]) -> bool:
    """Whether an area has the numbers of a table and not their labels; words from above, with their tops."""
    low, high = np.searchsorted(tops, [area.box[1] - SNAP, area.box[3]])
    return bounds_numbers_alone(area.box, words[low:high])


def _holds(outer: Area, inner: Area) -> bool:
    """Whether lines of one width are only lines between some columns of a wider area."""
    return (
        outer is not inner
        and outer.box[0] <= inner.box[0] + SNAP
        and outer.box[1] <= inner.box[1] + SNAP
        and outer.box[2] >= inner.box[2] - SNAP
        and outer.box[3] >= inner.box[3] - SNAP
        and not outer.vertical
    )


def _joined(run: list[Area], horizontal: Sequence[Stroke], vertical: Sequence[Stroke]) -> list[Area]:
    if len(run) == 1:
        return run if run[0].vertical else []
    x0, y0 = min(part.box[0] for part in run), run[0].box[1]
    x1, y1 = max(part.box[2] for part in run), max(part.box[3] for part in run)
    inside_h = [s for s in horizontal if y0 - SNAP <= s.at <= y1 + SNAP and s.end > x0 and s.start < x1]
    inside_v = [
        s for s in vertical if x0 - SNAP <= s.at <= x1 + SNAP and s.start >= y0 - SNAP and s.end <= y1 + SNAP
    ]
    return [Area((x0, y0, x1, y1), [], inside_h, inside_v)]


def _is_tabular(box: PageBox, words: Sequence[PageWord]) -> bool:
    """Whether what stands between two lines of one width is part of a table."""
    x0, y0, x1, y1 = box
    if y1 - y0 <= 2 * SNAP:
        return True
    inside = _inside(box, words)
    lines = text_lines(inside)
    if not lines:
        return False
    parted = sum(len(line.pieces) > 1 for line in lines)
    prose = sum(_is_prose(line, x1 - x0) for line in lines)
    if parted == 0:
        at_left = all(line.x0 - x0 <= 0.35 * (x1 - x0) for line in lines)
        return (
            len(lines) <= 2 and prose == 0 and at_left and y1 - y0 <= 2.6 * type_size(inside[0]) * len(lines)
        )
    return 10 * parted >= 3 * len(lines) and 5 * prose <= len(lines)


def _inside(box: PageBox, words: Sequence[PageWord]) -> list[PageWord]:
    """The upright words of a box."""
    x0, y0, x1, y1 = box
    return [
        word
        for word in words
        if word.turn == 0
        and x0 - SNAP <= (word.box[0] + word.box[2]) / 2 <= x1 + SNAP
        and y0 <= (word.box[1] + word.box[3]) / 2 <= y1
    ]


def _is_prose(line: TextLine, width: float) -> bool:
    if any(piece.is_value for piece in line.pieces[1:]) and not any(
        piece.num_words >= 6 for piece in line.pieces[1:]
    ):
        return False  # a long label and its numbers
    wordy = [piece for piece in line.pieces if piece.num_words >= 6 and not piece.is_value]
    return len(line.pieces) <= 3 and sum(piece.box[2] - piece.box[0] for piece in wordy) >= 0.6 * width
