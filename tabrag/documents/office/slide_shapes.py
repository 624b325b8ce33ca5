"""The shapes of a slide with their places: groups resolved, hidden shapes and page furniture left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml.etree import _Element

from tabrag.documents.office.package import Part
from tabrag.documents.office.slide_order import SlideBox
from tabrag.documents.office.xml import find, local, number, preferred, value

TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "sldNum", "hdr")
Places = dict[str, SlideBox]
"""Boxes of placeholders by their index (``idx 3``) and by their kind."""
_SHAPES = frozenset({"sp", "pic", "graphicFrame", "cxnSp"})


@dataclass(frozen=True, slots=True)
class SlideShape:
    """A shape.

    Attributes:
        element: Its XML.
        kind: ``sp``, ``pic``, ``graphicFrame`` or ``cxnSp``.
        box: Where it stands, in EMU; None where neither slide nor layout says.
        placeholder: What the layout wants there (``title``, ``body`` ...); empty for other shapes.
        text: The description of a picture.
    """

    element: _Element
    kind: str
    box: SlideBox | None
    placeholder: str
    text: str


@dataclass(frozen=True, slots=True)
class _Frame:
    """From the coordinates of a group's children to those of the slide."""

    scale_x: float = 1.0
    scale_y: float = 1.0
    move_x: float = 0.0
    move_y: float = 0.0

    def place(self, box: SlideBox) -> SlideBox:
        return (
            box[0] * self.scale_x + self.move_x,
            box[1] * self.scale_y + self.move_y,
            box[2] * self.scale_x + self.move_x,
            box[3] * self.scale_y + self.move_y,
        )


def slide_shapes(root: _Element, places: Places) -> Iterator[SlideShape]:
    """The shapes of a slide in the order of its XML.

    Args:
        root: The slide.
        places: Where its layout puts placeholders.
    """
    tree = find(root, "cSld", "spTree")
    return iter(()) if tree is None else _shapes(tree, _Frame(), places)


def layout_places(part: Part | None) -> Places:
    """Where a layout (or the master of one) puts its placeholders; nowhere where it is missing or damaged."""
    places: Places = {}
    try:
        tree = None if part is None else find(part.root, "cSld", "spTree")
    except ValueError:
        return places
    for element in [] if tree is None else tree:
        mark, box = _mark(element), _box(element)
        if mark is not None and box is not None:
            places.setdefault(f"idx {value(mark, 'idx')}", box)
            places.setdefault(_family(value(mark, "type")), box)
    return places


def _shapes(tree: Iterable[_Element], frame: _Frame, places: Places) -> Iterator[SlideShape]:
    for element in tree:
        name = local(element)
        if name == "AlternateContent":
            yield from _shapes(_alternative(element), frame, places)
            continue
        properties = _properties(element) if name in _SHAPES or name == "grpSp" else None
        if properties is None or value(properties, "hidden") in ("1", "true"):
            continue
        if name == "grpSp":
            yield from _shapes(element, _inner(element, frame), places)
            continue
        mark = _mark(element)
        placeholder = "" if mark is None else value(mark, "type") or "obj"
        if placeholder in _FURNITURE:
            continue
        box = _box(element)
        if box is None and mark is not None:
            box = places.get(f"idx {value(mark, 'idx')}") if value(mark, "idx") else None
            box = box or places.get(_family(placeholder))
        described = value(properties, "descr") or value(properties, "title")
        placed = None if box is None else frame.place(box)
        yield SlideShape(element, name, placed, placeholder, described)


def _alternative(element: _Element) -> list[_Element]:
    """The shapes of the newer form where they are known here (charts of 2016), else of the fallback."""
    shown = list(preferred(element))
    fallback = find(element, "Fallback")
    known = any(local(part) in _SHAPES | {"grpSp"} for part in shown)
    return shown if known or fallback is None else list(fallback)


def _properties(element: _Element) -> _Element | None:
    return next((found for part in element if (found := find(part, "cNvPr")) is not None), None)


def _mark(element: _Element) -> _Element | None:
    """What marks a shape as a placeholder."""
    return next((found for part in element if (found := find(part, "nvPr", "ph")) is not None), None)


def _family(kind: str) -> str:
    """Kinds of placeholders that a layout puts in one place."""
    return {"ctrTitle": "title", "subTitle": "body", "obj": "body", "": "body"}.get(kind, kind)


def _box(element: _Element) -> SlideBox | None:
    frame = find(element, "xfrm")
    frame = find(element, "spPr", "xfrm") if frame is None else frame
    return None if frame is None else _extent(frame, "off", "ext")


def _extent(frame: _Element, place: str, size: str) -> SlideBox | None:
    start, extent = find(frame, place), find(frame, size)
    if start is None or extent is None:
        return None
    x, y = number(value(start, "x")), number(value(start, "y"))
    return float(x), float(y), float(x + number(value(extent, "cx"))), float(y + number(value(extent, "cy")))


def _inner(group: _Element, frame: _Frame) -> _Frame:
    found = find(group, "grpSpPr", "xfrm")
    own = None if found is None else _extent(found, "off", "ext")
    inside = None if found is None else _extent(found, "chOff", "chExt")
    if own is None or inside is None:
        return frame
    outer = frame.place(own)
    width, height = inside[2] - inside[0], inside[3] - inside[1]
    scale_x = (outer[2] - outer[0]) / width if width else 1.0
    scale_y = (outer[3] - outer[1]) / height if height else 1.0
    return _Frame(scale_x, scale_y, outer[0] - inside[0] * scale_x, outer[1] - inside[1] * scale_y)
