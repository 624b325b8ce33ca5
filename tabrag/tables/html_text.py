"""The text of an HTML element as a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.etree import _Element

_DROPPED = frozenset(
    {"script", "style", "template", "noscript", "head", "object", "svg", "select", "textarea"}
)
_BLOCKS = frozenset(
    {
        "p",
        "div",
        "li",
        "ul",
        "ol",
        "dl",
        "dt",
        "dd",
        "tr",
        "table",
        "center",
        "blockquote",
        "pre",
        "section",
        "hr",
    }
    | {f"h{level}" for level in range(1, 7)}
)
_SUPERSCRIPTS = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_HIDDEN_CLASSES = frozenset({"navbar", "noprint", "mw-editsection", "sr-only", "visually-hidden"})
"""Class names by which common page systems hide text or mark it as controls."""
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def is_hidden(element: _Element) -> bool:
    """Whether the element itself is not shown."""
    return (
        element.tag in _DROPPED
        or not isinstance(element.tag, str)
        or element.get("hidden") is not None
        or not _HIDDEN_CLASSES.isdisjoint((element.get("class") or "").split())
        or _HIDDEN_STYLE.search(element.get("style") or "") is not None
    )


def element_text(element: _Element) -> str:
    """The shown text: one blank between words, a line end for ``br`` and between blocks.

    Tables inside the element are left out: they are tables of their own. Superscript digits become
    superscript characters (``m²``), a superscript letter stands apart from the word before it (``Total a``).
    """
    if len(element) == 0:
        return _flat(element.text or "").strip()
    text = "".join(_pieces(element))
    lines = (re.sub(r"[^\S\n]+", " ", line).strip() for line in re.split(r"\n+", text))
    return "\n".join(line for line in lines if line)


def _pieces(element: _Element) -> Iterator[str]:
    # Iterative, since broken pages nest elements thousands deep.
    stack: list[tuple[_Element, bool]] = [(element, False)]
    superscript: _Element | None = None
    collected: list[str] = []
    while stack:
        node, is_end = stack.pop()
        if is_end:
            if node is superscript:
                yield raised_text("".join(collected))
                superscript, collected = None, []
            if node.tag in _BLOCKS:
                yield "\n"
            if node is not element and node.tail:
                piece = _flat(node.tail)
                if superscript is None:
                    yield piece
                else:
                    collected.append(piece)
            continue
        stack.append((node, True))
        if node is not element and (is_hidden(node) or node.tag == "table"):
            continue
        if node.tag in _BLOCKS or node.tag == "br":
            yield "\n"
        if node.tag == "sup" and superscript is None:
            superscript = node
        if node.text:
            if superscript is None:
                yield _flat(node.text)
            else:
                collected.append(_flat(node.text))
        stack.extend((child, False) for child in reversed(node))


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def raised_text(text: str) -> str:
    """A raised text in its line: digits as superscript characters, a letter apart from the word before it."""
    text = text.strip()
    if re.fullmatch(r"[\d+−-]+", text):
        return text.translate(_SUPERSCRIPTS)
    return f" {text}" if re.fullmatch(r"[A-Za-z](?:,\s?[A-Za-z])*", text) else text
