"""What a question asks a table for, told from its words. The words are those of English.

==============  ==========================================================================================
kind            questions
==============  ==========================================================================================
percent_change  "by what percentage did sales grow from 2018 to 2019", "growth rate", "% change"
difference      "how much more ... than", "difference between", "change ... from 2018 to 2019"
average         "average of 2018 and 2019"
sum             "sum of", "total of A and B", "combined", "altogether"
ratio           "ratio of A to B"
extreme         "which ... most", "what is the highest"; also "first", "latest" of dates
order           "next after", "before", "last ... listed"
count           "how many ..." where no column has such a number
value           all others
==============  ==========================================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from tabrag.tables.lexical import asked_direction

Kind = Literal["percent_change", "difference", "average", "sum", "ratio", "value"]

_CHANGE = r"(?:change|increase|decrease|growth|decline|drop|rise|reduction|variation)"
_PERCENT_CHANGE = re.compile(
    rf"\b(?:percent(?:age)?|per\s+cent|%)(?:wise)?\s+(?:\w+\s+)?{_CHANGE}\b|\bgrowth\s+rate\b|{_CHANGE}\s+(?:rate|percentage|percent)\b"
    rf"|\bby\s+(?:what|how\s+many)\s+(?:percent(?:age)?|per\s+cent)\b|{_CHANGE}\s+in\s+(?:percent|%)",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    rf"\bdifference\b|\bby\s+how\s+(?:much|many)\b|\bhow\s+(?:much|many)\s+(?:[\w-]+\s+){{0,3}}?(?:more|less|fewer|higher|lower|"
    rf"greater|larger|smaller|older|younger|longer|shorter|taller|faster)\b|\b{_CHANGE}\b",
    re.IGNORECASE,
)
_AVERAGE = re.compile(r"\b(?:average|mean)\b", re.IGNORECASE)
_SUM = re.compile(r"\b(?:sum|combined|altogether|together|in\s+all|add(?:ed)?\s+up|total)\b", re.IGNORECASE)
_RATIO = re.compile(r"\bratio\b|\bhow\s+many\s+times\s+(?:more|as|larger|higher|greater)\b", re.IGNORECASE)
_COUNT = re.compile(
    r"\bhow\s+many\b(?!\s+(?:percent|more|less|fewer|years\s+(?:did|was|were|is))\b)|\bthe\s+(?:total\s+)?(?:number|count)\s+of\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b(?:which|who|whom|whose|what|where|when|name)\b", re.IGNORECASE)
_QUANTITY = re.compile(
    r"\bhow\s+(?:many|much)\b|\bpercent|\bproportion\b|^\W*what(?:'s|\s+(?:was|is|were|are))\s+the\b(?!\s+(?:\w+\s+)?name)",
    re.IGNORECASE,
)
_WHO, _WHEN, _WHERE = (
    re.compile(rf"\b{word}\b", re.IGNORECASE) for word in (r"who(?:m|se)?", "when", "where")
)
_NOUN = re.compile(
    r"\b(?:which|what|whose)\s+(?:(?:is|are|was|were)\s+the\s+(?:name\s+of\s+(?:the\s+)?)?)?((?:[\w'#-]+\s+){0,3}[\w'#-]+)"
    r"|\bname\s+(?:of\s+)?(?:the|a|an)\s+((?:[\w'-]+\s+){0,2}[\w'-]+)",
    re.IGNORECASE,
)
_FIRST = re.compile(r"\b(?:first|earliest|oldest)\b", re.IGNORECASE)
_LAST = re.compile(
    r"\b(?:last|latest|newest|most\s+recent)\b(?!\s+(?:year|month|week|quarter|period|name)\b)", re.IGNORECASE
)
_NEXT = re.compile(
    r"\b(?:next|(?:listed\s+|directly\s+|right\s+|immediately\s+|came\s+|comes\s+|just\s+)?(?:after|below|follow(?:s|ed|ing)))\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:previous\s+to|prior\s+to|(?:listed\s+|directly\s+|right\s+|immediately\s+|came\s+|comes\s+|just\s+)?(?:before|above|preced(?:es|ed|ing)))\b",
    re.IGNORECASE,
)
_TOP = re.compile(
    r"^\W*(?:which|what|name|list|who)\s+(?:are\s+|were\s+)?(?:the\s+)?(?:top\s+)?"
    r"(two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\b(?!-)",
    re.IGNORECASE,
)
_NUMBERS = {
    word: place for place, word in enumerate("zero one two three four five six seven eight nine ten".split())
}
_MORE = (
    r"most|highest|greatest|largest|biggest|best|longest|maximum|max|oldest|heaviest|tallest|deepest|widest|fastest"
    r"|newest|richest|strongest|main"
)
_LESS = (
    r"least|lowest|fewest|smallest|shortest|minimum|min|worst|youngest|lightest|slowest|cheapest|thinnest"
    r"|weakest"
)
_SUPERLATIVE = re.compile(
    rf"(?<!\bat )(?<!second )(?<!third )(?<!second-)(?<!third-)\b(?:(?P<more>{_MORE})|(?P<less>{_LESS})"
    r"|(?P<top>top)(?!\s*\d+\s*(?:%|percent)))\b(?!\s+(?:common|recent|serious|likely)\s+\w+\s+of\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for.

    Attributes:
        kind: The arithmetic, or ``value``.
        direction: 1 for what is larger or largest, -1 for smaller or smallest, 0 for neither.
        superlative: The word for the largest or smallest ("most", "lowest"); empty where there is none.
        counts: Whether it may ask how many rows there are of something.
        names: Whether it asks for a name: of a row, a column or what stands in a column of texts.
        quantity: Whether it asks for a quantity: "how many", "what is the".
        noun: What the asked thing is called, where that stands behind "which", "what" or "name".
        order: 1 for what comes after something, -1 before, 0 for neither.
        end: -1 for the first, 1 for the last, 0 for neither.
        top: How many things are asked for, where the question says so; else 1.
        who: Whether a person is asked for.
        when: Whether a time is asked for.
        where: Whether a place is asked for.
    """

    kind: Kind
    direction: int
    superlative: str
    counts: bool
    names: bool
    quantity: bool
    noun: str
    order: int
    end: int
    top: int
    who: bool
    when: bool
    where: bool

    def plain(self) -> Wanted:
        """The same question as one for a value."""
        return replace(self, names=False, noun="", who=False, when=False, where=False)


