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
from dataclasses import dataclass

from tabrag.inference.ellipsis import fill_in
from tabrag.inference.question_parts import Span, has_period, names, years
from tabrag.types import Turn

RULE_VERSION = 1
"""Raised when the rules change: batch jobs of other rules are not continued."""

_LEAD = re.compile(
    r"(?:(?:and|but|or|so|then|also|ok|okay|now|well)\b[\s,]*)*(?:(?:what|how)\s+about|what\s+of|same\s"
    r"(?:question\s)?for)?\b[\s,]*",
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
_POINTS_BACK = re.compile(
    r"\b(?:the\s(?:former|latter|same|others?|rest|ones?|(?:increase|decrease|change|difference|rise|drop|decline"
    r"|growth|fall|reason|result|cause)(?=\s*(?:$|\?|\.|,))))\b"
    r"|(?<=\b)(?:these|those|this)\b|\bones?\b(?=\s*\?)"
    r"|(?:^|\b(?:of|in|for|at|by|on|from|with|to|about|than|is|was|does|did|do|and|or|has|why|how|like)\s)that\b"
    r"(?!\s(?:is|are)\b)"
    r"|(?<!\bis\s)(?<!are\s)(?<!was\s)(?<!were\s)\bthere\b(?=\W*$)"
    r"|\b(?:it|its|they|them|their|he|she|him|his|her)\b",
    re.IGNORECASE,
)
_COMPANY = r"(?:the|this|that)\s(?:company|firm|group|corporation|organi[sz]ation|business|bank|issuer)"
_POSSESSIVE = re.compile(
    rf"\b(?:its|their|his|her(?=\s+(?!in\b|at\b|for\b|of\b|to\b|on\b|and\b)[a-z])|{_COMPANY}['’]s?)(?=\s)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    rf"\b(?:it|they|them|he|she|him|her|{_COMPANY}(?!\s(?:that|which|with|whose)\b))\b(?!['’])", re.IGNORECASE
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
_OF_FIGURE = re.compile(
    r"\s(?:compares?|changed?|develop(?:ed)?|grow|grew|rise|rose|fall|fell|increased?|decreased?|evolved?"
    r"|differ(?:ed|s)?|drop(?:ped)?|declined?|improved?|measured|calculated|computed|defined|made\sup)\b",
    re.IGNORECASE,
)
"""Behind "it": a figure is spoken of rather than who has it."""
_PERSON = frozenset(("he", "she", "him", "his", "her"))
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
_SAME_YEAR = re.compile(
    r"\b(?:(?P<prep>in|for|during|of)\s)?(?:that|this|the\ssame)\s(?:fiscal\s|financial\s)?(?:year|period)\b",
    re.I,
)
_THAT_HEAD = re.compile(
    r"\b(?:that|this|these|those|the\ssame)\s(?P<head>[a-z]+(?:\s(?:unit|line))?)\b", re.I
)
_ASKS_NAME = re.compile(r"(?:and\s)?(?:who|which|what)\b", re.IGNORECASE)
_TIMELESS = re.compile(
    r"(?:and\s)?(?:when|where|who|why|since\swhen|in\swhich\syear|list|does|do|how\slong)\b", re.IGNORECASE
)
_ANY_COMPANY = re.compile(
    r"\b(?:compan(?:y|ies)|firms?|groups?|corporations?|organi[sz]ations?|who|all|any|each|every)\b",
    re.IGNORECASE,
)
_PERIOD_PHRASE = re.compile(
    r"\b(?:in|for|during|at\sthe\send\sof|as\sof)\s(?:the\s)?(?:(?:fiscal|financial)\s(?:year\s)?|FY\s?)?"
    r"(?:(?:[QH][1-4]|(?:first|second|third|fourth)\s(?:quarter|half)|[A-Z][a-z]{2,8})\s(?:of\s)?)?"
    r"(?:18|19|20)\d\d\b(?![-–/]\d)(?!\s(?:and|to)\s(?:18|19|20)\d\d)"
)
_SHORT = 6
"""Words at most of an answer that is taken for a name, and of a question without a verb."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A turn whose question stands alone."""

    question: str
    answer: str


def stand_alone(question: str, history: Sequence[Turn]) -> str:
    """The question as it can be understood without the conversation before it.

    Args:
        question: The last question.
        history: What was asked and answered before, oldest first.

    Returns:
        The question; as it is where it already stands alone, as far as the rules see.
    """
    said: list[_Said] = []
    for turn in history:
        if turn.question.strip():
            said.append(_Said(_resolve(turn.question, said), turn.answer.strip()))
    return _resolve(question, said)


def _resolve(question: str, said: Sequence[_Said]) -> str:
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
    if _FULL.match(text) or _POINTS_BACK.search(text):
        return False
    if has_lead:
        return not _VERB.search(text)
    return len(text.split()) <= _SHORT and not _VERB.search(text) and not text.rstrip().endswith((".", "!"))


def _is_bare(text: str) -> bool:
    """Whether a question is hardly more than its question word: "Why?", "By how much?"."""
    return len(text.split()) <= 3 and _BARE.fullmatch(text.rstrip(" ?")) is not None and not names(text)


def _together(before: str, question: str) -> str:
    return f"{before.strip()} {question.strip()}"


def _other_year(text: str, said: Sequence[_Said]) -> str:
    """The year in the place of "the year before" and its like, where the last question has one."""
    for pattern, step in ((_BEFORE, -1), (_AFTER, 1)):
        if pattern.search(text) and (year := _year(said)) is not None:
            text = pattern.sub(lambda found, year=year + step: f"{found['prep'] or 'in '}{year}", text)
    return text


def _year(said: Sequence[_Said]) -> int | None:
    """The year that the last turn speaks of: of its question, else its answer."""
    for text in (said[-1].question, said[-1].answer):
        found = {span.text for span in years(text)}
        if found:
            return int(found.pop()) if len(found) == 1 else None
    return None


def _pointed(text: str, said: Sequence[_Said], *, has_lead: bool) -> str:
    """A whole question whose pronouns and the like are replaced; the subject is added where it has none."""
    last = said[-1]
    if _OF_SEVERAL.search(text) and len(said) > 1:
        return _together(said[-2].question, _together(last.question, text))
    made, is_open = _antecedents(text, said)
    if is_open:
        return _behind(last, made)
    if made == text and not names(text):
        if has_lead or _OF_EVENT.search(text):
            return _behind(last, text)
        if not _ANY_COMPANY.search(text):
            companies = [span for turn in reversed(said) for span in names(turn.question) if span.is_company]
            made = _appended(text, f"({companies[0].text})") if companies else text
    phrases = _PERIOD_PHRASE.findall(last.question)
    if made != text and len(phrases) == 1 and not has_period(made) and not _TIMELESS.match(made):
        made = _appended(made, phrases[0])
    return made


def _behind(turn: _Said, question: str) -> str:
    """The question behind the one before it, and behind its answer where that may be what is meant."""
    answer = f"{turn.answer.rstrip('.')}. " if _is_name(turn.answer) else ""
    return _together(turn.question, answer + question)


def _appended(question: str, words: str) -> str:
    body = question.rstrip()
    plain = body.rstrip("?.! ")
    return f"{plain} {words}{body[len(plain) :].strip()}"


def _antecedents(text: str, said: Sequence[_Said]) -> tuple[str, bool]:
    """The text with what pronouns stand for, and whether something in it still points back."""
    if (same := _SAME_YEAR.search(text)) and (year := _year(said)) is not None:
        text = f"{text[: same.start()]}{same['prep'] or 'in'} {year}{text[same.end() :]}"
    for head in _THAT_HEAD.finditer(text):
        if (named := _answer_named(head["head"], said)) is not None:
            text = text.replace(head[0], named, 1)
    for pattern, ending in ((_POSSESSIVE, "'s"), (_PRONOUN, "")):
        for found in reversed(list(pattern.finditer(text))):
            if found[0].lower() in ("it", "they") and _OF_FIGURE.match(text[found.end() :]):
                continue
            name = _antecedent(found[0].lower(), said)
            if name is not None:
                own = "'" if ending and name.endswith("s") else ending
                text = text[: found.start()] + name + own + text[found.end() :]
    return text, _POINTS_BACK.search(text) is not None


def _antecedent(pronoun: str, said: Sequence[_Said]) -> str | None:
    """What a pronoun stands for; None where that is not clear."""
    for turn in reversed(said):
        found = names(turn.question)
        if pronoun in _PERSON:
            if re.match(r"who\b", turn.question, re.IGNORECASE) and _is_name(turn.answer):
                return _of_company(turn.answer, found)
            if (only := _main(found, turn.question)) is not None and not only.is_company:
                return only.text
            continue
        if found:
            main = _main(found, turn.question)
            return None if main is None else main.text
        if _ASKS_NAME.match(turn.question) and _is_name(turn.answer):
            return turn.answer.rstrip(".")
    return None


def _main(found: Sequence[Span], question: str) -> Span | None:
    """What a question is about: its company, else its only name; None where there is no such."""
    companies = [span for span in found if span.is_company]
    if len({span.text for span in companies}) == 1:
        return companies[0]
    if companies or len({span.text for span in found}) != 1:
        return None
    only = found[0]
    # In "the Aurora strategy deck" the name is a part of what is meant.
    is_part = re.search(r"\bthe\s$", question[: only.start]) and re.match(r"\s[a-z]", question[only.end :])
    return None if is_part else only


def _answer_named(head: str, said: Sequence[_Said]) -> str | None:
    """What "that segment" means after "Which segment ...?" was answered."""
    turn = said[-1]
    asks = re.match(rf"(?:which|what)\s(?:\w+\s){{0,2}}?{re.escape(head)}\b", turn.question, re.IGNORECASE)
    if not asks or not _is_name(turn.answer):
        return None
    answer = turn.answer.rstrip(".")
    named = answer if head.lower() in answer.lower() else f"{answer} {head}"
    return f"the {_of_company(named, names(turn.question))}"


def _of_company(name: str, found: Sequence[Span]) -> str:
    companies = [span.text for span in found if span.is_company]
    return f"{name.rstrip('.')} of {companies[0]}" if companies else name.rstrip(".")


def _is_name(answer: str) -> bool:
    """Whether an answer is short and no number."""
    return 0 < len(answer.split()) <= _SHORT and not re.match(r"\W*\d", answer) and not answer.endswith("?")
