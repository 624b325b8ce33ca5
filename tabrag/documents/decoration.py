"""Which pictures of a document tell nothing: logos, rules, bullets, backgrounds, pictures of one colour.

MM-BizRAG (Bhathena et al., 2026) leaves such pictures out of its index; there an image model names them, here
rules do. A picture that is missed costs an entry, one that is left out wrongly costs evidence: whatever may
be a chart, a drawing, a photograph, a scanned table or a signature stays.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from tabrag.documents.picture_look import Look, look_of
from tabrag.errors import UserError
from tabrag.files import inside, sha256_file
from tabrag.tables.image import open_image
from tabrag.types import Block, Document

_NAMES = re.compile(
    r"(?:(?:the|a|an|company|corporate|firm|brand|site|page|small|horizontal|decorative|blank|empty)\s+)*"
    r"(?:logo|logotype|icon|bullet(?: point)?|spacer|divider|separator|background|ornament|border|watermark"
    r"|decoration|decorative(?: (?:image|picture|element|line))?|(?:horizontal )?(?:rule|line)"
    r"|(?:logo|icon) (?:of|for) .{1,40}|[\w&.'-]+(?: [\w&.'-]+)? (?:logo|icon))",
    re.IGNORECASE,
)
"""Descriptions that say themselves that a picture tells nothing."""
_MANY_WORDS = 4
"""Words of a description, or upon a picture, from which on it tells something."""
_SMALL, _TINY, _MARK, _GROUND = 0.02, 0.0015, 0.06, 0.8
"""Shares of the page's area: of a logo at its edge, a bullet and a repeated logo at most; of a background
at least."""
_TOP, _FOOT, _SIDE = 150, 890, 120
"""Thousandths of the page: what ends above or left of them, or begins below, stands outside of the text."""
_BAND, _WIDE = 80, 900
"""Thousandths of the page: height at most and width at least of a letterhead that touches the page's edge."""
_BULLET = 100
"""Pixels of the longer side of a bullet at most: a larger picture that is shown small can be looked into."""
_SAME_PLACE = 15
_POINT = 0.006
"""Share of the page's area of a picture that stands before each point of a list, at most."""
_COVER_BLOCKS = 20
"""Blocks from which on a document is long enough to have a cover."""
_OFTEN = 3
_SHARE, _HALF = 0.3, 0.5
"""Shares of the pages on which a background, and a mark within the text's space, is shown."""
_ICON = 40
"""Pixels of the longer side up to which a picture without a place is an icon."""
_REPEATED_ICON = 160
"""The same for one that a document shows several times."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A picture at its place.

    Attributes:
        place: Number of its block.
        block: The block.
        look: What its pixels show; None where there are none.
        speaks: Whether a caption or its own text says something.
    """

    place: int
    block: Block
    look: Look | None
    speaks: bool

    @property
    def area(self) -> float | None:
        """Share of the page's area that it takes; None where it has no place on a page."""
        if self.block.box is None:
            return None
        x0, y0, x1, y1 = self.block.box
        return (x1 - x0) * (y1 - y0) / 1e6


def mark_decorations(document: Document, folder: Path) -> Document:
    """The document with ``decoration`` set on pictures that tell nothing.

    Args:
        document: As it was read.
        folder: Where its pictures were written; one that cannot be opened there stays as it is.
    """
    shown, contents = _shown(document, folder)
    told = {place for place, one in shown.items() if _tells_nothing(one)}
    if (cover := _cover_mark(document)) is not None and not shown[cover].speaks:
        told.add(cover)
    for same in contents.values():
        if any(one.place in told for one in same):  # a mark is one wherever it is shown
            told |= {one.place for one in same if not one.speaks and (one.area or 0.0) <= _MARK}
        told |= _repeated(same, max(len(document.pages), 1))
    if not told:
        return document
    blocks = [
        replace(block, decoration=True) if place in told else block
        for place, block in enumerate(document.blocks)
    ]
    return replace(document, blocks=blocks)


def _shown(document: Document, folder: Path) -> tuple[dict[int, _Shown], dict[str, list[_Shown]]]:
    """The pictures of a document by the numbers of their blocks, and by what they show."""
    looks: dict[str, tuple[str, Look | None]] = {}
    shown: dict[int, _Shown] = {}
    contents: defaultdict[str, list[_Shown]] = defaultdict(list)
    for place, block in enumerate(document.blocks):
        if block.kind != "picture":
            continue
        digest, look = "", None
        if block.image is not None:
            if block.image not in looks:
                looks[block.image] = _look(folder, block.image)
            digest, look = looks[block.image]
        one = _Shown(place, block, look, _has_caption(document.blocks, place) or _says(block.text))
        shown[place] = one
        if digest:
            contents[digest].append(one)
    return shown, contents


