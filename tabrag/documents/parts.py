"""Parts of a document before they are blocks: captions, notes, and tables that run over pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.documents.around_tables import is_caption
from tabrag.documents.headings import LARGER
from tabrag.documents.joins import TablePart, is_continued, try_join, without_continued
from tabrag.documents.page_content import PageBox, PageContent
from tabrag.documents.page_lines import MARKER, Line
from tabrag.documents.paragraphs import Paragraph
from tabrag.documents.running import Layout
from tabrag.tables.headers import is_note
from tabrag.types import Block, Box

_FIGURE = re.compile(
    r"(?i:fig(?:ure|ura|\.)?|abb(?:ildung|\.)?|chart|graph|diagram|graphique|рис(?:унок|\.)?)"
    r"\s*\d+(?:[.\-–]\d+)*(?:\s*$|\s*[:.)|–—-]|\s+[^\sa-zà-ÿа-я])"
)
_CHINESE_TABLE = re.compile(r"(?:续?表格?|續?表|続?表|표)\s*[A-Z]?\d+(?:[.\-–]\d+)*")
_CHINESE_FIGURE = re.compile(r"(?:图|圖|図|그림)\s*[A-Z]?\d+(?:[.\-–]\d+)*")
_SENTENCE = re.compile(r"[。，；,;]")
_OPENING = "[(（【<〈《"
_SMALL = 0.94  # times the body's size: type of notes
_CLOSE = 2.4  # of the type size: a caption stands at most so far from its table
_MAX_CAPTION_PARTS = 4
_MAX_TITLE = 160  # characters of a bold line that is a table's caption


@dataclass(slots=True)
class Part:
    """A paragraph, a table or a picture.

    Attributes:
        kind: As of a block.
        layout: Its page.
        box: Where it stands on it, in points.
        paragraph: Of a text.
        table: Of a table.
        labels: Of a picture: what is written upon it.
        level: Of a heading.
        is_small: Whether it is set in smaller type than the body.
        table_id: Of a table, once it has one.
        title: Of a table's caption: what it says without the remarks on units and scope behind it.
    """

    kind: str
    layout: Layout
    box: PageBox
    paragraph: Paragraph | None = None
    table: TablePart | None = None
    labels: str = ""
    level: int = 0
    is_small: bool = False
    table_id: str = ""
    title: str = ""

    @property
    def lines(self) -> list[Line]:
        """Its lines of text; none of a table or picture."""
        return self.paragraph.lines if self.paragraph is not None else []

    @property
    def text(self) -> str:
        """Its lines with blanks between them."""
        return " ".join(line.text for line in self.lines)

    def record_box(self) -> Box:
        """Its box as records have it."""
        page = PageContent(number=self.layout.number, width=self.layout.width, height=self.layout.height)
        return page.box(self.box)


def mark_captions(parts: list[Part], body: float) -> None:
    """Find the captions of tables and figures; the parts of one caption become one.

    Args:
        parts: In reading order; changed in place.
        body: Size of most of the document's text in points.
    """
    for part in parts:
        part.is_small = bool(part.lines) and _size(part) <= _SMALL * body
        if part.kind in ("text", "heading", "list") and (_is_table(part.text) or _is_figure(part.text)):
            part.kind, part.level = "caption", 0
    place = 0
    while place < len(parts):
        if parts[place].table is not None:
            first = _caption_start(parts, place, body)
            if first is not None:
                _merge(parts, first, place)
                place = first + 1
        place += 1


def _size(part: Part) -> float:
    """The largest type of a paragraph's lines in points."""
    return max(line.size for line in part.lines)


def _is_table(text: str) -> bool:
    text = text.lstrip(_OPENING)
    return is_caption(text) or (_CHINESE_TABLE.match(text) is not None and _is_short(text))


def _is_figure(text: str) -> bool:
    text = text.lstrip(_OPENING)
    if _CHINESE_FIGURE.match(text) is not None:
        return _is_short(text)
    return len(text) <= 400 and _FIGURE.match(text) is not None


def _is_short(text: str) -> bool:
    """Whether a Chinese, Japanese or Korean text is no sentence."""
    return len(text) <= 60 and _SENTENCE.search(text) is None


def _caption_start(parts: Sequence[Part], place: int, body: float) -> int | None:
    """Where the caption right above a table begins: at its label, else at a bold line of the body's size."""
    lower = parts[place].box
    bold: int | None = None
    for above in range(place - 1, max(place - 1 - _MAX_CAPTION_PARTS, -1), -1):
        part = parts[above]
        if part.paragraph is None or part.layout is not parts[place].layout:
            break
        gap = lower[1] - part.box[3]
        size = part.lines[-1].size
        if not -size < gap <= _CLOSE * size:
            break
        if part.kind == "caption":
            return above if not _is_figure(part.text) else None
        if part.kind == "heading" and size >= LARGER * body:
            break  # by its size it heads a section
        is_title = part.paragraph.bold and len(part.text) <= _MAX_TITLE and part.kind != "list"
        if is_title and bold is None and not _has_company(part, parts[max(above - 8, 0) : place + 8]):
            bold = above
        elif not _is_aside(part) and not part.paragraph.bold:
            break
        lower = part.box
    if bold is None or any(part.kind == "heading" and _is_larger(part, parts) for part in parts[bold:place]):
        return None
    return bold


