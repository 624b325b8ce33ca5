"""Which paragraphs are headings, and their levels, by the size and weight of their type."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from tabrag.documents.paragraphs import Paragraph

LARGER = 1.14
"""Times the body's size: type of a heading."""
_LARGER_SCAN = 1.5  # the same where OCR has measured it
_SAME = 0.95  # times the body's size: bold type that is not smaller is a heading
_MAX_LETTERS = 240
_MAX_LINES = 5
_MAX_LETTERS_BOLD = 140
_MAX_LINES_BOLD = 2
_SAME_LEVEL = 1.06  # sizes that are no further apart are one level
_MAX_LEVEL = 6
_SENTENCE_END = re.compile(r"[a-z)][.,;]$")


def heading_levels(
    paragraphs: Sequence[Paragraph],
    body: float,
    *,
    scanned: Collection[int] = (),
    at_foot: Collection[int] = (),
) -> dict[int, int]:
    """Levels of headings.

    Args:
        paragraphs: Those of a document, outside of tables, in reading order.
        body: Size of most of the document's text in points.
        scanned: Numbers of pages that OCR has read.
        at_foot: Places in ``paragraphs`` of those at the lower edge of their pages.

    Returns:
        Place in ``paragraphs`` to level, 1 being the outermost.
    """
    letters = sum(len(line.text) for p in paragraphs for line in p.lines)
    bold_letters = sum(len(line.text) for p in paragraphs for line in p.lines if line.bold)
    bold_tells = 2 * bold_letters < letters
    larger: dict[int, float] = {}
    bold: list[int] = []
    for place, paragraph in enumerate(paragraphs):
        text = " ".join(line.text for line in paragraph.lines)
        if len(text) > _MAX_LETTERS or len(paragraph.lines) > _MAX_LINES or not _has_word(text):
            continue
        if place in at_foot:
            continue  # nothing follows that it could head
        needed = _LARGER_SCAN if paragraph.page in scanned else LARGER
        if paragraph.size >= needed * body and not (_SENTENCE_END.search(text) and len(text) > 60):
            larger[place] = paragraph.size
        elif (
            bold_tells
            and paragraph.bold
            and paragraph.size >= _SAME * body
            and len(text) <= _MAX_LETTERS_BOLD
            and len(paragraph.lines) <= _MAX_LINES_BOLD
            and not _SENTENCE_END.search(text)
            and not _is_note(paragraph)
        ):
            bold.append(place)
    ranks: list[float] = []
    for size in sorted(set(larger.values()), reverse=True):
        if not ranks or ranks[-1] / size > _SAME_LEVEL:
            ranks.append(size)
    levels = {
        place: min(sum(rank > size * _SAME_LEVEL for rank in ranks) + 1, _MAX_LEVEL)
        for place, size in larger.items()
    }
    return {**levels, **dict.fromkeys(bold, min(len(ranks) + 1, _MAX_LEVEL))}


def _has_word(text: str) -> bool:
    """Whether a text has two letters side by side, and does not begin inside a sentence."""
    begins = next((char for char in text if char.isalpha()), "")
    return not begins.islower() and any(
        a.isalpha() and b.isalpha() for a, b in zip(text, text[1:], strict=False)
    )


def _is_note(paragraph: Paragraph) -> bool:
    return paragraph.lines[0].raised or paragraph.lines[0].text[:1] in "*†‡"
