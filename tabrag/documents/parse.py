"""One file into a document, whatever kind it is: what the bytes say goes before what the name says."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tabrag.documents.containers import ole_fault, package_kind
from tabrag.documents.decoration import mark_decorations
from tabrag.documents.file_kind import IMAGE_SUFFIXES, file_kind, is_docling
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.documents.plain_text import is_delimited
from tabrag.documents.routing import route
from tabrag.errors import UserError
from tabrag.tables.decode import decode
from tabrag.types import Table

SUFFIXES = (
    *(".pdf", ".docx", ".docm", ".dotx", ".pptx", ".pptm", ".ppsx", ".potx", ".xlsx", ".xlsm", ".xltx"),
    *(".html", ".htm", ".xhtml", ".md", ".markdown", ".txt", ".csv", ".tsv", ".tab", ".json"),
    *IMAGE_SUFFIXES,
)
"""Endings of files that can be read."""
REFUSED_SUFFIXES = (".doc", ".xls", ".ppt", ".dot", ".pps", ".xlsb", ".odt", ".ods", ".odp", ".rtf", ".epub")
"""Endings of documents that must be converted first: they are refused with a word on how."""

_PARSERS = {
    "pdf": ("tabrag.documents.pdf.parse", "parse_pdf"),
    "image": ("tabrag.documents.parse_image", "parse_image"),
    "docx": ("tabrag.documents.office.docx", "parse_docx"),
    "pptx": ("tabrag.documents.office.pptx", "parse_pptx"),
    "html": ("tabrag.documents.markup.html", "parse_html"),
    "markdown": ("tabrag.documents.markup.markdown", "parse_markdown"),
    "sheets": ("tabrag.documents.sheets", "parse_sheets"),
    "text": ("tabrag.documents.plain_text", "parse_text"),
    "docling": ("tabrag.documents.docling.parse", "parse_docling"),
}
_CONVERTED = ("pdf", "image")
"""Kinds that Docling's models can read in place of our own parsers."""
_MARKUP = (b"<!doctype html", b"<html")
_HEAD = 1 << 12
_CONTROLS = re.compile(rb"[\x01-\x07\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_CONTROLS, _MAX_ZEROS = 0.05, 0.3
"""Shares of bytes that no text has from which on a file is none; a few are faults of programs."""


def parse_file(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Read a file.

    A document without a title of its own, and a table without any title, take the file's name for one. Its
    layout is left empty where the rule is not sure of it, see :func:`tabrag.documents.routing.route`.
    Pictures that tell nothing are marked.

    Args:
        path: The file.
        document_id: Id of the document; its tables get ids that begin with it.
        pictures: Takes up the pictures of the document and of its pages.
        options: How to read it.

    Raises:
        UserError: Naming the path and the reason: no such file, empty, damaged, encrypted, or of a kind that
            cannot be read.
    """
    path = Path(path)
    kind = kind_of(path)
    module, name = _PARSERS[kind]
    if options.converter == "docling" and kind in _CONVERTED:
        module, name = "tabrag.documents.docling.program", "convert"
    try:
        parse: Callable[..., Parsed] = getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("tabrag."):
            raise
        raise UserError(f"{path}: this version cannot read files of kind {kind}") from error
    parsed = named(parse(path, document_id, pictures=pictures, options=options), document_id)
    document = mark_decorations(parsed.document, pictures.folder)
    routing = route(document, parsed.kind or kind)
    return replace(parsed, document=replace(document, layout=routing.layout if routing.sure else ""))


def kind_of(path: Path) -> str:
    """``pdf``, ``image``, ``docx``, ``pptx``, ``sheets``, ``html``, ``markdown``, ``docling`` or ``text``.

    Raises:
        UserError: As :func:`parse_file`.
    """
    if path.is_dir():
        raise UserError(f"{path}: is a folder; name a file in it")
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    suffix = path.suffix.lower()
    if not head:
        raise UserError(f"{path}: the file is empty; drop it or fetch it again")
    if head.startswith(b"PK\x03\x04") or head.startswith(b"PK\x05\x06"):
        return package_kind(path)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        raise ole_fault(path)
    if head.startswith(b"{\\rtf"):
        raise UserError(f"{path}: RTF cannot be read; convert it:  soffice --headless --convert-to docx FILE")
    if b"%PDF-" in head[:1024] and (head.lstrip().startswith(b"%PDF-") or suffix == ".pdf"):
        return "pdf"
    kind = file_kind(head[:1024], suffix)
    if kind == "image":
        return "image"
    if kind in ("pdf", "xlsx") or suffix in (".pdf", ".docx", ".docm", ".pptx", ".pptm"):
        raise UserError(f"{path}: is damaged or no {suffix} file: fetch it again")
    if _is_binary(head):
        raise UserError(
            f"{path}: is no text: it is damaged, or of a kind that cannot be read; supported are "
            f"{', '.join(SUFFIXES)}"
        )
    if suffix == ".json":
        if not is_docling(path):
            raise UserError(f"{path}: is JSON, but no document of Docling: there is no text to be read in it")
        return "docling"
    if suffix in (".md", ".markdown") and not _text_of(head).startswith(_MARKUP):
        return "markdown"
    if kind == "html":
        return "html"
    if suffix in (".csv", ".tsv", ".tab"):
        return "sheets"
    return "sheets" if is_delimited(path) else "text"


def named(parsed: Parsed, document_id: str) -> Parsed:
    """The document with its file's name as title where it has none, and its tables with titles that say more
    than nothing: their own, else the document's."""
    stem = Path(document_id).stem
    spoken = re.sub(r"[\s_-]+", " ", stem).strip() or stem
    document = parsed.document
    if not document.title.strip() or document.title == stem:
        document = replace(document, title=spoken)

    def titled(table: Table) -> Table:
        title = "" if table.title in (stem, "") else table.title
        page_title = "" if table.page_title == stem else table.page_title
        if not (title or table.section or table.caption or table.source.sheet):
            title = document.title
        return replace(
            table, title=title, page_title=page_title or (document.title if document.title != title else "")
        )

    return replace(parsed, document=document, tables=[titled(table) for table in parsed.tables])


def _text_of(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()


def _is_binary(head: bytes) -> bool:
    """Whether the first bytes of a file are no text in any encoding."""
    if decode(head)[1].startswith(("utf-16", "utf-32")):
        return False
    num_controls, num_zeros = len(_CONTROLS.findall(head)), head.count(0)
    return num_controls > _MAX_CONTROLS * len(head) or num_zeros > _MAX_ZEROS * len(head)
