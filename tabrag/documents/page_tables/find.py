"""The tables of one page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tabrag.documents.page_content import PageBox, PageContent, PageTable, PageWord
from tabrag.documents.page_tables.areas import drawn_areas
from tabrag.documents.page_tables.build import build_table
from tabrag.documents.page_tables.checks import is_page_frame, is_table
from tabrag.documents.page_tables.extend import extended
from tabrag.documents.page_tables.free_areas import free_areas
from tabrag.documents.page_tables.strokes import page_strokes
from tabrag.documents.page_tables.turn import main_turn, turned_back, turned_page

_Floats = npt.NDArray[np.float64]
_Bools = npt.NDArray[np.bool_]

_PICTURE = 0.5
"""A picture of more than this share of the page is the page itself."""


def find_tables(page: PageContent) -> list[PageTable]:
    """Find the tables of a page from its words, lines and shaded areas.

    Tables whose cells lines bound come from the lines; in what remains, and between lines of one width,
    columns are blanks that run down the page and rows are told by what their lines say. A table inside a
    cell of another one is a table of its own, and its words are no part of the outer cell.

    Labels of rows begin with two blanks for each level that they are indented, which
    :func:`tabrag.tables.headers.infer_table` reads; rows of dots that lead to a number are left out.

    Args:
        page: The page. Where most of its text is turned, it is read as turned upright.

    Returns:
        Tables from above, then from the left. Boxes are those of the page as it is; ``col_edges`` run along
        the lines of text. Each word stands in one table at most.
    """
    turn = main_turn(page)
    upright = turned_page(page, turn)
    tables = _find_upright(upright)
    if turn:
        for table in tables:
            table.box = turned_back(table.box, turn, page.width, page.height)
    return tables


def _find_upright(page: PageContent) -> list[PageTable]:
    words = [word for word in page.words if word.text.strip()]
    words = _outside(words, _real_pictures(page))
    if not words:
        return []
    horizontal, vertical = page_strokes(page)
    free = np.ones(len(words), dtype=bool)
    middles = np.array([((w.box[0] + w.box[2]) / 2, (w.box[1] + w.box[3]) / 2) for w in words])
    areas = drawn_areas(words, horizontal, vertical)
    in_areas = [_inside(area.box, middles) for area in areas]
    tables: list[PageTable] = []
    # Smaller ones first: a table inside a cell of another one takes its words.
    for index in sorted(range(len(areas)), key=lambda index: _size(areas[index].box)):
        area = areas[index]
        area.words = _chosen(words, free & in_areas[index])
        built = build_table(area)
        if built is None or not is_table(built, drawn=True):
            continue
        if is_page_frame(built, page.width, page.height):
            continue
        if built.drawn_cols == 0:
            others = [inside for other, inside in enumerate(in_areas) if other != index]
            beyond = _chosen(words, free & ~np.any(others, axis=0) if others else free)
            longer = extended(area, built, beyond, horizontal)
            if longer is not area:
                area = longer
                area.words = _chosen(words, free & _inside(area.box, middles))
                built = build_table(area) or built
        free &= ~_inside(area.box, middles)
        tables.append(built.table)
    for area in free_areas(_chosen(words, free), horizontal, vertical):
        inside = free & _inside(area.box, middles)
        area.words = _chosen(words, inside)  # turned words, too: what stands in a table is nowhere else
        built = build_table(area)
        if built is not None and is_table(built, drawn=False):
            free &= ~inside
            tables.append(built.table)
    return sorted(tables, key=lambda table: (table.box[1], table.box[0]))


def _inside(box: PageBox, middles: _Floats) -> _Bools:
    """``[words]``: whether a word's middle is in a box."""
    x, y = middles[:, 0], middles[:, 1]
    return (x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3])


def _chosen(words: Sequence[PageWord], mask: _Bools) -> list[PageWord]:
    return [words[index] for index in np.flatnonzero(mask).tolist()]


def _real_pictures(page: PageContent) -> list[PageBox]:
    whole = page.width * page.height
    return [box for box in page.pictures if _size(box) <= _PICTURE * whole]


def _outside(words: Sequence[PageWord], boxes: Sequence[PageBox]) -> list[PageWord]:
    if not boxes:
        return list(words)
    return [
        word
        for word in words
        if not any(
            box[0] <= (word.box[0] + word.box[2]) / 2 <= box[2]
            and box[1] <= (word.box[1] + word.box[3]) / 2 <= box[3]
            for box in boxes
        )
    ]


def _size(box: PageBox) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
