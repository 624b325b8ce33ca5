"""A picture file into a document: each frame is a page, its tables carry their own piece of the picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

from tabrag.documents.assemble import assemble
from tabrag.documents.ocr_page import page_of_words, read_page
from tabrag.documents.page_content import PageContent
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import UserError, missing_extra
from tabrag.tables.image import num_frames, open_image
from tabrag.tables.ocr import load_words
from tabrag.types import Block, Box, Document, Page, Source, Table, Word

# Around a table's piece of the picture: lines of its frame, in thousandths of the page.
_MARGIN = 6
# Lines that are drawn make an empty form where they are at least this many, each way.
_FORM = 3
_DPI = 96.0
_WHOLE: Box = (0, 0, 1000, 1000)


@dataclass(slots=True)
class _Frames:
    """The frames of a file, read one at a time; what records need of each is kept."""

    path: Path
    pictures: Pictures
    options: ParseOptions
    pages: list[Page] = field(default_factory=list)
    shown: dict[int, Image.Image] = field(default_factory=dict)
    contents: dict[int, PageContent] = field(default_factory=dict)
    unread: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    broken: list[UserError] = field(default_factory=list)

    def read(self) -> Iterator[PageContent]:
        """What stands on each frame that can be opened."""
        count = num_frames(self.path)
        for frame in range(count):
            try:
                image = open_image(self.path, frame=frame)
            except UserError as error:
                self.broken.append(error)
                continue
            yield self._page(image, frame + 1, count)

    def _page(self, image: Image.Image, number: int, count: int) -> PageContent:
        words = self._own_words(image) if count == 1 else None
        picture = image
        if words is not None:
            content = page_of_words(image, words, number=number, dpi=None)
        elif self.options.ocr == "rapidocr":
            read = read_page(image, number=number, dpi=None)
            content, picture = read.content, read.picture
            self.notes += [f"page {number}: {note}" for note in read.notes]
        else:
            width, height = (round(side * 72 / _DPI, 2) for side in image.size)
            content = PageContent(number=number, width=width, height=height, scanned=True)
            self.unread.append(number)
        kept = self.pictures.add_page(picture, number) if self.options.page_images else None
        self.pages.append(Page(number=number, width=content.width, height=content.height, image=kept))
        self.shown[number], self.contents[number] = picture, content
        return content

    def _own_words(self, image: Image.Image) -> list[Word] | None:
        beside = self.path.with_name(self.path.name + ".words.json")
        if not beside.is_file():
            return None
        try:
            return load_words(beside, image.size)
        except UserError as error:
            self.broken.append(error)
            return None


def parse_image(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Read a picture: PNG, JPEG, TIFF with all its frames, WebP, BMP, GIF.

    Words come from ``PICTURE.words.json`` beside the picture where that is, see
    :func:`tabrag.tables.ocr.load_words`, otherwise from OCR. Each table has the piece of the picture that
    shows it, and its words with boxes in that piece.

    Args:
        path: The file.
        document_id: Id of the document; its tables are ``DOCUMENT#t1``, ``DOCUMENT#t2``.
        pictures: Takes up the pictures of the pages and of the tables.
        options: Whether OCR reads the words. Without it, a page without words is one table that has only its
            picture, so that it can be searched as one.

    Returns:
        The document; partial where a frame, or the file of words, is broken.

    Raises:
        UserError: No frame can be opened, or rapidocr is asked for and not installed.
    """
    if options.ocr == "rapidocr" and find_spec("rapidocr") is None:
        raise missing_extra("rapidocr", "ocr")
    frames = _Frames(path, pictures, options)
    assembled = assemble(frames.read(), document_id)
    if not frames.pages:
        raise frames.broken[0]
    tables: list[Table] = [_with_picture(table, frames) for table in assembled.tables]
    blocks, notes = list(assembled.blocks), [*frames.notes, *assembled.notes]
    shown = {block.page for block in blocks}
    for page in frames.pages:
        if page.number in shown:
            continue
        if page.number in frames.unread or _is_form(frames.contents[page.number]):
            table = _picture_table(page, document_id, len(tables) + 1, frames)
            tables.append(table)
            blocks.append(Block(kind="table", table=table.id, page=page.number, box=_WHOLE))
        else:
            blocks.append(
                Block(kind="picture", image=_page_picture(page, frames), page=page.number, box=_WHOLE)
            )
    if frames.unread:
        notes.append("its words were not read: it is one table that has only its picture; use  ocr: rapidocr")
    blocks.sort(key=lambda block: block.page or 0)
    return Parsed(
        document=Document(
            id=document_id,
            title=assembled.title,
            blocks=blocks,
            pages=frames.pages,
            source=Source(file=document_id),
            metadata=assembled.metadata,
        ),
        tables=tables,
        notes=[*notes, *map(str, frames.broken)],
        partial=bool(frames.broken) or assembled.lost,
    )


def _with_picture(table: Table, frames: _Frames) -> Table:
    """The table with the piece of the page that shows it, and the words of that piece."""
    number, box = table.source.page, table.source.box
    if number is None or box is None:
        return table
    picture, content = frames.shown[number], frames.contents[number]
    x0, y0, x1, y1 = (
        max(box[0] - _MARGIN, 0),
        max(box[1] - _MARGIN, 0),
        min(box[2] + _MARGIN, 1000),
        min(box[3] + _MARGIN, 1000),
    )
    sides = (picture.width, picture.height) * 2
    left, top, right, bottom = (
        round(v * side / 1000) for v, side in zip((x0, y0, x1, y1), sides, strict=True)
    )
    if right - left < 2 or bottom - top < 2:
        return table
    table.image = frames.pictures.add(picture.crop((left, top, right, bottom)))
    table.words = []
    for word in content.words:
        a, b, c, d = content.box(word.box)
        if x0 <= (a + c) / 2 <= x1 and y0 <= (b + d) / 2 <= y1:
            inside = (_part(a, x0, x1), _part(b, y0, y1), _part(c, x0, x1), _part(d, y0, y1))
            table.words.append(Word(text=word.text, box=inside))
    return table


def _part(value: int, low: int, high: int) -> int:
    return min(max(round(1000 * (value - low) / (high - low)), 0), 1000)


def _is_form(content: PageContent) -> bool:
    """Whether a page without text shows the lines of a table."""
    across = sum(rule.y0 == rule.y1 for rule in content.rules)
    down = sum(rule.x0 == rule.x1 for rule in content.rules)
    return not content.words and min(across, down) >= _FORM


def _picture_table(page: Page, document_id: str, number: int, frames: _Frames) -> Table:
    return Table(
        id=f"{document_id}#t{number}",
        image=_page_picture(page, frames),
        source=Source(file=document_id, page=page.number, box=_WHOLE),
        document=document_id,
    )


def _page_picture(page: Page, frames: _Frames) -> str:
    return page.image or frames.pictures.add(frames.shown[page.number])
