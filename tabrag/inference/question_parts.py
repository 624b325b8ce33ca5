"""The parts of a question that the next one of a conversation takes up: its periods and the names in it.

By spelling alone: a period has a year, a quarter or a month, a name is written with capitals. English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
)
_YEAR = re.compile(r"(?<![\w.,/-])(?:FY\s?|'?)?((?:18|19|20)\d\d)(?:[/–-]\d{2,4})?(?![\w]|[.,]\d)")
_PART = re.compile(
    r"\b(?:[QH][1-4]|[1-4]Q|(?:first|second|third|fourth|last|1st|2nd|3rd|4th)\s(?:quarter|half)"
    rf"|(?:{_MONTHS})(?=\s+(?:(?:18|19|20)\d\d|of\b|to\b|and\b)|\W*$))\b"
)
_NAME = re.compile(
    r"[\"“](?P<quoted>[^\"”]{2,60})[\"”]"
    r"|(?P<name>[A-ZÀ-Þ][\w&.'’-]*(?:\s(?:(?:of|and|de|du|von|van|der|the)\s)?(?=[A-ZÀ-Þ&]|plc\b)[\w&.'’-]+"
    r"|\s(?=\d{1,2}\b(?!\s?%))\d+)*)"
)
_DATED = r"[^,;?]*\b(?:18|19|20)\d\d\b[^,;?]*"
_PREPOSITION = r"(?:in|for|during|at|on|by|until|since|to|with|from)\b"
_PERIOD_PHRASES = [
    re.compile(pattern)
    for pattern in (
        rf",?\s(?:according\sto|as\s(?:shown|stated|reported|told|per|its|their|the))\b{_DATED}",
        r"\s(?:in|at|on|from|by)\s(?:the|its|their|an?)\s(?:\d{4}|slides|presentation|annual|report|accounts|books"
        rf"|statements|filing|deck|capital|investor|meeting|conference)\b{_DATED}",
        rf"\s(?:in|for|during|at|on|by|until|since)\s(?:(?!{_PREPOSITION})[\w'-]+\s){{0,6}}"
        r"(?:18|19|20)\d\d\b(?:\s(?!than\b|and\b|to\b)[a-z]+){0,3}(?=\s*(?:[,;?.!]|$|than\b))",
    )
]
_MAX_PHRASE = 12
"""Words at most of a phrase that says of when a question is."""
_SUFFIX = re.compile(
    r"\b(?:Inc|Corp|Corporation|Ltd|Limited|AG|SE|SA|SpA|NV|BV|AB|ASA|Oy|plc|PLC|LLC|LLP|GmbH|KG|Co|Company"
    r"|Group|Holdings?|Bank|Partners|Industries|Systems|Technologies|Foods?|Energy|Labs?|Software|Robotics"
    r"|Motors|Airlines|Insurance|Pharmaceuticals?|Pharma|Brands|Ventures|Enterprises|International|Solutions"
    r"|Logistics|Media|Networks|Materials|Works|Mills|Power|Capital|Instruments|Devices)\b\.?$"
    r"|\b(?:B\.V|N\.V|S\.A|S\.p\.A)\.?$|^the\s.+\s(?:group|company)$"
)
_GROUP = re.compile(r"\s(?:group|company)\b")
_NO_NAME = frozenset(
    "i a an the and but or so then also what which who whom whose when where why how is are was were do does"
    " did has have had can could will would should may in on of for at from by with to during between among"
    " compare list show give name tell describe explain calculate find state if than that this these those it"
    " its their they he she his her according please okay ok same now since after before until per both"
    " ceo cfo coo cto ebit ebitda roe roi roa eps capex opex gdp arpu fcf nav aum kpi kpis co2 esg r&d hr it"
    " fy q1 q2 q3 q4 h1 h2 us$ eur usd gbp chf".split()
) | {month.lower() for month in _MONTHS.split("|")}


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text.

    Attributes:
        text: What it says.
        start: Where it begins.
        end: Where it ends.
    """

    text: str
    start: int
    end: int

    @property
    def is_company(self) -> bool:
        """Whether it ends as the names of companies do."""
        return _SUFFIX.search(self.text) is not None


def years(text: str) -> list[Span]:
    """The years of a text."""
    return [Span(found[1], found.start(1), found.end()) for found in _YEAR.finditer(text)]


def year_parts(text: str) -> list[Span]:
    """Quarters, halves and months of a text."""
    return [Span(found[0], found.start(), found.end()) for found in _PART.finditer(text)]


def has_period(text: str) -> bool:
    """Whether a text names a period."""
    return bool(years(text) or year_parts(text))


def period_phrase(text: str) -> str:
    """Of when, or by which report, a question is: "in the third quarter of 2018", ", as its report says".

    Returns:
        The phrase as it stands there; empty where there is none, or where the text has several years.
    """
    if len(years(text)) != 1:
        return ""
    for pattern in _PERIOD_PHRASES:
        found = pattern.search(text)
        if found is not None and len(found[0].split()) <= _MAX_PHRASE:
            return re.split(r"\sthan\b", found[0])[0].rstrip(" .!?").removeprefix(" ")
    return ""


def names(text: str) -> list[Span]:
    """The names of a text: quoted, or words with capitals that are neither periods nor a sentence's first."""
    found: list[Span] = []
    for match in _NAME.finditer(text):
        group = "quoted" if match["quoted"] else "name"
        start, end = match.span(group)
        found += _trimmed(text, start, end)
    return [_as_group(text, span) for span in found]


def _as_group(text: str, span: Span) -> Span:
    """The name with "the" and "group" around it, where it is written so."""
    noun = _GROUP.match(text, span.end)
    if noun is None or not text[: span.start].endswith("the "):
        return span
    return Span(text[span.start - 4 : noun.end()], span.start - 4, noun.end())


def _trimmed(text: str, start: int, end: int) -> Iterable[Span]:
    """The names in a run of capitalised words: it is split at words that are no part of a name."""
    words = [(word[0], start + word.start()) for word in re.finditer(r"\S+", text[start:end])]
    run: list[tuple[str, int]] = []
    for word, place in [*words, ("", end)]:
        plain = re.sub(r"['’]s?$", "", word).strip(".,?!'’").lower()
        joins = word in ("of", "and", "de", "du", "von", "van", "der", "the") and run
        if plain and (joins or plain not in _NO_NAME) and not _YEAR.fullmatch(word):
            run.append((word, place))
            continue
        while run and run[-1][0].islower() and run[-1][0].strip(".,?!") != "plc":
            run.pop()
        if run:
            last, at = run[-1]
            last = re.sub(r"['’]s?$", "", last.rstrip(".,?!"))
            stop = at + len(last)
            if text[run[0][1] : stop].strip("'’-&."):
                yield Span(text[run[0][1] : stop], run[0][1], stop)
        run = []


def replaced(text: str, pairs: Iterable[tuple[Span, str]]) -> str:
    """A text with other words in the place of some of its pieces."""
    for span, words in sorted(pairs, key=lambda pair: -pair[0].start):
        text = text[: span.start] + words + text[span.end :]
    return text
