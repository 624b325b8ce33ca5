"""The characters that a TrueType or OpenType font covers, read from its ``cmap`` table.

Pillow draws an empty box for a missing character and does not say so. The tables are those of the OpenType
specification, version 1.9.1; subtable formats 4 and 12 hold the Unicode mappings of practically all fonts.
"""

from __future__ import annotations

import struct

_OUTLINES = {b"glyf", b"CFF ", b"CFF2"}


def covered_characters(font: bytes) -> frozenset[int]:
    """Code points with a glyph in the first font of a file; none for a broken or bitmap font."""
    try:
        tables = _tables(font)
        if b"cmap" not in tables or not _OUTLINES & tables.keys():
            return frozenset()
        return frozenset(_characters(font, tables[b"cmap"]))
    except (struct.error, IndexError):
        return frozenset()


def _tables(font: bytes) -> dict[bytes, int]:
    """Offset of each table by its tag; a collection (``ttcf``) gives those of its first font."""
    start = struct.unpack_from(">I", font, 12)[0] if font[:4] == b"ttcf" else 0
    (num_tables,) = struct.unpack_from(">H", font, start + 4)
    records = (struct.unpack_from(">4sIII", font, start + 12 + 16 * i) for i in range(num_tables))
    return {tag: offset for tag, _, offset, _ in records}


def _characters(font: bytes, cmap: int) -> set[int]:
    (num_subtables,) = struct.unpack_from(">H", font, cmap + 2)
    characters: set[int] = set()
    for i in range(num_subtables):
        platform, encoding, offset = struct.unpack_from(">HHI", font, cmap + 4 + 8 * i)
        if not (platform == 0 or (platform == 3 and encoding in (1, 10))):
            continue
        (form,) = struct.unpack_from(">H", font, cmap + offset)
        if form == 4:
            characters |= _format_4(font, cmap + offset)
        elif form == 12:
            characters |= _format_12(font, cmap + offset)
    return characters


def _format_4(font: bytes, start: int) -> set[int]:
    (double_count,) = struct.unpack_from(">H", font, start + 6)
    count = double_count // 2
    ends = struct.unpack_from(f">{count}H", font, start + 14)
    firsts = struct.unpack_from(f">{count}H", font, start + 16 + double_count)
    deltas = struct.unpack_from(f">{count}H", font, start + 16 + 2 * double_count)
    offsets_at = start + 16 + 3 * double_count
    offsets = struct.unpack_from(f">{count}H", font, offsets_at)
    characters: set[int] = set()
    for i, (first, end, delta, offset) in enumerate(zip(firsts, ends, deltas, offsets, strict=True)):
        if offset == 0:
            characters.update(code for code in range(first, end + 1) if (code + delta) & 0xFFFF)
            continue
        at = offsets_at + 2 * i + offset
        glyphs = struct.unpack_from(f">{end - first + 1}H", font, at)
        characters.update(code for code, glyph in zip(range(first, end + 1), glyphs, strict=True) if glyph)
    characters.discard(0xFFFF)
    return characters


def _format_12(font: bytes, start: int) -> set[int]:
    (num_groups,) = struct.unpack_from(">I", font, start + 12)
    characters: set[int] = set()
    for i in range(num_groups):
        first, end, glyph = struct.unpack_from(">III", font, start + 16 + 12 * i)
        characters.update(range(first + (glyph == 0), min(end, 0x10FFFF) + 1))
    return characters
