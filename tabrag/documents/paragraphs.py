"""Lines in reading order into paragraphs and points of lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from tabrag.documents.page_content import PageBox
from tabrag.documents.page_lines import MARKER, Line, needs_blank
from tabrag.documents.reading_order import Region

_INDENT = 0.8  # of the type size: a smaller indent is none
_LOOSE = 1.3  # of the usual distance of lines: a wider one begins a paragraph
_OTHER_SIZE = 0.08  # share by which the type of two paragraphs differs
_ROOM = 0.6  # of the type size that must be left at a line's end for a word to count as fitting there
_RAGGED = 0.2  # of a column's width by which lines of ragged text differ
_ENDS = tuple(".!?:;。！？：；…")
_BULLETS = "•▪●○■□◦‣➢❖✓·⁃∙–—-*"
_HYPHENS = "-\u2010\u00ad"
_SOFT_HYPHENS = re.compile("\u00ad")


@dataclass(slots=True)
class Paragraph:
    """Lines that are one text.

    Attributes:
        lines: From above.
        is_point: Whether it is a point of a list.
    """

    lines: list[Line] = field(default_factory=list)
    is_point: bool = False

    @property
    def page(self) -> int:
        return self.lines[0].page

    @property
    def size(self) -> float:
        return self.lines[0].size

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)

    @property
    def box(self) -> PageBox:
        """Where it stands on its first page, in points."""
        boxes = [line.box for line in self.lines if line.page == self.page]
        return (
            min(box[0] for box in boxes),
            min(box[1] for box in boxes),
            max(box[2] for box in boxes),
            max(box[3] for box in boxes),
        )


def hyphenated_words(lines: Iterable[Line]) -> set[str]:
    """Words with a hyphen inside a line, in small letters: at a line's end they keep it."""
    found: set[str] = set()
    for line in lines:
        if "-" in line.text:
            found.update(re.findall(r"\w+-\w+", line.text.casefold()))
    return found


def column_end(region: Region, regions: Iterable[Region]) -> float:
    """Right edge of the column that a region stands in, in points.

    It is that of the widest region with the same left edge, where nothing stands at the region's side.
    """
    x0, y0, x1, y1 = region.box
    end = x1
    for other in regions:
        if other is region:
            continue
        if other.box[0] >= x1 and min(other.box[3], y1) > max(other.box[1], y0):
            return x1
        if other.lines and abs(other.box[0] - x0) < 2 * other.lines[0].size:
            end = max(end, other.box[2])
    return end


def paragraphs(region: Region, right: float) -> list[Paragraph]:
    """The paragraphs of lines of one column.

    Args:
        region: The lines.
        right: Right edge of the column in points.
    """
    lines = region.lines
    if not lines:
        return []
    left = region.box[0]
    pitches = [
        lower.box[3] - upper.box[3]
        for upper, lower in zip(lines, lines[1:], strict=False)
        if lower.box[3] > upper.box[3]
    ]
    pitch = median(pitches) if pitches else 0.0
    result = [Paragraph([lines[0]], _is_point(lines[0].text))]
    for line in lines[1:]:
        if _begins(result[-1], line, (left, right), pitch):
            result.append(Paragraph([line], _is_point(line.text)))
        else:
            result[-1].lines.append(line)
    return result


def _begins(open_one: Paragraph, line: Line, column: tuple[float, float], pitch: float) -> bool:
    """Whether a line begins a paragraph behind an open one."""
    last = open_one.lines[-1]
    size = max(last.size, line.size)
    if abs(last.size - line.size) > _OTHER_SIZE * size:
        return not _is_short_rest(last, line)
    if last.bold != line.bold or line.ruled:
        return True
    if line.box[3] - last.box[3] > max(_LOOSE * pitch, pitch + 1.5) > 1.5:
        return True
    if _is_point(line.text) and (not open_one.is_point or line.box[0] < open_one.lines[0].box[0] + 2 * size):
        return True
    if line.raised and len(open_one.lines) >= 1 and line.box[0] <= open_one.lines[0].box[0] + _INDENT * size:
        return True
    if _fits(last, line, *column):
        return True
    indent = line.box[0] - last.box[0]
    if open_one.is_point:
        first = open_one.lines[0].box[0]
        return len(open_one.lines) > 1 and line.box[0] < first - _INDENT * size
    if indent > _INDENT * size and last.text.rstrip().endswith(_ENDS):
        return True
    return len(open_one.lines) > 1 and indent < -_INDENT * size and last.text.rstrip().endswith(_ENDS)


