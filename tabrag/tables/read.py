"""Tables of a file, whatever kind it is: what the bytes say goes before what the name says."""

from __future__ import annotations

from pathlib import Path

from tabrag.errors import UserError
from tabrag.tables.read_csv import read_csv
from tabrag.tables.read_html import read_html
from tabrag.tables.read_xlsx import read_xlsx
from tabrag.types import Source, Table

TABLE_SUFFIXES = (".html", ".htm", ".xhtml", ".csv", ".tsv", ".tab", ".txt", ".xlsx", ".xlsm")
"""Endings of files that hold tables as text."""
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif")
"""Endings of pictures of tables."""

_MARKS = (
    (b"PK\x03\x04", "xlsx"),
    (b"PK\x05\x06", "xlsx"),
    (b"\xd0\xcf\x11\xe0", "xlsx"),
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"GIF87a", "image"),
    (b"GIF89a", "image"),
    (b"%PDF-", "pdf"),
)
_HTML_MARKS = (
    b"<!doctype html",
    b"<html",
    b"<table",
    b"<head",
    b"<body",
    b"<?xml",
    b"<meta",
    b"<!--",
    b"<div",
    b"<p",
)


def read_tables(path: str | Path, *, fill_right: bool = False) -> list[Table]:
    """Read the tables of an HTML, CSV, TSV or Excel file, or take a picture as one table.

    Args:
        path: The file.
        fill_right: For spreadsheets and CSV: whether a header also covers the empty cells right of it, where
            the file does not say which cells are merged.

    Returns:
        Tables with ids ``STEM#tN``; a picture is one table ``STEM`` with its path in ``image`` and no grid.
        A page without a table of data gives an empty list.

    Raises:
        UserError: Naming the path: no such file, a kind of file that holds no readable table, or broken
            content.
    """
    path = Path(path)
    if path.is_dir():
        raise UserError(f"{path}: is a folder; name a file in it")
    try:
        with open(path, "rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    kind = file_kind(head, path.suffix)
    if kind == "xlsx":
        return read_xlsx(path, fill_right=fill_right)
    if kind == "html":
        return read_html(path)
    if kind == "csv":
        return read_csv(path, fill_right=fill_right)
    if kind == "image":
        return [Table(id=path.stem, title=path.stem, image=str(path), source=Source(file=str(path)))]
    if not head:
        raise UserError(f"{path}: the file is empty; drop it or fetch it again")
    supported = ", ".join(TABLE_SUFFIXES + IMAGE_SUFFIXES)
    raise UserError(f"{path}: no tables can be read from this kind of file; supported are {supported}")


def file_kind(head: bytes, suffix: str) -> str | None:
    """``xlsx``, ``html``, ``csv``, ``image``, ``pdf`` or None, from the first bytes, then from the ending.

    Args:
        head: The first kilobyte of the file.
        suffix: The ending of its name with the dot.
    """
    suffix = suffix.lower()
    for mark, kind in _MARKS:
        if head.startswith(mark):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image"
    if suffix in (".html", ".htm", ".xhtml"):
        return "html"
    text = head.removeprefix(b"\xef\xbb\xbf").replace(b"\x00", b"").lstrip(b"\xff\xfe \t\r\n").lower()
    if suffix not in (".csv", ".tsv", ".tab") and text.startswith(_HTML_MARKS):
        return "html"
    if suffix in (".csv", ".tsv", ".tab", ".txt"):
        return "csv"
    if suffix in (".xlsx", ".xlsm"):
        return "xlsx"
    return "image" if suffix in IMAGE_SUFFIXES else None
