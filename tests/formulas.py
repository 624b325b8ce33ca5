"""Random formulas with their values, hostile texts, and a second calculator written apart from ours."""

from __future__ import annotations

import operator
import random
import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from tabrag.chat.calculator import MAX_BITS, MAX_DEPTH, MAX_EXPONENT


class NoValueError(Exception):
    """What the grammar allows has no value, or one beyond the bounds."""


def power(base: Fraction, exponent: Fraction) -> Fraction:
    if abs(exponent) > MAX_EXPONENT or (base == 0 and exponent < 0):
        raise NoValueError
    if exponent.denominator == 1:
        return base ** int(exponent)
    if base < 0:
        raise NoValueError
    return Fraction(float(base) ** float(exponent))


def rounded(values: Sequence[Fraction]) -> Fraction:
    digits = values[1] if len(values) > 1 else Fraction(0)
    if len(values) > 2 or digits.denominator != 1 or abs(digits) > MAX_EXPONENT:
        raise NoValueError
    return Fraction(round(values[0], int(digits)))


def magnitude(values: Sequence[Fraction]) -> Fraction:
    if len(values) > 1:
        raise NoValueError
    return abs(values[0])


OPERATIONS: dict[str, tuple[int, Callable[[Fraction, Fraction], Fraction]]] = {
    "+": (1, operator.add),
    "-": (1, operator.sub),
    "*": (2, operator.mul),
    "/": (2, operator.truediv),
    "**": (4, power),
}
FUNCTIONS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "min": min,
    "max": max,
    "sum": lambda values: sum(values, Fraction(0)),
    "average": lambda values: sum(values, Fraction(0)) / len(values),
    "count": lambda values: Fraction(len(values)),
    "abs": magnitude,
    "round": rounded,
}