def _is_short_rest(last: Line, line: Line) -> bool:
    """A line of a few signs in another size: a symbol, not a paragraph of its own."""
    return len(line.text) <= 2 or len(last.text) <= 1


def _fits(last: Line, line: Line, left: float, right: float) -> bool:
    """Whether the first word of a line would have had room at the end of the one before it.

    Where no sentence ends there must be much room: words are kept together and ragged lines vary.
    """
    room = right - last.box[2] - line.lead - (0.3 + _ROOM) * line.size
    return room > (0 if last.text.rstrip().endswith(_ENDS) else _RAGGED * (right - left))


def _is_point(text: str) -> bool:
    head, _, rest = text.partition(" ")
    if rest and MARKER.fullmatch(head):
        return not (head in "–—-*" and rest[:1].isdigit())
    return len(text) > 1 and text[0] in "•▪●■□◦‣➢❖✓⁃∙○◎※①②③④⑤⑥⑦⑧⑨⑩"


def paragraph_text(paragraph: Paragraph, hyphenated: set[str], *, keep_mark: bool = False) -> str:
    """The text of a paragraph on one line; words that were broken at line ends are whole again.

    Args:
        paragraph: Its lines.
        hyphenated: Words of the document that keep their hyphen.
        keep_mark: Whether the sign before a point says something, as the asterisk of a note does.
    """
    text = ""
    for line in paragraph.lines:
        text = join_lines(text, line.text.strip(), hyphenated) if text else line.text.strip()
    text = _SOFT_HYPHENS.sub("", text)
    if paragraph.is_point and text[:1] in _BULLETS and not keep_mark:
        return text.lstrip(_BULLETS).lstrip()
    return text


def join_lines(upper: str, lower: str, hyphenated: set[str]) -> str:
    """Two lines as one text."""
    if upper[-1:] in _HYPHENS and len(upper) > 1 and upper[-2].isalnum() and lower[:1].isalnum():
        before = re.search(r"(\w+).$", upper)
        after = re.match(r"\w+", lower)
        whole = f"{before[1] if before else ''}-{after[0] if after else ''}".casefold()
        broken = upper[-2].isalpha() and lower[0].islower() and whole not in hyphenated
        return upper[:-1] + lower if broken or upper[-1] == "\u00ad" else upper + lower
    return f"{upper} {lower}" if needs_blank(upper, lower) else upper + lower


def continues(before: Paragraph, after: Paragraph) -> bool:
    """Whether a paragraph goes on with another one in the next column or on the next page."""
    if after.is_point or before.lines[-1].bold != after.lines[0].bold:
        return False
    if abs(before.lines[-1].size - after.size) > _OTHER_SIZE * after.size or after.lines[0].raised:
        return False
    end, start = before.lines[-1].text.rstrip(), after.lines[0].text.lstrip()
    if not end or not start or end.endswith((".", "!", "?", ":", "。", "”", '"')):
        return False
    if end[-1] in _HYPHENS or start[0].islower():
        return True
    return start[0] in "(0123456789" and (end[-1].islower() or end[-1] == ",") and len(end) > 15


def body_size(sizes: Sequence[tuple[float, int]]) -> float:
    """The size of most of the text.

    Args:
        sizes: Size of each line's type in points, and its number of characters.
    """
    weights: dict[float, int] = {}
    for size, letters in sizes:
        rounded = round(2 * size) / 2
        weights[rounded] = weights.get(rounded, 0) + letters
    return max(weights, key=lambda size: weights[size], default=10.0)
