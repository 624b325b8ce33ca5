"""Workbooks that would exhaust the machine are refused before they are parsed."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from pathlib import Path

from tabrag.errors import UserError

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_MAX_MEMBERS = 20_000
_MAX_XML_BYTES = 96 << 20
"""Unpacked size of all XML parts together: about two million cells."""
_MAX_MERGED_CELLS = 2_000_000
_CHUNK = 1 << 18
_OVERLAP = 256
_ENTITIES = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_BARE_FORMULA = re.compile(rb"(?:</f>|<f [^<>]*/>)(?:<v\s*/>|<v></v>)?</c>")
_MERGE = re.compile(rb"mergeCell [^<>]*?ref=[\"']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"']")


def check_workbook(path: Path) -> int:
    """Refuse what is no workbook, or one that is encrypted, cut off, too large, or made to exhaust memory.

    All XML parts are unpacked once in small pieces and counted; what the archive says about sizes is not
    trusted.

    Returns:
        The number of formulas that have no stored result, so that their cells read as empty.

    Raises:
        UserError: Naming the file and the reason.
    """
    num_bare = 0
    try:
        with open(path, "rb") as file:
            head = file.read(8)
            if head == _OLE:
                is_encrypted = _ENCRYPTED in head + file.read(1 << 24)
                raise UserError(
                    f"{path}: a password is needed to open this workbook; save it without one"
                    if is_encrypted
                    else f"{path}: a workbook of the old binary format; save it as .xlsx"
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
            if not any(part.filename.lower().endswith("workbook.xml") for part in parts):
                raise UserError(f"{path}: is no workbook of the .xlsx format; save it as .xlsx")
            if any(part.flag_bits & 1 for part in members):
                raise UserError(f"{path}: a password is needed to unpack this workbook; save it without one")
            budget = _MAX_XML_BYTES
            if sum(part.file_size for part in parts) > budget:
                raise _too_large(path)
            for part in parts:
                size, num_found = _scan(path, archive, part, budget)
                budget -= size
                num_bare += num_found
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
        raise UserError(f"{path}: is cut off or broken ({error}); save the workbook again") from error
    return num_bare


def _scan(path: Path, archive: zipfile.ZipFile, part: zipfile.ZipInfo, budget: int) -> tuple[int, int]:
    """Size in bytes of a part, and its formulas without a stored result."""
    size = num_merged = num_bare = 0
    tail = b""
    with archive.open(part) as stream:
        while True:
            chunk = stream.read(_CHUNK)
            size += len(chunk)
            if size > budget:
                raise _too_large(path)
            # UTF-16 parts show up as Latin letters between zeros.
            text = tail + chunk.replace(b"\0", b"")
            if _ENTITIES.search(text):
                raise UserError(
                    f"{path}: {part.filename} defines XML entities, which no workbook needs; refused"
                )
            # The last tags may go on in the next piece.
            cut = max(text.rfind(b"<", 0, max(0, len(text) - _OVERLAP)), 0) if chunk else len(text)
            for left, top, right, bottom in _MERGE.findall(text[:cut]):
                width = abs(_column(right) - _column(left)) + 1
                num_merged += width * (abs(int(bottom) - int(top)) + 1)
            if num_merged > _MAX_MERGED_CELLS:
                raise UserError(f"{path}: {part.filename} merges over {_MAX_MERGED_CELLS} cells; refused")
            num_bare += len(_BARE_FORMULA.findall(text[:cut]))
            tail = text[cut:]
            if not chunk:
                return size, num_bare


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _too_large(path: Path) -> UserError:
    return UserError(
        f"{path}: unpacks to more than {_MAX_XML_BYTES >> 20} MB of XML; split it into smaller workbooks"
    )
