"""Word documents, built up and then changed below what python-docx offers."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


DECLARED = (
    f'xmlns:w="{W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)


def add(document: Any, xml: str) -> None:
    """Add an element to the body, before the settings of its last section."""
    from docx.oxml import parse_xml

    first, _, rest = xml.partition(">")
    closed = first.endswith("/")
    first = first.rstrip("/")
    element = parse_xml(f"{first} {DECLARED}{'/' if closed else ''}>{rest}")
    document.element.body.insert(len(document.element.body) - 1, element)


def save(document: Any, folder: Path) -> Path:
    path = folder / "file.docx"
    document.save(path)
    return path


def fill(table: Any, rows: list[list[str]]) -> None:
    for row, texts in enumerate(rows):
        for col, text in enumerate(texts):
            table.cell(row, col).text = text


def edit(
    path: Path,
    *,
    replaced: dict[str, bytes] | None = None,
    added: dict[str, bytes] | None = None,
    relation: str = "",
) -> None:
    """Change parts of a package; a relationship is added to those of the main part."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert set(replaced or {}) <= set(parts)
    parts |= (replaced or {}) | (added or {})
    name = "word/_rels/document.xml.rels"
    parts[name] = parts[name].replace(b"</Relationships>", relation.encode() + b"</Relationships>")
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
