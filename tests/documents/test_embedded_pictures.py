"""Pictures inside other files: once each, bounded, re-encoded."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from parse_files import png
from PIL import Image

from tabrag.documents.embedded_pictures import EmbeddedPictures
from tabrag.documents.parsed import Pictures
from tabrag.errors import UserError


@pytest.fixture
def pictures(tmp_path: Path) -> EmbeddedPictures:
    return EmbeddedPictures(Pictures(tmp_path, "doc"))


def test_written_once_each(pictures: EmbeddedPictures, tmp_path: Path) -> None:
    names = [pictures.add(png(colour=colour), "x") for colour in ("red", "blue", "red")]
    assert names == ["images/doc/1.png", "images/doc/2.png", "images/doc/1.png"]
    with Image.open(tmp_path / "images/doc/2.png") as image:
        assert image.getpixel((5, 5)) == (0, 0, 255)


def test_bullets_and_lines_are_passed_over(pictures: EmbeddedPictures, tmp_path: Path) -> None:
    assert pictures.add(png(side=8), "x") is None and not list(tmp_path.rglob("*.png"))


def test_other_kinds_become_png(pictures: EmbeddedPictures, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.new("CMYK", (40, 30)).save(buffer, format="JPEG")
    name = pictures.add(buffer.getvalue(), "x")
    with Image.open(tmp_path / (name or "")) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", (40, 30))


def _giant() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    size = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a picture"),
        (png()[:60], "truncated|broken"),
        (_giant(), "limit"),
        (b"\x01\x00\x00\x00" + bytes(36) + b" EMF" + bytes(40), "EMF"),
        (b"\xd7\xcd\xc6\x9a" + bytes(40), "WMF"),
        (b"<?xml version='1.0'?><svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
    ],
    ids=["empty", "cut", "giant", "emf", "wmf", "svg"],
)
def test_faults(pictures: EmbeddedPictures, data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        pictures.add(data, "image7")
    assert "image7" in str(caught.value)
