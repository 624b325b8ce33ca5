"""What a model's reply says, whatever it is wrapped in: JSON, a code fence, quotes, a lead-in."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from tabrag.chat.thoughts import without_thoughts
from tabrag.files import encodable

_FENCE = re.compile(r"```(?:\w+\n|\s)?(.*?)```", re.DOTALL)
_TAGGED = re.compile(r"<(?:final_)?answer>([^<]*)</(?:final_)?answer>", re.IGNORECASE)
_LEAD_IN = re.compile(
    r"(?:^|\n|[.!?]\s)[\s*#]{0,4}(?:(?:so|thus|therefore),?\s+)?(?:the\s+)?(?:final\s+|correct\s+)?"
    r"answer(?:\s+is\b\s?:?|\s?:)(?=[\s*]*\S)",
    re.IGNORECASE,
)
_KEYS = (
    "answer",
    "final_answer",
    "final answer",
    "answers",
    "label",
    "verdict",
    "response",
    "output",
    "result",
)
_LABELS = ("NOT ENOUGH INFO", "REFUTED", "SUPPORTED")
_LABEL_WORDS = re.compile(
    r"\b(?:((?:not[\W_]+(?:\w+[\W_]+){0,2}enough|insufficient)[\W_]+(?:info(?:rmation)?|evidence|data)|nei|neutral"
    r"|unverifiable|(?:cannot|can\s+not|can't|could\s+not)\W+be\W+(?:verified|determined|decided|confirmed)"
    r"|neither\s+\w+\s+(?:it\s+)?nor\s+\w+)"
    r"|(refute[sd]?|contradict(?:s|ed|ion)?|(?:not|never|\w*n't)\W+(?:\w+ly\W+)?(?:support(?:ed)?|entail(?:ed)?|true"
    r"|correct)|unsupported|false|incorrect|(?:^|(?<=^\W))no)"
    r"|(support(?:s|ed)?|entail(?:s|ed|ment)?|(?:not|never|\w*n't)\W+(?:\w+ly\W+)?(?:refuted?|contradict(?:ed)?|false)"
    r"|true|correct|(?:^|(?<=^\W))yes))\b",
    re.IGNORECASE,
)


def final_answer(reply: str) -> str:
    """The answer that a reply gives; the members of a list stand one a line.

    JSON (fenced, with single quotes, or inside a sentence) gives the value of its key ``answer`` or the like,
    or of its only key. Thoughts, a code fence, marks (``<answer>``), a lead-in ("The answer is:") and the
    quotes around a whole answer go. A reply that is none of these is the answer as it stands.
    """
    text = without_thoughts(reply).strip()
    if fenced := _FENCE.search(text):
        text = fenced[1].strip()
    if tagged := _TAGGED.search(text):
        text = tagged[1].strip()
    value = _json_answer(text)
    if value is not None:
        return value
    if lead_ins := list(_LEAD_IN.finditer(text)):
        text = text[lead_ins[-1].end() :].strip(" \n\t*")
    quoted = re.fullmatch(r"([\"'`*]+)([^\"'`*]+)\1[.]?", text)
    return quoted[2].strip() if quoted else text


def parse_label(reply: str) -> str | None:
    """``SUPPORTED``, ``REFUTED`` or ``NOT ENOUGH INFO``; None where a reply says none of them, or several."""
    found = _LABEL_WORDS.finditer(final_answer(reply))
    said = {_LABELS[match.lastindex - 1] for match in found if match.lastindex is not None}
    return said.pop() if len(said) == 1 else None


def _json_answer(text: str) -> str | None:
    """The answer in the outermost object or list of a text."""
    for opening, closing in (("{", "}"), ("[", "]")):
        start, end = text.find(opening), text.rfind(closing)
        if start < 0 or end < start or (opening == "[" and (start, end) != (0, len(text) - 1)):
            continue
        for read in (json.loads, ast.literal_eval):
            try:
                value = read(text[start : end + 1])
            except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
                continue
            return _text_of(value)
    return None


def _text_of(value: Any) -> str | None:
    if isinstance(value, dict):
        known = {str(key).casefold(): inner for key, inner in value.items()}
        key = next((key for key in _KEYS if key in known), None)
        if key is None and len(known) != 1:
            return None
        return _text_of(known[key] if key is not None else next(iter(known.values())))
    if isinstance(value, list | tuple | set | frozenset):
        texts = [_text_of(one) for one in value]
        return "\n".join(text for text in texts if text is not None)
    return "" if value is None else encodable(str(value))
