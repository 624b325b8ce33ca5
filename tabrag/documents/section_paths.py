"""The headings that a block of a document stands under."""

from __future__ import annotations

from tabrag.tables.text import one_line
from tabrag.types import Document

Path = tuple[str, ...]
"""Texts of headings, the outermost first."""


def section_paths(document: Document) -> list[Path]:
    """For each block the headings that are open before it; of a heading those above its own level."""
    paths: list[Path] = []
    opened: list[tuple[int, str]] = []
    for block in document.blocks:
        if block.kind == "heading":
            opened = [(level, text) for level, text in opened if level < block.level]
        paths.append(tuple(text for _, text in opened))
        if block.kind == "heading" and block.text.strip():
            opened.append((block.level, one_line(block.text)))
    return paths


def where(document: Document, path: Path) -> str:
    """Title and headings in one line, each text once: ``Annual report > Results``; empty for none."""
    return " > ".join(dict.fromkeys(text for text in (one_line(document.title), *path) if text))
