"""Whether a document is a report or a deck of slides, told by its kind, the shape of its pages and its text.

MM-BizRAG (Bhathena et al., 2026, section on layout-aware parsing) parses documents whose text runs on from
page to page (``vertical``: reports, filings, policies) and such whose pages stand for themselves
(``horizontal``: slides) in different ways. The bounds below are this project's.

A report that is taken for slides falls apart into pages; slides that are taken for a report are only cut
less well. So ``horizontal`` is said only where everything speaks for it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import median

from tabrag.types import Block, Document, Page

_SLIDES = "pptx"
_PAGED = ("pdf", "image", _SLIDES)
"""Kinds of files that have pages; where there are none, no page stands for itself."""
_LANDSCAPE = 1.15
"""Width over height from which on a page lies on its side."""
_MOST_PAGES, _HALF = 0.8, 0.5
_PAPER = ((595, 842), (842, 1191), (1191, 1684), (420, 595), (516, 729), (612, 792), (612, 1008), (792, 1224))
"""Sheets in points: A4, A3, A2, A5, B5, Letter, Legal, Tabloid. A report may lie on its side on them."""
_LARGE_TYPE, _SMALL_TYPE = 0.029, 0.019
"""Size of type over the shorter side of the page: on paper slides have at least the first, on screens the
second. The type of reports on A4 has 0.012 to 0.023, that of slides 0.03 to 0.05."""
_TYPE_AREA = 0.6
"""Area that a character takes, lines' distance included, over its type's size squared."""
_UPRIGHT_TYPE = 0.026
"""The same for upright slides, which no sheet of paper has the shape of: those of books have 0.023."""
_MIN_CHARACTERS = 8
"""Of a block from which the size of its type is told."""
_SHEET = 4.0
"""Points by which a page may differ from a sheet."""
_SCREENS = (1.2, 1.9)
"""Width over height of screens: 5:4 to 16:9, and of windows on them."""
_MAX_WIDTH = 1000.0
"""Points: a wider page is a poster, a cover or a drawing."""
_FEW_WORDS, _MANY_WORDS = 120.0, 250.0
"""Words a page up to which it can be a slide, and from which on it is none."""
_SPARSE, _TITLED_WORDS = 60.0, 150.0
"""The same as ``_FEW_WORDS`` where hardly any page has a title, and where all screens have one."""
_FEW_TEXTS = 0.25
"""Share of pages with text below which the text says nothing about the document."""
_COVERED = 0.2
_MAX_TABLES = 0.5
"""Share of pages with tables above which a document on sheets may be a printed workbook."""
_FEW_TITLES, _MIN_TITLES, _ALL_TITLES = 0.3, 0.6, 0.9
_MAX_TITLE = 12
_SEVERAL = 3
"""Upright pages from which on their titles are no chance."""
_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_IDEOGRAPHS_A_WORD = 2
_ENDED = (".", "。", ";", ",")
_VERTICAL, _HORIZONTAL = "vertical", "horizontal"


@dataclass(frozen=True, slots=True)
class Routing:
    """What a document is.

    Attributes:
        layout: ``vertical`` or ``horizontal``; where that is not sure, ``vertical``.
        sure: Whether the rule is sure; a person or a vision model that looks at its first pages may know.
        reason: What decided, in words.
    """

    layout: str
    sure: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What is counted of a document's pages. Shares are 0..1 of its pages.

    Attributes:
        num_pages: Pages whose size is known.
        landscape: Share of pages that lie on their side.
        aspect: Width over height of the middle page.
        width: Of the middle page, in points.
        on_paper: Whether most pages have the size of a sheet of paper.
        type_size: Of the middle word, over its page's shorter side, told by the area that text takes.
        words: Of the middle page; tables, notes and the texts of pictures do not count.
        tables: Share of pages on which a table begins.
        covered: Share of pages on which nothing begins: a table of an earlier page runs over them.
        titled: Share of the pages with text whose first one is a heading or a short line; what stands on most
            pages, as the buttons of a screen do, is passed over.
        with_text: Share of pages with text outside tables and pictures.
    """

    num_pages: int
    landscape: float
    aspect: float
    width: float
    on_paper: bool
    type_size: float
    words: float
    tables: float
    covered: float
    titled: float
    with_text: float


