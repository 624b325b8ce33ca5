"""What a parser gives: the document, its tables, and pictures that it has written already."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tabrag.types import Document, Table

if TYPE_CHECKING:
    from PIL import Image

Ocr = Literal["none", "rapidocr"]
Converter = Literal["own", "docling"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseOptions:
    """How files are read.

    Attributes:
        ocr: What reads the words of scanned pages and of pictures.
        page_images: Whether each page of a PDF and each picture file is kept as a picture under ``pages/``.
        dpi: Resolution of these pictures and of what OCR reads, in pixels an inch.
        password: Opens encrypted files.
        converter: What reads PDF files and pictures: the parsers of this package, or the program ``docling``
            with its models, which runs on this machine, see :mod:`tabrag.documents.docling.program`.
        docling: That program: its path, or its name on ``PATH``.
        docling_models: Folder with its models (``docling-tools models download``); empty for where it looks
            by itself.
        fill_right: Whether a header of a workbook or of delimited text also covers the empty cells right of
            it, where no merged cells say so, see :func:`tabrag.tables.headers.infer_headers`.
        timeout: Seconds that one file may take.
        memory_mb: Memory that reading one file may take, in MiB, beyond what the program itself needs.
    """

    ocr: Ocr = "none"
    page_images: bool = True
    dpi: int = 144
    password: str = ""
    converter: Converter = "own"
    docling: str = "docling"
    docling_models: str = ""
    fill_right: bool = False
    timeout: float = 120.0
    memory_mb: int = 2048


@dataclass(slots=True, kw_only=True)
class Parsed:
    """One file, read.

    Attributes:
        document: Its blocks; each table block names one of ``tables``.
        tables: Its tables in reading order, with ids ``DOCUMENT#t1``, ``DOCUMENT#t2``.
        notes: What could not be read or had to be guessed; a file with notes about lost content is partial.
        partial: Whether some of its content is lost.
        cut: Whether the time was over before its end: with more time there is more of it.
        kind: Of the file that was converted, where this one is what another program made of it; else empty.
    """

    document: Document
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    partial: bool = False
    cut: bool = False
    kind: str = ""


class Pictures:
    """Writes the pictures of one document into a data set folder, under names that are safe on all systems.

    Args:
        folder: The data set folder.
        name: Name of the document's own folder below ``images/`` and ``pages/``, see
            :func:`tabrag.data.pictures.picture_name`.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self._count = 0

    def add(self, image: Image.Image) -> str:
        """Write a picture of the document; returns its path relative to the data set folder."""
        self._count += 1
        return self._write(image, f"images/{self.name}/{self._count}.png")

    def add_page(self, image: Image.Image, number: int) -> str:
        """Write the picture of a whole page; returns its path relative to the data set folder."""
        return self._write(image, f"pages/{self.name}/{number}.png")

    def _write(self, image: Image.Image, relative: str) -> str:
        target = self.folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        image.save(target, compress_level=1)  # pages are many, and the disk is faster than zlib
        return relative
