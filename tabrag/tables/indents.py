"""How far labels of rows are indented: places on a page or blanks become levels, levels become blanks.

Whatever a source says with (a place, an indent of a paragraph or of a cell, typed blanks), the label of a row
at last begins with :data:`BLANKS` once for each level; :func:`tabrag.tables.left_tree.without_indents` makes
left paths of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

BLANKS = "  "
"""Stands before a label once for each level."""
STEP = 2.0
"""Indents that differ by no more than this, points, are one level."""
_SLIP = 3.0
"""An indent that is no longer than this, points, is none: one typed blank."""
_MAX_INDENT = 400
"""Longest indent, points."""
_WIDTHS = {" ": 3.0, "\t": 12.0, "\u2002": 6.0, "\u2003": 12.0, "\u2007": 6.0, "\u3000": 12.0, "\u200b": 0.0}
"""Blanks by their widths, points in type of 12; others are as wide as a plain one."""
_TYPED = re.compile(r"[^\S\r\n\v]{0,200}")


def levels_by_place(starts: Mapping[int, float], step: float = STEP) -> dict[int, int]:
    """The level of each row by the place where its label begins, 0 for those farthest left.

    Args:
        starts: Left ends of the labels, in any unit.
        step: Labels whose left ends lie no farther apart than this are of one level.
    """
    places: list[float] = []
    for start in sorted(starts.values()):
        if not places or start - places[-1] > step:
            places.append(start)
    return {
        row: max(level for level, place in enumerate(places) if start >= place)
        for row, start in starts.items()
    }


def typed_indent(text: str) -> float:
    """The width of the blanks before a text, points."""
    blanks = _TYPED.match(text)
    return 0.0 if blanks is None else sum(_WIDTHS.get(char, _WIDTHS[" "]) for char in blanks[0])


def indented(text: str, points: float = 0.0) -> str:
    """A label behind one blank for each point that it is indented, for :func:`with_levels`.

    Args:
        text: The label; blanks typed before it count.
        points: How far its paragraph or cell is indented.
    """
    width = round(points + typed_indent(text))
    label = text.strip()
    return " " * min(max(width, 0), _MAX_INDENT) + label if label else ""


def label_text(lines: Sequence[str]) -> str:
    """The lines of a label, made by :func:`indented`, as one text that is indented as the first one is."""
    said = [line for line in lines if line.strip()]
    blanks = len(said[0]) - len(said[0].lstrip(" ")) if said else 0
    return " " * blanks + "\n".join(line.replace("\t", " ").strip() for line in said)


def with_levels(cells: Sequence[Sequence[str]]) -> list[list[str]]:
    """Cells with one blank a point before the labels in the first column: :data:`BLANKS` a level instead."""
    starts = {
        row: float(len(texts[0]) - len(texts[0].lstrip(" ")))
        for row, texts in enumerate(cells)
        if texts and texts[0].strip()
    }
    levels = levels_by_place({row: 0.0 if start <= _SLIP else start for row, start in starts.items()})
    return [
        [BLANKS * levels.get(row, 0) + texts[0].lstrip(" "), *texts[1:]] if texts else []
        for row, texts in enumerate(cells)
    ]
