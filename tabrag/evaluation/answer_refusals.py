"""Answers that say that there is no answer, in whatever words.

Data sets with unanswerable questions have the gold answer ``Not answerable`` (MMLongBench-Doc, Ma et al.,
2024); prompts ask for "not in the table" or "not in the documents", and models write what they like. All of
these are one answer here. The whole text must say so:

=============================================================  ==========
text                                                           a refusal
=============================================================  ==========
Not answerable. / unanswerable / not found                     yes
It is not in the table. / The 2030 sales are not given there.  yes
The report does not mention any dividend.                      yes
The question cannot be answered from the documents.            yes
Not answerable: the report ends in 2023.                       yes
Not in the table, but the text says 450.                       no
No / none / n/a / unknown / not disclosed                      no: a cell may say so
No evidence of fraud. / No information technology costs.       no: that is an answer
=============================================================  ==========
"""

from __future__ import annotations

import re
import unicodedata

from tabrag.evaluation.answer_values import EDGES

_MAX_LENGTH = 600
"""Characters; a longer text says more than that there is no answer."""
_HINT = re.compile(
    r"\b(?:not|no|none|neither|nowhere|cannot|unable|insufficient|impossible|know)\b|n't\b|unanswer|n’t\b"
)
_SHORT_IS = re.compile(r"\b(there|it|that|this)'s\b")
_NEGATED = re.compile(r"\b(?:can(?=not\b)|ca(?=n't\b))")
_TURN = re.compile(r"\b(?:but|however|although|though|instead|nevertheless|yet|the answer is(?! not\b))\b")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\s*\n+\s*")
_REASON = re.compile(
    r"\s*[,;:(–—-]*\s*\b(?:because|since|as|given that)\b(?!\s+(?:follows|well)).*|\s*[;:–—(].*"
)

_PLACE = r"""(?:(?:any|one|either|both|all)\s(?:of\s)?)?(?:(?:the|this|these|that|those)\s)?
    (?:[\w'-]+\s){0,3}?
    (?:tables?|documents?|texts?|reports?|pages?|contexts?|passages?|contents?|excerpts?|sources?|images?
    |pictures?|figures?|charts?|slides?|decks?|files?|filings?|information|data|materials?|presentations?)
    (?:\s(?:\d+(?:\sof\s(?:the\s)?\w+)?|provided|given|shown|above|below|alone|itself
    |that\s(?:is|are|was|were)\s\w+|i\swas\s\w+))?"""
_TOLD = r"""(?:found|given|stated|mentioned|provided|specified|disclosed|reported|listed|shown|present
    |available|included|contained|covered|described|indicated|answered|addressed|discussed|named|written|to\sbe\sfound
    |explicitly\s\w+|directly\s\w+|clearly\s\w+)"""
_WANTED = r"""(?:it|this|that|(?:(?:the|this|that|an|your)\s)?(?:\w+\s)?
    (?:question|answer|information|value|figure|data|number|result)s?)"""
_BE = r"(?:is|are|was|were|has\sbeen|have\sbeen)"
_TELL = r"""(?:\w+ly\s)?(?:say|tell|mention|state|contain|give|provide|include|show|specify|disclose|report
    |hold|answer|list|have|describe|cover|indicate|reveal|address|discuss|name|make|offer)"""
_THERE = r"(?:there\s(?:is|was|are|were)\s)?"
_ABOUT = r"""(?:about|on|regarding|concerning|for|of|as\sto|to|that|which|in|from|by|within|is|are|was|were
    |can|could|available|given|provided|found|stated|mentioned|there|here)\b[^;:]*"""
_SUBJECT = r"[^,;:.!?]{1,160}?"
_PLAIN = rf"""(?:{_WANTED}\s{_BE}\s)?(?:not\sanswerable|un-?answerable)
     (?:\s(?:from|with|by|using|in)\s{_PLACE})?
    |(?:{_WANTED}\s(?:{_BE}\s|could\s)?)?not\s(?:be\s)?found
    |not\s(?:{_TOLD}\s)?(?:anywhere\s)?(?:in|on|by|within|from)\s{_PLACE}
    |no\sanswer"""
