"""The text of a Word paragraph as a reader sees it, and what is anchored in it.

Insertions of tracked changes are shown and deletions are not, fields show their results, hidden text and
comments stay out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lxml.etree import _Element

from tabrag.documents.office.formulas import formula_text
from tabrag.documents.office.package import relation
from tabrag.documents.office.xml import children, find, is_on, local, preferred, value
from tabrag.tables.html_text import raised_text

_THROUGH = frozenset(
    {
        *(
            "hyperlink",
            "ins",
            "moveTo",
            "sdt",
            "sdtContent",
            "smartTag",
            "customXml",
            "dir",
            "bdo",
            "fldSimple",
        ),
        *("ruby", "rubyBase"),
    }
)
_DRAWINGS = frozenset({"drawing", "pict", "object"})
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_SYMBOLS = {
    **{"wingdings": {0xFC: "✓", 0xFB: "✗", 0xFE: "☑", 0xFD: "☒", 0xA8: "☐", 0x6F: "☐", 0xE0: "→", 0x6C: "●"}},
    **{"wingdings 2": {0x50: "✓", 0x4F: "✗", 0x52: "☑", 0x53: "☒", 0xA3: "☐"}},
    **{"symbol": {0xB3: "≥", 0xA3: "≤", 0xB1: "±", 0xB9: "≠", 0xB7: "•", 0xD7: "⋅", 0xB4: "×", 0x6D: "μ"}},
}


@dataclass(frozen=True, slots=True)
class Anchored:
    """Something that is anchored in a paragraph.

    Attributes:
        kind: ``picture``, ``chart``, ``diagram``, ``box`` (a text box), ``footnote`` or ``endnote``.
        relation: The relationship that leads to its part.
        text: A picture's description, the id of a note, the program of an object.
        element: The content of a box.
    """

    kind: str
    relation: str = ""
    text: str = ""
    element: _Element | None = None


@dataclass(slots=True)
class WordParagraph:
    """A paragraph.

    Attributes:
        text: What it says; a line end for each line break.
        anchored: What is anchored in it, in order.
        is_bold: Whether all of its text is.
    """

    text: str = ""
    anchored: list[Anchored] = field(default_factory=list)
    is_bold: bool = False


class WordReader:
    """Reads the paragraphs of one story (the body, a note, a text box) in order: fields span paragraphs."""

    def __init__(self) -> None:
        self._fields: list[bool] = []
        """One entry an open field: whether its result has begun."""
        self._pieces: list[str] = []
        self._anchored: list[Anchored] = []
        self._bold: list[bool] = []

    def read(self, paragraph: _Element, *, is_bold: bool = False) -> WordParagraph:
        """Read the next paragraph.

        Args:
            paragraph: A ``w:p``.
            is_bold: Whether its style sets it in bold.
        """
        self._pieces, self._anchored, self._bold = [], [], []
        self._walk(paragraph, is_bold)
        # An instruction does not go on in the next paragraph: a broken field must not swallow the rest.
        self._fields = [has_result for has_result in self._fields if has_result]
        text = "".join(self._pieces)
        return WordParagraph(text, self._anchored, bool(self._bold) and all(self._bold))

    def _walk(self, element: _Element, is_bold: bool) -> None:
        for child in element:
            name = local(child)
            if name == "r":
                self._run(child, is_bold)
            elif name in _THROUGH:
                self._walk(child, is_bold)
            elif name == "AlternateContent":
                for shown in preferred(child):
                    self._part(shown)
            elif name in ("oMath", "oMathPara"):
                self._say(formula_text(child))

    def _run(self, run: _Element, is_bold: bool) -> None:
        properties = find(run, "rPr")
        if properties is not None and is_on(find(properties, "vanish")):
            return
        before = len(self._pieces)
        for part in run:
            self._part(part)
        if properties is not None and value(find(properties, "vertAlign")) == "superscript":
            self._pieces[before:] = [raised_text("".join(self._pieces[before:]))]
        if "".join(self._pieces[before:]).strip():
            switch = None if properties is None else find(properties, "b")
            self._bold.append(is_bold if switch is None else is_on(switch))

    def _part(self, part: _Element) -> None:
        name = local(part)
        if name == "t":
            self._say(part.text or "")
        elif name == "fldChar":
            self._mark(value(part, "fldCharType"))
        elif name in _SIGNS:
            self._say(_SIGNS[name])
        elif name == "sym":
            self._say(_symbol(part))
        elif name in ("footnoteReference", "endnoteReference"):
            self._anchored.append(Anchored(name.removesuffix("Reference"), text=value(part, "id")))
        elif name in _DRAWINGS:
            self._anchored += drawing_contents(part)
        elif name == "AlternateContent":
            for shown in preferred(part):
                self._part(shown)
        elif name in _THROUGH:
            self._walk(part, False)

    def _say(self, text: str) -> None:
        if all(self._fields):
            self._pieces.append(text)

    def _mark(self, kind: str) -> None:
        if kind == "begin":
            self._fields.append(False)
        elif kind == "separate" and self._fields:
            self._fields[-1] = True
        elif kind == "end" and self._fields:
            self._fields.pop()


def drawing_contents(drawing: _Element) -> list[Anchored]:
    """Pictures, charts, diagrams and text boxes of a drawing, in the order of its XML."""
    found: list[Anchored] = []
    described = next((part for part in drawing.iter() if local(part) == "docPr"), None)
    text = value(described, "descr")
    if value(described, "hidden") in ("1", "true"):
        return found
    program = next((value(part, "ProgID") for part in drawing.iter() if local(part) == "OLEObject"), "")

    def walk(element: _Element) -> None:
        name = local(element)
        if name == "txbxContent":
            found.append(Anchored("box", element=element))
        elif name == "AlternateContent":
            for shown in preferred(element):
                walk(shown)
        elif name == "blip":
            source = relation(element, "embed") or relation(element, "link")
            found.append(Anchored("picture", source, text))
        elif name == "imagedata":
            found.append(Anchored("picture", relation(element), text or program or value(element, "title")))
        elif name == "chart" and relation(element):
            found.append(Anchored("chart", relation(element), text))
        elif name == "relIds":
            found.append(Anchored("diagram", relation(element, "dm"), text))
        else:
            for child in element:
                walk(child)

    walk(drawing)
    return found


def _symbol(element: _Element) -> str:
    code = value(element, "char")
    try:
        place = int(code, 16)
    except ValueError:
        return ""
    low = place & 0xFF if place >= 0xF000 else place
    known = _SYMBOLS.get(value(element, "font").lower(), {})
    if low in known:
        return known[low]
    return "" if place >= 0xF000 or not 32 <= place < 0xE000 else chr(place)


def share_of_bold(elements: Iterable[_Element]) -> float:
    """The share of letters that stand in paragraphs whose runs are all bold."""
    num_letters = num_bold = 0
    for element in elements:
        runs = [run for run in children(element, "r") if any(map(_length, children(run, "t")))]
        length = sum(_length(text) for run in runs for text in children(run, "t"))
        num_letters += length
        num_bold += length if all(is_on(find(run, "rPr", "b")) for run in runs) else 0
    return num_bold / max(1, num_letters)


def _length(element: _Element) -> int:
    return len((element.text or "").strip())
