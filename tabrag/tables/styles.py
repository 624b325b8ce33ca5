"""How a rendered table looks: fonts, lines, colours and spaces of each style, with small changes by seed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tabrag.errors import UserError

Colour = tuple[int, int, int]

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """One look of a table. Lengths are pixels at scale 1.

    Attributes:
        family: Font family, see `tabrag.tables.fonts`.
        sizes: Font sizes from which the seed picks one.
        padding: Left and right, and above and below, each text.
        lines: ``all`` around every cell, ``rows`` between rows, ``rules`` as in journals, or ``none``.
        line: Colour of the lines.
        paper: Ground colour.
        ink: Text colour.
        accents: Grounds of the header from which the seed picks one; empty for none.
        header_ink: Text colour on the header.
        header_bold: Whether headers are bold.
        side_bold: Whether row headers are bold.
        side_fill: Ground of the row headers, or None.
        stripe: Ground of every second body row, or None.
        centred_title: Whether the title stands in the middle.
        frame: Whether column letters and row numbers of a spreadsheet stand around the table.
        scanned: Whether the picture is turned, blurred and stained like a scan.
    """

    family: str = "sans"
    sizes: tuple[int, ...] = (12, 13, 14)
    padding: tuple[int, int] = (7, 4)
    lines: str = "all"
    line: Colour = BLACK
    paper: Colour = WHITE
    ink: Colour = BLACK
    accents: tuple[Colour, ...] = ()
    header_ink: Colour = BLACK
    header_bold: bool = True
    side_bold: bool = False
    side_fill: Colour | None = None
    stripe: Colour | None = None
    centred_title: bool = False
    frame: bool = False
    scanned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A style with the choices of one picture made; lengths are pixels of that picture."""

    style: Style
    font_size: int
    pad_x: int
    pad_y: int
    header_fill: Colour | None


_GREYS: tuple[Colour, ...] = ((235, 235, 235), (222, 226, 230), (240, 238, 230))
_VIVID: tuple[Colour, ...] = ((31, 78, 121), (0, 98, 93), (122, 28, 60), (84, 57, 140), (176, 84, 12))
_DARK: tuple[Colour, ...] = ((28, 28, 30), (38, 45, 56), (52, 36, 30))

_STYLES: dict[str, Style] = {
    "ruled": Style(accents=_GREYS),
    "striped": Style(
        lines="none",
        stripe=(238, 243, 250),
        accents=((205, 218, 238), (211, 228, 214), (236, 222, 205)),
        ink=(33, 37, 41),
    ),
    "borderless": Style(lines="none", padding=(11, 5), side_bold=True, ink=(40, 40, 40)),
    "dense": Style(family="condensed", sizes=(10, 11), padding=(3, 1), line=(150, 150, 150), accents=_GREYS),
    "serif": Style(family="serif", lines="rows", line=(120, 120, 120), centred_title=True, padding=(9, 4)),
    "sans": Style(
        lines="rows",
        line=(208, 213, 219),
        accents=_VIVID,
        header_ink=WHITE,
        padding=(10, 6),
        ink=(30, 41, 59),
    ),
    "scientific": Style(family="serif", sizes=(12, 13), lines="rules", header_bold=False, padding=(9, 3)),
    "spreadsheet": Style(
        sizes=(12, 13),
        line=(200, 200, 200),
        frame=True,
        padding=(4, 3),
        accents=((226, 239, 218), (221, 235, 247), WHITE),
    ),
    "scanned": Style(
        family="serif",
        sizes=(13, 14),
        paper=(246, 244, 238),
        line=(60, 60, 60),
        ink=(35, 33, 32),
        scanned=True,
    ),
    "dark_header": Style(
        line=(170, 170, 170), accents=_DARK, header_ink=WHITE, side_fill=(240, 240, 240), side_bold=True
    ),
    "typewriter": Style(
        family="mono", sizes=(12, 13), lines="rows", header_bold=False, padding=(8, 2), ink=(25, 25, 25)
    ),
}

STYLES: tuple[str, ...] = tuple(_STYLES)
"""The names that `tabrag.tables.render.render` takes."""

# Choosing one of the sizes and spaces is what the seed is for; more would blur the styles into one another.
_PADDING_CHANGES = (0, 0, 1, 2)


def choose_look(name: str, *, key: str, scale: float) -> Look:
    """The look of one picture.

    Args:
        name: One of `STYLES`.
        key: Text that decides the choices: the same key gives the same look.
        scale: Factor on fonts and spaces.
    """
    if name not in _STYLES:
        raise UserError(f"unknown style {name!r}: choose one of {', '.join(STYLES)}")
    style = _STYLES[name]
    choice = random.Random(f"{name}/{key}")
    size = choice.choice(style.sizes)
    more = choice.choice(_PADDING_CHANGES)
    return Look(
        style=style,
        font_size=max(4, round(size * scale)),
        pad_x=max(1, round((style.padding[0] + more) * scale)),
        pad_y=max(1, round((style.padding[1] + more // 2) * scale)),
        header_fill=choice.choice(style.accents) if style.accents else None,
    )
