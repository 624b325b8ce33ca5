"""What a reply in JSON says, as models really write JSON.

A reply that is one JSON object with the asked keys is read as that. Any other is repaired once, by rules: its
known keys are looked for, and the value behind each is read up to the next one. So what stands around the
object, code fences, commas too many, single or missing quotes, quotes and line ends within texts, and
``True`` and ``None`` of Python do no harm, and of a reply that was cut off all that is complete is taken. A
key that comes twice counts where it last has a value: a model may repeat the form before it fills it in.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import Any

from tabrag.chat.page_claims import PageClaim, page_claims
from tabrag.chat.prompts_reasoned import ANALYSIS, ANSWER, KEYS, PAGES, SUMMARY
from tabrag.files import encodable

_MAX_BRACKETS = 64
_BLANKS = re.compile(r"\s{32,}")
"""What a model says that has lost its way; the time of the rules below grows with the square of such runs."""

_OTHER_NAMES = {
    "answer": ANSWER,
    "relevantpage": PAGES,
    "pages": PAGES,
    "analysis": ANALYSIS,
    "summary": SUMMARY,
}
_KNOWN = {key.replace("_", ""): key for key in KEYS} | _OTHER_NAMES
_NAMES = "|".join(
    [*(key.replace("_", "[_ -]?") for key in KEYS), "answer|relevant[_ -]page|pages|analysis|summary"]
)
_QUOTED_KEY = re.compile(rf"(?<!\\)[\"'“‘](?P<name>{_NAMES})[\"'”’]\s*[:=]\s*", re.IGNORECASE)
_BARE_KEY = re.compile(rf"(?:^|[{{,])[ \t>*_#`-]{{0,8}}(?P<name>{_NAMES})[ \t*_`]*[:=][ \t*_]*", re.I | re.M)
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_ENDS = re.compile(
    r"""\s*(?:,?\s*[}\]] | ,\s*["'“‘][^"'\n]{1,60}["'”’]\s*: | ,\s*["'“‘]?\w{0,60}["'”’]?\s*\Z
     | ,?[ \t]*\n | \Z | `)""",
    re.VERBOSE,
)
_LAST_QUOTE = re.compile(r"[,\s}\]`]*\Z")
_OBJECT_ENDS = re.compile(r"\s*,?\s*\}")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.)|\Z)", re.DOTALL)
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_BARE = re.compile(r"[^\n}\]]*")
_WORDS = {"true": True, "false": False, "null": None, "none": None, "nil": None, "undefined": None}
_ELEMENT = re.compile(
    r"""\s*(?: "(?P<d>(?:\\.|[^"\\])*)" | '(?P<s>(?:\\.|[^'\\]|'(?=\w))*)' | “(?P<c>[^”]*)”
     | (?P<b>[^\s,\[\]"'“][^,\[\]"\n]*?) )\s*(?P<after>,|\]|\n)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class ReasonedReply:
    """What a reply says.

    Attributes:
        analysis: The steps, or empty.
        summary: The summary, or empty.
        pages: The pages that it claims, each once.
        answer: The answer: a text, True or False, None (null), or a list of these; numbers as they are
            written. Empty where there is none.
        has_answer: Whether there is one.
        is_strict: Whether the whole reply was one JSON object with all keys but, at most, the pages.
        is_cut: Whether it ended before its time.
    """

    analysis: str = ""
    summary: str = ""
    pages: tuple[PageClaim, ...] = ()
    answer: Any = ""
    has_answer: bool = False
    is_strict: bool = False
    is_cut: bool = False


def parse_reasoned(reply: str) -> ReasonedReply:
    """Read a reply; any text gives a result."""
    try:
        found = _strict(reply.strip())
        return _repaired(reply) if found is None else _reply(found, is_strict=True, is_cut=False)
    except RecursionError:  # hundreds of lists within each other say nothing
        return ReasonedReply()


def answer_text(value: Any) -> str:
    """An answer as a text: ``Yes`` and ``No``, the members of a list apart by commas (or semicolons, where a
    member has a comma itself); empty for null."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if value is None:
        return ""
    if isinstance(value, dict):
        if len(value) == 1:
            return answer_text(next(iter(value.values())))
        return _listed([f"{key}: {answer_text(one)}" for key, one in value.items()])
    if isinstance(value, list):
        return _listed([text for one in value if (text := answer_text(one))])
    return str(value).strip()


def _listed(texts: list[str]) -> str:
    return ("; " if any("," in text for text in texts) else ", ").join(texts)


def _strict(text: str) -> dict[str, Any] | None:
    try:
        # Numbers stay as they are written: 1250.50 has two decimals.
        found = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not {ANALYSIS, SUMMARY, ANSWER} <= set(found):
        return None
    return found


def _reply(found: dict[str, Any], *, is_strict: bool, is_cut: bool) -> ReasonedReply:
    answer = _clean(found.get(ANSWER, ""))
    return ReasonedReply(
        answer_text(_clean(found.get(ANALYSIS, ""))),
        answer_text(_clean(found.get(SUMMARY, ""))),
        page_claims(found[PAGES]) if PAGES in found else (),
        answer,
        ANSWER in found,
        is_strict,
        is_cut,
    )


def _clean(value: Any) -> Any:
    """Texts without halves of characters, which no file can hold."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [_clean(one) for one in value]
    if isinstance(value, dict):
        return {str(_clean(key)): _clean(one) for key, one in value.items()}
    return value


def _repaired(reply: str) -> ReasonedReply:
    reply = _BLANKS.sub(lambda run: "\n" if "\n" in run[0] else " ", reply)
    keys = list(_QUOTED_KEY.finditer(reply)) or list(_BARE_KEY.finditer(reply))
    has_braces = "{" in reply
    ends = [*(key.start() for key in keys[1:]), len(reply)][: len(keys)]
    found: dict[str, Any] = {}
    is_cut = False
    for key, end in zip(keys, ends, strict=True):
        name = _KNOWN[re.sub(r"[ _-]", "", key["name"].lower())]
        is_last = end == len(reply)
        value, is_whole = _value(reply[key.end() : end], is_last=is_last, has_braces=has_braces)
        is_cut = is_last and not is_whole
        # Half an answer may be another one ("1,2" of "1,250"); half a list of pages, or half the reasons, are
        # still some.
        if is_whole or name != ANSWER or isinstance(value, list):
            if name not in found or value not in ("", []):
                found[name] = value
    is_open = bool(keys) and ANSWER not in found and not reply.rstrip(" \n`").endswith("}")
    return _reply(found, is_strict=False, is_cut=is_cut or is_open)


def _value(text: str, *, is_last: bool, has_braces: bool) -> tuple[Any, bool]:
    """The value that a text begins with, and whether it is whole.

    Args:
        text: What stands behind a key, up to the next key.
        is_last: Whether no key follows; then more may stand behind the value.
        has_braces: Whether a brace must close what is whole.
    """
    text = text.strip()
    if not text:
        return "", False
    if text[0] in _QUOTES:
        return _quoted(text, is_last=is_last)
    if text[0] in "[{":
        return _nested(text)
    bare = _BARE.match(text)
    said = "" if bare is None else bare[0].strip().rstrip(",").strip().strip("`*_").strip()
    is_whole = bool(said) and (not is_last or not has_braces or len(text) > len(said))
    return _WORDS.get(said.casefold(), said), is_whole


def _quoted(text: str, *, is_last: bool) -> tuple[str, bool]:
    closing = _QUOTES[text[0]]
    places = [at for at in range(1, len(text)) if text[at] == closing and not _is_escaped(text, at)]
    end = None
    if is_last:
        end = next((at for at in places if _ENDS.match(text, at + 1)), None)
    elif places and _LAST_QUOTE.match(text, places[-1] + 1):
        end = places[-1]
    else:  # another object follows
        end = next((at for at in places if _OBJECT_ENDS.match(text, at + 1)), None)
    if end is not None:
        return _unescaped(text[1:end]).strip(), True
    # Only the closing quote is missing where the object is closed, or another key follows.
    body = text[1:].rstrip("` \n")
    if not is_last or body.endswith("}"):
        return _unescaped(body.rstrip(",} \n")).strip(), True
    return _unescaped(body).strip(), False


def _is_escaped(text: str, at: int) -> bool:
    slashes = 0
    while text[at - 1 - slashes] == "\\":
        slashes += 1
    return slashes % 2 == 1


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return _LETTERS.get(match[2] or "", match[2] or "")

    return _ESCAPE.sub(one, text)


def _nested(text: str) -> tuple[Any, bool]:
    """A list or an object; of a list that is not whole the complete members."""
    closing = "]" if text[0] == "[" else "}"
    places = [found.start() for found in re.finditer(re.escape(closing), text)][:_MAX_BRACKETS]
    for place in places:
        piece = text[: place + 1]
        for read in (_json, ast.literal_eval):
            try:
                value = read(piece)
            except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
                continue
            return _plain(value), True
    if text[0] == "{":
        return text[: places[-1] + 1] if places else text, bool(places)
    return _elements(text)


def _json(text: str) -> Any:
    return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)


def _plain(value: Any) -> Any:
    """A value of Python as one of JSON; numbers as texts."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(one) for one in value]
    if isinstance(value, bool | str) or value is None:
        return value
    return str(value)


def _elements(text: str) -> tuple[list[Any], bool]:
    """The complete members of a list that no parser reads."""
    found: list[Any] = []
    at = 1
    while match := _ELEMENT.match(text, at):
        quoted = next((match[name] for name in "dsc" if match[name] is not None), None)
        if quoted is not None:
            found.append(_unescaped(quoted).strip())
        else:
            said = match["b"].strip()
            found.append(_WORDS.get(said.casefold(), said))
        at = match.end()
        if match["after"] == "]":
            return found, True
    return found, text[at:].lstrip(" \t\n,").startswith("]")