def route(document: Document, kind: str) -> Routing:
    """Decide by rule.

    Args:
        document: As it was read.
        kind: Of its file, see :func:`tabrag.documents.parse.kind_of`.
    """
    if kind not in _PAGED:
        return Routing(_VERTICAL, True, f"a file of kind {kind} has no pages that stand for themselves")
    shape = shape_of(document)
    if shape is None:
        return Routing(_VERTICAL, True, "no page has a size")
    if kind == _SLIDES:
        return _presentation(shape)
    if shape.covered > _COVERED:
        return Routing(_VERTICAL, shape.on_paper, "a table runs over whole pages")
    if shape.with_text < _FEW_TEXTS:
        return Routing(_VERTICAL, False, "too few of its pages have text that was read")
    is_large = shape.type_size >= _LARGE_TYPE
    if shape.landscape < (_HALF if is_large else _MOST_PAGES):
        return _upright(shape)
    return _lying(shape)


def shape_of(document: Document) -> Shape | None:
    """Count what a decision needs; None where no page has a size."""
    pages = {page.number: page for page in document.pages if min(_size(page)) > 0}
    if not pages:
        return None
    running = _running(document.blocks, len(pages))
    words = dict.fromkeys(pages, 0.0)
    with_text: set[int] = set()
    first: dict[int, Block] = {}
    sizes: list[tuple[float, float]] = []
    tables: set[int] = set()
    pictures: set[int] = set()
    for block in document.blocks:
        if block.page not in pages or block.kind == "note":
            continue
        if block.kind == "picture":
            pictures.add(block.page)
        elif block.kind == "table":
            tables.add(block.page)
        else:
            number = num_words(block.text)
            words[block.page] += number
            with_text.add(block.page)
            if (size := _type_size(block, pages[block.page])) is not None:
                sizes.append((size, number))
            if block.text not in running:
                first.setdefault(block.page, block)
    filled = sorted(tables | pictures | with_text)
    sides = [_size(page) for page in pages.values()]
    return Shape(
        num_pages=len(pages),
        landscape=_share((width > _LANDSCAPE * height for width, height in sides), len(pages)),
        aspect=median(width / height for width, height in sides),
        width=median(width for width, _ in sides),
        on_paper=_share((_is_sheet(width, height) for width, height in sides), len(pages)) > 0.5,
        type_size=_middle(sizes),
        words=median(words.values()),
        tables=len(tables) / len(pages),
        covered=_share((_is_covered(page, filled, tables) for page in pages), len(pages)),
        titled=_share(map(_is_title, first.values()), len(first)),
        with_text=len(with_text) / len(pages),
    )


def num_words(text: str) -> float:
    """Words of a text; two characters of Chinese or Japanese, which has no blanks, make one."""
    ideographs = len(_IDEOGRAPH.findall(text))
    return len(_IDEOGRAPH.sub(" ", text).split()) + ideographs / _IDEOGRAPHS_A_WORD


def _presentation(shape: Shape) -> Routing:
    if shape.words > _MANY_WORDS:
        return Routing(_VERTICAL, False, "a presentation whose slides are full of text")
    if shape.landscape < 0.5 and shape.words > _FEW_WORDS:
        return Routing(_VERTICAL, False, "a presentation with upright pages of text")
    return Routing(_HORIZONTAL, True, "a presentation")


