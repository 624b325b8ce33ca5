"""Markdown files (CommonMark with pipe tables) into blocks, tables and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tabrag.documents.markup.html import read_bytes, read_page
from tabrag.documents.parsed import Parsed, ParseOptions, Pictures
from tabrag.errors import missing_extra
from tabrag.tables.decode import decode

_FRONT = re.compile(r"\A---[ \t]*\r?\n(.*?\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title[ \t]*:[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_FOOTNOTE = re.compile(r"^ {0,3}\[\^([^\]\s]{1,50})\]:[ \t]*(?=\S)", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def parse_markdown(path: Path, document_id: str, *, pictures: Pictures, options: ParseOptions) -> Parsed:
    """Read a Markdown file, HTML in it included.

    It is turned into HTML and read as a page is (:func:`tabrag.documents.markup.html.parse_html`): tables may
    be written in either way. Front matter is left out but for its title; footnotes are notes.

    Args:
        path: The file.
        document_id: Id of the document.
        pictures: Takes up its pictures.
        options: Not used: nothing in such a file depends on them.

    Raises:
        UserError: Unreadable, too large, no text in it, or markdown-it-py is not installed.
    """
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise missing_extra("markdown-it-py", "documents") from error
    text, _ = decode(read_bytes(path))
    text = text.replace("\x00", "")
    title = ""
    if front := _FRONT.match(text):
        found = _FRONT_TITLE.search(front[1])
        title = found[1].strip("\"'") if found else ""
        text = text[front.end() :]
    markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": 100}).enable(["table", "strikethrough"])
    # Pipe tables are tables whatever they hold; those in HTML may arrange the page.
    markdown.add_render_rule("table_open", lambda *_: '<table role="table">\n')
    page = markdown.render(_with_footnotes(text, markdown.renderInline))
    page = f'<html><head><meta charset="utf-8"></head><body>{page}</body></html>'
    return read_page(path, document_id, page.encode(), pictures=pictures, title=title)


def _with_footnotes(text: str, render: Callable[[str], str]) -> str:
    """Definitions of footnotes (``[^1]: ...``) outside code as elements that say so."""
    if "[^" not in text:
        return text
    lines = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip(" `~"):
            fence = ""
        elif not fence and (note := _FOOTNOTE.match(line)):
            lines += ["", f'<p role="doc-footnote">{render(line[note.end() :])}</p>', ""]
            continue
        lines.append(line)
    return "\n".join(lines)
