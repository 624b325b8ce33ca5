"""A picture of a page into what stands on it: words by OCR, lines and shades from the pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from statistics import median

import numpy as np
from PIL import Image, ImageOps

from tabrag.documents.ocr_cells import unread_cells
from tabrag.documents.ocr_retry import sure_lines
from tabrag.documents.ocr_words import page_words
from tabrag.documents.page_content import Fill, PageBox, PageContent, PageWord, Rule
from tabrag.documents.picture_fills import find_fills, without_fills
from tabrag.documents.picture_rules import find_rules
from tabrag.documents.upright import Upright, set_upright
from tabrag.tables.image import to_rgb
from tabrag.tables.ocr import MIN_SCORE, light_ground
from tabrag.tables.ocr_engine import TextLine, read_lines
from tabrag.types import Word

MAX_PIXELS = 25_000_000
"""Larger pictures are made smaller before they are read."""

# Small type is enlarged until a line, as OCR boxes it, has this many pixels: the recogniser takes 48.
_SMALL, _LINE_HEIGHT = 30, 44
_MAX_SCALE = 3.0
# OCR makes larger pictures smaller again.
_MAX_SIDE = 2000
# Margin around the picture, in heights of a line of text.
_MARGIN = 0.6
# The size of type, in points, that a picture without a resolution of its own is taken to have.
_TYPE_SIZE = 10.0
_DPI = 96.0
# Where this share of all text (by width) cannot be read, what seems to be read of it is chance.
_UNREAD = 0.6
_CERTAIN = 0.97
_NOT_CHANCE = 3
# Heights of a word's box and of a line as OCR boxes it, in sizes of the type.
_WORD_BOX, _BOXED = 1.0, 1.4
# Sides of shaded areas this near to a line that is drawn lie on it, in heights of a line of text.
_SNAP = 0.25


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """A page that was read from a picture.

    Attributes:
        content: What stands on it.
        picture: The picture as ``content`` has it: turned upright, the slope of a scan levelled.
        notes: What could not be read.
    """

    content: PageContent
    picture: Image.Image
    notes: list[str] = field(default_factory=list)


def ocr_page(image: Image.Image, *, number: int, dpi: float | None) -> PageContent:
    """What stands on a page of which there is only a picture; see :func:`read_page`."""
    return read_page(image, number=number, dpi=dpi).content


def read_page(image: Image.Image, *, number: int, dpi: float | None) -> ScannedPage:
    """Read a picture of a page: words by OCR, lines that are drawn and shaded areas from its pixels.

    The picture is set upright by its text first. Light text on dark ground, whole pictures of it too, is
    inverted, shaded areas get full contrast, small type is enlarged, and unsure lines are read again.

    Args:
        image: The picture, of any mode and size.
        number: 1-based number of the page.
        dpi: Resolution in pixels an inch, which gives the size in points; None: the resolution at which the
            text is 10 points high.

    Raises:
        UserError: rapidocr is not installed.
    """
    upright = _set_upright(to_rgb(image))
    scale = _scale(upright)
    reading = upright.reading
    if scale > 1:
        size = (round(reading.width * scale), round(reading.height * scale))
        reading = reading.resize(size, Image.Resampling.BICUBIC)
    pixels, unit = np.asarray(reading), upright.line_height * scale
    fills = find_fills(pixels, unit)
    clean = Image.fromarray(without_fills(pixels, fills))
    found = _read(clean, round(_MARGIN * unit))
    lines, notes = _readable(sure_lines(found, clean), found)
    rules = find_rules(pixels, unit, [line.box for line in found])
    lines += unread_cells(clean, rules, lines, unit)
    words = page_words(lines, clean, rules)
    content = _content(words, rules, fills, reading.size, unit, number=number, dpi=(dpi or 0) * scale)
    return ScannedPage(content, upright.picture, notes)


def page_of_words(
    image: Image.Image, words: Sequence[Word], *, number: int, dpi: float | None
) -> PageContent:
    """What stands on a page whose words somebody else's OCR has read.

    Args:
        image: Its picture, upright.
        words: Its words with boxes 0..1000.
        number: 1-based number of the page.
        dpi: As in :func:`read_page`.

    Returns:
        The words, with the lines and shaded areas of the picture where the package for them is installed.
    """
    image = to_rgb(image)
    width, height = image.size
    placed = [
        PageWord(word.text, box, size=(box[3] - box[1]) / _WORD_BOX)
        for word in words
        for box in [
            tuple(value * side / 1000 for value, side in zip(word.box, (width, height) * 2, strict=True))
        ]
        if word.text.strip()
    ]
    unit = median(word.size for word in placed) * _BOXED if placed else 0.0
    rules: list[Rule] = []
    fills: list[Fill] = []
    if find_spec("cv2") is not None:
        pixels = np.asarray(image)
        fills = find_fills(pixels, unit)
        rules = find_rules(pixels, unit, [word.box for word in placed])
    return _content(placed, rules, fills, image.size, unit, number=number, dpi=dpi or 0)


def _content(
    words: list[PageWord],
    rules: list[Rule],
    fills: list[Fill],
    size: tuple[int, int],
    unit: float,
    *,
    number: int,
    dpi: float,
) -> PageContent:
    """All of a page, in pixels, in points; 0 dpi: as the size of the words wants it."""
    points = 72 / (dpi or _dpi(words))
    fills = [Fill(_on_rules(fill.box, rules, unit), fill.grey) for fill in fills]
    rules = [*rules, *(side for fill in fills for side in _sides(fill.box))]
    return PageContent(
        number=number,
        width=round(size[0] * points, 2),
        height=round(size[1] * points, 2),
        words=[
            replace(word, box=_scaled(word.box, points), size=round(word.size * points, 2)) for word in words
        ],
        rules=[Rule(*_scaled((rule.x0, rule.y0, rule.x1, rule.y1), points)) for rule in rules],
        fills=[Fill(_scaled(fill.box, points), fill.grey) for fill in fills],
        scanned=True,
    )


def _set_upright(image: Image.Image) -> Upright:
    width, height = image.size
    if width * height > MAX_PIXELS:
        shrink = (MAX_PIXELS / (width * height)) ** 0.5
        image = image.resize(
            (max(int(width * shrink), 1), max(int(height * shrink), 1)), Image.Resampling.BOX
        )
    return set_upright(image, light_ground(image))


def _scale(upright: Upright) -> float:
    unit = upright.line_height
    if not 0 < unit < _SMALL:
        return 1.0
    return max(min(_LINE_HEIGHT / unit, _MAX_SCALE, _MAX_SIDE / max(upright.picture.size)), 1.0)


def _read(clean: Image.Image, margin: int) -> list[TextLine]:
    """The lines of an upright picture, read with a margin: letters at its very edge are not found."""
    paper = tuple(int(value) for value in np.median(np.asarray(clean).reshape(-1, 3), axis=0))
    framed = ImageOps.expand(clean, margin, paper)
    return [line.moved(-margin, -margin) for line in read_lines(framed, upright=True)]


def _readable(lines: list[TextLine], found: Sequence[TextLine]) -> tuple[list[TextLine], list[str]]:
    """The lines, or only those that are certain where most of the text cannot be read."""
    total = sum(_width(line) for line in found)
    unread = sum(_width(line) for line in found if line.score < MIN_SCORE)
    if unread <= _UNREAD * total:
        return lines, []
    certain = [line for line in lines if line.score >= _CERTAIN and len(line.text) >= _NOT_CHANCE]
    return certain, ["most of its text could not be read by OCR"]


def _width(line: TextLine) -> float:
    x0, y0, x1, y1 = line.box
    return max(x1 - x0, y1 - y0)


def _dpi(words: Sequence[PageWord]) -> float:
    size = median(word.size for word in words) if words else 0.0
    return 72 * size / _TYPE_SIZE if size else _DPI


def _on_rules(box: PageBox, rules: Sequence[Rule], unit: float) -> PageBox:
    """The box of a shaded area with its sides on the lines that are drawn along them."""
    x0, y0, x1, y1 = box
    across = [rule for rule in rules if rule.y0 == rule.y1 and min(rule.x1, x1) > max(rule.x0, x0)]
    down = [rule for rule in rules if rule.x0 == rule.x1 and min(rule.y1, y1) > max(rule.y0, y0)]

    def snapped(side: float, places: list[float]) -> float:
        nearest = min(places, key=lambda place: abs(place - side), default=side)
        return nearest if abs(nearest - side) <= _SNAP * unit else side

    xs, ys = [rule.x0 for rule in down], [rule.y0 for rule in across]
    return (snapped(x0, xs), snapped(y0, ys), snapped(x1, xs), snapped(y1, ys))


def _sides(box: PageBox) -> list[Rule]:
    """The sides of a shaded area: they part cells as lines do."""
    x0, y0, x1, y1 = box
    return [Rule(x0, y0, x1, y0), Rule(x0, y1, x1, y1), Rule(x0, y0, x0, y1), Rule(x1, y0, x1, y1)]


def _scaled(box: PageBox, factor: float) -> PageBox:
    x0, y0, x1, y1 = box
    return (round(x0 * factor, 2), round(y0 * factor, 2), round(x1 * factor, 2), round(y1 * factor, 2))
