"""Style rules of a page that move text to the right, and the elements that they are for.

A small part of CSS: selectors of names, classes, ids, attributes and first children, below or right below
each other; rules for a width of the screen, for print or with other selectors count for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import _Element

_MAX_SHEET = 1 << 20
"""Characters of style sheets that are read."""
_MAX_RULES = 2000
_COMMENTS = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_PART = re.compile(
    r"(?P<name>\*|[a-z][\w-]*)|\.(?P<cls>[\w-]+)|#(?P<id>[\w-]+)"
    r"|\[\s*(?P<attr>[\w-]+)\s*(?:(?P<op>[~|^$*]?=)\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s\]]+)\s*)?\]"
    r"|:(?P<first>first-child|nth-child\(\s*1\s*\)|first-of-type)",
    re.IGNORECASE,
)
_UNITS = {
    **{"": 0.0, "px": 0.75, "pt": 1.0, "pc": 12.0, "in": 72.0, "cm": 28.35, "mm": 2.835, "q": 0.709},
    **{"em": 12.0, "rem": 12.0, "ex": 6.0, "ch": 6.0},
}
"""Points; type is taken to be 12 points high. A number without a unit is 0 or is not valid."""
_LENGTH = re.compile(r"([+-]?(?:\d{1,6}\.?\d{0,6}|\.\d{1,6}))([a-z]*)$", re.IGNORECASE)
_SIDES = {"": None, "-left": 0, "-inline-start": 0, "-inline": 0}
Specificity = tuple[int, int, int, int]
"""Ids, classes and names in the selector, place of the rule: the greatest one counts."""


@dataclass(frozen=True, slots=True)
class _Test:
    """What one element must be."""

    name: str
    classes: frozenset[str]
    ids: frozenset[str]
    attributes: tuple[tuple[str, str, str], ...]
    is_first: bool
    is_child: bool
    """Whether it stands right below what the test before it is for."""

    def holds(self, element: _Element) -> bool:
        """Whether an element is one."""
        if self.name not in ("*", element.tag):
            return False
        if self.classes and not self.classes.issubset((element.get("class") or "").split()):
            return False
        if self.ids and not self.ids.issubset({element.get("id")}):
            return False
        if self.is_first and any(isinstance(one.tag, str) for one in element.itersiblings(preceding=True)):
            return False
        return all(_has(element.get(name), op, value) for name, op, value in self.attributes)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for elements, whose last test is for the element itself.

    Attributes:
        tests: From the outermost element in.
        lengths: What it says, points: ``padding``, ``margin`` (at the left) and ``text-indent``.
        order: Which of two rules counts.
        important: Which lengths no other rule may change.
    """

    tests: tuple[_Test, ...]
    lengths: dict[str, float]
    order: Specificity
    important: frozenset[str]

    @property
    def key(self) -> str:
        """A class or an id that each element of the rule, or one above it, has; else its own name."""
        for test in reversed(self.tests):
            for mark in (*(f".{one}" for one in sorted(test.classes)), *(f"#{one}" for one in test.ids)):
                return mark
        return self.tests[-1].name

    def is_for(self, element: _Element) -> bool:
        """Whether the rule is for an element."""
        return self.tests[-1].holds(element) and _above_hold(self.tests, element)


def rules_of(root: _Element) -> list[Rule]:
    """The rules in the ``style`` elements of a page that say how far text is moved to the right."""
    rules: list[Rule] = []
    sheets = [
        element.text or "" for element in root.iter("style") if _is_for_screens(element.get("media") or "")
    ]
    text = _COMMENTS.sub(" ", "\n".join(sheets)[:_MAX_SHEET])
    for place, (selectors, body) in enumerate(_blocks(text)):
        lengths, important = declared(body)
        if not lengths:
            continue
        for selector in selectors.split(","):
            if len(rules) < _MAX_RULES and (tests := _tests(selector)):
                order = (
                    sum(len(test.ids) for test in tests),
                    sum(len(test.classes) + len(test.attributes) + test.is_first for test in tests),
                    sum(test.name != "*" for test in tests),
                    place,
                )
                rules.append(Rule(tests, lengths, order, important))
    return rules


