"""What is drawn on a page beside its text: rules, filled rectangles, pictures, drawings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tabrag.documents.page_content import Fill, PageBox, Rule

_THIN = 2.5  # points: a rectangle that is not thicker is a line
_STRAIGHT = 0.6  # points by which a line may lean
_SHORT = 1.0  # points: a shorter line is a dot
_DRAWING = 36.0  # points: a drawing is at least so wide and high
_NEAR = 8.0  # points between the strokes of one drawing
_MIN_BARS = 4  # ends of bars of a chart; the cells of a table end where others do
_WHOLE = 0.9  # of the page: a rectangle over more of it is its background
_MANY = 20_000  # strokes of a page: a page with more is a map or a plan


class Drawing:
    """Collects what pdfplumber lists of one page.

    Args:
        origin: Left and top of the visible page in pdfplumber's coordinates, in points.
        width: Of the visible page, in points.
        height: Of the visible page, in points.
    """

    def __init__(self, origin: tuple[float, float], width: float, height: float) -> None:
        self.rules: list[Rule] = []
        self.fills: list[Fill] = []
        self.frames: list[PageBox] = []
        self._strokes: list[PageBox] = []
        self._origin = origin
        self._width, self._height = width, height

    def add(self, objects: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        """Add pdfplumber's lines, rectangles and curves."""
        for line in objects.get("line", ())[:_MANY]:
            if not self._segment(*self._ends(line["pts"][0], line["pts"][-1])):
                self._strokes.append(self._box(line))
        for rect in objects.get("rect", ())[:_MANY]:
            self._rectangle(self._box(rect), rect)
        for curve in objects.get("curve", ())[:_MANY]:
            self._curve(curve)

    @property
    def num_strokes(self) -> int:
        """Lines that are neither level nor plumb, and curves."""
        return len(self._strokes)

    def drawings(self) -> list[PageBox]:
        """Boxes of drawings: strokes that are neither level nor plumb, with the frame around them."""
        clusters: list[tuple[PageBox, int]] = []
        for box in [*self._strokes, *self._bars()]:
            count = 1
            apart = []
            for other, number in clusters:
                if _near(box, other):
                    box, count = _union(box, other), count + number
                else:
                    apart.append((other, number))
            clusters = [*apart, (box, count)]
        found = []
        for box, count in clusters:
            if count >= 3 and box[2] - box[0] >= _DRAWING and box[3] - box[1] >= _DRAWING / 2:
                found.append(self._framed(box))
        return found

    def _bars(self) -> list[PageBox]:
        """Filled rectangles of one width that begin at one line and end at different places."""
        found: list[PageBox] = []
        for start, end, side in ((0, 2, 1), (3, 1, 0)):
            groups: dict[tuple[int, int], list[PageBox]] = {}
            for fill in self.fills:
                width = fill.box[side + 2] - fill.box[side]
                groups.setdefault((round(fill.box[start]), round(width)), []).append(fill.box)
            for boxes in groups.values():
                ends = {round(box[end]) for box in boxes}
                if len(ends) >= max(_MIN_BARS, 0.7 * len(boxes)):
                    found += boxes
        return found

    def _framed(self, box: PageBox) -> PageBox:
        """The smallest frame around a drawing, where one is drawn that is not much larger."""
        around = [
            frame
            for frame in self.frames
            if frame[0] <= box[0] + 2
            and frame[1] <= box[1] + 2
            and frame[2] >= box[2] - 2
            and frame[3] >= box[3] - 2
            and _area(frame) <= 4 * _area(box)
        ]
        return max(around, key=_area, default=box)

    def _ends(self, start: Sequence[float], end: Sequence[float]) -> tuple[float, float, float, float]:
        dx, dy = self._origin
        return start[0] - dx, start[1] - dy, end[0] - dx, end[1] - dy

    def _box(self, thing: Mapping[str, Any]) -> PageBox:
        dx, dy = self._origin
        return thing["x0"] - dx, thing["top"] - dy, thing["x1"] - dx, thing["bottom"] - dy

    def _segment(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Keep a straight line; says whether it is level or plumb."""
        across, down = abs(x1 - x0), abs(y1 - y0)
        if down <= _STRAIGHT and across >= _SHORT:
            self._rule(min(x0, x1), (y0 + y1) / 2, max(x0, x1), (y0 + y1) / 2)
        elif across <= _STRAIGHT and down >= _SHORT:
            self._rule((x0 + x1) / 2, min(y0, y1), (x0 + x1) / 2, max(y0, y1))
        elif across > _STRAIGHT and down > _STRAIGHT:
            return False
        return True

    def _rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        x0, x1 = max(x0, 0.0), min(x1, self._width)
        y0, y1 = max(y0, 0.0), min(y1, self._height)
        if x1 >= x0 and y1 >= y0 and (x1 - x0 >= _SHORT or y1 - y0 >= _SHORT):
            self.rules.append(Rule(x0, y0, x1, y1))

    def _rectangle(self, box: PageBox, thing: Mapping[str, Any]) -> None:
        x0, y0, x1, y1 = box
        if min(x1 - x0, y1 - y0) <= _THIN:
            if x1 - x0 >= y1 - y0:
                self._rule(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2)
            else:
                self._rule((x0 + x1) / 2, y0, (x0 + x1) / 2, y1)
            return
        if _area(box) >= _WHOLE * self._width * self._height:
            return
        if thing.get("stroke") and not (thing.get("fill") and _is_white(thing, "stroking_color")):
            for ends in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)):
                self._rule(*ends)
            self.frames.append(box)
        if thing.get("fill"):
            seen = (max(x0, 0.0), max(y0, 0.0), min(x1, self._width), min(y1, self._height))
            if seen[2] > seen[0] and seen[3] > seen[1]:
                grey = grey_of(thing.get("non_stroking_color"), str(thing.get("ncs") or ""))
                self.fills.append(Fill(seen, grey))

    def _curve(self, curve: Mapping[str, Any]) -> None:
        box = self._box(curve)
        if min(box[2] - box[0], box[3] - box[1]) <= _THIN:
            self._rectangle(box, curve)
            return
        path = curve.get("path") or []
        bent = sum(step[0] in "cvy" for step in path)
        points = curve["pts"]
        if not bent:
            leaning = 0
            level: list[tuple[float, float, float, float]] = []
            for start, end in zip(points, points[1:], strict=False):
                ends = self._ends(start, end)
                if abs(ends[0] - ends[2]) > _STRAIGHT and abs(ends[1] - ends[3]) > _STRAIGHT:
                    leaning += 1
                else:
                    level.append(ends)
            if not leaning:
                if len(points) <= 5 and curve.get("fill"):
                    self._rectangle(box, curve)
                elif curve.get("stroke"):
                    for ends in level:
                        self._segment(*ends)
                return
            self._strokes += [box] * min(leaning, 3)
            return
        steps = [self._ends(step[1], step[-1]) for step in path if step[0] in "cvy" and len(step) > 2]
        corners = all(
            max(abs(x0 - x1), abs(y0 - y1)) < 0.3 * max(box[2] - box[0], box[3] - box[1])
            for x0, y0, x1, y1 in steps
        )
        if bent <= 8 and corners and any(step[0] == "l" for step in path):
            self._rectangle(box, curve)  # a rectangle with round corners
        else:
            self._strokes.append(box)


def grey_of(color: object, space: str = "") -> float:
    """Grey of a PDF's colour, 0 (black) to 1 (white); a pattern counts as middle grey.

    Args:
        color: Parts of the colour, 0..1: one (grey, or a tint of an ink), three (red, green, blue) or four
            (cyan, magenta, yellow, black).
        space: Name of its colour space.
    """
    parts = color if isinstance(color, Sequence) and not isinstance(color, str) else (color,)
    try:
        values = [min(max(float(part), 0.0), 1.0) for part in parts]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return 0.5
    if len(values) == 1:
        return 1 - values[0] if "Separation" in space or "DeviceN" in space else values[0]
    if len(values) == 4:
        black = values.pop()
        values = [(1 - value) * (1 - black) for value in values]
    if len(values) != 3:
        return 0.5
    return 0.299 * values[0] + 0.587 * values[1] + 0.114 * values[2]


def picture_boxes(
    images: Iterable[Mapping[str, Any]], origin: tuple[float, float], width: float, height: float
) -> list[PageBox]:
    """Boxes of embedded pictures, cut to the visible page, in points."""
    dx, dy = origin
    boxes = []
    for image in images:
        x0, y0 = max(image["x0"] - dx, 0.0), max(image["top"] - dy, 0.0)
        x1, y1 = min(image["x1"] - dx, width), min(image["bottom"] - dy, height)
        if x1 - x0 >= 1 and y1 - y0 >= 1:
            boxes.append((x0, y0, x1, y1))
    return boxes


def _is_white(thing: Mapping[str, Any], key: str) -> bool:
    return grey_of(thing.get(key)) > 0.98


def _near(a: PageBox, b: PageBox) -> bool:
    return a[0] <= b[2] + _NEAR and b[0] <= a[2] + _NEAR and a[1] <= b[3] + _NEAR and b[1] <= a[3] + _NEAR


def _union(a: PageBox, b: PageBox) -> PageBox:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _area(box: PageBox) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)
