"""The order in which the parts of a slide are read."""

from __future__ import annotations

from collections.abc import Sequence

SlideBox = tuple[float, float, float, float]
"""Left, top, right and bottom edge in any unit."""
_OVERLAP = 0.3
"""Share of the smaller extent that two boxes may share and still be one below or beside the other."""


def reading_order(boxes: Sequence[SlideBox]) -> list[int]:
    """Indices of boxes from top to bottom, those side by side from left to right.

    The slide is cut along gaps that run through all of it, first into rows, each row into columns, and so on
    (recursive X-Y cut, Nagy and Seth, 1984); what cannot be cut is read by its upper left corner.
    """
    return _ordered(boxes, list(range(len(boxes))))


def _ordered(boxes: Sequence[SlideBox], members: list[int]) -> list[int]:
    if len(members) < 2:
        return members
    for axis in (1, 0):
        groups = _cut(boxes, members, axis)
        if len(groups) > 1:
            return [index for group in groups for index in _ordered(boxes, group)]
    around = max(members, key=lambda index: _area(boxes[index]))
    others = [index for index in members if index != around]
    if all(_covers(boxes[around], boxes[index]) for index in others):
        return [around, *_ordered(boxes, others)]
    return sorted(members, key=lambda index: (boxes[index][1], boxes[index][0]))


def _cut(boxes: Sequence[SlideBox], members: list[int], axis: int) -> list[list[int]]:
    """Groups whose extents along an axis (0: x, 1: y) do not overlap, in order."""
    ordered = sorted(members, key=lambda index: (boxes[index][axis], boxes[index][1 - axis]))
    groups: list[list[int]] = []
    end = smallest = 0.0
    for index in ordered:
        start, stop = boxes[index][axis], boxes[index][axis + 2]
        if groups and end - start > _OVERLAP * max(min(smallest, stop - start), 0.0):
            groups[-1].append(index)
            end, smallest = max(end, stop), min(smallest, stop - start)
        else:
            groups.append([index])
            end, smallest = stop, stop - start
    return groups


def _area(box: SlideBox) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _covers(outer: SlideBox, inner: SlideBox) -> bool:
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]