def _upright(shape: Shape) -> Routing:
    """Of pages that stand upright, most of them."""
    if shape.words > _FEW_WORDS or shape.num_pages < _SEVERAL or shape.titled < _ALL_TITLES:
        return Routing(_VERTICAL, True, "upright pages")
    if not shape.on_paper and shape.type_size >= _UPRIGHT_TYPE:
        return Routing(_HORIZONTAL, True, "upright pages of large type that are no sheets of paper")
    if shape.type_size >= _LARGE_TYPE:
        return Routing(_VERTICAL, False, "upright sheets of large type")
    return Routing(_VERTICAL, True, "upright pages")


def _lying(shape: Shape) -> Routing:
    """Of pages that lie on their side."""
    if shape.words > _MANY_WORDS:
        return Routing(_VERTICAL, True, "pages full of text")
    low, high = _SCREENS
    if shape.width > _MAX_WIDTH or not low <= shape.aspect <= high:
        return Routing(_VERTICAL, False, "pages of a size that screens do not have")
    if shape.num_pages == 1:
        return Routing(_VERTICAL, False, "one page that lies on its side")
    if shape.type_size < (_LARGE_TYPE if shape.on_paper else _SMALL_TYPE):
        return Routing(_VERTICAL, False, "pages that lie on their side, their type small for slides")
    if shape.words > _most_words(shape):
        return Routing(_VERTICAL, False, "pages that lie on their side with more text than slides have")
    if shape.on_paper and (shape.tables > _MAX_TABLES or shape.titled < _MIN_TITLES):
        return Routing(_VERTICAL, False, "sheets that lie on their side with tables or without titles")
    return Routing(_HORIZONTAL, True, "pages like screens with little text")


def _most_words(shape: Shape) -> float:
    """Words a page that slides have at most."""
    if shape.titled < _FEW_TITLES:
        return _SPARSE
    return _TITLED_WORDS if shape.titled >= _ALL_TITLES and not shape.on_paper else _FEW_WORDS


def _size(page: Page) -> tuple[float, float]:
    return float(page.width or 0.0), float(page.height or 0.0)


def _is_sheet(width: float, height: float) -> bool:
    short, long = sorted((width, height))
    return any(abs(short - a) <= _SHEET and abs(long - b) <= _SHEET for a, b in _PAPER)


def _running(blocks: Iterable[Block], num_pages: int) -> set[str]:
    """Texts that stand on most pages."""
    seen = Counter(text for text, _ in {(block.text, block.page) for block in blocks if block.text})
    return {text for text, count in seen.items() if count >= max(_SEVERAL, _HALF * num_pages)}


def _type_size(block: Block, page: Page) -> float | None:
    """Size of a block's type over the shorter side of its page; None where that cannot be told."""
    characters = len(block.text) + len(_IDEOGRAPH.findall(block.text))
    if block.box is None or characters < _MIN_CHARACTERS:
        return None
    x0, y0, x1, y1 = block.box
    width, height = _size(page)
    area = (x1 - x0) * (y1 - y0) / 1e6 * width * height
    if x1 <= x0 or y1 <= y0:
        return None
    return sqrt(area / (_TYPE_AREA * characters)) / min(width, height)


def _middle(sizes: list[tuple[float, float]]) -> float:
    """The value at which half of the weight is reached; 0 where there are none."""
    half, reached = sum(weight for _, weight in sizes) / 2, 0.0
    for size, weight in sorted(sizes):
        reached += weight
        if reached >= half:
            return size
    return 0.0


def _is_covered(page: int, filled: list[int], tables: set[int]) -> bool:
    """Whether nothing begins on a page, and what began last before it is a table; ``filled`` ascends."""
    place = bisect_right(filled, page)
    return place > 0 and filled[place - 1] < page and filled[place - 1] in tables


def _is_title(block: Block) -> bool:
    if block.kind == "heading":
        return True
    return num_words(block.text) <= _MAX_TITLE and not block.text.rstrip().endswith(_ENDED)


def _share(values: Iterable[bool], whole: int) -> float:
    return sum(values) / whole if whole else 0.0
