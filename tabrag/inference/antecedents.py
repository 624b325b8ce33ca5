"""What pronouns and the like of a question stand for, by the questions and answers before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.inference.question_parts import Span, names, years

_POINTS_BACK = re.compile(
    r"\b(?:the\s(?:former|latter|same|others?|rest|ones?|(?:increase|decrease|change|difference|rise|drop|decline"
    r"|growth|fall|reason|result|cause)(?=\s*(?:$|\?|\.|,))))\b"
    r"|(?<=\b)(?:these|those|this)\b|\bones?\b(?=\s*\?)"
    r"|(?:^|\b(?:of|in|for|at|by|on|from|with|to|about|than|is|was|does|did|do|and|or|has|why|how|like)\s)that\b"
    r"(?!\s(?:is|are)\b)"
    r"|(?<!\bis\s)(?<!are\s)(?<!was\s)(?<!were\s)\bthere\b(?=\W*$)"
    r"|\b(?P<pronoun>it|its|they|them|their|he|she|him|his|her)\b",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"\b(?:the|this|that)\s(?:company|firm|group|corporation|organi[sz]ation|business|bank|issuer)"
    r"(?P<own>['’]s?)?(?!\w)(?!\s(?:that|which|with|whose|into|of)\b)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:(?P<own>its|their|his|her(?=\s+(?!in\b|at\b|for\b|of\b|to\b|on\b|and\b)[a-z]))(?=\s)"
    r"|(?:it|they|them|he|she|him|her)(?!\w|['’]))",
    re.IGNORECASE,
)
_OF_FIGURE = re.compile(
    r"\s(?:compares?|changed?|develop(?:ed)?|grow|grew|rise|rose|fall|fell|increased?|decreased?|evolved?"
    r"|differ(?:ed|s)?|drop(?:ped)?|declined?|improved?|measured|calculated|computed|defined|made\sup)\b",
    re.IGNORECASE,
)
"""Behind "it": a figure is spoken of rather than who has it."""
_PERSON = frozenset(("he", "she", "him", "his", "her"))
_SAME_YEAR = re.compile(
    r"\b(?:(?P<prep>in|for|during|of)\s)?(?:that|this|the\ssame)\s(?:fiscal\s|financial\s)?(?:year|period)\b",
    re.IGNORECASE,
)
_THAT_HEAD = re.compile(
    r"\b(?:that|this|these|those|the\ssame)\s(?P<head>[a-z]+(?:\s(?:unit|line))?)\b", re.IGNORECASE
)
_ASKS_NAME = re.compile(r"(?:and\s)?(?:who|which|what)\b", re.IGNORECASE)
_ACTS = re.compile(r"\b(?:did|does|do|has|have|had|can|will|when|that)\s(?:the\s)?$", re.IGNORECASE)
"""Before a name: it is who does what the question asks about."""
_THEIR_OWN = re.compile(
    r"\b(?:compan(?:y|ies)|firms?|groups?|banks|corporations?)\b.*\btheir\b", re.IGNORECASE
)
"""The pronoun stands for what the question itself asks for."""
_SHORT = 6
"""Words at most of an answer that is taken for a name."""


@dataclass(frozen=True, slots=True)
class Said:
    """A turn whose question stands alone."""

    question: str
    answer: str


def year_of(said: Sequence[Said]) -> int | None:
    """The year that the last turn speaks of: of its question, else its answer."""
    for text in (said[-1].question, said[-1].answer):
        found = {span.text for span in years(text)}
        if found:
            return int(found.pop()) if len(found) == 1 else None
    return None


def points_back(text: str) -> bool:
    """Whether something in a question stands for what was said before it."""
    if _COMPANY.search(text):
        return True
    return any(found["pronoun"] is None or not _has_own(text, found) for found in _POINTS_BACK.finditer(text))


def _has_own(text: str, pronoun: re.Match[str]) -> bool:
    """Whether a pronoun stands for what its own question says: "When did Kestrel Bank open its branch?"."""
    behind = text[pronoun.end() :]
    is_ahead = pronoun[0].lower() in ("its", "their") and any(span.is_company for span in names(behind))
    return is_ahead or bool(names(text[: pronoun.start()])) or _THEIR_OWN.search(text) is not None


def with_antecedents(text: str, said: Sequence[Said]) -> str:
    """The text with what its pronouns and the like stand for, where that is clear."""
    if (same := _SAME_YEAR.search(text)) and (year := year_of(said)) is not None:
        text = f"{text[: same.start()]}{same['prep'] or 'in'} {year}{text[same.end() :]}"
    for head in _THAT_HEAD.finditer(text):
        if (named := _answer_named(head["head"], said)) is not None:
            text = text.replace(head[0], named, 1)
    for found in reversed(list(_COMPANY.finditer(text))):
        # A company that the question names itself may be meant.
        is_own = any(span.is_company for span in names(text[: found.start()]))
        name = None if is_own else _antecedent("company", said)
        text = text if name is None else _put(text, found, name)
    for found in reversed(list(_PRONOUN.finditer(text))):
        pronoun = found[0].lower()
        is_figure = pronoun in ("it", "they") and _OF_FIGURE.match(text[found.end() :])
        if not is_figure and not _has_own(text, found):
            name = _antecedent(pronoun, said)
            text = text if name is None else _put(text, found, name)
    return text


def _put(text: str, found: re.Match[str], name: str) -> str:
    """The text with a name in the place of a pronoun."""
    ending = "" if found["own"] is None else "'" if name.endswith("s") else "'s"
    return text[: found.start()] + name + ending + text[found.end() :]


def _antecedent(pronoun: str, said: Sequence[Said]) -> str | None:
    """What a pronoun stands for; None where that is not clear."""
    for turn in reversed(said):
        found = names(turn.question)
        if pronoun in _PERSON:
            if re.match(r"who\b", turn.question, re.IGNORECASE) and is_name(turn.answer):
                return _of_company(turn.answer, found)
            if (only := main_name(found, turn.question)) is not None and not only.is_company:
                return only.text
            continue
        if found:
            main = main_name(found, turn.question, acting=pronoun == "company")
            is_person = main is not None and pronoun == "company" and not main.is_company and len(found) > 1
            return None if main is None or is_person else main.text
        if _ASKS_NAME.match(turn.question) and is_name(turn.answer):
            return turn.answer.rstrip(".")
    return None


def main_name(found: Sequence[Span], question: str, *, acting: bool = False) -> Span | None:
    """What a question is about: its company, else its only name; None where there is no such.

    Args:
        found: The names in it.
        question: The question.
        acting: Whether of several the one will do that does what is asked about.
    """
    companies = [span for span in found if span.is_company]
    if len({span.text for span in companies}) == 1:
        return companies[0]
    if len({span.text for span in found}) != 1:
        doing = [span for span in companies or found if _ACTS.search(question[: span.start])]
        return doing[0] if acting and len(doing) == 1 else None
    only = found[0]
    # In "the Aurora strategy deck" the name is a part of what is meant.
    is_part = re.search(r"\bthe\s$", question[: only.start]) and re.match(r"\s[a-z]", question[only.end :])
    return None if is_part else only


def _answer_named(head: str, said: Sequence[Said]) -> str | None:
    """What "that segment" means after "Which segment ...?" was answered."""
    turn = said[-1]
    asks = re.match(rf"(?:which|what)\s(?:\w+\s){{0,2}}?{re.escape(head)}\b", turn.question, re.IGNORECASE)
    if not asks or not is_name(turn.answer):
        return None
    answer = turn.answer.rstrip(".")
    named = answer if head.lower() in answer.lower() else f"{answer} {head}"
    return f"the {_of_company(named, names(turn.question))}"


def _of_company(name: str, found: Sequence[Span]) -> str:
    companies = [span.text for span in found if span.is_company]
    return f"{name.rstrip('.')} of {companies[0]}" if companies else name.rstrip(".")


def is_name(answer: str) -> bool:
    """Whether an answer is short and no number."""
    return 0 < len(answer.split()) <= _SHORT and not re.match(r"\W*\d", answer) and not answer.endswith("?")
