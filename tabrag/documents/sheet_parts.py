"""The sheets of a workbook in order, hidden or not, and the pictures that lie on them."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml.etree import _Element

from tabrag.documents.office.package import relation
from tabrag.documents.office.xml import children, find, local, parse_xml, value
from tabrag.errors import UserError

_MAX_PICTURE_BYTES = 1 << 26
_FAULTS = (zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, ValueError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A sheet.

    Attributes:
        name: As its tab says.
        is_hidden: Whether Excel shows no tab for it.
        path: The workbook.
        images: Names of the parts that hold its pictures, with their descriptions.
    """

    name: str
    is_hidden: bool
    path: Path
    images: list[tuple[str, str]] = field(default_factory=list)

    def pictures(self) -> Iterator[tuple[str, bytes | None, str]]:
        """Name, bytes (None where they are missing) and description of each picture, one at a time."""
        if not self.images:
            return
        with zipfile.ZipFile(self.path) as archive:
            for name, text in self.images:
                try:
                    with archive.open(name) as part:
                        data = part.read(_MAX_PICTURE_BYTES)
                except _FAULTS:
                    data = None
                yield posixpath.basename(name), data, text


def sheet_parts(path: Path) -> list[SheetPart]:
    """The sheets of a workbook that has been checked (:mod:`tabrag.tables.package_guard`).

    Sheets of charts alone and of old macros are none: numbers count worksheets as openpyxl does.

    Raises:
        UserError: Its list of sheets cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            main = next(iter(_targets(archive, "", "officeDocument").values()))
            root = parse_xml(archive.read(main))
            targets = _targets(archive, main, "worksheet")
            sheets = find(root, "sheets")
            return [
                SheetPart(
                    name=value(sheet, "name"),
                    is_hidden=value(sheet, "state") in ("hidden", "veryHidden"),
                    path=path,
                    images=_images(archive, targets[relation(sheet)]),
                )
                for sheet in ([] if sheets is None else children(sheets, "sheet"))
                if relation(sheet) in targets
            ]
    except (*_FAULTS, StopIteration) as error:
        raise UserError(f"{path}: its sheets cannot be found ({error}); open and save it again") from error


def _images(archive: zipfile.ZipFile, sheet: str) -> list[tuple[str, str]]:
    found = []
    for drawing in _targets(archive, sheet, "drawing").values():
        try:
            root = parse_xml(archive.read(drawing))
        except _FAULTS:
            continue
        images = _targets(archive, drawing, "image")
        for picture in (part for part in root.iter() if local(part) == "pic"):
            blip = find(picture, "blipFill", "blip")
            name = images.get(relation(blip, "embed")) if blip is not None else None
            if name is not None:
                found.append((name, _description(picture)))
    return found


def _description(picture: _Element) -> str:
    return value(find(picture, "nvPicPr", "cNvPr"), "descr")


def _targets(archive: zipfile.ZipFile, part: str, kind: str) -> dict[str, str]:
    """Parts of a kind that a part points to, by the names of the relationships."""
    folder, base = posixpath.split(part)
    name = posixpath.join(folder, "_rels", f"{base}.rels")
    if name not in archive.NameToInfo:
        return {}
    return {
        value(one, "Id"): posixpath.normpath(posixpath.join("/", folder, value(one, "Target"))).lstrip("/")
        for one in parse_xml(archive.read(name))
        if value(one, "Type").rpartition("/")[2] == kind and value(one, "TargetMode") != "External"
    }
