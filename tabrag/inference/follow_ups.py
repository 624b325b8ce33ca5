"""Follow-up questions of a conversation made to stand alone, by rule.

What the last questions and answers say in place of what a question leaves out or points back to:

======================================  =====================================================================
"And in 2022?"                          the question before with another year
"What about Borealis Inc?"              the question before with another name, or of another group
"And net income?"                       the question before with another measure
"What was its margin?", "the company"   the name that the conversation is about, in the period it speaks of
"that segment", "that year"             what the answer before names, the period before
anything else that points back          the question before stands before it
======================================  =====================================================================

A part is replaced where one part of its kind stands there and no other could be meant. All other questions
stay as they are. English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.inference.antecedents import Said, is_name, main_name, points_back, with_antecedents, year_of
from tabrag.inference.ellipsis import fill_in
from tabrag.inference.question_parts import has_period, names, period_phrase
from tabrag.types import Turn

RULE_VERSION = 1
"""Raised when the rules change: batch jobs of other rules are not continued."""

_LEAD = re.compile(
    r"(?:(?:thanks|thank\syou|great|i\ssee|right)\b[\s,.!]*)*"
    r"(?:(?:and|but|or|so|then|also|ok|okay|now|well)\b[\s,]*)*"
    r"(?:(?:what|how)\s+about|what\s+of|same\s(?:question\s)?for)?\b[\s,]*",
    re.IGNORECASE,
)
_FULL = re.compile(
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will"
    r"|would|should|may|list|show|give|name|tell|describe|explain|calculate|compute|compare|find|state"
    r"|summari[sz]e|(?:in|on|at|for|by|from|to|of|with|under|since)\s(?:what|which|whom|whose|how))\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b", re.IGNORECASE
)
_BARE = re.compile(
    r"(?:by\s|since\s|for\s|in\s|of\s)?(?:why|how|when|where|who|which|what)\b[^?]*", re.IGNORECASE
)
_OF_SEVERAL = re.compile(
    r"\b(?:(?:of|between|for|in)\s(?:the|these|those)\stwo|both|either|(?:of|between)\s(?:them|these|those))\b",
    re.IGNORECASE,
)
_OF_EVENT = re.compile(
    r"\bthe\s(?:deal|transaction|acquisition|merger|purchase|sale|project|plan|trial|study|programme?|agreement"
    r"|contract|event|game|match|role|person|answer|figure|number|amount|value)\b(?!\s(?:of|for|with|between|that)\b)",
    re.IGNORECASE,
)
"""What a question is about without saying which one."""
_OF_OWNER = re.compile(
    r"(?:what|how)\b(?!\s(?:is|are)\s(?:an?\s|meant\b))|(?:did|does|do|has|have|had|was|were)\b",
    re.IGNORECASE,
)
"""How a question begins that may be about somebody whom it does not name; "which ..." asks for one."""
_BEFORE = re.compile(
    r"(?P<prep>\b(?:in|for|to|from|of|with|than|since)\s)?\b(?:the\s(?:year\sbefore|(?:previous|prior|preceding)\syear)"
    r"|a\syear\searlier)\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?P<prep>\b(?:in|for|to|from|of|with|than|since)\s)?\b(?:the\s(?:year\safter|(?:following|next|subsequent)\syear)"
    r"|a\syear\slater)\b",
    re.IGNORECASE,
)
_TIMELESS = re.compile(
    r"(?:and\s)?(?:when|since\swhen|in\s(?:which|what)\syear|list|how\slong)\b", re.IGNORECASE
)
_ANY_COMPANY = re.compile(
    r"\b(?:compan(?:y|ies)|firms?|groups?|corporations?|organi[sz]ations?|who|all|any|each|every)\b",
    re.IGNORECASE,
)
_SHORT = 6
"""Words at most of a question without a verb."""


def stand_alone(question: str, history: Sequence[Turn]) -> str:
    """The question as it can be understood without the conversation before it.

    Args:
        question: The last question.
        history: What was asked and answered before, oldest first.

    Returns:
        The question; as it is where it already stands alone, as far as the rules see.
    """
    said: list[Said] = []
    for turn in history:
        if turn.question.strip():
            said.append(Said(_resolve(turn.question, said), turn.answer.strip()))
    return _resolve(question, said)


def _resolve(question: str, said: Sequence[Said]) -> str:
    if not said or not question.strip():
        return question
    last = said[-1]
    lead = _LEAD.match(question)
    begin = lead.end() if lead else 0
    rest = question[begin:].strip()
    if not any(map(str.isalnum, rest)):
        return _behind(last, question)
    dated = _other_year(rest, said)
    if _is_fragment(dated, has_lead=begin > 0):
        made = fill_in(dated.rstrip(" ?.!"), last.question)
        return made if made is not None else _behind(last, question)
    if _is_bare(dated):
        return _behind(last, question)
    made = _pointed(dated, said, has_lead=begin > 0)
    return question if made == rest else made


def _is_fragment(text: str, *, has_lead: bool) -> bool:
    """Whether a question has neither a question word nor a verb."""
    if _FULL.match(text) or points_back(text):
        return False
    if has_lead:
        return not _VERB.search(text)
    return len(text.split()) <= _SHORT and not _VERB.search(text) and not text.rstrip().endswith((".", "!"))


def _is_bare(text: str) -> bool:
    """Whether a question is hardly more than its question word: "Why?", "By how much?"."""
    return len(text.split()) <= 3 and _BARE.fullmatch(text.rstrip(" ?")) is not None and not names(text)


def _together(before: str, question: str) -> str:
    return f"{before.strip()} {question.strip()}"


def _other_year(text: str, said: Sequence[Said]) -> str:
    """The year in the place of "the year before" and its like, where the last question has one."""
    for pattern, step in ((_BEFORE, -1), (_AFTER, 1)):
        if pattern.search(text) and (year := year_of(said)) is not None:
            text = pattern.sub(lambda found, year=year + step: f"{found['prep'] or 'in '}{year}", text)
    return text


def _pointed(text: str, said: Sequence[Said], *, has_lead: bool) -> str:
    """A whole question whose pronouns and the like are replaced; the subject is added where it has none."""
    last = said[-1]
    if _OF_SEVERAL.search(text) and len(said) > 1:
        return _together(said[-2].question, _together(last.question, text))
    made = with_antecedents(text, said)
    if points_back(made) or (made == text and not names(text) and (has_lead or _OF_EVENT.search(text))):
        return _behind(last, made)
    if not names(made) and not _ANY_COMPANY.search(made) and (owner := _owner(made, said)) is not None:
        made = _appended(made, f"({owner})")
    phrase = period_phrase(last.question)
    is_source = phrase.startswith((",", "according", "as "))
    if phrase and made != text and not has_period(made) and (is_source or not _TIMELESS.match(made)):
        made = _appended(made, phrase)
    return made


def _owner(text: str, said: Sequence[Said]) -> str | None:
    """Whom a question without a name is about: the last company, else what the last question asks of."""
    companies = [span for turn in reversed(said) for span in names(turn.question) if span.is_company]
    if companies:
        return companies[0].text
    last = said[-1].question
    main = main_name(names(last), last)
    if main is None or not _OF_OWNER.match(text):
        return None
    is_owner = re.match(r"['’]", last[main.end :]) or re.search(
        r"\b(?:of|did|does|do|has|have|had)\s(?:the\s)?$", last[: main.start]
    )
    return main.text if is_owner else None


def _behind(turn: Said, question: str) -> str:
    """The question behind the one before it, and behind its answer where that may be what is meant."""
    answer = f"{turn.answer.rstrip('.')}. " if is_name(turn.answer) else ""
    return _together(turn.question, answer + question)


def _appended(question: str, words: str) -> str:
    body = question.rstrip()
    plain = body.rstrip("?.! ")
    joint = "" if words.startswith(",") or not words else " "
    return f"{plain}{joint}{words.lstrip()}{body[len(plain) :].strip()}"
