"""Formulas as language models and annotators write them, made into the calculator's strict form.

==========================  ==================================================================================
written                     read as
==========================  ==================================================================================
``1,234.5``, ``1 234``      1234.5, 1234: a mark that groups digits by three; see below for commas in calls
``12%``, ``(a + b) %``      ``(12 / 100)``, ``((a + b) / 100)``; ``12% of 50`` is ``(12 / 100) * 50``
``7 % 4``                   nothing: whether a remainder or a percentage is meant is not told
``$5``, ``US$ 5``, ``5 USD``  5
``1.2 million``             ``(1.2 * 1000000)``; also thousand, billion, trillion
``3 × 4 ÷ 2 − 1``, ``2^3``  ``3 * 4 / 2 - 1``, ``2 ** 3``; also ``3 x 4``, ``·``, ``²``, dashes of all kinds
``[(1 + 2) / 3]``           ``((1 + 2) / 3)``
``AVG(...)``, ``mean``      ``average(...)``; names in any case, also minimum, maximum, total, absolute
``\\frac{a}{b}``            ``((a) / (b))``; also ``\\times``, ``\\div``, ``\\left(``, ``\\%``, ``\\$``
==========================  ==================================================================================

A comma in a call parts arguments or groups digits. It groups where the call has other commas with a blank
beside them (``sum(1,234, 5,678)``), where a currency sign begins each number, where a piece has leading zeros
(``max(1,000,2,000)``) and where the function takes one number (``abs(1,234)``). Otherwise it parts
(``sum(100,200,300)``), unless the digits could as well be groups (``max(1,234,2,345)``): that has no value.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from tabrag.chat.calculator import MAX_LENGTH, CalculatorError, checked, evaluate
from tabrag.chat.formula_commas import Token, join_groups

_LATEX = (
    (re.compile(r"\\text\s*\{[^{}]*\}|\\(?:left|right|big|Big|[,;!: ])|\\(?=[%$])"), ""),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\(?:times|cdot|ast)(?![a-zA-Z])"), "*"),
    (re.compile(r"\\div(?![a-zA-Z])"), "/"),
)
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("×·⋅∗✕✖•", "*"),
        **dict.fromkeys("÷∕⁄", "/"),
        **dict.fromkeys("−‐‑‒–—―﹣－", "-"),
        **dict.fromkeys("[{（［", "("),
        **dict.fromkeys("]}）］", ")"),
        **dict.fromkeys("\u200b\u200e\u200f\u2060\ufeff"),
        **{"＋": "+", "％": "%", "，": ",", "．": ".", "^": "**", "²": "**2", "³": "**3", "’": "'"},
    }
)
_TOKEN = re.compile(
    r"(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+(?![\w.]))?)"
    r"|(?P<currency>(?:US|A|AU|C|CA|HK|NZ|S)?[$€£¥₹₩₽])"
    r"|(?P<word>[A-Za-z]+)|(?P<sign>\*\*|[-+*/(),%])|(?P<blank>\s+)"
)
_BLANKS_IN_GROUPS = re.compile(r"(?<![\d.])[1-9]\d{0,2}(?:[ '\u00a0\u202f]\d{3})+(?!\d)")
_FUNCTIONS = {
    **{name: name for name in ("min", "max", "sum", "average", "count", "abs", "round")},
    **{"avg": "average", "mean": "average", "minimum": "min", "maximum": "max", "total": "sum"},
    **{"absolute": "abs", "len": "count"},
}
_FACTORS = {"thousand": "1000", "million": "1000000", "billion": "1000000000", "trillion": "1000000000000"}
_WORDS = {"x": "*", "times": "*", "plus": "+", "minus": "-", "of": "*", "percent": "%"}
_CURRENCIES = frozenset({"usd", "eur", "gbp", "jpy", "cny", "inr", "dollar", "dollars", "euro", "euros"})


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that has a value.

    Attributes:
        text: The calculator's form; :func:`tabrag.chat.calculator.evaluate` gives ``value``.
        value: Its value, finite.
        numbers: Its numbers by the place in ``text`` where their digits begin, as they were written:
            ``12%``, ``1,234.5``.
    """

    text: str
    value: float
    numbers: dict[int, str] = field(default_factory=dict)


