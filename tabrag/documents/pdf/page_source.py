"""Pages of one PDF as they are asked for, with their pictures, through OCR where they are scans."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tabrag.documents.page_content import PageBox, PageContent
from tabrag.documents.parsed import ParseOptions, Pictures
from tabrag.documents.pdf.pdfium import PdfiumFile
from tabrag.documents.pdf.read import ReadPage, read_file
from tabrag.documents.pdf.scans import FEW_WORDS, is_scan
from tabrag.types import Page

if TYPE_CHECKING:
    from PIL import Image


_READING = 0.7
"""Share of the time of a file in which its pages are read; putting them together takes the rest."""


class PageSource:
    """Reads the pages of a file as long as there is time, and keeps what records need of each.

    Args:
        pdfium: The file.
        pictures: Takes up the pictures of its pages and those embedded in it.
        options: As of the file.
    """

    def __init__(self, pdfium: PdfiumFile, pictures: Pictures, options: ParseOptions) -> None:
        self.pages: list[Page] = []
        """Of the pages that were read so far."""
        self.notes: list[str] = []
        """What was lost or guessed."""
        self.partial = False
        """Whether content was lost."""
        self.cut = False
        """Whether the time was over before the last page."""
        self._began = time.monotonic()
        self._pdfium = pdfium
        self._pictures = pictures
        self._options = options
        self._turns: dict[int, int] = {}  # by number, of the pages that can be drawn
        self._drawn: tuple[int, Image.Image] | None = None

    def contents(self) -> Iterator[PageContent]:
        """What stands on each page."""
        for read in read_file(self._pdfium, self._options.password):
            number = read.content.number
            self.notes += read.notes
            self.partial |= read.lost
            if read.drawable:
                self._turns[number] = read.turn
            content, picture = read.content, None
            if is_scan(read, self._pdfium):
                content, picture = self._with_ocr(read)
            if self._options.page_images and picture is None:
                picture = self._draw(number)
            width, height = round(content.width, 2), round(content.height, 2)
            image = (
                self._pictures.add_page(picture, number) if self._options.page_images and picture else None
            )
            self.pages.append(Page(number=number, width=width, height=height, image=image))
            yield content
            if number < len(self._pdfium) and self._is_late():
                return

    def crop(self, number: int, box: PageBox) -> str | None:
        """Write what stands in a box of a page, in points, as a picture; None where it cannot be drawn."""
        page, drawn = self.pages[number - 1], self._draw(number)
        if drawn is None:
            return None
        across, down = drawn.width / (page.width or 1), drawn.height / (page.height or 1)
        left, top = max(int(box[0] * across), 0), max(int(box[1] * down), 0)
        right, bottom = min(round(box[2] * across), drawn.width), min(round(box[3] * down), drawn.height)
        if right - left < 2 or bottom - top < 2:
            return None
        return self._pictures.add(drawn.crop((left, top, right, bottom)))

    def _is_late(self) -> bool:
        """Whether the time for reading is over, which is noted."""
        seconds = _READING * self._options.timeout
        if time.monotonic() - self._began < seconds:
            return False
        self.cut = self.partial = True
        self.notes.insert(
            0,
            f"pages 1-{len(self.pages)} of {len(self._pdfium)} were read within {seconds:.3g} seconds; "
            "give more with --timeout",
        )
        return True

    def _draw(self, number: int) -> Image.Image | None:
        """The picture of a page; a page that cannot be drawn is noted once."""
        if self._drawn is not None and self._drawn[0] == number:
            return self._drawn[1]
        if number not in self._turns:
            return None
        try:
            drawn = self._pdfium.draw(number - 1, self._options.dpi, self._turns[number])
        except Exception as fault:  # PDFium's own errors and what its binding makes of broken pages
            self.notes.append(f"page {number}: cannot be drawn: {fault}")
            self.partial = True
            del self._turns[number]
            return None
        self._drawn = number, drawn
        return drawn

    def _with_ocr(self, read: ReadPage) -> tuple[PageContent, Image.Image | None]:
        """A scanned page through OCR, and its picture set upright; without OCR as it is, and noted."""
        content, number = read.content, read.content.number
        if self._options.ocr == "none":
            self._note_scan(read)
            return content, None
        drawn = self._draw(number)
        if drawn is None:
            return content, None
        from tabrag.documents.ocr_page import read_page

        scanned = read_page(drawn, number=number, dpi=72 * drawn.width / content.width)
        self.notes += [f"page {number}: {note}" for note in scanned.notes]
        self._drawn = number, scanned.picture
        del self._turns[number]  # what is drawn anew need not be upright
        return scanned.content, scanned.picture

    def _note_scan(self, read: ReadPage) -> None:
        number = read.content.number
        if read.garbled:
            self.notes.append(
                f"page {number}: its font does not say what its letters are; read it with  ocr: rapidocr"
            )
        elif len(read.content.words) >= FEW_WORDS:
            self.notes.append(f"page {number}: a scan; its text is what an earlier OCR read")
            return
        else:
            self.notes.append(f"page {number}: a scan without text; read it with  ocr: rapidocr")
        self.partial = True
