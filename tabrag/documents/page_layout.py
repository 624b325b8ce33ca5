"""One page into regions in reading order: its text, its tables and its pictures."""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.documents.page_content import PageBox, PageContent, PageTable, PageWord
from tabrag.documents.page_lines import Line, page_lines
from tabrag.documents.reading_order import Region, reading_order, text_regions

_MIN_SIDE = 20.0  # points: smaller pictures are bullets and ornaments
_MIN_AREA = 0.004  # of the page
_BACKGROUND = 0.85  # of the page: a picture over more of it is its ground, or the page itself as a scan
_PROSE = 0.5  # of a picture's width: lines of text upon it that are longer are set on a ground


def lay_out(page: PageContent, tables: Sequence[PageTable]) -> list[Region]:
    """Regions of a page in reading order.

    Words in a table's box are the table's. Words upon a picture belong to it, unless they are lines of prose
    that are set on a ground.

    Args:
        page: What stands on it.
        tables: The tables found on it.
    """
    words = [word for word in page.words if not _in_any(word, [table.box for table in tables])]
    pictures = _pictures(page, tables)
    regions = [Region(table.box, table=table) for table in tables]
    for box in pictures:
        labels = [word for word in words if _in_any(word, [box])]
        lines = page_lines(page, labels, []) if labels else []
        if _is_ground(box, lines):
            continue
        taken = set(map(id, labels))
        words = [word for word in words if id(word) not in taken]
        regions.append(Region(box, labels=" ".join(line.text for line in lines)))
    obstacles = [region.box for region in regions]
    regions += text_regions(page_lines(page, words, obstacles), page.rules)
    return reading_order(regions)


def _in_any(word: PageWord, boxes: Sequence[PageBox]) -> bool:
    x, y = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
    return any(x0 - 1 <= x <= x1 + 1 and y0 - 1 <= y <= y1 + 1 for x0, y0, x1, y1 in boxes)


def _pictures(page: PageContent, tables: Sequence[PageTable]) -> list[PageBox]:
    """Boxes of pictures to keep: pieces of one are one, and none is part of a table."""
    boxes: list[PageBox] = []
    for box in page.pictures:
        merged = box
        apart = []
        for other in boxes:
            if _overlap(merged, other) > 0 or _abut(merged, other):
                merged = _union(merged, other)
            else:
                apart.append(other)
        boxes = [*apart, merged]
    whole = page.width * page.height
    return [
        box
        for box in boxes
        if min(box[2] - box[0], box[3] - box[1]) >= _MIN_SIDE
        and _MIN_AREA * whole <= _area(box) < _BACKGROUND * whole
        and not any(_overlap(box, table.box) > 0.3 * min(_area(box), _area(table.box)) for table in tables)
    ]


def _is_ground(box: PageBox, lines: Sequence[Line]) -> bool:
    """Whether text is set on a picture as on a ground: most lines run over its width, or it is a low bar."""
    if not lines:
        return False
    size = max(line.size for line in lines)
    if box[3] - box[1] <= 3 * size:
        return True
    width = box[2] - box[0]
    long_ones = [line for line in lines if line.box[2] - line.box[0] > _PROSE * width and " " in line.text]
    return len(long_ones) >= max(0.5 * len(lines), min(len(lines), 2))


def _union(a: PageBox, b: PageBox) -> PageBox:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _overlap(a: PageBox, b: PageBox) -> float:
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    return width * height if width > 0 and height > 0 else 0.0


def _abut(a: PageBox, b: PageBox) -> bool:
    """Whether two boxes are strips of one picture: of one width and one above the other, or of one height."""
    stacked = abs(a[0] - b[0]) < 1 and abs(a[2] - b[2]) < 1 and (abs(a[3] - b[1]) < 1 or abs(b[3] - a[1]) < 1)
    beside = abs(a[1] - b[1]) < 1 and abs(a[3] - b[3]) < 1 and (abs(a[2] - b[0]) < 1 or abs(b[2] - a[0]) < 1)
    return stacked or beside


def _area(box: PageBox) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)
