"""What a RECAP reply says: five labelled parts, and a formula between ``##`` marks.

Small models keep to a form loosely, so the reading is loose: labels in any case, bold, numbered, as headings
or letters, on lines of their own or one after the other; parts may be missing or come twice.

The formula is looked for between marks in the part Compute, then in the whole reply. Of several that have a
value the last one counts. What stands beside an equals sign may go (``growth = (3 - 2) / 2 = 0.5``).
Where nothing stands between marks, a computation that is followed by its right result (``(3 - 2) / 2 = 0.5``)
is taken. Parts: Zhang et al., "Mixture-of-RAG", arXiv 2504.09554.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tabrag.chat.calculator import CalculatorError
from tabrag.chat.formula import Formula, read_formula
from tabrag.chat.formula_shape import shape_of

PARTS = ("restate", "extract", "compute", "answer", "present")

_NAMES = r"re-?stat\w*|extract\w*|comput\w*|calculat\w*|(?:final[ \t]+|short[ \t]+)?answer|present\w*"
_LABEL = re.compile(
    rf"""(?:^[ \t>*_\#-]{{0,12}}(?:(?:step|part)?[ \t]*\d{{1,2}}[.):]?)?[ \t>*_\#\[-]{{0,6}}
         (?: (?P<line>{_NAMES})[\]*_]*[ \t]*(?:\([^()\n]{{0,60}}\))?[*_]*[ \t]*
               (?:[:：–—]|-[ \t]|[*_\#]*[ \t]*$)
           | (?P<letter>[RECAP])[*_]*[ \t]*:(?=[ \t*]) )
       | (?<=[\s*])[*_]*(?P<inline>(?-i:Restate|Extract|Compute|Answer|Present))[*_]*:
       )[*_]*""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_MARK = re.compile(r"#{2,}")
_EQUALS = re.compile(r"[=≈≃]|\\approx|->|→")
_RUN = re.compile(
    r"(?:\b(?:min|max|sum|average|avg|mean|abs|round)\b|[\d.,%$€£()\[\]+\-−–*/×÷^ \t])+", re.IGNORECASE
)
_RESULT = re.compile(
    r"\s*(?:=|≈|≃|\\approx)\s*[$€£]?\s*(?P<number>[-−]?\d[\d,]*(?:\.\d+)?)\s*(?P<percent>%)?"
)
_TYPE = re.compile(r"\btype\b(.*)", re.IGNORECASE | re.DOTALL)
_TEXT_TYPE = re.compile(
    r"\b(?:non-?\s?numer\w*|not\s+(?:a\s+)?num\w*|text\w*|span|names?|yes|boolean|dates?|years?|lists?|entit\w+)\b",
    re.IGNORECASE,
)
_NUMBER_TYPE = re.compile(
    r"\b(?:num\w*|arithmetic|calculat\w+|comput\w+|percent\w*|count\w*|amounts?|ratios?|quantit\w+)\b",
    re.IGNORECASE,
)
_SAID = re.compile(r"\b(?:(?P<text>non-?\s?numeric\w*)|numeric\w*|arithmetic)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RecapReply:
    """A reply in parts; a part that is missing is empty.

    Attributes:
        parts: Text by the names of :data:`PARTS`; where a part comes twice, the last one that says something,
            and of ``compute`` all of them.
        formula: The formula that counts; None where none has a value.
        is_numeric: Whether the part Restate calls the question numeric; None where it does not say.
    """

    parts: dict[str, str]
    formula: Formula | None
    is_numeric: bool | None


def parse_recap(reply: str) -> RecapReply:
    """Read a reply; any text gives a result."""
    found: dict[str, list[str]] = {}
    labels = list(_LABEL.finditer(reply))
    ends = [label.start() for label in labels[1:]] + [len(reply)]
    for label, end in zip(labels, ends, strict=False):
        text = reply[label.end() : end]
        found.setdefault(_name(label), []).append(text.strip().strip("*_").strip())
    parts = {name: next((text for text in reversed(found.get(name, [])) if text), "") for name in PARTS}
    parts["compute"] = "\n".join(found.get("compute", []))
    formula = last_formula(parts["compute"]) or last_formula(reply)
    return RecapReply(parts, formula, _is_numeric(parts["restate"]))


def last_formula(text: str) -> Formula | None:
    """The last formula with a value between marks, else the last computation with its right result."""
    segments = _MARK.split(text)
    marked = [*segments[1:-1], *(segments[-1].split("\n", 1)[:1] if len(segments) == 2 else [])]
    for segment in reversed(marked):
        if (formula := _of_equation(segment)) is not None:
            return formula
    computed = list(_with_results(text))
    return computed[-1] if computed else None


def _name(label: re.Match[str]) -> str:
    if letter := label["letter"]:
        return next(name for name in PARTS if name.startswith(letter.lower()))
    name = (label["line"] or label["inline"]).lower().replace("-", "")
    if name.startswith("calculat"):
        return "compute"
    return next((part for part in PARTS if name.startswith(part[:6])), "answer")


def _of_equation(text: str) -> Formula | None:
    """The side of an equation that computes; the other sides are names and results."""
    sides = [found for side in _EQUALS.split(text) if (found := _formula(side)) is not None]
    computing = [side for side in sides if not shape_of(side).is_number]
    if not computing:
        return sides[0] if sides else None
    first, last = computing[0], computing[-1]
    # "3 - 2 = 1 / 2 = 0.5" goes on from its result; "(3 - 2) / 2 = 1 / 2 = 0.5" says the same twice.
    return first if math.isclose(first.value, last.value, rel_tol=0.01) else last


def _formula(text: str) -> Formula | None:
    plain = text.rpartition(":")[2].strip(" \t\n`,;").replace("\\(", "").replace("\\)", "")
    try:
        return read_formula(plain.removesuffix("."))
    except CalculatorError:
        return None


def _with_results(text: str) -> Iterator[Formula]:
    for run in _RUN.finditer(text):
        result = _RESULT.match(text, run.end())
        formula = _formula(run[0]) if result is not None else None
        if result is None or formula is None or shape_of(formula).is_number:
            continue
        said = float(result["number"].replace(",", "").replace("−", "-"))
        if any(math.isclose(formula.value * factor, said, rel_tol=0.01) for factor in (1, 100)):
            yield formula


def _is_numeric(restate: str) -> bool | None:
    stated = _TYPE.search(restate)
    if stated is not None:
        if _TEXT_TYPE.search(stated[1]):
            return False
        if _NUMBER_TYPE.search(stated[1]):
            return True
    said = _SAID.search(restate)
    return None if said is None else said["text"] is None
