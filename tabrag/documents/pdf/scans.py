"""Which pages are pictures whose text must be read by OCR."""

from __future__ import annotations

from tabrag.documents.page_content import PageContent
from tabrag.documents.pdf.pdfium import PdfiumFile
from tabrag.documents.pdf.read import ReadPage

FEW_WORDS = 3
"""A page with fewer words has no text layer: a stamp or a page number is none."""
_SCAN = 0.5  # of the page: a picture over more of it is a scan where there is no text
_OVER_ALL = 0.85  # of the page: text below a picture over more of it was put there by OCR
_POOR = 0.04  # share of words that no language has beyond which old OCR is done again
_SIGNS = frozenset("^~|\\<>{}=#*«»;!?°£©®¬¥§¦_")  # inside a word these are misread letters


def is_scan(read: ReadPage, pdfium: PdfiumFile) -> bool:
    """Whether a page is a picture whose text must be read by OCR."""
    page = read.content
    largest = max(((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in page.pictures), default=0.0)
    share = largest / max(page.width * page.height, 1.0)
    if len(page.words) < FEW_WORDS:
        return share >= _SCAN or read.outlined
    if read.garbled:
        return True
    return share >= _OVER_ALL and pdfium.hides_text(page.number - 1) and _is_poor(page)


def _is_poor(page: PageContent) -> bool:
    """Whether the words of an old OCR layer are so bad that they are read again."""
    strange = sum(_is_strange(word.text) for word in page.words)
    return strange > _POOR * len(page.words)


def _is_strange(text: str) -> bool:
    """Signs among letters, or a capital behind a small letter: what bad OCR makes of words."""
    if "/" in text or "@" in text or "www." in text:
        return False
    core = text.strip(".,;:!?()[]{}\"'“”‘’*-–—")
    pairs = list(zip(core, core[1:], strict=False))
    return any(char in _SIGNS for char in core) or any(a.islower() and b.isupper() for a, b in pairs)
