"""A question from the one before it and a fragment: "And in 2022?", "What about Borealis Inc?".

The fragment takes the place of the part of its kind: years and quarters that of as many years and quarters,
a name that of the name in the same place (after the same preposition, with the same noun behind it, or a
company's), other words that of the measure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.inference.question_parts import Span, names, replaced, year_parts, years

_PREPOSITIONS = "in|for|of|at|by|from|on|to|with|within|among|between|during|since|until|under|per|as"
_HEAD = re.compile(rf"(?:(?P<prep>{_PREPOSITIONS})\s+)?(?:the\s+)?(?P<words>.*)", re.IGNORECASE | re.DOTALL)
_PERIOD_WORDS = re.compile(
    r"\b(?:fiscal|financial|calendar|years?|quarter|the|at|end|of|in|for|from|to|and|during|until|between|since"
    r"|as|by|on|start|beginning|through|FY)\b|[\s,.?–-]+",
    re.IGNORECASE,
)
_STOPS = (
    r"of|for|in|at|by|from|on|to|during|between|per|as|according|did|does|do|has|have|had|was|were|is|are|can"
    r"|will|reported|recorded|made|came|that|which|among|with"
)
_WORDS = rf"(?P<measure>(?:(?!(?:{_STOPS})\b)[^\s?.,]+\s*){{1,6}})"
_MEASURES = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bhow\s(?:many|much)\s{_WORDS}(?=(?:{_STOPS})\b|[?.,]|$)",
        rf"\b\w['’]s?\s{_WORDS}(?=(?:{_STOPS})\b|[?.,]|$)",
        rf"\b(?:what|how\s\w+)\s(?:is|are|was|were)\sthe\s{_WORDS}(?=(?:{_STOPS})\b|[?.,]|$)",
        rf"\bwhat\s(?!(?:is|are|was|were|did|does|do|has|have|share|percentage|proportion)\b){_WORDS}"
        rf"(?=(?:{_STOPS})\b|[?.,]|$)",
        rf"\bthe\s{_WORDS}(?=of\b)",
    )
]

_SUBJECT = re.compile(
    r"\b(?:did|does|do|has|have|had|is|are|was|were|can|could|will|would)\s(?:the\s)?$", re.I
)
"""Before a name: it is what the question is about."""


def fill_in(fragment: str, before: str) -> str | None:
    """The question before with the fragment in the place of its part.

    Args:
        fragment: What is asked, without "and", "what about" and a question mark.
        before: The question before, which stands alone.

    Returns:
        The question; None where the place is not clear.
    """
    asked = before
    new_years, new_parts = years(fragment), year_parts(fragment)
    if new_years or new_parts:
        made = _with_period(fragment, before, new_years, new_parts)
        if made is None:
            return None
        asked = made
    rest = replaced(fragment, [(span, "") for span in (*new_years, *new_parts)])
    named = names(rest)
    if not _PERIOD_WORDS.sub("", rest) or (named and asked != before and _are_in(named, before)):
        return asked
    if new_years or new_parts:  # "And Borealis Inc in 2022?": what stands before the period
        first = min(span.start for span in (*new_years, *new_parts))
        rest = re.sub(rf"[\s,]*\b(?:{_PREPOSITIONS})?\s*(?:the\s|fiscal\s|end\sof\s)*$", "", fragment[:first])
    head = _HEAD.fullmatch(rest.strip())
    if head is None or not head["words"].strip():
        return None
    prep, words = (head["prep"] or "").lower(), head["words"].strip()
    if names(words):
        return _with_name(asked, prep, words)
    return _with_words(asked, prep, words)


def _with_period(
    fragment: str, before: str, new_years: Sequence[Span], new_parts: Sequence[Span]
) -> str | None:
    old_years, old_parts = years(before), year_parts(before)
    pairs: list[tuple[Span, str]] = []
    if new_parts:
        if len(old_parts) == len(new_parts):
            pairs += [(old, new.text) for old, new in zip(old_parts, new_parts, strict=True)]
        elif old_parts or len(new_parts) > 1 or len(old_years) > 1:
            return None
        elif old_years:
            year = new_years[0].text if new_years else old_years[0].text
            part = new_parts[0].text
            is_short = re.match(r"[QH\d]", part) is not None or part.istitle()  # Q3, or a month
            return replaced(
                before, [(old_years[0], f"{part} {year}" if is_short else f"the {part} of {year}")]
            )
        else:
            return _appended(before, fragment)
    if new_years:
        if len(old_years) == len(new_years):
            pairs += [(old, new.text) for old, new in zip(old_years, new_years, strict=True)]
        elif old_years:
            return None
        elif not pairs:
            bare = fragment.strip() == new_years[0].text
            return _appended(
                before, f"in {fragment.strip()}" if bare else _period_phrase(fragment, new_years)
            )
    return replaced(before, pairs)


def _period_phrase(fragment: str, new_years: Sequence[Span]) -> str:
    """A fragment from the preposition of its period on."""
    found = re.search(rf"\b(?:{_PREPOSITIONS})\s(?:[a-z]+\s){{0,3}}$", fragment[: new_years[0].start])
    return fragment[found.start() :].strip() if found else f"in {new_years[0].text}"


def _appended(before: str, words: str) -> str:
    body = before.rstrip()
    plain = body.rstrip("?.! ")
    return f"{plain} {words.strip()}{body[len(plain) :].strip()}"


def _with_name(before: str, prep: str, words: str) -> str | None:
    """Another name in the place of the one that it can stand for."""
    old, new = names(before), names(words)
    if not old:
        return _appended(before, f"{prep or 'for'} {words}")
    noun = words[new[-1].end :].strip()
    if noun:
        same = [span for span in old if re.match(rf"\s{re.escape(noun)}\b", before[span.end :])]
        return replaced(before, [(same[0], words[: new[-1].end])]) if len(same) == 1 else None
    alike = [span for span in old if span.is_company == new[0].is_company]
    for some in (
        [span for span in old if prep and _before(before, span) == prep],
        alike,
        [span for span in alike if _SUBJECT.search(before[: span.start])],
        old,
    ):
        if len(some) == 1:
            return replaced(before, [(some[0], words)])
    return None


def _are_in(named: Sequence[Span], text: str) -> bool:
    return all(one.text in text for one in named)


def _before(text: str, span: Span) -> str:
    """The preposition before a name."""
    found = re.search(rf"\b({_PREPOSITIONS})\s(?:the\s)?$", text[: span.start], re.IGNORECASE)
    return found[1].lower() if found else ""


def _with_words(before: str, prep: str, words: str) -> str | None:
    """Another group ("of men" for "of women") or another measure."""
    if prep:
        taken = names(before) + years(before)
        same = [
            found
            for found in re.finditer(rf"\b{prep}\s(?P<words>[a-z][\w-]*)(?=\s(?:{_STOPS})\b|\W*$)", before)
            if not any(span.start <= found.start("words") < span.end for span in taken)
        ]
        if len(same) != 1:
            return None
        (one,) = same
        return replaced(before, [(Span(one["words"], one.start("words"), one.end("words")), words)])
    for pattern in _MEASURES:
        found = pattern.search(before)
        if found is None:
            continue
        start, end = found.span("measure")
        measure = before[start:end].rstrip()
        if names(measure):
            continue
        return replaced(before, [(Span(measure, start, start + len(measure)), words)])
    return None
