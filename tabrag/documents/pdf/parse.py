"""A PDF into a document: pages that hold text as they say it, scans through OCR."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tabrag.documents.assemble import assemble
from tabrag.documents.page_content import PageBox, PageContent
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.documents.pdf.pdfium import PdfiumFile
from tabrag.documents.pdf.read import ReadPage, read_file
from tabrag.errors import UserError
from tabrag.types import Document, Page, Source

_FEW_WORDS = 3  # a page with fewer has no text layer: a stamp or a page number is none
_SCAN = 0.5  # of the page: a picture over more of it is a scan where there is no text
_OVER_ALL = 0.85  # of the page: text below a picture over more of it was put there by OCR
_POOR = 0.04  # share of words that no language has beyond which old OCR is done again
_SIGNS = frozenset("^~|\\<>{}=#*«»;!?°£©®¬¥§¦_")  # inside a word these are misread letters
_MAX_NOTES = 40


def parse_pdf(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Read a PDF.

    Args:
        path: The file.
        document_id: Id of the document.
        pictures: Takes up the pictures of its pages and those embedded in it.
        options: Password, what reads scanned pages, whether pages are kept as pictures.

    Returns:
        The document. It is partial where a page could not be read, or is a scan and ``options.ocr`` is
        ``none``.

    Raises:
        UserError: The file is empty, damaged, no PDF, or encrypted with another password; or it holds nothing
            that could be read.
    """
    with PdfiumFile(path, options.password) as pdfium:
        reader = _Reader(pdfium, pictures, options)
        assembled = assemble(reader.contents(), document_id, crop=reader.crop)
        title = assembled.title or _meant_title(pdfium.title(), path)
    if not assembled.blocks and not any(page.image for page in reader.pages):
        why = f": {reader.notes[0]}" if reader.notes else ""
        raise UserError(f"{path}: the PDF holds no text and no picture that could be read{why}")
    for table in assembled.tables:
        table.page_title = title
    notes = [*reader.notes, *assembled.notes]
    if len(notes) > _MAX_NOTES:
        notes = [*notes[: _MAX_NOTES - 1], f"{len(notes) - _MAX_NOTES + 1} more of this kind"]
    return Parsed(
        document=Document(
            id=document_id,
            title=title,
            blocks=assembled.blocks,
            pages=reader.pages,
            source=Source(file=document_id),
            metadata=assembled.metadata,
        ),
        tables=assembled.tables,
        notes=notes,
        partial=reader.partial or assembled.lost,
    )


class _Reader:
    """Pages of a file as they are asked for; keeps what records need of each."""

    def __init__(self, pdfium: PdfiumFile, pictures: Pictures, options: ParseOptions) -> None:
        self.pages: list[Page] = []
        self.notes: list[str] = []
        self.partial = False
        self._pdfium = pdfium
        self._pictures = pictures
        self._options = options
        self._turns: dict[int, int | None] = {}  # by page; None where it must not be drawn
        self._drawn: tuple[int, object] | None = None

    def contents(self) -> Iterator[PageContent]:
        """What stands on each page, through OCR where it is a scan."""
        for read in read_file(self._pdfium, self._options.password):
            number = read.content.number
            self.notes += read.notes
            self.partial |= read.lost
            self._turns[number] = read.turn if read.drawable else None
            content = self._with_ocr(read) if _is_scan(read, self._pdfium) else read.content
            image = None
            if self._options.page_images and read.drawable:
                image = self._page_picture(number)
            self.pages.append(
                Page(
                    number=number, width=round(content.width, 2), height=round(content.height, 2), image=image
                )
            )
            yield content

    def crop(self, number: int, box: PageBox) -> str | None:
        """Write what stands in a box of a page, in points, as a picture."""
        turn = self._turns.get(number)
        if turn is None:
            return None
        page = self.pages[number - 1]
        if self._drawn is None or self._drawn[0] != number:
            self._drawn = number, self._pdfium.draw(number - 1, self._options.dpi, turn)
        drawn = self._drawn[1]
        across, down = drawn.width / (page.width or 1), drawn.height / (page.height or 1)
        left, top = max(int(box[0] * across), 0), max(int(box[1] * down), 0)
        right, bottom = min(round(box[2] * across), drawn.width), min(round(box[3] * down), drawn.height)
        if right - left < 2 or bottom - top < 2:
            return None
        return self._pictures.add(drawn.crop((left, top, right, bottom)))

    def _page_picture(self, number: int) -> str | None:
        try:
            drawn = self._pdfium.draw(number - 1, self._options.dpi, self._turns[number] or 0)
        except Exception as fault:  # PDFium's own errors and what its binding makes of broken pages
            self.notes.append(f"page {number}: cannot be drawn: {fault}")
            self._turns[number] = None
            return None
        return self._pictures.add_page(drawn, number)

    def _with_ocr(self, read: ReadPage) -> PageContent:
        """A scanned page through OCR; as it is, and noted, where there is none."""
        content, number = read.content, read.content.number
        if self._options.ocr == "none":
            if read.garbled:
                self.notes.append(
                    f"page {number}: its font does not say what its letters are; read it with  ocr: rapidocr"
                )
                self.partial = True
            elif len(content.words) >= _FEW_WORDS:
                self.notes.append(f"page {number}: a scan; its text is what an earlier OCR read")
            else:
                self.notes.append(f"page {number}: a scan without text; read it with  ocr: rapidocr")
                self.partial = True
            return content
        if not read.drawable:
            return content
        from tabrag.documents.ocr_page import ocr_page

        drawn = self._pdfium.draw(number - 1, self._options.dpi, read.turn)
        return ocr_page(drawn, number=number, dpi=72 * drawn.width / content.width)


def _is_scan(read: ReadPage, pdfium: PdfiumFile) -> bool:
    """Whether a page is a picture whose text must be read by OCR."""
    page = read.content
    largest = max(((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in page.pictures), default=0.0)
    share = largest / max(page.width * page.height, 1.0)
    if len(page.words) < _FEW_WORDS:
        return share >= _SCAN
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


def _meant_title(title: str, path: Path) -> str:
    """The title in a file's properties, where a person has given it: no name of a file or program."""
    plain = title.strip()
    is_name = "." in plain and plain.rsplit(".", 1)[-1].isalnum() and len(plain.rsplit(".", 1)[-1]) <= 5
    made = plain.casefold().startswith(("microsoft ", "untitled", "document", "(anonymous)"))
    return "" if not plain or is_name or made or plain == path.stem else plain
