"""Where the text of a Word paragraph begins (ECMA-376 part 1, section 17.3.1.12)."""

from __future__ import annotations

from lxml.etree import _Element

from tabrag.documents.office.word_styles import WordNumbering, WordStyles
from tabrag.documents.office.xml import find, number, value

_TWIPS = 20
"""Twentieths of a point."""
_NOT_LEFT = ("center", "right", "end", "distribute")


def paragraph_start(paragraph: _Element, styles: WordStyles, numbering: WordNumbering) -> float:
    """How far the first line of a paragraph is indented, points; 0 where it is not set at the left.

    The text of a list's point begins behind its mark.
    Its own properties count before those of its list, and these before those of its style; a list that the
    style names counts after the style.

    Args:
        paragraph: A ``w:p``.
        styles: Styles of the document.
        numbering: Its lists.
    """
    own = find(paragraph, "pPr")
    of_styles = [find(style, "pPr") for style in styles.chain(value(find(paragraph, "pPr", "pStyle")))]
    listed = styles.numbering(paragraph)
    of_list = [numbering.properties(*listed)] if listed else []
    is_own_list = own is not None and find(own, "numPr") is not None
    parts = [own, *of_list, *of_styles] if is_own_list else [own, *of_styles, *of_list]
    said = [part for part in parts if part is not None]
    aligned = next(filter(None, (value(find(part, "jc")) for part in said)), "")
    if aligned in _NOT_LEFT:
        return 0.0
    indents = [indent for part in said if (indent := find(part, "ind")) is not None]
    left = next(filter(None, (value(one, "left") or value(one, "start") for one in indents)), "0")
    return (number(left) + (max(_first_line(indents), 0) if listed else _first_line(indents))) / _TWIPS


def cell_margin(cell: _Element) -> float:
    """What a ``w:tc`` itself leaves blank at its left, points; 0 where its table says."""
    for name in ("left", "start"):
        margin = find(cell, "tcPr", "tcMar", name)
        if margin is not None and value(margin, "type") in ("", "dxa"):
            return number(value(margin, "w")) / _TWIPS
    return 0.0


def _first_line(indents: list[_Element]) -> int:
    """What the first line begins behind the others, or before them; a hanging one is named first."""
    for one in indents:
        if hanging := value(one, "hanging"):
            return -number(hanging)
        if first := value(one, "firstLine"):
            return number(first)
    return 0
