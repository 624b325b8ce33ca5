"""JSON objects in what a language model replies, read only where there is one way to read them.

What is mended is writing, never meaning: text around an object, comments, commas too many or too few between
lists and objects, single, typographic and unescaped quotes, keys without quotes, Python's ``True``, ``False``
and ``None``, line breaks inside of texts, and a missing last brace. An object that ends before its time
anywhere else is *cut off*: to close its brackets would drop what was not written. A key that stands twice in
an object is a fault too, since either value may be meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

MAX_DEPTH = 32
"""Lists and objects inside of each other."""

_OPENING = re.compile(r"\{(?=\s*(?:[\"'“‘}/#]|[A-Za-z_]\w*\s*:))")
_BLANK = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)
_TEXT_ENDS = re.compile(r"\s*(?:[:,}\]]|\Z)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_LITERALS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class LooseJsonError(ValueError):
    """Why a text cannot be read.

    Attributes:
        kind: ``syntax``, ``cut_off`` or ``repeated_key``.
        at: Where it shows, in characters.
    """

    def __init__(self, kind: Literal["syntax", "cut_off", "repeated_key"], at: int, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.at = at


@dataclass(frozen=True, slots=True)
class Found:
    """The objects of a text, outermost ones, in their order.

    Attributes:
        objects: Those that could be read.
        fault: The one that ends the text or, where none does, the first of the others; None where there is
            none.
        rest: The text outside of those objects.
    """

    objects: tuple[dict[str, Any], ...]
    fault: LooseJsonError | None
    rest: str


def read_strict(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        LooseJsonError: A key stands twice in an object.
        ValueError: It is no JSON (so is ``NaN``), or too deep.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("lists and objects are nested too deeply") from error


def find_objects(text: str) -> Found:
    """The JSON objects that stand in a text."""
    text = text.rstrip().removesuffix("```")
    objects: list[dict[str, Any]] = []
    rest: list[str] = []
    fault: LooseJsonError | None = None
    at = 0
    while opening := _OPENING.search(text, at):
        rest.append(text[at : opening.start()])
        reader = _Reader(text, opening.start())
        try:
            objects.append(reader.value(1))
            at = reader.at
        except LooseJsonError as error:
            if error.kind == "cut_off":
                return Found(tuple(objects), error, "".join([*rest, text[opening.start() :]]))
            fault = fault or error
            at = max(error.at, opening.end())
            rest.append(text[opening.start() : at])
    return Found(tuple(objects), fault, "".join([*rest, text[at:]]))


def _object(pairs: Sequence[tuple[str, Any]], at: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise LooseJsonError("repeated_key", at, f"the key '{key}' stands twice in one object")
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


class _Reader:
    """Reads one value of ``text`` that begins at ``at``; ``at`` then stands behind it."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise LooseJsonError("syntax", self.at, "lists and objects are nested too deeply")
        char = self._next()
        if char == "{":
            return self._members(depth)
        if char == "[":
            return self._elements(depth)
        if char in _CLOSING:
            return self._quoted()
        if word := _NAME.match(self.text, self.at):
            if word[0].casefold() not in _LITERALS:
                raise self._wrong(f"the word '{word[0][:40]}' outside of quotes")
            self.at = word.end()
            return _LITERALS[word[0].casefold()]
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            return float(number[0])
        raise self._wrong(f"{char!r} where a value is due")

    def _members(self, depth: int) -> dict[str, Any]:
        start = self.at
        self.at += 1
        pairs: list[tuple[str, Any]] = []
        while self._next() != "}":
            key = self._key()
            if self._next() != ":":
                raise self._wrong(f"no colon after '{key[:40]}'")
            self.at += 1
            pairs.append((key, self.value(depth + 1)))
            if depth == 1 and self._is_over():
                return _object(pairs, start)  # only the last brace is missing
            self._separator(pairs[-1][1], "}")
        self.at += 1
        return _object(pairs, start)

    def _elements(self, depth: int) -> list[Any]:
        self.at += 1
        elements: list[Any] = []
        while self._next() != "]":
            elements.append(self.value(depth + 1))
            self._separator(elements[-1], "]")
        self.at += 1
        return elements

    def _separator(self, before: Any, closing: str) -> None:
        """Step over the comma behind a value; one may be missing behind a list or an object."""
        char = self._next()
        if char == ",":
            self.at += 1
        elif char != closing and not (isinstance(before, list | dict) and (char in _CLOSING or char == "{")):
            raise self._wrong(f"{char!r} where a comma or {closing!r} is due")

    def _key(self) -> str:
        if self._next() in _CLOSING:
            return self._quoted()
        name = _NAME.match(self.text, self.at)
        if name is None:
            raise self._wrong(f"{self.text[self.at]!r} where a key is due")
        self.at = name.end()
        return name[0]

    def _quoted(self) -> str:
        """A text; it ends at a quote behind which a text can end, so that quotes inside of it may stand."""
        closing = _CLOSING[self.text[self.at]]
        self.at += 1
        said: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == closing and _TEXT_ENDS.match(self.text, self.at):
                # Two escapes may be the halves of one character.
                return "".join(said).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
            said.append(self._escaped() if char == "\\" else char)
        raise self._cut_off()

    def _escaped(self) -> str:
        if self.at >= len(self.text):
            raise self._cut_off()
        char = self.text[self.at]
        self.at += 1
        digits = self.text[self.at : self.at + 4]
        if char == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", digits):
            self.at += 4
            return chr(int(digits, 16))
        return _ESCAPES.get(char, char)

    def _next(self) -> str:
        """The next character that is no blank and in no comment."""
        if self._is_over():
            raise self._cut_off()
        return self.text[self.at]

    def _is_over(self) -> bool:
        blank = _BLANK.match(self.text, self.at)
        assert blank is not None
        self.at = blank.end()
        return self.at >= len(self.text)

    def _wrong(self, what: str) -> LooseJsonError:
        return LooseJsonError("syntax", self.at, f"{what}, at character {self.at + 1}")

    def _cut_off(self) -> LooseJsonError:
        return LooseJsonError("cut_off", len(self.text), "it ends before its last bracket is closed")
