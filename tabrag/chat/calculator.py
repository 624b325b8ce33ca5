"""A calculator for expressions that a model wrote: numbers, ``+ - * / ** ( )`` and a few functions.

An expression is cut into tokens, parsed, checked node by node and computed in exact fractions, so
``0.1 + 0.2`` is ``0.3``. Nothing of it is ever executed; what is not arithmetic, or would take long or much
memory, is an error. :mod:`tabrag.chat.formula` reads what a model writes more loosely than that.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from tabrag.errors import UserError

MAX_LENGTH = 10_000
"""Characters of an expression."""
MAX_DEPTH = 100
"""Operations inside each other."""
MAX_EXPONENT = 64
"""Largest exponent, either sign."""
MAX_BITS = 8_192
"""Size of a numerator or denominator on the way."""
MAX_DIGITS = 2_000
"""Characters of a number."""
MAX_POWER_OF_TEN = 999
"""Largest ``e`` of a number, either sign."""

_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE](?P<power>[+-]?\d+))?)(?![\w.])|[A-Za-z_]\w*|[-+*/(), ]|\*\*",
    re.ASCII,
)


class CalculatorError(UserError):
    """An expression that has no value: not arithmetic, out of bounds, or a division by zero."""


def evaluate(expression: str) -> float:
    """The value of an arithmetic expression.

    Args:
        expression: Decimal numbers, ``+ - * / **``, unary ``+`` and ``-``, brackets, and the functions
            ``min max sum average count abs round`` (``round(x)`` and ``round(x, digits)``, halves to even).

    Returns:
        The exact result, rounded once to a float. A power with a fraction as its exponent is a float's.

    Raises:
        CalculatorError: See the class; the message says what is wrong and where.
    """
    try:
        return float(evaluate_exactly(expression))
    except OverflowError as error:
        raise CalculatorError(f"{_shown(expression)}: the result is too large") from error


def evaluate_exactly(expression: str, names: Mapping[str, Fraction] | None = None) -> Fraction:
    """:func:`evaluate` before it is rounded.

    Args:
        expression: As there.
        names: Values of names that may stand in it, besides those of functions.

    Raises:
        CalculatorError: As there.
    """
    text = checked(expression)
    tree = _parsed(text)
    return _Evaluation(text, names or {}).value(tree, 0)


def checked(expression: str) -> str:
    """The expression on one line, where its length and all of its tokens are the calculator's.

    Raises:
        CalculatorError: They are not.
    """
    if len(expression) > MAX_LENGTH:
        raise CalculatorError(
            f"the expression has {len(expression)} characters, {MAX_LENGTH} are the most: shorten it"
        )
    text = re.sub(r"[\t\n\r]", " ", expression).strip(" ")
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise CalculatorError(
                f"{_shown(text[at : at + 20])} at character {at + 1} is not arithmetic: use decimal numbers, "
                f"+ - * / **, brackets and {', '.join(sorted(_FUNCTIONS))}"
            )
        power = token["power"] or "0"
        if len(token[0]) > MAX_DIGITS or len(power) > 5 or abs(int(power)) > MAX_POWER_OF_TEN:
            raise CalculatorError(f"the number at character {at + 1} is too large or has too many digits")
        at = token.end()
    return text


def plain_number(value: float, *, digits: int = 6) -> str:
    """A number as it is written in an answer: at most ``digits`` decimals, no exponent, no trailing zeros."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CalculatorError(f"{_shown(text)} is not an arithmetic expression") from error


class _Evaluation:
    """The value of each node of an expression that is written in ``text``."""

    def __init__(self, text: str, names: Mapping[str, Fraction]) -> None:
        self._text, self._names = text, names

    def value(self, node: ast.expr, depth: int) -> Fraction:
        if depth > MAX_DEPTH:
            raise CalculatorError(
                f"more than {MAX_DEPTH} operations inside each other: use sum(...) for many"
            )
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            # The parser's own float has lost digits.
            return _bounded(Fraction(self._text[node.col_offset : node.end_col_offset]))
        if isinstance(node, ast.Name) and node.id in self._names:
            return self._names[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner = self.value(node.operand, depth + 1)
            return -inner if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            left, right = self.value(node.left, depth + 1), self.value(node.right, depth + 1)
            return _bounded(_OPERATIONS[type(node.op)](left, right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._call(node.func.id, node.args, depth)
        raise CalculatorError(
            f"{type(node).__name__} at character {node.col_offset + 1} is not arithmetic: use numbers, "
            f"+ - * / **, brackets and {', '.join(sorted(_FUNCTIONS))}"
        )

    def _call(self, name: str, arguments: Sequence[ast.expr], depth: int) -> Fraction:
        function = _FUNCTIONS.get(name)
        if function is None:
            raise CalculatorError(
                f"unknown function '{name[:40]}': there are {', '.join(sorted(_FUNCTIONS))}"
            )
        if not arguments:
            raise CalculatorError(f"{name}() needs a number")
        return _bounded(function([self.value(argument, depth + 1) for argument in arguments]))


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise CalculatorError("a number on the way is too large or has too many digits")
    return value


def _divide(left: Fraction, right: Fraction) -> Fraction:
    if right == 0:
        raise CalculatorError("division by zero")
    return left / right


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if abs(exponent) > MAX_EXPONENT:
        raise CalculatorError(f"the exponent lies outside -{MAX_EXPONENT}..{MAX_EXPONENT}")
    if base == 0 and exponent < 0:
        raise CalculatorError("division by zero")
    if exponent.denominator == 1:
        size = max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(int(exponent))
        if size > 2 * MAX_BITS:
            raise CalculatorError("a number on the way is too large or has too many digits")
        return base ** int(exponent)
    if base < 0:
        raise CalculatorError("a root of a negative number")
    try:
        return Fraction(float(base) ** float(exponent))
    except OverflowError as error:
        raise CalculatorError("a number on the way is too large or has too many digits") from error


def _round(values: Sequence[Fraction]) -> Fraction:
    if len(values) > 2:
        raise CalculatorError("round() takes a number and, if wanted, a number of digits")
    digits = values[1] if len(values) == 2 else Fraction(0)
    if digits.denominator != 1 or abs(digits) > MAX_EXPONENT:
        raise CalculatorError(f"round(): digits is a whole number in -{MAX_EXPONENT}..{MAX_EXPONENT}")
    return Fraction(round(values[0], int(digits)))


def _abs(values: Sequence[Fraction]) -> Fraction:
    if len(values) > 1:
        raise CalculatorError("abs() takes one number")
    return abs(values[0])


def _shown(expression: str) -> str:
    return repr(expression if len(expression) <= 60 else expression[:57] + "...")


_OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: _divide,
    ast.Pow: _power,
}
_FUNCTIONS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "min": min,
    "max": max,
    "sum": lambda values: sum(values, Fraction(0)),
    "average": lambda values: sum(values, Fraction(0)) / len(values),
    "count": lambda values: Fraction(len(values)),
    "abs": _abs,
    "round": _round,
}