def _look(folder: Path, name: str) -> tuple[str, Look | None]:
    try:
        path = inside(folder, name)
        return sha256_file(path), look_of(open_image(path))
    except (OSError, UserError):
        return "", None


def _tells_nothing(one: _Shown) -> bool:
    """Whether a picture tells nothing by itself, however often it is shown."""
    if one.look is not None and one.look.is_blank:
        return not _says(one.block.text)
    if one.speaks:
        return False
    if _NAMES.fullmatch(one.block.text.strip(" .\n")):
        return True
    if one.look is None:
        return False
    if one.look.is_smooth or one.look.is_rule:
        return True
    area = one.area
    if area is None:
        return max(one.look.size) <= _ICON
    if area <= _TINY:
        return max(one.look.size) <= _BULLET
    if area <= _SMALL and _in_margin(one) and one.block.page == 1:  # later ones begin or end the page's text
        return not (one.look.is_ink and _in_foot(one))  # may be a signature
    return _is_letterhead(one)


def _repeated(same: list[_Shown], num_pages: int) -> set[int]:
    """Numbers of the blocks that show one picture again and again as paper does, not as a text does."""
    if any(one.speaks for one in same):
        return set()
    pages = {one.block.page for one in same}
    areas = [one.area for one in same if one.area is not None]
    if len(areas) < len(same):
        sizes = [max(one.look.size) for one in same if one.look is not None]
        small = len(same) >= _OFTEN and bool(sizes) and max(sizes) <= _REPEATED_ICON
        return {one.place for one in same} if small else set()
    if max(areas, default=1.0) <= _POINT and len(same) >= _OFTEN and len(same) > 2 * len(pages):
        return {one.place for one in same}  # several on a page: points of a list
    at_edge = len(pages) >= 2 and max(areas, default=1.0) <= _MARK and all(map(_at_edge, same))
    is_mark = len(pages) >= max(_OFTEN, _HALF * num_pages) and max(areas) <= _MARK and _one_place(same)
    is_ground = len(pages) >= max(_OFTEN, _SHARE * num_pages) and min(areas) >= _GROUND
    return {one.place for one in same} if at_edge or is_mark or is_ground else set()


def _cover_mark(document: Document) -> int | None:
    """Number of the block of a mark upon a cover: a small picture before everything else, then the title."""
    blocks = document.blocks
    if len(blocks) < _COVER_BLOCKS or blocks[0].kind != "picture" or not document.title:
        return None
    box = blocks[0].box
    if box is None and document.pages:
        return None
    if box is not None and (box[2] - box[0]) * (box[3] - box[1]) / 1e6 > _MARK:
        return None
    return 0 if " ".join(blocks[1].text.split()) == " ".join(document.title.split()) else None


def _one_place(same: list[_Shown]) -> bool:
    boxes = [one.block.box for one in same if one.block.box is not None]
    return all(abs(a - b) <= _SAME_PLACE for box in boxes for a, b in zip(box, boxes[0], strict=True))


def _in_margin(one: _Shown) -> bool:
    """Whether a picture lies wholly above or below the text of its page."""
    return _in_foot(one) or (one.block.box is not None and one.block.box[3] <= _TOP)


def _in_foot(one: _Shown) -> bool:
    return one.block.box is not None and one.block.box[1] >= _FOOT


def _at_edge(one: _Shown) -> bool:
    """Whether a picture lies wholly in any margin of its page."""
    box = one.block.box
    return box is not None and (_in_margin(one) or box[2] <= _SIDE or box[0] >= 1000 - _SIDE)


def _is_letterhead(one: _Shown) -> bool:
    """Whether a picture is a low bar along the upper or lower edge of the paper."""
    if one.block.box is None:
        return False
    x0, y0, x1, y1 = one.block.box
    return x1 - x0 >= _WIDE and y1 - y0 <= _BAND and (y0 <= 1 or y1 >= 999)


def _has_caption(blocks: list[Block], place: int) -> bool:
    return any(
        blocks[other].kind == "caption" and blocks[other].page == blocks[place].page
        for other in (place - 1, place + 1)
        if 0 <= other < len(blocks)
    )


def _says(text: str) -> bool:
    return len(text.split()) >= _MANY_WORDS and not _NAMES.fullmatch(text.strip(" .\n"))