def _is_aside(part: Part) -> bool:
    """Whether a part of a caption tells units and scope."""
    return part.text.startswith(("(", "[", "（", "*")) or part.is_small


def _has_company(part: Part, near: Sequence[Part]) -> bool:
    """Whether other text stands at the same height: the line is a piece of a page's head."""
    middle = (part.box[1] + part.box[3]) / 2
    return any(
        other is not part
        and other.paragraph is not None
        and other.layout is part.layout
        and other.box[1] < middle < other.box[3]
        for other in near
    )


def _is_larger(part: Part, parts: Sequence[Part]) -> bool:
    """Whether a heading is set larger than the innermost ones: it heads a section, not a table."""
    levels = [other.level for other in parts if other.kind == "heading"]
    return part.level < max(levels)


def _merge(parts: list[Part], first: int, end: int) -> None:
    head = parts[first]
    head.kind, head.level = "caption", 0
    if head.paragraph is None:
        return
    named = [part.text for part in parts[first:end] if part is head or not _is_aside(part)]
    head.title = " ".join(named)
    for part in parts[first + 1 : end]:
        head.paragraph.lines.extend(part.lines)
    head.box = head.paragraph.box
    del parts[first + 1 : end]


def join_tables(parts: list[Part], body: float) -> tuple[list[Part], list[str]]:
    """Join the parts of tables that run over pages.

    Args:
        parts: In reading order.
        body: Size of most of the document's text in points.

    Returns:
        The parts, those that were joined gone, with the captions that only repeat; what was not joined though
        it follows directly.
    """
    notes: list[str] = []
    kept: list[Part] = []
    last: Part | None = None
    between: list[Part] = []
    for part in parts:
        if part.table is None:
            kept.append(part)
            between.append(part)
            continue
        if last is not None and last.table is not None and part.table.page == last.table.last_page + 1:
            passed, repeats, said = _may_pass(between, last, _caption_of(kept, last))
            if passed:
                joined, note = try_join(last.table, part.table, said_continued=said)
                if note:
                    notes.append(note)
                if joined:
                    gone = set(map(id, repeats))
                    kept = [other for other in kept if id(other) not in gone]
                    between = []
                    continue
        kept.append(part)
        last, between = part, []
    return kept, notes


def _caption_of(parts: Sequence[Part], table: Part) -> str:
    place = next(place for place, part in enumerate(parts) if part is table)
    above = parts[place - 1] if place else None
    return above.text if above is not None and above.kind in ("caption", "heading") else ""


def _may_pass(between: Sequence[Part], table: Part, caption: str) -> tuple[bool, list[Part], bool]:
    """Whether a table may go on behind some parts: notes below it, its own caption again above the rest.

    Returns:
        Whether; the captions that repeat; whether one says that the table goes on.
    """
    repeats: list[Part] = []
    said = False
    first_page = table.table.last_page if table.table is not None else table.layout.number
    for part in between:
        text = part.text.strip()
        if part.layout.number == first_page:
            if not (part.kind in ("text", "list") and (part.is_small or is_note(text))):
                return False, [], False
            continue
        again = _plain(without_continued(text))
        if is_continued(text) and (not again or _label(again) == _label(_plain(caption))):
            said = True
        elif not again or again != _plain(without_continued(caption)):
            return False, [], False
        repeats.append(part)
    return True, repeats, said


def _plain(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum() or char == ".")


def _label(text: str) -> str:
    """The part of a caption up to its number: ``table3`` of ``table3salesbyregion``."""
    match = re.match(r"\D*\d+(?:\.\d+)*", text)
    return match[0].rstrip(".") if match else text


def mark_notes(parts: Sequence[Part], blocks: Sequence[Block], body: float) -> None:
    """Give footnotes their kind: small type that begins with a mark, or below a line that is drawn.

    Args:
        parts: The parts of the blocks.
        blocks: Changed in place.
        body: Size of most of the document's text in points.
    """
    open_note: Part | None = None
    for part, block in zip(parts, blocks, strict=True):
        if block.kind not in ("text", "list") or not part.lines or _size(part) > _SMALL * body:
            open_note = None
            continue
        first = part.lines[0]
        head = first.text.split(" ", 1)[0]
        begins = first.raised or first.ruled or is_note(first.text) or MARKER.fullmatch(head) is not None
        goes_on = (
            open_note is not None
            and open_note.layout is part.layout
            and abs(open_note.lines[0].size - first.size) < 0.3
            and part.box[1] > open_note.box[1]
        )
        if begins or goes_on:
            block.kind = "note"
            open_note = part
