"""The order in which the parts of a page are read, whatever its columns.

Lines that follow each other in one column are a region; tables and pictures are regions too. Regions are
ordered after T. M. Breuel, "High performance document layout analysis" (2003), section 4: of two regions one
above the other the upper comes first; of two side by side the left one, unless a third that spans both lies
between them, or the left one stands below the other and no column beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tabrag.documents.page_content import PageBox, PageTable, Rule
from tabrag.documents.page_lines import Line, needs_blank
from tabrag.documents.word_order import is_rtl

_LINE_GAP = 1.0  # of the type size: lines further apart are not of one region
_SIDE = 1.0  # points by which regions side by side may reach into each other
_ROW_WIDTH = 11.0  # of the type size: columns of wider lines are text that is read column by column
_MIN_RULE = 20.0  # points: shorter lines do not part what is above from what is below


@dataclass(slots=True)
class Region:
    """Lines of one column, a table or a picture.

    Attributes:
        box: Where it stands, in points.
        lines: From above, where it is text.
        table: The table, where it is one.
        labels: What is written upon it, where it is a picture.
    """

    box: PageBox
    lines: list[Line] = field(default_factory=list)
    table: PageTable | None = None
    labels: str = ""


def text_regions(lines: Sequence[Line], rules: Sequence[Rule]) -> list[Region]:
    """Lines that follow each other in one column, as regions without order."""
    if not lines:
        return []
    boxes = np.array([line.box for line in lines], dtype=float)
    left, top, right, bottom = boxes.T
    size = np.array([line.size for line in lines])
    beside = np.minimum(right[:, None], right) - np.maximum(left[:, None], left) > 0.5
    middle = (top + bottom) / 2
    below = beside & (middle[None, :] > middle[:, None] + 0.4 * size[:, None])
    gap = np.where(below, top[None, :] - bottom[:, None], np.inf)
    nearest_below = gap.argmin(axis=1)
    nearest_above = gap.argmin(axis=0)
    overlap = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    level = overlap > 0.5 * np.minimum(bottom - top, (bottom - top)[:, None])
    np.fill_diagonal(level, False)
    follower: dict[int, int] = {}
    for i in range(len(lines)):
        j = int(nearest_below[i])
        if not below[i, j] or nearest_above[j] != i or gap[i, j] > _LINE_GAP * max(size[i], size[j]):
            continue
        if (below[i] & level[j]).any() or (below[:, j] & level[i]).any():
            continue
        if _is_ruled_off(lines[i].box, lines[j].box, rules):
            lines[j].ruled = True
            continue
        follower[i] = j
    starts = set(range(len(lines))) - set(follower.values())
    regions = []
    for place in sorted(starts):
        chain = [place]
        while chain[-1] in follower:
            chain.append(follower[chain[-1]])
        group = [lines[i] for i in chain]
        regions.append(Region(_bounds([line.box for line in group]), group))
    return _rows_joined(regions)


def reading_order(regions: Sequence[Region]) -> list[Region]:
    """Regions in the order in which they are read."""
    if len(regions) < 2:
        return list(regions)
    boxes = np.array([region.box for region in regions], dtype=float)
    letters = [line.text for region in regions for line in region.lines]
    if sum(map(is_rtl, letters)) * 2 > len(letters) > 0:
        boxes = np.stack([-boxes[:, 2], boxes[:, 1], -boxes[:, 0], boxes[:, 3]], axis=1)
    return [regions[place] for place in _sorted(_before(boxes), boxes)]


def _before(boxes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """``before[a, b]``: region a is read before region b, as far as two regions tell."""
    left, top, right, bottom = boxes.T
    shared = np.minimum(right[:, None], right) - np.maximum(left[:, None], left)
    beside = shared > _SIDE
    middle = (top + bottom) / 2
    inside = (
        (left[:, None] <= left + _SIDE)
        & (top[:, None] <= top + _SIDE)
        & (right[:, None] >= right - _SIDE)
        & (bottom[:, None] >= bottom - _SIDE)
    )
    np.fill_diagonal(inside, False)
    above = beside & (middle[:, None] < middle[None, :])
    above = (above & ~inside.T) | (inside & ~inside.T)  # what stands in a table's cell comes behind it
    left_of = ~beside & (left[:, None] < left[None, :])
    # A third region that spans both and lies between them, the right one being the upper of the two.
    between = np.zeros_like(beside)
    for third in range(len(boxes)):
        spanned = beside[:, third]
        if spanned.sum() > 2:  # itself and at least two more
            lower = spanned & (middle > middle[third])
            upper = spanned & (middle < middle[third])
            between |= lower[:, None] & upper[None, :]
    # What stands lower down on the left comes first only where two columns stand side by side.
    level = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top) > _SIDE
    higher = left_of & (bottom[None, :] <= top[:, None] + _SIDE)
    alone = np.zeros_like(higher)
    for lower, upper in np.argwhere(higher & ~between):
        spanning = beside[lower] & beside[upper] & (bottom <= top[upper] + _SIDE)
        ceiling = bottom[spanning].max(initial=-np.inf) - _SIDE
        column = beside[lower] & ~beside[upper] & (top >= ceiling)
        other = beside[upper] & ~beside[lower] & (top >= ceiling)
        alone[lower, upper] = not (level & left_of)[np.ix_(column, other)].any()
    return above | (left_of & ~between & ~alone) | alone.T


def _sorted(before: NDArray[np.bool_], boxes: NDArray[np.float64]) -> list[int]:
    """Topological order; a ring is opened at the uppermost of what is left."""
    left = set(range(len(boxes)))
    waiting = before.sum(axis=0).astype(int)
    order: list[int] = []
    last = -1
    while left:
        free = [place for place in left if waiting[place] <= 0] or [
            min(left, key=lambda place: (boxes[place][1], boxes[place][0]))
        ]
        # Stay in the column: what follows the last region directly comes before other columns.
        place = min(free, key=lambda i: (not (last >= 0 and before[last, i]), boxes[i][0] // 20, boxes[i][1]))
        order.append(place)
        left.remove(place)
        waiting -= before[place].astype(int)
        last = place
    return order


def _rows_joined(regions: list[Region]) -> list[Region]:
    """Join columns of labels and values, which are read row by row."""
    regions = sorted(regions, key=lambda region: region.box[0])
    place = 0
    while place < len(regions):
        merged = next(
            (
                (other, joined)
                for other in range(place + 1, len(regions))
                if (joined := _as_rows(regions[place], regions[other])) is not None
            ),
            None,
        )
        if merged is None:
            place += 1
            continue
        regions[place] = merged[1]
        del regions[merged[0]]
    return regions


def _as_rows(left: Region, right: Region) -> Region | None:
    if len(left.lines) < 2 or len(right.lines) < 2 or right.box[0] < left.box[2]:
        return None
    size = left.lines[0].size
    if right.box[0] - left.box[2] > 12 * size:
        return None
    widths = [np.mean([line.box[2] - line.box[0] for line in region.lines]) for region in (left, right)]
    if min(widths) > _ROW_WIDTH * size or max(widths) > 3 * _ROW_WIDTH * size:
        return None
    pairs = {
        i: j
        for i, a in enumerate(left.lines)
        for j, b in enumerate(right.lines)
        if abs(a.box[1] + a.box[3] - b.box[1] - b.box[3]) < 0.6 * size
    }
    if len(pairs) < 0.75 * max(len(left.lines), len(right.lines)):
        return None
    rows = [_beside(line, right.lines[pairs[i]]) if i in pairs else line for i, line in enumerate(left.lines)]
    rows += [line for j, line in enumerate(right.lines) if j not in pairs.values()]
    rows.sort(key=lambda line: line.box[1])
    return Region(_bounds([line.box for line in rows]), rows)


def _beside(left: Line, right: Line) -> Line:
    blank = " " if needs_blank(left.text, right.text) else ""
    return Line(
        text=f"{left.text}{blank}{right.text}",
        box=_bounds([left.box, right.box]),
        page=left.page,
        size=left.size,
        bold=left.bold and right.bold,
        raised=left.raised,
        lead=left.lead,
        ruled=left.ruled,
    )


def _is_ruled_off(upper: PageBox, lower: PageBox, rules: Sequence[Rule]) -> bool:
    floor, ceiling = (upper[1] + upper[3]) / 2, lower[1] + 0.3 * (lower[3] - lower[1])
    return any(
        rule.y0 == rule.y1
        and max(floor, upper[3] - 1.5) < rule.y0 < ceiling
        and min(rule.x1, lower[2]) - max(rule.x0, lower[0]) >= _MIN_RULE
        for rule in rules
    )


def _bounds(boxes: Sequence[PageBox]) -> PageBox:
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
