"""HTML pages into blocks, tables and pictures. Nothing is fetched, no script runs."""

from __future__ import annotations

from pathlib import Path

from lxml.etree import _Element

from tabrag.documents.builder import DocumentBuilder
from tabrag.documents.markup.page_walk import PageWalk
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import UserError
from tabrag.tables.read_html import parse_page, title_of_page

_MAX_BYTES = 1 << 27


def parse_html(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Read a page.

    Tables that only arrange the page are read as text. A table in a cell of another one is a table of its
    own with the outer one's id in ``metadata["outer_table"]``. Navigation, scripts and hidden elements are
    left out. Pictures are taken from ``data:`` addresses and from files in the page's own folder.

    Args:
        path: The file.
        document_id: Id of the document.
        pictures: Takes up its pictures.
        options: Not used: nothing in such a file depends on them.

    Raises:
        UserError: Unreadable, over 128 MB, no text in it, or a table whose spans are absurd.
    """
    return read_page(path, document_id, read_bytes(path), pictures=pictures)


def read_bytes(path: Path) -> bytes:
    """The content of a file of markup.

    Raises:
        UserError: It cannot be read, is empty or too large.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UserError(f"{path}: over {_MAX_BYTES >> 20} MB of markup; split it")
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    if not data.strip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"):
        raise UserError(f"{path}: the file is empty; drop it or fetch it again")
    return data


def read_page(path: Path, document_id: str, data: bytes, *, pictures: Pictures, title: str = "") -> Parsed:
    """Read a page that is at hand as bytes.

    Args:
        path: The file that it comes from: pictures are looked for beside it.
        document_id: Id of the document.
        data: The page.
        pictures: Takes up its pictures.
        title: Its title, where something besides the page says so.

    Raises:
        UserError: As :func:`parse_html`.
    """
    root = parse_page(data)
    builder = DocumentBuilder(path, document_id, pictures)
    if root is not None:
        builder.title = title or title_of_page(root)
        _walk(root, builder, path)
        if not builder.title:
            first = (block for block in builder.blocks if block.kind == "heading" and block.level == 1)
            builder.title = next((block.text for block in first), "")
    return builder.finish()


def _walk(root: _Element, builder: DocumentBuilder, path: Path) -> None:
    try:
        PageWalk(root, builder, path).read()
        if not builder.blocks:  # a page that is all navigation or footer
            PageWalk(root, builder, path, keep_all=True).read()
    except UserError as error:
        raise UserError(str(error) if str(path) in str(error) else f"{path}: {error}") from error
