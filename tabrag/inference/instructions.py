"""Questions apart from the instructions how to answer them.

"How many goals did Ann score? Answer in JSON." asks about goals. The instruction is for the reader: a
retriever that embeds it, or searches for its words, looks for tables about answers and JSON. MMTab (Zheng et
al., 2024) wraps each of its questions in such sentences.

What counts as an instruction, and goes with its whole sentence:

======================  ============================================================================
kind                    example
======================  ============================================================================
reply in a form         "Answer with one word.", "Reply yes or no.", "Return the final answer as JSON."
what a reply must be    "Your response should be a single number."
a template              ``{"answer": "<YOUR ANSWER>"}``
a manner                "Think step by step.", "Do not explain.", "Be concise."
the task itself         "Answer the following question based on the table."
======================  ============================================================================

"Reply in a form" may also follow a question after a comma, a dash, in brackets or after "please": "How many
goals, answer in JSON?". Some may stand before it: "In one word, who won?". A sentence that ends in a question
mark stays otherwise. So does everything else: a question may well be about formats, answers and responses.
"""

from __future__ import annotations

import re


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL | re.VERBOSE)


_POLITE = _pattern(r"(?:(?:please|kindly|now|then|and|finally|also|you\s(?:must|should))\b[\s,]*)+")
_ASKS_MODEL = _pattern(r"(?:can|could|would|will)\syou\s")
_FORM = _pattern(
    r"""[{}<>]
    | \b(?:json|xml|yaml|markdown|latex|boxed|bullets?|formats?|formatted|structured?|template)\b
    | \b(?:one|an?|single|two|three|few|fewer|\d+)\s (?:single\s)?
      (?:word|number|value|phrase|sentence|letter|list|digit)s?\b
    | \b(?:short|full|complete)\s(?:phrase|sentence|answer)s?\b | \bword\sor\sphrase\b | \bas\sfollows\b
    | \b(?:decimals?|decimal\splaces|comma[\s-]separated)\b | \byes\W+(?:or\W+)?no\b
    | \btrue\W+(?:or\W+)?false\b | \b(?:support|entail)\w*\W+(?:or\W+)?(?:refute|contradict)
    | \bonly\b | \bnothing\selse\b | \b(?:without|no)\s(?:any\s)?(?:explanation|reasoning|unit)s?\b
    | \b(?:brief|concise)(?:ly)?\b | \bstep[\s-]by[\s-]step\b"""
)
_REPLY = _pattern(
    r"""(?:answer|respond|reply)\s (?:(?:to\s)?(?:the|this)\s(?:following\s)?question\s)?
    (?:with|in|using|as|by|only|just|briefly|concisely|yes|true|supported|entailed)\b.*"""
)
_WRITE = _pattern(
    r"""(?:give|provide|present|show|display|print|write|format|express|state|report|return|output|submit|put
    |wrap|enclose|structure|organi[sz]e|generate|produce|conclude|end|finish|limit|keep|round|use|ensure|make)\b
    .*\b(?:answers?|responses?|reply|output|conclusion|verdict)\b.*"""
)
_AS_DATA = _pattern(
    r"(?:return|output|print|format|give|provide|show|write|present)\b.*\b(?:in|as|using)\b.*\b(?:json|xml|yaml)\b.*"
)
_MUST_BE = _pattern(
    r"""(?:(?:the|your|each|final)\s)*(?:answer|response|reply|output)s?\s
    (?:should|must|needs?\sto|has\sto|have\sto|shall)\s(?:not\s|only\s)?(?:be|contain|follow|have|include|use)\b.*"""
)
_MANNER = _pattern(
    r"""(?:(?:let'?s\s)?(?:think|reason)\sstep[\s-]by[\s-]step | be\s(?:brief|concise|precise)
    | (?:do\snot|don'?t)\s(?:explain\b.*|(?:include|add|give|provide|write)\s(?:any\s)?
      (?:explanation|reasoning|unit)s?.*)
    | no\s(?:explanation|reasoning)s?(?:\s(?:is\s)?(?:needed|required))?)[\s.!]*"""
)
_TABLE = (
    r"(?:the|this)\s(?:\w+\s){0,3}(?:table|image|picture)(?:\simage)?"
    r"(?:\s(?:provided|given|above|below|shown))?"
)
_TASK = _pattern(
    rf"""(?:(?:based\son|using|use|utili[sz]e|given|from|with|analy[sz]e|read|examine|look\sat|refer\sto)\s{_TABLE}
      (?:,|\sand|\sto)*\s)?
    (?:answer|respond\sto|reply\sto|verify|judge|solve|(?:write|give|provide)\s(?:an?|the|your)\s(?:\w+\s)?answer\sto)
    \s(?:the|this)\s(?:following\s)?(?:question|statement|claim|problem)(?:\s(?:that\sfollows|below))?
    (?:,?\s(?:based\son|using|from|with|about|according\sto)\s{_TABLE})?[\s.!:]*"""
)
_TEMPLATE = _pattern(r"[\W_]*\{.*\}[\W_]*")
_HEAD = _pattern(
    r"""((?:(?:in|with|using)\s(?:one|a\ssingle)\s(?:word|number|sentence)|(?:in|as|using)\sjson(?:\sformat)?
    |briefly)\s*[,:])\s*(\S.*)"""
)
_TAIL = _pattern(
    r"""(.*\w\W*?)(?:\s*[(,;]|\s[-–—]|(?=\splease\s))\s*
    ((?:please\s)?(?:answer|respond|reply)\s[^,;()]*?)[)\s]*([.?!]*)"""
)
_LABEL = _pattern(r"\s*(?:question|statement|claim)\s*:\s*")
_SENTENCE = _pattern(r"(?:\{[^{}]*\}|[^\n.?!]|[.?!](?!\s|$))+[.?!]*")


