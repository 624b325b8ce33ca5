"""Pages of a ``DoclingDocument``, and where its items stand on them (``prov``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabrag.documents.docling.tree import list_of, number_of, object_of, objects_or_none, whole_of
from tabrag.documents.page_content import PageBox, PageContent
from tabrag.types import Box, Page

_MAX_PAGES = 100_000
_EMU_A_POINT = 12_700
_EMU = 100_000.0
"""Sides from which on a page is measured in English Metric Units, as those of slides are: in points it would
be 35 metres."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item stands.

    Attributes:
        page: Its first page.
        last_page: Its last page.
        bounds: On its first page, in points from the upper left corner; None where that is not known.
        box: The same in 0..1000 of the page.
    """

    page: int | None = None
    last_page: int | None = None
    bounds: PageBox | None = None
    box: Box | None = None


class Places:
    """The pages of a document.

    Args:
        data: The document as JSON gives it.
        is_sheets: Whether its pages are sheets of a workbook: their sizes count cells, not points.
    """

    def __init__(self, data: dict[str, Any], *, is_sheets: bool = False) -> None:
        self.images: dict[int, str] = {}
        """Address of the picture of a page, by its number."""
        self._units: dict[int, float] = {}
        self._sizes: dict[int, tuple[float, float]] = {}
        numbers: dict[int, None] = {}
        for key, value in object_of(data, "pages").items():
            page = objects_or_none(value)
            number = int(key) if key.isascii() and key.isdigit() and len(key) < 7 else 0
            if page is None or not 0 < number <= _MAX_PAGES:
                continue
            numbers[number] = None
            size = object_of(page, "size")
            width, height = number_of(size, "width"), number_of(size, "height")
            if width is not None and height is not None and width > 0 and height > 0:
                self._units[number] = _EMU_A_POINT if max(width, height) >= _EMU else 1
                self._sizes[number] = width, height
            uri = object_of(page, "image").get("uri")
            if isinstance(uri, str):
                self.images[number] = uri
        self.pages = [self._page(number, has_size=not is_sheets) for number in sorted(numbers)]
        self._numbers = numbers

    def place(self, item: dict[str, Any]) -> Place:
        """Where an item stands; what it says on later pages is not looked at but for their numbers."""
        entries = [entry for entry in list_of(item, "prov") if isinstance(entry, dict)]
        pages = [number for entry in entries if (number := whole_of(entry, "page_no")) in self._numbers]
        if not pages:
            return Place()
        first = min(pages)
        boxes = [self.bounds(entry, first) for entry in entries if entry.get("page_no") == first]
        return self._at(first, max(pages), [box for box in boxes if box is not None])

    def bounds(self, entry: dict[str, Any], page: int | None) -> PageBox | None:
        """The ``bbox`` of a provenance or a cell in points from the upper left corner of its page.

        Its origin may be the lower left corner, as PDF has it, or the upper left one.
        """
        box = object_of(entry, "bbox")
        sides = [number_of(box, side) for side in "ltrb"]
        size = self._sizes.get(page or 0)
        if size is None or any(side is None for side in sides):
            return None
        x0, y0, x1, y1 = (side or 0.0 for side in sides)
        if box.get("coord_origin") == "BOTTOMLEFT":
            y0, y1 = size[1] - y0, size[1] - y1
        unit = self._units[page or 0]
        return min(x0, x1) / unit, min(y0, y1) / unit, max(x0, x1) / unit, max(y0, y1) / unit

    def _at(self, page: int, last: int, boxes: list[PageBox]) -> Place:
        if not boxes:
            return Place(page, last)
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        bounds = min(lefts), min(tops), max(rights), max(bottoms)
        if bounds[0] >= bounds[2] or bounds[1] >= bounds[3]:  # no place at all, as of a speaker's notes
            return Place(page, last)
        width, height = (side / self._units[page] for side in self._sizes[page])
        content = PageContent(number=page, width=width, height=height)
        return Place(page, last, bounds, content.box(bounds))

    def _page(self, number: int, *, has_size: bool) -> Page:
        size = self._sizes.get(number)
        if size is None or not has_size:
            return Page(number=number)
        width, height = (round(side / self._units[number], 2) for side in size)
        return Page(number=number, width=width or None, height=height or None)
