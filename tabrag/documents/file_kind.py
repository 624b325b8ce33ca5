"""Kinds of file: what the bytes say goes before what the name says."""

from __future__ import annotations

import re
from pathlib import Path

from tabrag.errors import UserError

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif")
"""Endings of pictures."""

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

_DOCLING = re.compile(rb'"schema_name"\s*:\s*"DoclingDocument"')
_BLOCK, _OVERLAP = 1 << 20, 1 << 8


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


def is_docling(path: Path) -> bool:
    """Whether a JSON file says that it is a ``DoclingDocument``.

    Raises:
        UserError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            before = b""
            while block := file.read(_BLOCK):
                if _DOCLING.search(before + block):
                    return True
                before = block[-_OVERLAP:]
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): check the path") from error
    return False