def declared(body: str) -> tuple[dict[str, float], frozenset[str]]:
    """``padding``, ``margin`` and ``text-indent`` (points) of declarations, and which are important."""
    lengths: dict[str, float] = {}
    important: set[str] = set()
    for declaration in body.split(";"):
        name, _, said = declaration.partition(":")
        name, said = name.strip().lower(), said.strip().lower()
        is_important = said.endswith("!important")
        values = said.removesuffix("!important").split()
        kind = next((one for one in ("padding", "margin", "text-indent") if name.startswith(one)), None)
        if kind is None or not values or (kind in important and not is_important):
            continue
        if kind == "text-indent":
            side: int | None = 0 if name == kind else -1
        else:
            side = _SIDES.get(name.removeprefix(kind), -1)
        if side is None:  # all four sides: the left one is the last of four, else that of both
            side = {1: 0, 2: 1, 3: 1, 4: 3}.get(len(values), -1)
        if side < 0 or (points := _points(values[min(side, len(values) - 1)])) is None:
            continue
        lengths[kind] = points
        if is_important:
            important.add(kind)
    return lengths, frozenset(important)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Selectors with what stands in braces behind them; blocks for all screens are opened."""
    hidden = depth = start = 0
    head = ""
    for match in re.finditer(r"[{};]", text):
        sign = match[0]
        if sign == "{":
            head = text[start : match.start()].strip()
            depth += 1
            if hidden or (head.startswith("@") and not _is_open(head)):
                hidden += 1
            start = match.end()
        elif sign == "}":
            if hidden:
                hidden -= 1
            elif head and not head.startswith("@"):
                yield head, text[start : match.start()]
            depth = max(depth - 1, 0)
            head, start = "", match.end()
        elif not head or head.startswith("@"):
            start = match.end()


def _is_open(head: str) -> bool:
    name, _, condition = head.partition(" ")
    return name in ("@layer", "@supports") or (name == "@media" and _is_for_screens(condition))


def _is_for_screens(media: str) -> bool:
    kinds = [kind.strip().lower() for kind in media.split(",")]
    return any(kind in ("", "all", "screen", "only screen") for kind in kinds)


def _tests(selector: str) -> tuple[_Test, ...]:
    """The tests of a selector; empty where something in it is not known."""
    tests: list[_Test] = []
    is_child = False
    for word in re.findall(r">|(?:\[[^\]]*\]|\([^)]*\)|[^\s>\[\(])+", selector.strip()):
        if word == ">":
            is_child = True
            continue
        parts = list(_PART.finditer(word))
        if "".join(part[0] for part in parts) != word:
            return ()
        tests.append(
            _Test(
                name=next((part["name"].lower() for part in parts if part["name"]), "*"),
                classes=frozenset(part["cls"] for part in parts if part["cls"]),
                ids=frozenset(part["id"] for part in parts if part["id"]),
                attributes=tuple(
                    (part["attr"].lower(), part["op"] or "", (part["value"] or "").strip("\"'"))
                    for part in parts
                    if part["attr"]
                ),
                is_first=any(part["first"] for part in parts),
                is_child=is_child,
            )
        )
        is_child = False
    return () if is_child else tuple(tests)


def _above_hold(tests: tuple[_Test, ...], element: _Element) -> bool:
    """Whether elements above one are what the tests before the last one ask for."""
    places = [element]  # where the test after this one may hold
    for place in range(len(tests) - 2, -1, -1):
        is_child = tests[place + 1].is_child
        found: dict[_Element, None] = {}
        for below in places:
            above = below.getparent() if is_child else None
            others = ([] if above is None else [above]) if is_child else below.iterancestors()
            found |= dict.fromkeys(one for one in others if tests[place].holds(one))
        if not found:
            return False
        places = list(found)
    return True


def _has(said: str | None, op: str, value: str) -> bool:
    if said is None:
        return False
    return {
        "": True,
        "=": said == value,
        "~=": value in said.split(),
        "|=": said == value or said.startswith(f"{value}-"),
        "^=": bool(value) and said.startswith(value),
        "$=": bool(value) and said.endswith(value),
        "*=": bool(value) and value in said,
    }[op]


def _points(length: str) -> float | None:
    match = _LENGTH.match(length)
    if match is None or match[2] not in _UNITS or (not match[2] and float(match[1])):
        return None
    return float(match[1]) * _UNITS[match[2]]
