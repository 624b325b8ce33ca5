"""What stands on one page, whatever it was read from: a PDF's own text layer, or a picture through OCR.

Coordinates are points (1/72 inch) from the upper left corner of the page as a reader sees it: a turned page
is turned upright first. Boxes are ``(x0, y0, x1, y1)`` with ``x0 <= x1`` and ``y0 <= y1``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tabrag.types import Box

PageBox = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PageWord:
    """A word.

    Attributes:
        text: Its characters in reading order.
        box: Where it stands.
        size: Height of its type in points.
        bold: Whether its font says so.
        raised: Whether it is a mark above the line (a footnote's number).
        turn: Degrees by which its text is turned anticlockwise: 0, 90, 180 or 270.
    """

    text: str
    box: PageBox
    size: float = 0.0
    bold: bool = False
    raised: bool = False
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """A line that is drawn: horizontal where ``y0 == y1``, vertical where ``x0 == x1``."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Fill:
    """A filled rectangle with its grey value, 0 (black) to 1 (white): shaded rows and headers."""

    box: PageBox
    grey: float


@dataclass(slots=True, kw_only=True)
class PageContent:
    """One page.

    Attributes:
        number: 1-based.
        width: In points.
        height: In points.
        words: In the order of the source; :mod:`tabrag.documents` puts them in reading order.
        rules: Lines that are drawn; edges of drawn rectangles are lines too.
        fills: Filled rectangles.
        pictures: Boxes of embedded pictures and of drawings that hold no text of a table.
        scanned: Whether the words come from OCR.
    """

    number: int
    width: float
    height: float
    words: list[PageWord] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    pictures: list[PageBox] = field(default_factory=list)
    scanned: bool = False

    def box(self, box: PageBox) -> Box:
        """A box in 0..1000 of the page's width and height, as records have it."""
        x0, y0, x1, y1 = box
        return (
            _thousandths(x0, self.width),
            _thousandths(y0, self.height),
            _thousandths(x1, self.width),
            _thousandths(y1, self.height),
        )


@dataclass(slots=True, kw_only=True)
class PageTable:
    """A table as it stands on one page, before its headers are found and its parts on other pages joined.

    Attributes:
        box: Where it stands, its caption not included.
        cells: Rectangular texts; a merged region has its text in its first cell.
        merged: Merged regions ``(first_row, last_row, first_col, last_col)``, inclusive.
        col_edges: Left edges of the columns and the right edge of the last one, in points: parts of a table
            on several pages are told by them.
        ruled: Whether lines bound its cells.
    """

    box: PageBox
    cells: list[list[str]]
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    col_edges: list[float] = field(default_factory=list)
    ruled: bool = False


def _thousandths(value: float, whole: float) -> int:
    return min(max(round(1000 * value / whole), 0), 1000) if whole > 0 else 0