def split_instructions(text: str) -> tuple[str, str]:
    """The question and the instructions how to answer it, each in the order of the text.

    Args:
        text: What a user or a data set asks.

    Returns:
        The question, which holds every word that is not surely an instruction, and the instructions, empty
        where there are none. A text of instructions alone is a question as it stands.
    """
    parts = [_split_sentence(found[0].strip()) for found in _SENTENCE.finditer(text)]
    question = _LABEL.sub("", " ".join(asked for asked, _ in parts if asked), count=1)
    instruction = " ".join(wanted for _, wanted in parts if wanted)
    if not instruction or not any(map(str.isalnum, question)):
        return text, ""
    return question, instruction


def _split_sentence(sentence: str) -> tuple[str, str]:
    """What a sentence asks, and what it wants of the answer; either may be empty."""
    if _is_instruction(sentence):
        return "", sentence
    before, colon, after = sentence.partition(":")
    if after.strip() and _TASK.fullmatch(_imperative(before)):
        return after.strip(), before + colon
    if head := _HEAD.fullmatch(sentence):
        return head[2], head[1]
    tail = _TAIL.fullmatch(sentence)
    if tail and _replies(_imperative(tail[2])):
        return tail[1].rstrip(" ,;(") + tail[3], tail[2]
    return sentence, ""


def _is_instruction(sentence: str) -> bool:
    if _TEMPLATE.fullmatch(sentence):
        return True
    if asks := _ASKS_MODEL.match(sentence):
        return _replies(_imperative(sentence[asks.end() :]))
    plain = _imperative(sentence)
    if sentence.endswith("?"):
        return False
    return _replies(plain) or bool(_MANNER.fullmatch(plain) or _TASK.fullmatch(plain))


def _replies(plain: str) -> bool:
    """Whether it says how to reply, and names a form."""
    if any(pattern.fullmatch(plain) for pattern in (_REPLY, _WRITE, _MUST_BE)):
        return _FORM.search(plain) is not None
    return _AS_DATA.fullmatch(plain) is not None


def _imperative(sentence: str) -> str:
    return _POLITE.sub("", sentence.strip(), count=1) if _POLITE.match(sentence.strip()) else sentence.strip()
