"""What stands on page after page: running headers and footers, page numbers, pictures of a letterhead."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tabrag.documents.around_tables import is_caption
from tabrag.documents.page_content import PageBox
from tabrag.documents.page_lines import Line
from tabrag.documents.reading_order import Region

_ZONE = 0.13  # of the page's height at top and bottom in which they stand
_NARROW_ZONE = 0.08  # the same in documents of two pages, which may be two copies of one form
_MAX_ROWS = 6  # of running lines at one edge
_MAX_ROWS_FEW = 2  # the same in documents of two pages
_HEADING = 1.2  # times the size of a page's text: a line that is set larger is a heading
_COUNTED = re.compile(r"\d+|\b[ivxlc]+\b")
_PLACE = 0.012  # of the page's height by which their place may vary
_MANY_PAGES = 3  # of a document: fewer may be copies of one form
_FEW_PAGES = 6  # of a document in which two pages with the same line are enough; three in a longer one
_NUMBER = re.compile(
    r"[\W_]*(?:(?:page|seite|página|pagina|p\.|s\.|стр\.?|第)\s*)?"
    r"(?:\d{1,4}|[ivxlc]{1,6}|[A-Z]{1,2}[-–.]\d{1,3})(?:\s*(?:/|of|von|de|sur|di|из|-)\s*\d{1,4})?\s*[页頁쪽]?[\W_]*",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Layout:
    """One page in reading order.

    Attributes:
        number: 1-based.
        width: In points.
        height: In points.
        regions: Text, tables and pictures in reading order.
    """

    number: int
    width: float
    height: float
    regions: list[Region]


def drop_running(pages: Sequence[Layout]) -> dict[str, list[str]]:
    """Take running headers and footers, page numbers and repeated pictures out of pages.

    A line is a running one where it stands at the edge of its page, or beside or behind another such line,
    and the same text, digits apart, stands at the same place on other pages.

    Returns:
        What was dropped, each text once: ``header``, ``footer``.
    """
    zone, rows = (_ZONE, _MAX_ROWS) if len(pages) >= _MANY_PAGES else (_NARROW_ZONE, _MAX_ROWS_FEW)
    bodies = [_body(page) for page in pages]
    dropped: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
    for name, at_top in (("header", True), ("footer", False)):
        seen = Counter(
            key
            for page, body in zip(pages, bodies, strict=True)
            for key in {_key(line, page, body) for line in _zone(page, at_top, zone)}
        )
        often = 2 if len(pages) < _FEW_PAGES else 3
        for page, body in zip(pages, bodies, strict=True):
            lines = _zone(page, at_top, zone)
            running = {id(line) for line in lines if seen[_key(line, page, body)] >= often}
            twice = {id(line) for line in lines if seen[_key(line, page, body)] >= 2}
            gone = _edge_lines(page, lines, at_top, (running, twice), rows)
            for line in gone:
                if not _NUMBER.fullmatch(line.text):
                    dropped[name].setdefault(line.text)
            _remove(page, gone)
    _drop_pictures(pages)
    return {name: list(texts) for name, texts in dropped.items() if texts}


def _zone(page: Layout, at_top: bool, share: float) -> list[Line]:
    limit = share * page.height
    return [
        line
        for region in page.regions
        for line in region.lines
        if (line.box[3] <= limit if at_top else line.box[1] >= page.height - limit)
    ]


def _body(page: Layout) -> float:
    """Size of the middle line of a page's text."""
    sizes = sorted(line.size for region in page.regions for line in region.lines)
    return sizes[len(sizes) // 2] if sizes else 0.0


def _key(line: Line, page: Layout, body: float) -> tuple[str, int]:
    """Text and place of a line; its digits apart, unless it is set larger than the body: headings count."""
    text = " ".join(line.text.casefold().split())
    if line.size <= _HEADING * body:
        text = _COUNTED.sub("#", text)
    return text, round((line.box[1] + line.box[3]) / 2 / page.height / (3 * _PLACE))


def _edge_lines(
    page: Layout, zone: list[Line], at_top: bool, often: tuple[set[int], set[int]], rows: int
) -> list[Line]:
    """Lines to drop, from the edge of the page inwards, up to the first row without any."""
    lines = sorted(zone, key=lambda line: line.box[1] if at_top else -line.box[3])
    bounds = [region.box for region in page.regions if not region.lines]
    gone: list[Line] = []
    place = 0
    while place < len(lines) and rows > 0:
        rows -= 1
        middle = (lines[place].box[1] + lines[place].box[3]) / 2
        row = [line for line in lines[place:] if line.box[1] <= middle <= line.box[3]] or [lines[place]]
        outside = [line for line in row if not _is_inside(line, bounds, at_top)]
        numbers = [line for line in outside if _is_number(line, page, at_top)]
        seen = often[1 if numbers else 0]  # beside a page's number less evidence is needed
        running = [
            line for line in outside if line in numbers or (id(line) in seen and not is_caption(line.text))
        ]
        gone += running
        if not running:
            break
        place += len(row)
    return gone


def _is_inside(line: Line, bounds: Sequence[PageBox], at_top: bool) -> bool:
    """Whether a table or picture that shares its columns lies between a line and the edge of the page."""
    return any(
        (box[3] <= line.box[1] + 1 if at_top else box[1] >= line.box[3] - 1)
        and box[3] - box[1] > 2 * line.size
        for box in bounds
        if min(box[2], line.box[2]) > max(box[0], line.box[0])
    )


def _is_number(line: Line, page: Layout, at_top: bool) -> bool:
    if not _NUMBER.fullmatch(line.text) or not any(char.isalnum() for char in line.text):
        return False
    if "." in line.text.strip(" .") or line.box[2] - line.box[0] > 0.3 * page.width:
        return False
    # A number at the edge of a page counts its pages; "1." at the top begins a list.
    return not (at_top and line.text.rstrip().endswith((".", ")")))


def _remove(page: Layout, gone: Iterable[Line]) -> None:
    ids = {id(line) for line in gone}
    if not ids:
        return
    kept = []
    for region in page.regions:
        if region.lines:
            lines = [line for line in region.lines if id(line) not in ids]
            if not lines:
                continue
            if len(lines) < len(region.lines):
                boxes = [line.box for line in lines]
                region.box = (
                    min(box[0] for box in boxes),
                    min(box[1] for box in boxes),
                    max(box[2] for box in boxes),
                    max(box[3] for box in boxes),
                )
                region.lines = lines
        kept.append(region)
    page.regions = kept


def _drop_pictures(pages: Sequence[Layout]) -> None:
    """Pictures at the same place on half of several pages or more are part of the paper, not of the text."""
    if len(pages) < _MANY_PAGES:
        return
    seen = Counter(
        _rounded(region.box)
        for page in pages
        for region in page.regions
        if not region.lines and region.table is None
    )
    for page in pages:
        page.regions = [
            region
            for region in page.regions
            if region.lines
            or region.table is not None
            or seen[_rounded(region.box)] < max(_MANY_PAGES, len(pages) / 2)
        ]


def _rounded(box: PageBox) -> tuple[int, ...]:
    return tuple(round(value / 4) for value in box)