_OTHER = rf"""{_SUBJECT}\s(?:{_BE}\s)?not\s(?:{_TOLD}\s)?(?:anywhere\s)?(?:in|on|by|within|from)\s{_PLACE}
    |{_SUBJECT}\s{_BE}\snot\s{_TOLD}\s(?:there|here|anywhere)|{_WANTED}\s{_BE}\snot\s(?:{_TOLD}|there|here)
    |(?:{_SUBJECT}\s)?(?:can|could)\snot\sbe\s(?:\w+ly\s)?(?:answered|determined|found|derived|inferred
     |calculated|computed|established|ascertained|known|read|told|identified)
     (?:\s(?:from|with|by|in|on|based\son|using|given|without)\s.*)?
    |{_PLACE}\s(?:do|does|did)\snot\s{_TELL}\b.*
    |{_THERE}no\s(?:\w+\s)?(?:answer|information|info|mention)s?(?:\s{_ABOUT})?
    |{_THERE}no\s(?:\w+\s)?(?:data|value|figure|number|evidence)s?(?:\s{_ABOUT})?\s(?:in|on|by)\s{_PLACE}
    |(?:none\sof|neither(?:\sof)?|no)\s{_PLACE}\s{_TELL}s?\b[^;:]*
    |{_PLACE}\s{_TELL}s?\sno\s(?:\w+\s)?(?:answer|information|info|mention|data|value|figure|number|detail)s?
     (?:\s{_ABOUT})?
    |(?:i|we)\s(?:can|could|do|did|am|are)\s(?:not|unable)\s(?:to\s|able\sto\s)?(?:answer|determine|find|know
     |say|tell|see|identify|locate)\b.*
    |(?:(?:it|this)\sis\s)?(?:unable|impossible|not\spossible)\sto\s(?:answer|determine|find|say|tell|know)\b.*
    |(?:there\sis\s)?(?:not\senough|insufficient)\s(?:information|info|data|evidence|context)(?:\s{_ABOUT})?"""
_LEAD = re.compile(
    rf"""(?:(?:sorry|i(?:'m|\sam)\s(?:sorry|afraid)|unfortunately|(?:based\son|according\sto|from)\s{_PLACE}
     |(?:the\s)?(?:final\s)?answer(?:\sis)?\s?:|that)[,:]?\s(?:but\s)?)+""",
    re.VERBOSE,
)
_PLAIN_PATTERN = re.compile(_PLAIN, re.VERBOSE)
_PATTERN = re.compile(f"{_PLAIN}|{_OTHER}", re.VERBOSE)


def is_refusal(text: str) -> bool:
    """Whether an answer says, as a whole, that there is no answer."""
    if len(text) > _MAX_LENGTH:
        return False
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    if not _HINT.search(plain):
        return False
    plain = _SHORT_IS.sub(r"\1 is", plain).replace(" has no ", " have no ")
    plain = _NEGATED.sub("can ", plain).replace("can n't", "can not").replace("n't", " not")
    sentences = [found for one in _SENTENCE_END.split(plain) if (found := " ".join(one.split()).strip(EDGES))]
    if not sentences:
        return False
    first = _LEAD.sub("", sentences[0], count=1) if _LEAD.match(sentences[0]) else sentences[0]
    if _is_plain(first):
        # What follows may only say why: a number alone, or "but", is an answer after all.
        return all(_says(one) or _is_reason(one) for one in sentences[1:])
    return _says(first) and all(map(_says, sentences[1:]))


def _is_plain(sentence: str) -> bool:
    """Whether a sentence is one of the plain formulas, with or without a reason behind it."""
    return _matches(_PLAIN_PATTERN, sentence)


def _says(sentence: str) -> bool:
    return _matches(_PATTERN, sentence)


def _matches(pattern: re.Pattern[str], sentence: str) -> bool:
    if _TURN.search(sentence):
        return False
    if pattern.fullmatch(sentence):
        return True
    reason = _REASON.search(sentence)
    return (
        reason is not None
        and reason.start() > 0
        and _is_reason(sentence[reason.start() :].strip(" ,;:(–—-"))
        and pattern.fullmatch(sentence[: reason.start()].strip(EDGES)) is not None
    )


def _is_reason(sentence: str) -> bool:
    return len(sentence.split()) >= 4 and not _TURN.search(sentence)
