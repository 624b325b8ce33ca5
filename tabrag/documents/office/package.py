"""Office packages opened with python-docx and python-pptx, and the parts that their elements point to."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

from lxml.etree import XMLSyntaxError, _Element

from tabrag.documents.office.xml import REL, parse_xml
from tabrag.errors import UserError, missing_extra
from tabrag.tables.package_guard import check_package

_FAULTS = (
    *(zipfile.BadZipFile, zlib.error, OSError, EOFError, XMLSyntaxError, NotImplementedError),
    *(KeyError, ValueError, TypeError, IndexError, AttributeError, AssertionError),
)
_STRICT = "http://purl.oclc.org/ooxml/"


def open_word(path: Path) -> Any:
    """The main part of a Word document, checked first.

    Raises:
        UserError: Damaged, encrypted, made to do harm, or python-docx is not installed.
    """
    check_package(path, main="document.xml", kind="document", suffix=".docx")
    try:
        import docx  # registers the classes of the parts
        from docx.opc.exceptions import PackageNotFoundError
        from docx.package import Package
    except ImportError as error:
        raise missing_extra("python-docx", "documents") from error
    assert docx
    try:
        return Package.open(str(path)).main_document_part
    except (*_FAULTS, PackageNotFoundError) as error:
        raise _broken(path, error, "docx") from error


def open_slides(path: Path) -> Any:
    """A presentation, checked first.

    Raises:
        UserError: Damaged, encrypted, made to do harm, or python-pptx is not installed.
    """
    check_package(path, main="presentation.xml", kind="presentation", suffix=".pptx")
    try:
        import pptx  # registers the classes of the parts
        from pptx.exc import PythonPptxError
        from pptx.package import Package
    except ImportError as error:
        raise missing_extra("python-pptx", "documents") from error
    assert pptx
    try:
        return Package.open(str(path)).main_document_part.presentation
    except (*_FAULTS, PythonPptxError) as error:
        raise _broken(path, error, "pptx") from error


def related(part: Any, relation: str) -> Any:
    """The part that a relationship of a part points to; None where there is none inside the file."""
    found = part.rels.get(relation) if relation else None
    if found is None or found.is_external:
        return None
    try:
        return found.target_part
    except (KeyError, AttributeError):
        return None


def is_linked(part: Any, relation: str) -> bool:
    """Whether a relationship points out of the file."""
    found = part.rels.get(relation) if relation else None
    return found is not None and bool(found.is_external)


def relation(element: _Element, name: str = "id") -> str:
    """The relationship that an element names."""
    return str(element.get(f"{REL}{name}") or "")


def part_root(part: Any) -> _Element:
    """The root element of an XML part.

    Raises:
        ValueError: It is no XML.
    """
    root = getattr(part, "element", None)
    root = getattr(part, "_element", None) if root is None else root
    return parse_xml(part.blob) if root is None else root


def part_of_kind(part: Any, kind: str) -> Any:
    """The first part of a kind that a part has, by the end of its relationship's type; None without one."""
    for found in part.rels.values():
        if not found.is_external and found.reltype.rpartition("/")[2] == kind:
            return found.target_part
    return None


def core_title(package: Any) -> str:
    """The title in the properties of a package."""
    try:
        return " ".join((package.core_properties.title or "").split())
    except _FAULTS:
        return ""


def _broken(path: Path, error: Exception, suffix: str) -> UserError:
    with zipfile.ZipFile(path) as archive:
        relations = archive.read("_rels/.rels") if "_rels/.rels" in archive.namelist() else b""
    if _STRICT.encode() in relations:
        return UserError(f"{path}: is of the strict kind of Open XML; save it as an ordinary .{suffix}")
    reason = " ".join(str(error).split())[:200]
    return UserError(f"{path}: is damaged ({type(error).__name__}: {reason}); open and save it again")
