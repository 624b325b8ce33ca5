"""Bytes to text when nobody says for certain which encoding they have."""

from __future__ import annotations

import codecs

from tabrag.tables.guess_encoding import guess_encoding

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(data: bytes, *, declared: str | None = None) -> tuple[str, str]:
    """Decode with the byte order mark, the declared encoding, UTF-8, or a guess, whichever fits first.

    Args:
        data: The whole content.
        declared: The encoding that the content itself names; an unknown or wrong one is passed over.

    Returns:
        The text without a byte order mark, and the name of its encoding.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace").removeprefix("\ufeff"), encoding
    utf16 = _utf16_without_mark(data)
    for encoding in (declared, utf16, "utf-8"):
        if encoding is None:
            continue
        try:
            return data.decode(encoding), codecs.lookup(encoding).name
        except (UnicodeDecodeError, LookupError):
            continue
    encoding = guess_encoding(data)
    return data.decode(encoding, errors="replace"), encoding


def _utf16_without_mark(data: bytes) -> str | None:
    """UTF-16 of mostly Latin text has a zero in every other byte."""
    sample = data[:4096]
    if len(sample) < 4 or len(data) % 2:
        return None
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[0::2])):
        if 10 * zeros.count(0) > 7 * len(zeros):
            return encoding
    return None
