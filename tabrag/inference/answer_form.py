"""What the answer to a question looks like, told from its words.

=========  ==============================================================================================
form       questions
=========  ==============================================================================================
yes_no     begin with a verb ("Did sales grow?", "In 2022, was it ..."), but offer no choice ("A or B?")
list       ask for several things: "which companies", "list", "name the three", "who are"
integer    ask for a count or a year: "how many stores", "what year"
number     ask for another number: "what percentage", "how much", "what is the total ... in millions"
text       all others
=========  ==============================================================================================
"""

from __future__ import annotations

import re

from tabrag.chat.prompts_reasoned import AnswerForm
from tabrag.inference.number_cues import cues_of

_VERB = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)(?:n't)?\b(?!\s+(?:you|we)\s+\w+\s+"
    r"(?:me|us|what|which|who|how|the)\b)"
)
_YES_NO = re.compile(
    rf"\s*(?:(?:according|based|in|on|at|by|for|during|as)\b[^?]*?,\s*)?{_VERB}", re.IGNORECASE
)
_ASKS = re.compile(r"\b(?:what|which|how|who|whom|whose|when|where|why)\b", re.IGNORECASE)
_CHOICE = re.compile(
    r"\bor\b(?!\s+not\b)(?!\s+(?:more|less|fewer|higher|lower|above|over|under|later|earlier)\W*$)",
    re.IGNORECASE,
)
_PLURAL = r"(?!(?:\w*ss|is|was|has|does|basis|business|process|series|status|focus)\b)[a-z]\w*s"
_LIST = re.compile(
    rf"""\s*(?:please\s+)?(?:list|enumerate|identify\s+all|name\s+(?:all|the\s+(?:two|three|four|five|six|\d+|\w*s\b)))\b
    |\s*(?:which|what)\s+(?:are|were)\s+(?:all\s+)?the\b(?!\s+(?:total|average|net|number|amount|sum|value))
    |\s*who\s+(?:are|were)\b(?!\s+the\s+(?:only|first|last|winner)\b) |.*\brespectively\b
    |(?:in\s|for\s|on\s)?\s*(?:which|what)\s+(?:(?:of\s+the|two|three|four|five|six|\d+)\s+)?(?:[a-z]+\s+)?{_PLURAL}\s+
     (?:are|were|have|had|did|do|grew|fell|rose|\w+ed)\b
    |\s*which\s+(?:two|three|four|five|six|\d)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_YEAR = re.compile(r"\b(?:what|which)\s+(?:fiscal\s+|financial\s+|calendar\s+)?year\b", re.IGNORECASE)
_COUNT = re.compile(
    r"""\bhow\s+many\b(?!\s+(?:percent|per\s+cent|%|times|\w+\s+of\s+(?:dollars|euros)|millions?|billions?|thousands?
     |dollars|euros|pounds|tons|tonnes|km|hours|square|cubic|litres|liters|kwh|mwh|gwh|points))
    |\bwhat\s+(?:is|was)\s+the\s+(?:total\s+)?(?:number|count|headcount)\s+of\b""",
    re.IGNORECASE | re.VERBOSE,
)
_MEASURED = re.compile(
    r"\b(?:average|mean|in\s+(?:thousands|millions|billions)|percent\w*|ratio|rate|difference)\b|%",
    re.IGNORECASE,
)


def answer_form(question: str) -> AnswerForm:
    """The form of the answer to a question, its instructions how to answer left out."""
    asked = _YES_NO.match(question)
    if asked and not _ASKS.search(question, 0, asked.end()) and not _CHOICE.search(question):
        return "yes_no"
    cues = cues_of(question)
    counts = _COUNT.search(question) is not None and not (_MEASURED.search(question) or cues.scale)
    if _LIST.match(question) and not (cues.percent or counts):
        return "list"
    if counts or _YEAR.search(question):
        return "integer"
    return "number" if cues.is_numeric else "text"
