"""Containers of office files: zip packages told apart, and old binary files refused with a way out."""

from __future__ import annotations

import mmap
import re
import zipfile
import zlib
from pathlib import Path

from tabrag.errors import UserError

_CONVERT = "convert it:  soffice --headless --convert-to {} FILE"
_MAX_TYPES = 4 << 20
"""Bytes of [Content_Types].xml that are looked at."""
_PACKAGES = (
    (re.compile(rb"wordprocessingml\.(?:document|template)|ms-word\.(?:document|template)"), "docx"),
    (re.compile(rb"presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\."), "pptx"),
    (re.compile(rb"spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macro"), "sheets"),
)
_PARTS = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "sheets"))
_OPEN_DOCUMENT = (("opendocument.text", "docx"), ("opendocument.spreadsheet", "xlsx"))
_OLD = (("WordDocument", "docx"), ("Workbook", "xlsx"), ("PowerPoint Document", "pptx"), ("Book", "xlsx"))


def package_kind(path: Path) -> str:
    """``docx``, ``pptx`` or ``sheets``: what a zip file holds, by its content types, then by its parts.

    Raises:
        UserError: It is damaged, encrypted, or another kind of zip file.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            types = _read(archive, "[Content_Types].xml")
            mimetype = _read(archive, "mimetype")
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError) as error:
        raise UserError(f"{path}: is damaged or cut off ({error}): fetch it again") from error
    except RuntimeError as error:  # the archive itself is encrypted
        raise UserError(f"{path}: a password is needed to unpack it; save it without one") from error
    # The kind of the package is that of its main part: one may hold others (a workbook behind a chart).
    mains = re.findall(rb"<Override[^<>]*?>", types)
    mains = [main for main in mains if b"main+xml" in main]
    for text in (b"".join(mains), types):
        for pattern, kind in _PACKAGES:
            if pattern.search(text):
                return kind
    if b"ms-excel.sheet.binary" in types:
        raise UserError(f"{path}: binary workbooks cannot be read; save it as .xlsx")
    for prefix, kind in _PARTS:
        if any(name.startswith(prefix) for name in names):
            return kind
    said = mimetype.decode("ascii", "replace")
    if "opendocument" in said:
        target = next((target for mark, target in _OPEN_DOCUMENT if mark in said), "pptx")
        raise UserError(f"{path}: OpenDocument files cannot be read; {_CONVERT.format(target)}")
    if "epub" in said:
        raise UserError(f"{path}: EPUB cannot be read; convert it to HTML")
    raise UserError(f"{path}: a zip file that is no document, workbook or presentation; unpack it first")


def ole_fault(path: Path) -> UserError:
    """Why a file in an OLE container (old binary formats, encrypted new ones) cannot be read."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data.find("EncryptedPackage".encode("utf-16-le")) >= 0:
            return UserError(f"{path}: a password is needed to open it; save it without one")
        for stream, target in _OLD:
            if data.find(stream.encode("utf-16-le")) >= 0:
                return UserError(
                    f"{path}: the old binary office format cannot be read; {_CONVERT.format(target)}"
                )
    return UserError(f"{path}: a container of the old binary format that is no office file; drop it")


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        with archive.open(name) as part:
            return part.read(_MAX_TYPES)
    except KeyError:
        return b""
