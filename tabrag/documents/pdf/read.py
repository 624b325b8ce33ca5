"""What stands on the pages of a PDF, one page at a time.

pdfplumber lists glyphs, lines and pictures; PDFium opens files that it cannot read, and reads pages that it
fails on.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabrag.documents.page_content import PageContent
from tabrag.documents.page_tables.turn import main_turn, turned_page
from tabrag.documents.pdf.drawing import Drawing, picture_boxes
from tabrag.documents.pdf.fragments import settle_fragments
from tabrag.documents.pdf.glyphs import make_words, read_glyphs
from tabrag.documents.pdf.pdfium import MAX_PICTURE, PdfiumFile
from tabrag.errors import missing_extra

_BATCH = 64  # pages after which pdfminer's store of a file's objects is dropped
_MAX_GLYPHS = 200_000  # of one page: what lies beyond is not text that anyone reads
_UNMAPPED = 0.3  # share of glyphs without a meaning beyond which a page's text is of no use
_MANY_STROKES = 150  # curves of a page: letters that are drawn as outlines have one or more each
_DEPTH = 6  # of forms inside forms in which pictures are looked for


@dataclass(slots=True, kw_only=True)
class ReadPage:
    """A page and how it was read.

    Attributes:
        content: What stands on it, turned upright.
        turn: Degrees by which it was turned clockwise, beyond what the file says, so that its text reads.
        notes: What is lost or was guessed.
        lost: Whether some of its content is lost.
        garbled: Whether its font does not say what its glyphs stand for.
        outlined: Whether so many curves are drawn that its text may be outlines without letters.
        drawable: Whether it can be drawn without decoding a huge picture.
    """

    content: PageContent
    turn: int = 0
    notes: list[str] = field(default_factory=list)
    lost: bool = False
    garbled: bool = False
    outlined: bool = False
    drawable: bool = True


def read_pages(path: Path, *, password: str = "") -> Iterator[PageContent]:
    """What stands on each page of a PDF, as people see it: turned pages and turned text are upright.

    Args:
        path: The file.
        password: Opens an encrypted one.

    Raises:
        UserError: The file cannot be opened: what it is, and how to mend it.
    """
    with PdfiumFile(path, password) as pdfium:
        for page in read_file(pdfium, password):
            yield page.content


def read_file(pdfium: PdfiumFile, password: str = "") -> Iterator[ReadPage]:
    """The pages of a file that is open; a page that cannot be read is noted, and the others go on."""
    logging.getLogger("pdfminer").setLevel(logging.ERROR)  # it warns of each odd font
    with ExitStack() as stack:
        source, known = pdfium.path, password
        readable = _count_pages(source, known) == len(pdfium)
        if not readable:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tabrag-pdf-"))
            source, known = Path(folder) / "mended.pdf", ""
            readable = pdfium.save_mended(source) and _count_pages(source, known) == len(pdfium)
        for first in range(0, len(pdfium), _BATCH):
            numbers = list(range(first + 1, min(first + _BATCH, len(pdfium)) + 1))
            if not readable:
                yield from (_read_with_pdfium(pdfium, number, "") for number in numbers)
                continue
            with _plumber(source, known, numbers) as pdf:
                for number, page in zip(numbers, pdf.pages, strict=True):
                    yield _read_page(pdfium, page, number)


@contextmanager
def _plumber(path: Path, password: str, numbers: list[int] | None = None) -> Iterator[Any]:
    try:
        import pdfplumber
    except ImportError:
        raise missing_extra("pdfplumber", "pdf") from None
    with pdfplumber.open(path, password=password, pages=numbers) as pdf:
        yield pdf


def _count_pages(path: Path, password: str) -> int:
    try:
        with _plumber(path, password) as pdf:
            return len(pdf.pages)
    except Exception as fault:  # pdfminer raises what its parser stumbles over, KeyError to RecursionError
        if type(fault).__module__.startswith("tabrag"):
            raise
        return -1


def _read_page(pdfium: PdfiumFile, page: Any, number: int) -> ReadPage:
    try:
        read = _read_with_plumber(page, number)
    except Exception as fault:  # as above: one page of a file, the others are whole
        read = _read_with_pdfium(pdfium, number, f"{type(fault).__name__}: {fault}")
    finally:
        page.close()
    return read


def _read_with_plumber(page: Any, number: int) -> ReadPage:
    objects = page.objects
    left, top, right, bottom = page.bbox
    origin, width, height = (left, top), right - left, bottom - top
    chars = objects.get("char", [])
    read = ReadPage(content=PageContent(number=number, width=width, height=height))
    if len(chars) > _MAX_GLYPHS:
        chars = chars[:_MAX_GLYPHS]
        read.lost = True
        read.notes.append(f"page {number}: only the first {_MAX_GLYPHS} glyphs were read")
    drawing = Drawing(origin, width, height)
    drawing.add(objects)
    content = read.content
    content.rules, content.fills = drawing.rules, drawing.fills
    content.pictures = [
        *picture_boxes(objects.get("image", ()), origin, width, height),
        *drawing.drawings(),
    ]
    read.outlined = drawing.num_strokes >= _MANY_STROKES
    _add_words(read, chars, origin)
    if size := _huge_picture(page.page_obj.resources):
        read.drawable = False
        read.lost = True
        read.notes.append(
            f"page {number}: a picture of {size[0]} x {size[1]} pixels was not opened; "
            f"more than {MAX_PICTURE // 1_000_000} million pixels are refused"
        )
    return read


def _read_with_pdfium(pdfium: PdfiumFile, number: int, reason: str) -> ReadPage:
    """Words alone: rules and pictures are not read this way."""
    index = number - 1
    why = f" ({reason})" if reason else ""
    try:
        width, height = pdfium.size(index)
        rotation = pdfium.rotation(index)
        if rotation in (90, 270):
            width, height = height, width
        read = ReadPage(content=PageContent(number=number, width=width, height=height))
        _add_words(read, pdfium.chars(index), (0.0, 0.0), rotation)
        read.drawable = not pdfium.has_huge_picture(index)
        read.notes.append(f"page {number}: read without its lines and pictures{why}")
    except Exception as fault:  # PDFium's own errors, and what its binding makes of broken pages
        read = ReadPage(content=PageContent(number=number, width=612, height=792), drawable=False)
        read.notes.append(f"page {number}: cannot be read: {reason or fault}")
    read.lost = True
    return read


def _add_words(
    read: ReadPage, chars: list[dict[str, Any]], origin: tuple[float, float], rotation: int = 0
) -> None:
    """Put the words of glyphs on a page and turn it upright."""
    page = read.content
    glyphs, unmapped = read_glyphs(chars, origin, page.width, page.height)
    total = sum(map(len, glyphs.values()))
    read.garbled = unmapped > _UNMAPPED * total > 0
    for turn, group in sorted(glyphs.items()):
        page.words += make_words(group, turn)
    page = turned_page(page, rotation)
    read.turn = main_turn(page)
    page = turned_page(page, read.turn)
    page.words = settle_fragments(page.words)
    read.content = page


def _huge_picture(resources: object, depth: int = 0) -> tuple[int, int] | None:
    """Width and height of a picture among a page's resources that must not be decoded."""
    from pdfminer.pdftypes import PDFStream, resolve1

    resources = resolve1(resources)
    if depth > _DEPTH or not isinstance(resources, dict):
        return None
    for kind in ("XObject", "Pattern"):
        things = resolve1(resources.get(kind))
        for thing in map(resolve1, things.values() if isinstance(things, dict) else ()):
            if not isinstance(thing, PDFStream):
                continue
            for layer in (thing, resolve1(thing.get("SMask")), resolve1(thing.get("Mask"))):
                if isinstance(layer, PDFStream) and (size := _pixels(layer.attrs)):
                    return size
            if found := _huge_picture(thing.get("Resources"), depth + 1):
                return found
    return None


def _pixels(attrs: dict[str, Any]) -> tuple[int, int] | None:
    from pdfminer.pdftypes import resolve1

    width, height = resolve1(attrs.get("Width")), resolve1(attrs.get("Height"))
    if isinstance(width, int) and isinstance(height, int) and width * height > MAX_PICTURE:
        return width, height
    return None
