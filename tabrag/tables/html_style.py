"""Where the text of an HTML cell begins, by style sheets, inline styles and typed blanks."""

from __future__ import annotations

import re
from collections import defaultdict

from lxml.etree import _Element

from tabrag.tables.css import Rule, Specificity, declared, rules_of
from tabrag.tables.html_text import is_hidden
from tabrag.tables.indents import typed_indent

_SPACES = " \t\n\r\f"
_BROWSER = {
    "blockquote": ("margin", 30.0),
    "dd": ("margin", 30.0),
    "ul": ("padding", 30.0),
    "ol": ("padding", 30.0),
    "dir": ("padding", 30.0),
}
"""What browsers move to the right by themselves, points."""
_INLINE = 1 << 20
"""An inline style counts as more ids than any rule names."""
_MAX_ELEMENTS = 200
"""Elements before the first text of a cell that are looked at."""


class PageStyles:
    """The styles of a page.

    Args:
        root: The page.
    """

    def __init__(self, root: _Element) -> None:
        self._rules: dict[str, list[Rule]] = defaultdict(list)
        for rule in rules_of(root):
            self._rules[rule.key].append(rule)
        self._marks: dict[_Element, frozenset[str]] = {}

    def start(self, cell: _Element) -> float:
        """How far the first text of a cell stands from the left side of the cell, points.

        Sides of all elements around it count, what its first line is indented by, and blanks that are shown.
        """
        left = blanks = 0.0
        num_seen = 0
        stack: list[tuple[_Element, float, float, bool]] = [(cell, 0.0, 0.0, False)]
        while stack and num_seen < _MAX_ELEMENTS:
            element, side, indent, is_end = stack.pop()
            if is_end:
                left -= side
                text = element.tail or ""
            elif element is not cell and (is_hidden(element) or element.tag == "table"):
                text = element.tail or ""
            else:
                num_seen += 1
                lengths = self._lengths(element)
                side = lengths.get("padding", 0.0)
                if element.tag not in ("td", "th"):  # cells have no margins
                    side += lengths.get("margin", 0.0)
                left += side
                inner = lengths.get("text-indent", indent)
                if element is not cell:
                    stack.append((element, side, indent, True))
                stack.extend((child, 0.0, inner, False) for child in reversed(element))
                if element.tag == "br" or side:
                    blanks = 0.0
                text, indent = element.text or "", inner
            if shown := text if blanks else text.lstrip(_SPACES):
                words = re.sub(f"[{_SPACES}]+", " ", shown)
                blanks += typed_indent(words)
                if words.strip():
                    return left + indent + blanks
        return 0.0

    def _lengths(self, element: _Element) -> dict[str, float]:
        """What rules say of one element, the strongest last."""
        said: dict[str, tuple[bool, Specificity, float]] = {}
        if element.tag in _BROWSER:
            kind, points = _BROWSER[element.tag]
            said[kind] = (False, (-1, 0, 0, 0), points)
        for key in ("*", element.tag, *self._marks_of(element)):
            for rule in self._rules.get(key, ()):
                if rule.is_for(element):
                    for kind, points in rule.lengths.items():
                        _put(said, kind, (kind in rule.important, rule.order, points))
        if style := element.get("style"):
            lengths, important = declared(style)
            for kind, points in lengths.items():
                _put(said, kind, (kind in important, (_INLINE, 0, 0, 0), points))
        return {kind: points for kind, (_, _, points) in said.items()}

    def _marks_of(self, element: _Element) -> frozenset[str]:
        """Classes and ids that rules name, of an element and of those above it."""
        todo: list[_Element] = []
        at: _Element | None = element
        while at is not None and at not in self._marks:
            todo.append(at)
            at = at.getparent()
        marks = frozenset[str]() if at is None else self._marks[at]
        for one in reversed(todo):
            own = {f".{name}" for name in (one.get("class") or "").split()} | {f"#{one.get('id')}"}
            marks = self._marks[one] = marks.union(mark for mark in own if mark in self._rules)
        return marks


def _put(
    said: dict[str, tuple[bool, Specificity, float]], kind: str, new: tuple[bool, Specificity, float]
) -> None:
    """Keep what counts more: whether it is important, then by which rule."""
    if kind not in said or said[kind][:2] <= new[:2]:
        said[kind] = new