def wanted(question: str) -> Wanted:
    """What the words of a question ask for."""
    noun = _NOUN.search(question)
    top = _TOP.search(question)
    superlative = _SUPERLATIVE.search(question)
    direction = asked_direction(question)
    if superlative is not None:
        direction = -1 if superlative["less"] else 1
    return Wanted(
        kind=_kind(question),
        direction=direction,
        superlative="" if superlative is None else superlative[0].casefold(),
        counts=_COUNT.search(question) is not None,
        names=_NAME.search(question) is not None and not re.match(r"\s*how\b", question, re.IGNORECASE),
        quantity=_QUANTITY.search(question) is not None,
        noun="" if noun is None else noun[1] or noun[2] or "",
        order=bool(_NEXT.search(question)) - bool(_BEFORE.search(question)),
        end=bool(_LAST.search(question)) - bool(_FIRST.search(question)),
        top=1 if top is None else _NUMBERS.get(top[1].lower()) or int(top[1] if top[1].isdigit() else 1),
        who=_WHO.search(question) is not None,
        when=_WHEN.search(question) is not None,
        where=_WHERE.search(question) is not None,
    )


def _kind(question: str) -> Kind:
    if _RATIO.search(question):
        return "ratio"
    if _PERCENT_CHANGE.search(question):
        return "percent_change"
    if _DIFFERENCE.search(question):
        return "difference"
    if _AVERAGE.search(question):
        return "average"
    return "sum" if _SUM.search(question) else "value"
