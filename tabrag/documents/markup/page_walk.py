"""A page read element by element in the order of its markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml.etree import _Element

from tabrag.documents.builder import DocumentBuilder
from tabrag.documents.markup.page_pictures import PagePictures, is_decoration
from tabrag.tables.html_style import PageStyles
from tabrag.tables.html_text import is_hidden, raised_text
from tabrag.tables.read_html import read_table
from tabrag.types import Table

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dir"),
        *("div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr"),
        *("html", "legend", "li", "main", "menu", "ol", "p", "pre", "section", "summary", "table", "tbody"),
        *("td", "tfoot", "th", "thead", "tr", "ul", "xmp", "listing"),
        *_HEADINGS,
    }
)
_PRE = ("pre", "xmp", "listing")
_KINDS = {"li": "list", "dt": "list", "dd": "list", "figcaption": "caption", "caption": "caption"}
_CONTROLS = frozenset({"button", "input", "iframe", "audio", "video", "canvas", "map", "datalist"})
_NAVIGATION = frozenset({"navigation", "search", "menu", "menubar", "toolbar", "dialog", "alertdialog"})
"""Roles of parts that lead elsewhere and say nothing themselves."""
_SECTIONS = frozenset({"article", "main", "section", "blockquote", "figure"})
_NOTE_ROLES = frozenset({"doc-footnote", "doc-endnote", "doc-endnotes", "note"})
_NOTE_CLASSES = frozenset({"footnote", "footnotes", "endnotes", "references", "reflist"})
_MAX_RAISED = 12
"""Characters of a raised text that is a mark or an exponent."""
_BLANKS = re.compile(r"\s+")
_SAME_LINE = re.compile(r"[^\S\n]+")


@dataclass(frozen=True, slots=True)
class _Context:
    """What the text below an element is."""

    kind: str = "text"
    level: int = 0
    is_pre: bool = False


class PageWalk:
    """Reads a page into a builder.

    Args:
        root: The page.
        builder: Takes up blocks and tables.
        path: The file: its pictures lie beside it.
        keep_all: Whether navigation and page footers are kept.
    """

    def __init__(
        self, root: _Element, builder: DocumentBuilder, path: Path, *, keep_all: bool = False
    ) -> None:
        self.root = root
        self.styles = PageStyles(root)
        self.builder = builder
        self.pictures = PagePictures(path)
        self.keep_all = keep_all
        self._outer: Table | None = None
        """The table of data whose cells are being read."""
        self._pieces: list[str] = []
        self._waiting: list[_Element] = []
        """Pictures in the paragraph that is being read."""

    def read(self) -> None:
        """Read the page.

        Raises:
            UserError: A table whose spans are absurd in sum.
        """
        self._walk(self.root)
        for note in self.pictures.notes():
            self.builder.remark(note)

    def _walk(self, root: _Element) -> None:
        # Iterative, since broken pages nest elements thousands deep.
        plain = _Context()
        stack: list[tuple[_Element, _Context, _Context | None]] = [(root, plain, None)]
        while stack:
            element, context, ended = stack.pop()
            if ended is not None:
                if element.tag in _BLOCKS:
                    self._flush(ended)
            elif self._is_dropped(element):
                pass
            elif element.tag == "sup" and len(text := "".join(element.itertext())) <= _MAX_RAISED:
                self._pieces.append(raised_text(text))
            elif element.tag == "table" and (table := read_table(element, self.styles)) is not None:
                self._flush(context)
                self._table(element, table)
            else:
                inner = self._begin(element, context)
                self._say(element.text, inner)
                stack.append((element, context, inner))
                stack.extend((child, inner, None) for child in reversed(element))
                continue
            if element is not root:
                self._say(element.tail, context)
        self._flush(plain)

    def _begin(self, element: _Element, context: _Context) -> _Context:
        """The context below an element; what came before a block is added first."""
        tag = element.tag
        if tag == "br":
            self._pieces.append("\n")
        elif tag == "img":
            self._waiting.append(element)
        if tag not in _BLOCKS:
            return context
        self._flush(context)
        if level := _heading_level(element):
            return _Context("heading", level)
        if _is_note(element):
            return _Context("note")
        if tag in _KINDS and context.kind != "note":
            return _Context(_KINDS[tag])
        return _Context(context.kind, context.level, is_pre=True) if tag in _PRE else context

    def _is_dropped(self, element: _Element) -> bool:
        if element.tag in ("html", "body"):  # some pages show themselves by script
            return False
        if is_hidden(element) or element.get("aria-hidden") == "true" or element.tag in _CONTROLS:
            return True
        if self.keep_all:
            return False
        if element.tag == "footer":
            return not any(above.tag in _SECTIONS for above in element.iterancestors())
        return element.tag == "nav" or element.get("role") in _NAVIGATION

    def _say(self, text: str | None, context: _Context) -> None:
        if text:
            self._pieces.append(text if context.is_pre else _BLANKS.sub(" ", text))

    def _flush(self, context: _Context) -> None:
        """Add what has been read since the last block."""
        text, self._pieces = "".join(self._pieces), []
        if context.is_pre:
            text = text.strip("\n").rstrip()
        else:
            lines = (_SAME_LINE.sub(" ", line).strip() for line in text.split("\n"))
            text = "\n".join(filter(None, lines))
        self.builder.add(context.kind, text, level=context.level)
        waiting, self._waiting = self._waiting, []
        for element in waiting:
            self._picture(element)

    def _table(self, element: _Element, table: Table) -> None:
        """Add a table of data, then the tables and pictures in its cells."""
        self.builder.add_table(table, outer=self._outer)
        outer, self._outer = self._outer, table
        for part in _within(element):
            if part.tag == "img":
                self._picture(part)
            else:
                self._walk(part)
        self._outer = outer

    def _picture(self, element: _Element) -> None:
        if is_decoration(element):
            return
        data, name = self.pictures.load(element.get("src") or element.get("data-src") or "")
        self.builder.add_picture(data, name, text=element.get("alt") or "")


def _within(table: _Element) -> Iterator[_Element]:
    """Tables and pictures in the cells of a table, without those in the tables there."""
    stack = list(reversed(table))
    while stack:
        element = stack.pop()
        if is_hidden(element):
            continue
        if element.tag in ("table", "img"):
            yield element
        else:
            stack.extend(reversed(element))


def _heading_level(element: _Element) -> int:
    if element.get("role") == "heading":
        said = element.get("aria-level") or ""
        return int(said) if said.isdigit() and len(said) == 1 else 2
    return _HEADINGS.get(element.tag, 0)


def _is_note(element: _Element) -> bool:
    """Whether it holds footnotes, by its role or its class."""
    if element.get("role") in _NOTE_ROLES:
        return True
    return not _NOTE_CLASSES.isdisjoint((element.get("class") or "").lower().split())
