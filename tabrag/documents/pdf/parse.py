"""A PDF into a document: pages that hold text as they say it, scans through OCR."""

from __future__ import annotations

from pathlib import Path

from tabrag.documents.assemble import assemble
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.documents.pdf.page_source import PageSource
from tabrag.documents.pdf.pdfium import PdfiumFile
from tabrag.errors import UserError
from tabrag.types import Document, Source

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
        ``none``, and where most of ``options.timeout`` was over before the last page.

    Raises:
        UserError: The file is empty, damaged, no PDF, or encrypted with another password; or it holds nothing
            that could be read.
    """
    with PdfiumFile(path, options.password) as pdfium:
        reader = PageSource(pdfium, pictures, options)
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
        cut=reader.cut,
    )


def _meant_title(title: str, path: Path) -> str:
    """The title in a file's properties, where a person has given it: no name of a file or program."""
    plain = title.strip()
    is_name = "." in plain and plain.rsplit(".", 1)[-1].isalnum() and len(plain.rsplit(".", 1)[-1]) <= 5
    made = plain.casefold().startswith(("microsoft ", "untitled", "document", "(anonymous)"))
    return "" if not plain or is_name or made or plain == path.stem else plain
