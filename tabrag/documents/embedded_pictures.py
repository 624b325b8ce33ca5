"""Pictures that stand inside another file, written as PNG files of their own."""

from __future__ import annotations

import hashlib

from tabrag.documents.parsed import Pictures
from tabrag.errors import UserError
from tabrag.tables.image import decode_image

MAX_PIXELS = 40_000_000
"""Width times height above which an embedded picture is left out."""
_MAX_BYTES = 1 << 28
_MIN_SIDE = 16
"""Pixels of the shorter side below which a picture is a bullet, a spacer or a line."""
_VECTOR = (
    (b"\xd7\xcd\xc6\x9a", "WMF"),
    (b"\x01\x00\x09\x00", "WMF"),
    (b"\x02\x00\x09\x00", "WMF"),
    (b"%!PS", "PostScript"),
    (b"%PDF-", "PDF"),
    (b"\x1f\x8b", "packed"),
)


class EmbeddedPictures:
    """Writes pictures once each, whatever how often a document shows them.

    Args:
        pictures: Where they are written.
    """

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures
        self._known: dict[str, str | None] = {}

    def add(self, data: bytes, name: str) -> str | None:
        """Write a picture; returns its path relative to the data set folder, None where it only decorates.

        Raises:
            UserError: It is of a kind that cannot be read, broken, or has over 40 million pixels.
        """
        if len(data) > _MAX_BYTES:
            raise UserError(f"{name}: a picture of {len(data) >> 20} MB is left out")
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._known:
            if vector := _vector_kind(data):
                raise UserError(
                    f"{name}: a drawing of the kind {vector} is left out: only pixels can be shown"
                )
            image = decode_image(data, name=name, max_pixels=MAX_PIXELS)
            is_shown = min(image.size) >= _MIN_SIDE
            self._known[digest] = self._pictures.add(image) if is_shown else None
        return self._known[digest]


def _vector_kind(data: bytes) -> str:
    """The name of a kind of picture that is drawn and has no pixels; empty for others."""
    if data[:4] == b"\x01\x00\x00\x00" and data[40:44] == b" EMF":
        return "EMF"
    head = data[:512].lstrip().lower()
    if head.startswith((b"<svg", b"<?xml", b"<!--")) and b"<svg" in data[:4096].lower():
        return "SVG"
    return next((kind for mark, kind in _VECTOR if data.startswith(mark)), "")
