"""Placeholders: where in a document's text a table or a picture stands.

``[[table:ID]]`` and ``[[picture:PATH]]`` stand alone in their paragraph. They are made from the blocks and
never stored; what in a file's own text looks like one is told apart by a blank (``[ [table:``), so that no
text of a file can point to an artefact.
"""

from __future__ import annotations

import re

from tabrag.types import Block, Document

_SPECIAL = re.compile(r"([\[\]\\])")
_ALIKE = re.compile(r"\[(?=\[(?:table|picture):)")
_MARK = re.compile(r"\[(?=\s*(?:page\s+\d|section\s*:|summary\s*\]|picture\s*[:\]]))", re.IGNORECASE)


def placeholder(block: Block) -> str:
    """The placeholder of a table's or a picture's block; empty for others and pictures without a file."""
    if block.kind == "table" and block.table:
        return f"[[table:{_escape(block.table)}]]"
    if block.kind == "picture" and block.image:
        return f"[[picture:{_escape(block.image)}]]"
    return ""


def own_text(text: str) -> str:
    """A file's own text, in which nothing looks like a placeholder."""
    return _ALIKE.sub("[ ", text)


def unmarked(text: str) -> str:
    """A file's own text for a reader, in which nothing looks like a placeholder or like a mark that stands
    among the texts of documents: ``[page 9]`` becomes ``[ page 9]``, so that no file names pages that are not
    there."""
    return _MARK.sub("[ ", own_text(text))


def block_text(block: Block) -> str:
    """A block as a paragraph of Markdown: headings with ``#``, points of lists with ``-``, placeholders.

    What describes a picture stands below its placeholder.
    """
    text = own_text(block.text.strip())
    if block.kind == "heading" and text:
        return f"{'#' * min(max(block.level, 1), 6)} {text}"
    if block.kind == "list" and text:
        return f"- {text}"
    return "\n".join(part for part in (placeholder(block), text) if part)


def document_text(document: Document) -> str:
    """The whole text in reading order, paragraphs apart by a blank line, with placeholders."""
    return "\n\n".join(text for block in document.blocks if (text := block_text(block)))


def _escape(name: str) -> str:
    return _SPECIAL.sub(r"\\\1", name)
