"""Asking a chat model for a stand-alone question, and for a step-back question; how the replies are read.

A stand-alone question can be understood without the conversation before it (MM-BizRAG: Bhathena et al., arXiv
2606.04231). A step-back question is a more general one, whose answer holds what the first one asks for (Zheng
et al., "Take a Step Back", ICLR 2024; MHier-RAG's code: Gong et al., arXiv 2508.00579). The wording is this
project's. Replies are read strictly: what is no question, or holds numbers that nobody named, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tabrag.chat.protocol import Message, Text
from tabrag.chat.thoughts import without_thoughts
from tabrag.types import Turn

REWRITE_VERSION = 1
"""Raised when a prompt or the reading of its replies changes: batch jobs name it."""

_MAX_SHOWN = 300
"""Characters that are shown of an earlier question or answer."""
_LONGEST = 400
"""Characters at most of a rewritten question beyond those of the question itself."""
_STAND_ALONE = (
    "Rewrite the last question so that it can be understood without the conversation: replace words such as"
    " 'it', 'that segment' or 'and in 2022' by what they stand for, and keep the years, names and measures"
    " that still hold. Do not answer it. Keep it as it is when it needs no conversation. Reply with the"
    " question alone, on one line.\n\n"
    "Conversation:\n"
    "Question: How many sailing boats were in the harbour of Lund in 2021?\n"
    "Answer: 1,250\n"
    "Last question: And fishing boats?\n"
    "Stand-alone question: How many fishing boats were in the harbour of Lund in 2021?\n\n"
)
_STEP_BACK = (
    "For a search, say what the question is about in more general words. Reply with two lines: 'General"
    " question:' with one broader question whose answer holds what is asked for, and 'Keywords:' with up to"
    " eight words that the text with the answer is likely to have. Do not answer.\n\n"
    "Question: By how much did the number of sailing boats in the harbour of Lund grow from 2020 to 2021?\n"
    "General question: How did the boats in the harbour of Lund develop over the years?\n"
    "Keywords: harbour, Lund, boats, sailing, number, growth, 2020, 2021\n\n"
)
_LABEL = re.compile(
    r"^[\s>*_#-]*(?:(?:the\s)?(?:stand-?\s?alone|rewritten|rephrased|reformulated|last|final)\s(?:version\sof\s(?:the\s)?)?"
    r"question|rewrite|question|output)\s*(?:is|would\sbe)?[*_]*\s*:[*_\s]*",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(r"^[^?]{0,120}:\s*$")
_ASKS = re.compile(
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would"
    r"|should|list|show|give|name|tell|describe|explain|calculate|compute|compare|find|state|summari[sz]e|provide)\b",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:as\san\sai|i\s(?:cannot|can't|can\snot|do\snot|don't|am|'m)\b|sorry|not\senough\sinformation)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]{4,}|\d+")
_GENERAL = re.compile(
    r"(?:general|broader|step-?\s?back)\s(?:question)?[*_]*\s*:[*_]*(?P<text>[^\n]+)", re.IGNORECASE
)
_KEYWORDS = re.compile(r"key\s?words?[*_]*\s*:[*_]*(?P<text>[^\n]+)", re.IGNORECASE)
_MAX_KEYWORDS = 12


def stand_alone_prompt(question: str, history: Sequence[Turn]) -> list[Message]:
    """Ask for the last question in a form that needs no conversation; long answers are cut."""
    lines = [_STAND_ALONE, "Conversation:\n"]
    for turn in history:
        lines.append(f"Question: {_one_line(turn.question)[:_MAX_SHOWN]}\n")
        if turn.answer.strip():
            lines.append(f"Answer: {_one_line(turn.answer)[:_MAX_SHOWN]}\n")
    lines.append(f"Last question: {_one_line(question)}\nStand-alone question:")
    return [Message("user", (Text("".join(lines)),))]


def read_stand_alone(reply: str, question: str, history: Sequence[Turn]) -> str | None:
    """The question that a reply gives.

    Args:
        reply: What the model said.
        question: What it was to rewrite.
        history: The conversation before it.

    Returns:
        The question; None where the reply is none: empty, several lines, too long, an answer or a refusal,
        nothing of what was asked, or with a number that neither the conversation nor a year beside one of its
        years has.
    """
    lines = [line for line in without_thoughts(reply).splitlines() if line.strip().strip("`*_")]
    if len(lines) > 1 and _INTRODUCES.match(lines[0]):
        lines = lines[1:]
    if len(lines) != 1:
        return None
    text = _bare(_LABEL.sub("", lines[0]))
    if not text or len(text) > len(question) + _LONGEST or _REFUSES.search(text):
        return None
    if "?" in text.rstrip("?") or not _may_state(question) and not (text.endswith("?") or _ASKS.match(text)):
        return None
    said = [question, *(part for turn in history for part in (turn.question, turn.answer))]
    if text in (turn.answer for turn in history) or not _has_numbers_of(text, " ".join(said)):
        return None
    asked = set(_words(question)) - _POINTERS
    return text if len(asked & set(_words(text))) * 2 >= len(asked) else None


def step_back_prompt(question: str) -> list[Message]:
    """Ask for a more general question and for words of its answer."""
    return [Message("user", (Text(f"{_STEP_BACK}Question: {_one_line(question)}\nGeneral question:"),))]


def read_step_back(reply: str) -> str | None:
    """What is searched for besides the question: the general question and the keywords.

    Returns:
        One line; None where the reply has no general question. Keywords may be missing.
    """
    text = without_thoughts(reply).strip()
    # The prompt ends in the first label, so that a reply may begin without it.
    labelled = _GENERAL.search(text) or _GENERAL.search(f"General question: {text}")
    if labelled is None:
        return None
    general = _bare(labelled["text"])
    if not general or len(general) > _LONGEST or _REFUSES.search(general) or not _ASKS.match(general):
        return None
    listed = _KEYWORDS.search(text)
    words = [] if listed is None else [_bare(word) for word in re.split(r"[,;|]", listed["text"])]
    kept = list(dict.fromkeys(word for word in words if word and len(word) <= 40))[:_MAX_KEYWORDS]
    return " ".join([general, *kept])


_POINTERS = frozenset(
    "this that these those they them their there what which when where about with from year years same before"
    " after previous following company then also does have were will would could should much many".split()
)
"""Words of a question that a rewriting may replace."""


def _may_state(question: str) -> bool:
    """Whether what is rewritten is no question: a statement to be verified."""
    return question.rstrip().endswith((".", "!")) and _ASKS.match(question.strip()) is None


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _has_numbers_of(text: str, said: str) -> bool:
    """Whether each number of a text was said, or is a year beside a year that was."""
    known = set(_NUMBER.findall(said))
    years = {int(number) for number in known if len(number) == 4 and number.isdigit()}
    return all(
        number in known or (len(number) == 4 and number.isdigit() and _is_beside(int(number), years))
        for number in _NUMBER.findall(text)
    )


def _is_beside(year: int, years: set[int]) -> bool:
    return year - 1 in years or year + 1 in years


def _bare(text: str) -> str:
    """A text without the quotes and marks around it."""
    text = text.strip().strip("*_`").strip()
    for left, right in (('"', '"'), ("'", "'"), ("“", "”"), ("«", "»")):
        if len(text) > 1 and text.startswith(left) and text.endswith(right):
            text = text[1:-1].strip()
    return text


def _one_line(text: str) -> str:
    return " ".join(text.split())
