"""Office packages (.xlsx, .docx, .pptx) that would exhaust the machine are refused before they are parsed."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from tabrag.errors import UserError

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MAX_MEMBERS = 20_000
_MAX_XML_BYTES = 96 << 20
"""Unpacked size of all XML parts together: about two million cells."""
_MAX_OTHER_BYTES = 1 << 30
"""Unpacked size of all other parts together, as the archive gives it: pictures, films, embedded files."""
_MAX_MERGED_CELLS = 2_000_000
_CHUNK = 1 << 18
_OVERLAP = 256
_ENTITIES = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_BARE_FORMULA = re.compile(rb"(?:</f>|<f [^<>]*/>)(?:<v\s*/>|<v></v>)?</c>")
_MERGE = re.compile(rb"mergeCell [^<>]*?ref=[\"']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"']")

_Look = Callable[[str, bytes], None]
"""Takes up the name of a part and a piece of its text that no tag begins in and goes out of."""


def check_package(path: Path, *, main: str, kind: str, suffix: str, look: _Look | None = None) -> None:
    """Refuse what is no office package, or one that is encrypted, cut off, or made to exhaust memory.

    All XML parts are unpacked once in small pieces and counted; what the archive says about their sizes is
    not trusted.

    Args:
        path: The file.
        main: End of the name of the part that such a package must have, for example ``workbook.xml``.
        kind: What the file is called in errors, for example ``workbook``.
        suffix: Ending of the format's name, for example ``.xlsx``.
        look: Sees all XML texts as they pass by.

    Raises:
        UserError: Naming the file and the reason.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(8)
            if head == _OLE:
                is_encrypted = _ENCRYPTED in head + file.read(1 << 24)
                raise UserError(
                    f"{path}: a password is needed to open this {kind}; save it without one"
                    if is_encrypted
                    else f"{path}: a {kind} of the old binary format; save it as {suffix}"
                )
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > _MAX_MEMBERS:
                raise UserError(
                    f"{path}: holds {len(members)} parts, more than {_MAX_MEMBERS}; it is refused"
                )
            parts = [
                member for member in members if member.filename.lower().endswith((".xml", ".rels", ".vml"))
            ]
            if not any(part.filename.lower().endswith(main) for part in parts):
                raise UserError(f"{path}: is no {kind} of the {suffix} format; save it as {suffix}")
            if any(part.flag_bits & 1 for part in members):
                raise UserError(f"{path}: a password is needed to unpack this {kind}; save it without one")
            others = sum(member.file_size for member in members) - sum(part.file_size for part in parts)
            if others > _MAX_OTHER_BYTES:
                raise UserError(f"{path}: unpacks to more than {_MAX_OTHER_BYTES >> 30} GB; it is refused")
            budget = _MAX_XML_BYTES
            if sum(part.file_size for part in parts) > budget:
                raise _too_large(path, kind)
            for part in parts:
                budget -= _scan(path, archive, part, budget, kind=kind, look=look)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror or error}): check the path") from error
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        UnicodeDecodeError,
    ) as error:
        raise UserError(f"{path}: is cut off or broken ({error}); save the {kind} again") from error


def check_workbook(path: Path) -> int:
    """Refuse workbooks as :func:`check_package` does, and those with absurdly many merged cells.

    Returns:
        The number of formulas that have no stored result, so that their cells read as empty.

    Raises:
        UserError: Naming the file and the reason.
    """
    num_bare = 0
    num_merged: dict[str, int] = {}

    def look(name: str, text: bytes) -> None:
        nonlocal num_bare
        num_bare += len(_BARE_FORMULA.findall(text))
        for left, top, right, bottom in _MERGE.findall(text):
            width = abs(_column(right) - _column(left)) + 1
            num_merged[name] = num_merged.get(name, 0) + width * (abs(int(bottom) - int(top)) + 1)
            if num_merged[name] > _MAX_MERGED_CELLS:
                raise UserError(f"{path}: {name} merges over {_MAX_MERGED_CELLS} cells; refused")

    check_package(path, main="workbook.xml", kind="workbook", suffix=".xlsx", look=look)
    return num_bare


def _scan(
    path: Path, archive: zipfile.ZipFile, part: zipfile.ZipInfo, budget: int, *, kind: str, look: _Look | None
) -> int:
    """Size in bytes of a part."""
    size = 0
    tail = b""
    with archive.open(part) as stream:
        while True:
            chunk = stream.read(_CHUNK)
            size += len(chunk)
            if size > budget:
                raise _too_large(path, kind)
            # UTF-16 parts show up as Latin letters between zeros.
            text = tail + chunk.replace(b"\0", b"")
            if _ENTITIES.search(text):
                raise UserError(
                    f"{path}: {part.filename} defines XML entities, which no {kind} needs; refused"
                )
            # The last tags may go on in the next piece.
            cut = max(text.rfind(b"<", 0, max(0, len(text) - _OVERLAP)), 0) if chunk else len(text)
            if len(text) - cut > 2 * _CHUNK:  # a text between two tags, not looked at again and again
                cut = len(text) - _OVERLAP
            if look is not None:
                look(part.filename, text[:cut])
            tail = text[cut:]
            if not chunk:
                return size


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _too_large(path: Path, kind: str) -> UserError:
    return UserError(
        f"{path}: unpacks to more than {_MAX_XML_BYTES >> 20} MB of XML; split it into smaller {kind}s"
    )
