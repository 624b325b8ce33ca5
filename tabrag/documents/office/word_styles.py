"""What styles and numbering of a Word document say: level of a heading, bold type, label of a list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml.etree import _Element

from tabrag.documents.office.xml import children, find, is_on, local, number, value

_HEADING = re.compile(r"heading\s*([1-9])$")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_BODY_LEVEL = 9
_MAX_COUNT = 10_000


class WordStyles:
    """Paragraph styles by id.

    Args:
        root: The part with the styles; None where the document has none.
    """

    def __init__(self, root: _Element | None) -> None:
        self._styles = {} if root is None else {value(one, "styleId"): one for one in children(root, "style")}
        self._default = next(
            (
                name
                for name, one in self._styles.items()
                if value(one, "type") == "paragraph" and value(one, "default") in ("1", "true")
            ),
            "",
        )

    def name(self, style: str) -> str:
        """Its name in small letters; names of built-in styles are English in all versions of Word."""
        element = self._styles.get(style or self._default)
        return "" if element is None else value(find(element, "name")).lower()

    def heading_level(self, paragraph: _Element) -> int:
        """1 to 9 of a heading, 0 of other paragraphs."""
        properties = find(paragraph, "pPr")
        if properties is None:
            return 0
        outline = find(properties, "outlineLvl")
        if outline is not None:
            return _level(outline)
        for element in self.chain(value(find(properties, "pStyle"))):
            outline = find(element, "pPr", "outlineLvl")
            if outline is not None:
                return _level(outline)
            if match := _HEADING.match(value(find(element, "name")).lower()):
                return int(match[1])
        return 0

    def numbering(self, paragraph: _Element) -> tuple[str, int] | None:
        """The list that a paragraph is a point of, by its number, and its level from 0."""
        own = find(paragraph, "pPr", "numPr")
        style = value(find(paragraph, "pPr", "pStyle"))
        parts = [own, *(find(element, "pPr", "numPr") for element in self.chain(style))]
        found = next((part for part in parts if part is not None and find(part, "numId") is not None), None)
        if found is None or value(find(found, "numId")) in ("", "0"):
            return None
        levels = [value(find(part, "ilvl")) for part in parts if part is not None]
        return value(find(found, "numId")), min(number(next(filter(None, levels), "0")), _BODY_LEVEL - 1)

    def is_bold(self, paragraph: _Element) -> bool:
        """Whether its style sets all of its text in bold."""
        for element in self.chain(value(find(paragraph, "pPr", "pStyle"))):
            switch = find(element, "rPr", "b")
            if switch is not None:
                return is_on(switch)
        return False

    def chain(self, style: str) -> Iterator[_Element]:
        """A style and those that it is based on."""
        seen: set[str] = set()
        style = style or self._default
        while style in self._styles and style not in seen:
            seen.add(style)
            yield self._styles[style]
            style = value(find(self._styles[style], "basedOn"))


@dataclass(slots=True)
class _Level:
    form: str
    text: str
    start: int
    properties: _Element | None = None


@dataclass(slots=True)
class _List:
    levels: dict[int, _Level]
    counts: dict[int, int] = field(default_factory=dict)


class WordNumbering:
    """Labels of numbered paragraphs, counted as they come.

    Args:
        root: The part with the numbering; None where the document has none.
    """

    def __init__(self, root: _Element | None) -> None:
        self._lists: dict[str, _List] = {}
        if root is None:
            return
        shapes = {
            value(one, "abstractNumId"): _List({number(value(lvl, "ilvl")): _level_of(lvl) for lvl in one})
            for one in children(root, "abstractNum")
        }
        for one in children(root, "num"):
            shape = shapes.get(value(find(one, "abstractNumId")))
            if shape is None:
                continue
            changes = list(children(one, "lvlOverride"))
            # Lists of one shape go on counting, one with changes of its own begins anew.
            own = _List(dict(shape.levels)) if changes else shape
            for change in changes:
                place = number(value(change, "ilvl"))
                level = own.levels.get(place, _Level("decimal", f"%{place + 1}.", 1))
                replaced = find(change, "lvl")
                level = level if replaced is None else _level_of(replaced)
                start = find(change, "startOverride")
                first = level.start if start is None else number(value(start), 1)
                own.levels[place] = _Level(level.form, level.text, first, level.properties)
            self._lists[value(one, "numId")] = own

    def properties(self, list_number: str, level: int) -> _Element | None:
        """What a list says about its paragraphs of a level; None where it says nothing."""
        found = self._lists.get(list_number)
        return found.levels[level].properties if found is not None and level in found.levels else None

    def label(self, list_number: str, level: int) -> str:
        """The label of the next point of a list, for example ``2.1``; empty for bullets."""
        found = self._lists.get(list_number)
        if found is None or level not in found.levels:
            return ""
        counts = found.counts
        counts[level] = counts.get(level, found.levels[level].start - 1) + 1
        for deeper in [place for place in counts if place > level]:
            del counts[deeper]
        shape = found.levels[level]
        if shape.form in ("bullet", "none"):
            return ""

        def count(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            upper = found.levels.get(place, shape)
            form = upper.form if place == level or upper.form != "bullet" else "decimal"
            return _spelled(counts.get(place, upper.start), form)

        return re.sub(r"%([1-9])", count, shape.text).strip()


def _level(outline: _Element) -> int:
    level = number(value(outline), _BODY_LEVEL)
    return level + 1 if 0 <= level < _BODY_LEVEL else 0


def _level_of(element: _Element) -> _Level:
    if local(element) != "lvl":
        return _Level("none", "", 1)
    return _Level(
        form=value(find(element, "numFmt")) or "decimal",
        text=value(find(element, "lvlText")),
        start=number(value(find(element, "start")), 1),
        properties=find(element, "pPr"),
    )


def _spelled(count: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and 0 < count < _MAX_COUNT:
        text = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
    elif form in ("lowerRoman", "upperRoman") and 0 < count < _MAX_COUNT:
        text = ""
        for size, sign in _ROMAN:
            text += sign * (count // size)
            count %= size
    elif form == "decimalZero":
        return f"{count:02d}"
    else:
        return str(count)
    return text.upper() if form.startswith("upper") else text