def within(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise NoValueError
    return value


def random_formula(draw: random.Random, depth: int = 4) -> tuple[str, Fraction | None]:
    """A formula of the allowed grammar and its value by Python's own fractions; None where it has none."""
    text, _, value = _tree(draw, depth)
    return text, value


def _tree(draw: random.Random, depth: int) -> tuple[str, int, Fraction | None]:
    """Text, binding power of its outermost sign (9: an atom) and value."""
    kind = draw.random()
    if depth == 0 or kind < 0.2:
        text = _number(draw)
        return text, 9, Fraction(text)
    if kind < 0.3:
        text, binds, value = _tree(draw, depth - 1)
        sign = draw.choice("+--")
        inner = text if binds >= 3 and draw.random() < 0.7 else f"({text})"
        return f"{sign}{inner}", 3, None if value is None else (-value if sign == "-" else value)
    if kind < 0.45:
        name = draw.choice(list(FUNCTIONS))
        count = {"abs": 1, "round": draw.choice((1, 2))}.get(name, draw.randint(1, 4))
        parts = [_tree(draw, depth - 1) for _ in range(count)]
        if name == "round" and count == 2:
            digits = str(draw.randint(-3, 6))
            parts[1] = (digits, 9, Fraction(digits))
        text = f"{name}{_blank(draw)}({', '.join(part[0] for part in parts)})"
        return text, 9, _value(lambda *values: FUNCTIONS[name](values), *(part[2] for part in parts))
    sign = draw.choice(("+", "-", "*", "/", "+", "-", "*", "/", "**"))
    binds, compute = OPERATIONS[sign]
    left, right = _tree(draw, depth - 1), _tree(draw, depth - 1)
    if sign == "**":
        if draw.random() < 0.8:
            exponent = draw.choice(("2", "3", "-1", "0", "0.5", "10"))
            right = (exponent, 3 if exponent[0] == "-" else 9, Fraction(exponent))
        # '**' binds to the right, and its right side may begin with a sign.
        texts = (
            left[0] if left[1] > binds else f"({left[0]})",
            right[0] if right[1] >= 3 else f"({right[0]})",
        )
    else:
        texts = (
            left[0] if left[1] >= binds else f"({left[0]})",
            right[0] if right[1] > binds else f"({right[0]})",
        )
    text = f"{texts[0]}{_blank(draw)}{sign}{_blank(draw)}{texts[1]}"
    if draw.random() < 0.15:
        return f"({_blank(draw)}{text})", 9, _value(compute, left[2], right[2])
    return text, binds, _value(compute, left[2], right[2])


def _value(compute: Callable[..., Fraction], *values: Fraction | None) -> Fraction | None:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    try:
        return within(compute(*known))
    except (NoValueError, ZeroDivisionError, OverflowError):
        return None


def _number(draw: random.Random) -> str:
    whole = str(draw.choice((0, 1, 2, 3, 7, 10, 100, 2019, draw.randint(0, 10**9))))
    kind = draw.random()
    if kind < 0.5:
        return whole
    if kind < 0.9:
        return f"{whole}.{''.join(draw.choices('0123456789', k=draw.randint(1, 25)))}"
    return draw.choice((f"{whole}e{draw.randint(-20, 20)}", f".{draw.randint(1, 999)}", f"{whole}."))


def _blank(draw: random.Random) -> str:
    return draw.choice(("", "", " ", "  ", "\t", "\n"))


HOSTILE = (
    "(" * 4000, "-" * 9000 + "1", "9" * 9999, "1e999999999", "9**9**9**9", "2**-2**64", "(((((1)))))" * 500,
    "1" + "+1" * 4999, "1e400", "1e-400*1e400", "٣٤+١", "１+２", "5²", "½", "√2", "∞", "nan", "inf", "-inf",
    "0x10", "0b11", "0o7", "1_000", "1__0", "1j", "2+3J", "True", "None", "...", "'1'", '"a"*9', "f'{1}'",
    "b'1'", "x", "_", "__import__('os').system('true')", "().__class__.__bases__[0]", "1 .real", "1..real",
    "[1,2]", "{1}", "[x for x in (1,2)]", "sum(x for x in (1,))", "(y:=5)", "lambda:1", "1 if 1 else 2",
    "1<2", "1==1", "not 1", "1 and 2", "~1", "1|2", "1^2", "1<<9999999", "7//2", "7%4", "7@2", "1;2", "1,2",
    "(1,)", "sum(*(1,2))", "max(1,2,key=abs)", "abs(x=1)", "eval('1')", "exec('1')", "open('/etc/passwd')",
    "print(1)", "$5", "5%", "1,234.5", "1\\\n+2", "1#2", "\x00", "1\x00", "\ud800", "\u202e1+2", "\u00a01",
    "1\u20132", "3\u00d74", "", " ", "\n", "+", "*", "()", ")(", "1 2", "1.2.3", "1e", "e1", ".", "..",
    "1e+", "01", "00", "007.5", "await 1", "yield", "*1", "**1", "1**", "a.b", "a[0]", "1[0]", "(1)(2)",
    "sum(1)(2)", "round(1,2,3)", "round(1,0.5)", "round(1,1e9)", "sum()", "count()", "abs()",
    "min(1 for i in 2)", "0**-1", "1/0", "(-8)**(1/3)", "1/(1-1)",
)  # fmt: skip
_ALPHABET = "0123456789..++--**//(()) ,eE_xj%$^~'\"[]{}:;=<>@#!&|\\abmnorsuvg٣²−×\u00a0\n\x00"


def hostile_text(draw: random.Random) -> str:
    """A text that is hardly a formula: a known trap, a damaged formula, or noise."""
    kind = draw.random()
    if kind < 0.1:
        return draw.choice(HOSTILE)
    if kind < 0.3:
        return "".join(draw.choices(_ALPHABET, k=draw.randint(0, 40)))
    text = draw.choice(HOSTILE)[:200] if kind < 0.4 else random_formula(draw)[0]
    for _ in range(draw.randint(1, 4)):
        start = draw.randint(0, len(text))
        end = draw.randint(start, min(len(text), start + 4))
        new = draw.choice(("", draw.choice(_ALPHABET), draw.choice(HOSTILE)[:60], text[start:end] * 2))
        text = text[:start] + new + text[end:]
    return text


_TOKEN = re.compile(
    r"\s*(?:((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|([A-Za-z]\w*)|(\*\*|[-+*/(),]))", re.A
)


class SecondCalculator:
    """A recursive descent over the same grammar, for texts whose value nobody knows."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        at = 0
        text = text.rstrip(" \t\n\r")
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or re.search(r"[\f\v\x1c-\x1f]", found[0]):
                raise NoValueError
            if found[1] and re.fullmatch(r"0[0-9]*[1-9][0-9]*", found[1]):
                raise NoValueError  # as Python: no whole number begins with a zero
            self.tokens.append(found[1] or found[2] or found[3])
            at = found.end()
        self.at = 0

    def value(self) -> Fraction:
        value = self.sum(0)
        if self.at < len(self.tokens):
            raise NoValueError
        return value

    def next(self, *signs: str) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at] in signs:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def sum(self, depth: int) -> Fraction:
        return self._chain(depth, ("+", "-"), lambda inner: self._chain(inner, ("*", "/"), self.signed))

    def _chain(self, depth: int, signs: tuple[str, ...], part: Callable[[int], Fraction]) -> Fraction:
        value = part(depth)
        while sign := self.next(*signs):
            right = part(depth)
            try:
                value = within(OPERATIONS[sign][1](value, right))
            except ZeroDivisionError as error:
                raise NoValueError from error
        return value

    def signed(self, depth: int) -> Fraction:
        if depth > 4 * MAX_DEPTH:
            raise NoValueError
        if sign := self.next("+", "-"):
            value = self.signed(depth + 1)
            return -value if sign == "-" else value
        base = self.atom(depth)
        if self.next("**"):
            try:
                return within(power(base, self.signed(depth + 1)))
            except OverflowError as error:
                raise NoValueError from error
        return base

    def atom(self, depth: int) -> Fraction:
        if self.next("("):
            value = self.sum(depth + 1)
            if not self.next(")"):
                raise NoValueError
            return value
        token = self.tokens[self.at] if self.at < len(self.tokens) else ""
        self.at += 1
        if token in FUNCTIONS:
            return self.call(token, depth)
        if not token[:1].isdigit() and token[:1] != ".":
            raise NoValueError
        if len(token) > 2000 or re.search(r"e[+-]?\d{4}", token, re.I):
            raise NoValueError
        return within(Fraction(token))

    def call(self, name: str, depth: int) -> Fraction:
        if not self.next("("):
            raise NoValueError
        values = [self.sum(depth + 1)]
        while self.next(","):
            if self.at < len(self.tokens) and self.tokens[self.at] == ")":
                break  # as Python: a comma may stand behind the last one
            values.append(self.sum(depth + 1))
        if not self.next(")"):
            raise NoValueError
        return within(FUNCTIONS[name](values))
