"""Glyphs of a page into words: by place, not by the order in which a file draws them.

Glyphs are turned so that each text reads from left to right, put into lines by their baseline, and split at
blanks and gaps. Right-to-left words are put into the order in which they are read.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any, NamedTuple

from tabrag.documents.page_content import PageBox, PageWord
from tabrag.documents.page_tables.turn import turned_box

_BOLD = re.compile(r"(?i:bold|black|heavy|demi|[-,_]bd)|(?:[-,_.]|(?<=[a-z]))B[dl]?(?:It?)?$")
_UNMAPPED = re.compile(r"\(cid:\d+\)")
_UNNAMED_BULLET = "(cid:127)"  # Adobe's own fonts have a bullet where the encoding names none
_LEADER = re.compile(r"[.·‧…․]+")
_BULLETS = {
    "\uf0b7": "•",
    "\uf0a7": "▪",
    "\uf0d8": "➢",
    "\uf076": "❖",
    "\uf0fc": "✓",
    "\uf02d": "–",
    "\uf06e": "■",
}

_BASE_TOLERANCE = 0.12  # of the type size: glyphs of one line stray so far from its baseline
_BLANK_GAP = 0.17  # of the type size: a wider gap between glyphs is a blank (blanks are 0.2 to 0.33)
_BESIDE_BLANKS = 0.27  # the same where the line has blanks of its own
_CURSIVE_GAP = 0.4  # the same between letters that are joined in writing
_TRACKING = 0.35  # of the type size: letters that are spaced out evenly stand at most so far apart
_SAME_PLACE = 0.12  # of the type size: the same glyph drawn twice so close together is bold type
_DOT_GAP = 1.3  # of the type size: dots that lead to a value stand at most so far apart
_LABEL_GAP = 2.0  # of the type size: and so far from their label
_MANY_DOTS = 7  # so many in a row lead to a value, whatever stands before them
_OFF_AXIS = 12  # degrees: text that is turned further from the axes is no text of a line


class Glyph(NamedTuple):
    """A glyph in the frame of its own text: ``left`` to ``right`` is the reading direction of the page."""

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool
    box: PageBox


def read_glyphs(
    chars: Iterable[Mapping[str, Any]], origin: tuple[float, float], width: float, height: float
) -> tuple[dict[int, list[Glyph]], int]:
    """Glyphs of pdfplumber's ``chars`` by the turn of their text.

    Args:
        chars: pdfplumber's dicts.
        origin: Left and top of the visible page in pdfplumber's coordinates, in points.
        width: Of the visible page, in points.
        height: Of the visible page, in points.

    Returns:
        Turn (0, 90, 180 or 270 degrees anticlockwise) to glyphs, and the number of glyphs without a meaning:
        the font does not say what they stand for.
    """
    dx, dy = origin
    glyphs: dict[int, list[Glyph]] = defaultdict(list)
    unmapped = 0
    bold_fonts: dict[str, bool] = {}
    for char in chars:
        a, b, _, _, e, f = char["matrix"]
        box = (char["x0"] - dx, char["top"] - dy, char["x1"] - dx, char["bottom"] - dy)
        if not (0 <= box[0] + box[2] <= 2 * width and 0 <= box[1] + box[3] <= 2 * height):
            continue  # outside of what is seen
        text = char["text"]
        if text.startswith("(cid:") and _UNMAPPED.fullmatch(text):
            unmapped += 1
            text = "•" if text == _UNNAMED_BULLET else "\ufffd"
        elif len(text) > 1:
            text = text.strip() or " "  # some fonts say that a full stop is a blank and a full stop
        font = char["fontname"]
        if (bold := bold_fonts.get(font)) is None:
            bold = bold_fonts[font] = _BOLD.search(font) is not None
        if b == 0 and a > 0:
            size, base = box[3] - box[1], char["top"] + char["y1"] - f - dy
            glyphs[0].append(Glyph(text, box[0], box[2], base, size, bold, box))
            continue
        angle = math.degrees(math.atan2(b, a)) % 360
        turn = round(angle / 90) % 4 * 90
        if abs((angle - turn + 180) % 360 - 180) > _OFF_AXIS:
            continue  # a stamp or watermark across the page
        point = (e - dx, char["top"] + char["y1"] - f - dy)
        left, top, right, bottom = turned_box(box, turn, width, height)
        base = turned_box((*point, *point), turn, width, height)[1]
        glyphs[turn].append(Glyph(text, left, right, base, bottom - top, bold, box))
    return glyphs, unmapped


def make_words(glyphs: Iterable[Glyph], turn: int = 0) -> list[PageWord]:
    """Words of glyphs of one turn, line by line from the top, from left to right in each."""
    words: list[PageWord] = []
    lines = _lines(glyphs)
    for line in lines:
        words += _without_leaders([_word(group, turn) for group in _split(line)])
    return words


def _lines(glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """Glyphs with the same baseline, each sorted by place, drawn once."""
    lines: list[list[Glyph]] = []
    first = size = 0.0
    for glyph in sorted(glyphs, key=lambda glyph: glyph.base):
        tolerance = max(_BASE_TOLERANCE * max(size, glyph.size), 0.3)
        if lines and glyph.base - first <= tolerance:
            lines[-1].append(glyph)
            size = max(size, glyph.size)
        else:
            lines.append([glyph])
            first, size = glyph.base, glyph.size
    return [_drawn_once(sorted(line, key=lambda glyph: glyph.left)) for line in lines]


def _drawn_once(line: list[Glyph]) -> list[Glyph]:
    """One glyph for each that is drawn several times with a slight shift, which makes it bold."""
    kept: list[Glyph] = []
    for glyph in line:
        for place in range(len(kept) - 1, max(len(kept) - 4, 0) - 1, -1):
            other = kept[place]
            if other.text == glyph.text and glyph.left - other.left <= _SAME_PLACE * glyph.size:
                if not glyph.text.isspace() and glyph.left - other.left > 0.005 * glyph.size:
                    kept[place] = other._replace(bold=True, right=max(other.right, glyph.right))
                break
        else:
            kept.append(glyph)
    return kept


def _split(line: list[Glyph]) -> Iterable[list[Glyph]]:
    """The glyphs of each word of a line."""
    gaps = [
        right.left - left.right
        for left, right in zip(line, line[1:], strict=False)
        if not left.text.isspace() and not right.text.isspace()
    ]
    spaced = 0.0
    if len(gaps) >= 5:
        middle = median(gaps)
        spaced = middle if 0 < middle <= _TRACKING * line[0].size else 0.0
    has_blanks = any(glyph.text.isspace() for glyph in line)
    group: list[Glyph] = []
    for place, glyph in enumerate(line):
        if glyph.text.isspace():
            if group and not _is_shut(line, place):
                yield group
                group = []
            continue
        if group:
            reach = max(other.right for other in group[-3:])
            wide = _BESIDE_BLANKS if has_blanks else _BLANK_GAP
            if not glyph.text.isascii() and is_rtl(glyph.text) and is_rtl(group[-1].text):
                wide = _CURSIVE_GAP if has_blanks else wide
            if glyph.left - reach > wide * max(group[-1].size, glyph.size) + spaced:
                yield group
                group = []
        group.append(glyph)
    if group:
        yield group


def _is_shut(line: list[Glyph], place: int) -> bool:
    """Whether the blank at a place is not seen: the parts of a number touch each other across it."""
    left, right = line[place - 1], line[place + 1] if place + 1 < len(line) else None
    if place == 0 or right is None or not (_is_figure(left.text) and _is_figure(right.text)):
        return False
    return right.left - left.right < 0.05 * right.size


def _is_figure(text: str) -> bool:
    return text.isdigit() or text in ".,"


def _word(group: list[Glyph], turn: int) -> PageWord:
    letters = [glyph for glyph in group if glyph.text.isalnum()] or group
    bold = sum(glyph.bold for glyph in letters) * 2 > len(letters)
    sizes = Counter(round(glyph.size, 2) for glyph in letters)
    boxes = [glyph.box for glyph in group]
    box = (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
    return PageWord(_text(group), box, size=sizes.most_common(1)[0][0], bold=bold, turn=turn)


def _text(group: list[Glyph]) -> str:
    texts = [glyph.text for glyph in group]
    if any(map(is_rtl, texts)):
        texts = _logical(group)
    text = "".join(texts)
    if text.isascii():
        return text
    for private, plain in _BULLETS.items():
        text = text.replace(private, plain)
    return "".join(unicodedata.normalize("NFKC", char) if _is_presentation(char) else char for char in text)


def _is_presentation(char: str) -> bool:
    """Ligatures of Latin type and the drawn forms of Arabic and Hebrew letters."""
    return "\ufb00" <= char <= "\ufdff" or "\ufe70" <= char <= "\ufefc"


def is_rtl(text: str) -> bool:
    """Whether a text has a letter that is written from right to left."""
    return any("\u0590" <= char <= "\u08ff" or "\ufb1d" <= char <= "\ufefc" for char in text) and any(
        unicodedata.bidirectional(char) in ("R", "AL") for char in text
    )


def _logical(group: list[Glyph]) -> list[str]:
    """Texts of a right-to-left word in reading order: marks behind their letters, numbers as they stand."""
    letters = [glyph for glyph in group if not unicodedata.combining(glyph.text[0])] or group
    marks: dict[int, str] = defaultdict(str)
    for glyph in group:
        if glyph not in letters:
            centre = (glyph.left + glyph.right) / 2
            near = min(
                range(len(letters)),
                key=lambda i: abs((letters[i].left + letters[i].right) / 2 - centre),
            )
            marks[near] += glyph.text
    texts: list[str] = []
    forward: list[str] = []
    for place in range(len(letters) - 1, -1, -1):
        text = letters[place].text + marks[place]
        if unicodedata.bidirectional(text[0]) in ("L", "EN", "AN", "ES", "CS") and (
            text[0].isalnum() or forward
        ):
            forward.insert(0, text)
            continue
        texts += [*forward, text]
        forward = []
    return texts + forward


def _without_leaders(words: list[PageWord]) -> list[PageWord]:
    """Drop the dots that lead from a stub to its value; dots in cells of their own stand for missing ones."""
    kept: list[PageWord] = []
    place = 0
    while place < len(words):
        end = place
        while (
            end < len(words)
            and _LEADER.fullmatch(words[end].text)
            and (end == place or _is_near(words[end - 1], words[end], _DOT_GAP))
        ):
            end += 1
        num_dots = sum(len(word.text) + 2 * word.text.count("…") for word in words[place:end])
        if num_dots >= 3 and (end - place >= 2 or len(words[place].text) >= 4):
            if num_dots >= _MANY_DOTS or (kept and _is_near(kept[-1], words[place], _LABEL_GAP)):
                if kept and kept[-1].text.endswith(".") and len(kept[-1].text) > 1:
                    kept[-1] = _shortened(kept[-1], kept[-1].text.rstrip(".·"))
                place = end
                continue
        for word in words[place : max(end, place + 1)]:
            bare = word.text.rstrip(".·")
            leads = len(word.text) - len(bare) >= 4 and bare
            kept.append(_shortened(word, bare) if leads else word)
        place = max(end, place + 1)
    return kept


def _is_near(left: PageWord, right: PageWord, gap: float) -> bool:
    """Whether two words of a line, however it is turned, are at most so many heights of type apart."""
    one, two = left.box, right.box
    apart = max(one[0] - two[2], two[0] - one[2], one[1] - two[3], two[1] - one[3])
    return apart <= gap * max(left.size, right.size)


def _shortened(word: PageWord, text: str) -> PageWord:
    share = len(text) / max(len(word.text), 1)
    x0, y0, x1, y1 = word.box
    box = (x0, y0, x0 + share * (x1 - x0), y1) if word.turn == 0 else word.box
    return PageWord(text, box, word.size, word.bold, word.raised, word.turn)
