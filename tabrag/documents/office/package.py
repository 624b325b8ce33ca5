"""Office packages (ECMA-376 part 2): the parts of a zip file and the relationships between them.

Parts are read when they are asked for, so that a damaged one costs its own content alone; relationships are
told by the ends of their types, which the strict and the ordinary kind of Open XML share.
"""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from lxml.etree import _Element

from tabrag.documents.office.xml import local, parse_xml, value
from tabrag.errors import UserError
from tabrag.tables.package_guard import check_package

_MAX_BYTES = 1 << 27
_FAULTS = (zipfile.BadZipFile, zlib.error, OSError, EOFError, KeyError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Relationship:
    """What a part points to.

    Attributes:
        kind: The end of its type, for example ``image``.
        target: Name of a part, or an address outside the file.
        is_external: Whether it is outside the file.
    """

    kind: str
    target: str
    is_external: bool


class Part:
    """A part of a package.

    Args:
        package: The package.
        name: Its name, without a slash before it; empty for the package as a whole.
    """

    def __init__(self, package: OfficePackage, name: str) -> None:
        self.package = package
        self.name = name

    @property
    def data(self) -> bytes:
        """Its bytes.

        Raises:
            ValueError: It is missing, damaged, or over 128 MB.
        """
        return self.package.read(self.name)

    @cached_property
    def root(self) -> _Element:
        """Its root element.

        Raises:
            ValueError: It is missing, damaged or no XML.
        """
        return parse_xml(self.data)

    @cached_property
    def relationships(self) -> dict[str, Relationship]:
        """What it points to, by id; damaged ones are left out."""
        folder, base = posixpath.split(self.name)
        try:
            root = parse_xml(self.package.read(posixpath.join(folder, "_rels", f"{base}.rels")))
        except ValueError:
            return {}
        found = {}
        for one in root:
            if local(one) != "Relationship":
                continue
            target, is_external = value(one, "Target"), value(one, "TargetMode") == "External"
            if not is_external:
                target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
            found[value(one, "Id")] = Relationship(value(one, "Type").rpartition("/")[2], target, is_external)
        return found

    def related(self, relationship: str) -> Part | None:
        """The part that a relationship points to; None where there is none in the file."""
        found = self.relationships.get(relationship)
        if found is None or found.is_external or not self.package.has(found.target):
            return None
        return self.package.part(found.target)

    def is_linked(self, relationship: str) -> bool:
        """Whether a relationship points out of the file."""
        found = self.relationships.get(relationship)
        return found is not None and found.is_external

    def of_kind(self, kind: str) -> Iterator[Part]:
        """The parts of a kind that it points to."""
        for relationship, found in self.relationships.items():
            part = self.related(relationship) if found.kind == kind else None
            if part is not None:
                yield part


class OfficePackage:
    """An open package; to be used in a ``with`` block.

    Args:
        path: A file that :mod:`tabrag.tables.package_guard` has checked.
        main: End of the name that its main part has as a rule, for example ``document.xml``.
    """

    def __init__(self, path: Path, *, main: str) -> None:
        self.path = path
        self._archive = zipfile.ZipFile(path)
        # Some programs write names with backslashes or other capitals than the relationships have.
        self._members = {_plain(info.filename): info for info in self._archive.infolist()}
        self._parts: dict[str, Part] = {}
        whole = Part(self, "")
        found = next(whole.of_kind("officeDocument"), None)
        usual = (name for name in self._members if name.endswith(f"/{main}"))
        self.main = found or self.part(next(usual, main))
        """The part with the body."""

    def __enter__(self) -> OfficePackage:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def has(self, name: str) -> bool:
        """Whether there is a part of a name."""
        return _plain(name) in self._members

    def part(self, name: str) -> Part:
        """A part by its name, there or not."""
        return self._parts.setdefault(_plain(name), Part(self, name))

    def read(self, name: str) -> bytes:
        """The bytes of a part.

        Raises:
            ValueError: It is missing, damaged, or over 128 MB.
        """
        info = self._members.get(_plain(name))
        if info is None:
            raise ValueError(f"{name or 'the list of parts'} is missing")
        try:
            with self._archive.open(info) as stream:
                data = stream.read(_MAX_BYTES + 1)
        except _FAULTS as error:
            raise ValueError(f"{name} is damaged ({error})") from error
        if len(data) > _MAX_BYTES:
            raise ValueError(f"{name} is over {_MAX_BYTES >> 20} MB")
        return data

    def title(self) -> str:
        """The title in its properties; empty where there is none."""
        part = next(Part(self, "").of_kind("core-properties"), None)
        try:
            found = [] if part is None else [one.text or "" for one in part.root if local(one) == "title"]
        except ValueError:
            return ""
        return " ".join("".join(found[:1]).split())

    def main_root(self) -> _Element:
        """The root element of the main part.

        Raises:
            UserError: It is damaged.
        """
        try:
            return self.main.root
        except ValueError as error:
            raise UserError(f"{self.path}: is damaged ({error}); open and save it again") from error


def open_word(path: Path) -> OfficePackage:
    """Open a Word document.

    Raises:
        UserError: Damaged, encrypted, or made to do harm.
    """
    check_package(path, main="document.xml", kind="document", suffix=".docx")
    return OfficePackage(path, main="document.xml")


def open_slides(path: Path) -> OfficePackage:
    """Open a presentation.

    Raises:
        UserError: Damaged, encrypted, or made to do harm.
    """
    check_package(path, main="presentation.xml", kind="presentation", suffix=".pptx")
    return OfficePackage(path, main="presentation.xml")


def relation(element: _Element, name: str = "id") -> str:
    """The relationship that an element names."""
    ending = f"/relationships}}{name}"
    return next((str(text) for key, text in element.attrib.items() if str(key).endswith(ending)), "")


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