def read_formula(written: str) -> Formula:
    """A formula as it was written, made strict and computed.

    Args:
        written: A formula; the module says what it may hold.

    Raises:
        CalculatorError: It is none, or has no value.
    """
    if len(written) > MAX_LENGTH:
        raise CalculatorError(
            f"the formula has {len(written)} characters, {MAX_LENGTH} are the most: shorten it"
        )
    writer = _Writer()
    for token in join_groups(_tokens(_plain(written))):
        writer.add(token)
    text, numbers = writer.result()
    return Formula(checked(text), evaluate(text), numbers)


def _plain(written: str) -> str:
    """One kind of sign, bracket and digit; LaTeX as plain arithmetic."""
    text = written
    for pattern, plain in _LATEX:
        text = pattern.sub(plain, text)
    for _ in range(10):
        text, count = _FRACTION.subn(r"((\1)/(\2))", text)
        if not count:
            break
    text = text.translate(_PLAIN)
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)
    # Two numbers side by side mean nothing else, so a blank in front of three digits groups them.
    return _BLANKS_IN_GROUPS.sub(lambda match: re.sub(r"\D", "", match[0]), text)


def _tokens(text: str) -> list[Token]:
    """The tokens, blanks among them; words that stand for signs are signs, currencies are marked."""
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise CalculatorError(f"{text[at : at + 20]!r} at character {at + 1} is not arithmetic")
        at = match.end()
        kind, found = str(match.lastgroup), match[0]
        written = found
        if kind == "word":
            kind, found = _word(found.lower())
            if kind == "sign" and found != "%" and text[match.start() - 1 : match.start()].isdigit():
                raise CalculatorError(f"{text[match.start() - 1 :][:20]!r} is not arithmetic: part the words")
        tokens.append(Token(kind, found, written))
    return tokens


def _word(word: str) -> tuple[str, str]:
    if word in _FUNCTIONS:
        return "function", _FUNCTIONS[word]
    if word in _FACTORS:
        return "factor", _FACTORS[word]
    if word in _CURRENCIES:
        return "currency", word
    if word in _WORDS:
        return "sign", _WORDS[word]
    raise CalculatorError(f"the word {word[:40]!r} is not arithmetic")


class _Writer:
    """Writes tokens in the calculator's form: blanks beside a sign between two values, else none."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._written: dict[int, str] = {}
        self._opened: list[int] = []
        self._last_value: int | None = None
        """Which piece the last value begins with, where one just ended."""

    def add(self, token: Token) -> None:
        kind, text = token.kind, token.text
        if kind in ("blank", "currency"):
            return
        if (kind in ("number", "function") or text == "(") and self._last_value is not None:
            raise CalculatorError("two values side by side: a sign is missing, or a remainder is asked for")
        if kind == "number":
            self._last_value = len(self._pieces)
            self._written[len(self._pieces)] = token.written
            self._pieces.append(text.lstrip("0") if text.strip("0")[:1].isdigit() else text)
        elif kind == "factor" or text == "%":
            self._divide_or_multiply(token)
        elif text == ")":
            self._close()
        elif text == "(":
            at = len(self._pieces)
            is_call = at > 0 and self._pieces[-1] in _FUNCTIONS.values()
            self._opened.append(at - 1 if is_call else at)
            self._last_value = None
            self._pieces.append("(")
        elif kind == "function":
            self._last_value = None
            self._pieces.append(text)
        elif text == ",":
            self._last_value = None
            self._pieces.append(", ")
        else:
            self._pieces.append(f" {text} " if self._last_value is not None else text)
            self._last_value = None

    def result(self) -> tuple[str, dict[int, str]]:
        """The text, and the numbers as they were written by where they begin in it."""
        places, at = {}, 0
        for index, piece in enumerate(self._pieces):
            if index in self._written:
                opening = len(piece) - len(piece.lstrip("("))
                places[at + opening] = self._written[index]
            at += len(piece)
        return "".join(self._pieces), places

    def _close(self) -> None:
        if not self._opened:
            raise CalculatorError("a bracket is closed that was not opened")
        self._last_value = self._opened.pop()
        self._pieces.append(")")

    def _divide_or_multiply(self, token: Token) -> None:
        """A percent sign or a scale word behind a value."""
        if self._last_value is None:
            raise CalculatorError(f"'{token.text}' has no number before it")
        start = self._last_value
        if start in self._written and start == len(self._pieces) - 1:
            self._written[start] += "%" if token.text == "%" else f" {token.written}"
        self._pieces[start] = f"({self._pieces[start]}"
        self._pieces.append(" / 100)" if token.text == "%" else f" * {token.text})")
