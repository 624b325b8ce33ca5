"""What kind of number a formula gives: a share (a quantity over a quantity) or a quantity again.

``(652 - 515) / 515`` is a share: asked for as a percentage, it is 26.6 %. ``(21.2 + 19.9) / 2`` is an average
of what the table has; asked for as a percentage, it is one already. Numbers that stand in no table are told
apart on the way: powers of ten that change the unit, how many summands there are, the 1 of ``a / b - 1``.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tabrag.chat.formula import Formula

_MAX_COUNT = 24
"""Whole numbers up to here may say by how many a sum is divided."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a formula gives, and what of it comes from the data.

    Attributes:
        is_share: Whether it is a quantity over a quantity, or made of percentages alone.
        is_ratio: Whether something is divided in it by what is no constant.
        hundreds: How often a share was multiplied by 100 within the formula: 1 for a percentage.
        rescaled: Whether a quantity was multiplied or divided by a power of ten.
        operands: The numbers that are no constants, as they were written, each once.
        is_number: Whether the formula is one number, perhaps with a sign: nothing is computed.
    """

    is_share: bool
    is_ratio: bool
    hundreds: int
    rescaled: bool
    operands: tuple[str, ...]
    is_number: bool


def shape_of(formula: Formula) -> Shape:
    """The shape of a formula."""
    walk = _Walk(formula)
    tree = ast.parse(formula.text, mode="eval").body
    found = walk.kind(tree)
    operands = dict.fromkeys(written for at, written in formula.numbers.items() if at not in walk.constants)
    while isinstance(tree, ast.UnaryOp):
        tree = tree.operand
    return Shape(
        is_share=found.degree == 0,
        is_ratio=walk.divides,
        hundreds=found.tens // 2 if found.degree == 0 else 0,
        rescaled=found.degree != 0 and found.tens != 0,
        operands=tuple(operands),
        is_number=len(formula.numbers) == 1 and (isinstance(tree, ast.Constant) or walk.is_suffixed(tree)),
    )


@dataclass(frozen=True, slots=True)
class _Kind:
    """Degree 1: a quantity, 0: a share, 2: a product of two; ``tens``: powers of ten it was multiplied by."""

    degree: int
    tens: int = 0


class _Walk:
    """The kinds of an expression's nodes; notes where constants stand."""

    def __init__(self, formula: Formula) -> None:
        self._numbers = formula.numbers
        self.constants: set[int] = set()
        self.divides = False

    def kind(self, node: ast.expr) -> _Kind:
        if isinstance(node, ast.UnaryOp):
            return self.kind(node.operand)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.BinOp):
            if self.is_suffixed(node):
                inner = self.kind(node.left)
                return _Kind(0) if isinstance(node.op, ast.Div) else inner
            return self._operation(node)
        return _Kind(1)

    def is_suffixed(self, node: ast.expr) -> bool:
        """Whether it is a value with the percent sign or scale word that was written behind it."""
        return (
            isinstance(node, ast.BinOp)
            and isinstance(node.right, ast.Constant)
            and node.right.col_offset not in self._numbers
        )

    def _is_hundred_percent(self, node: ast.expr) -> bool:
        """Whether it is ``100%``, a constant that says how the result is to be written."""
        if not (isinstance(node, ast.BinOp) and self.is_suffixed(node) and _whole(node.left) == 100):
            return False
        self.constants.add(node.left.col_offset)
        return True

    def _operation(self, node: ast.BinOp) -> _Kind:
        left, right = node.left, node.right
        if isinstance(node.op, ast.Mult):
            for factor, other in ((right, left), (left, right)):
                if self._is_hundred_percent(factor):
                    return self.kind(other)
                if tens := _tens(factor):
                    kind = self.kind(other)
                    self.constants.add(factor.col_offset)
                    return _Kind(kind.degree, kind.tens + tens)
            first, second = self.kind(left), self.kind(right)
            return _Kind(first.degree + second.degree, first.tens + second.tens)
        if isinstance(node.op, ast.Div):
            first = self.kind(left)
            if tens := _tens(right):
                self.constants.add(right.col_offset)
                if tens == 2 and _is_over_hundred(left):
                    self.divides = True
                    return _Kind(0)
                return _Kind(first.degree, first.tens - tens)
            if _is_count(right, of=left):
                self.constants.add(right.col_offset)
                return first
            second = self.kind(right)
            self.divides = True
            return _Kind(first.degree - second.degree, first.tens - second.tens)
        if isinstance(node.op, ast.Pow):
            self.constants |= {one.col_offset for one in ast.walk(right) if isinstance(one, ast.Constant)}
            base = self.kind(left)
            return base if base.degree == 0 else _Kind(2)
        return self._sum(left, right)

    def _sum(self, left: ast.expr, right: ast.expr) -> _Kind:
        first, second = self.kind(left), self.kind(right)
        for constant, other, kind in ((right, left, first), (left, right, second)):
            whole = _whole(constant)
            if kind.degree == 0 and not _is_plain(other) and whole in (1, 100):
                self.constants.add(constant.col_offset)
                return kind
        return first if first.degree >= second.degree else second

    def _call(self, node: ast.Call) -> _Kind:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        arguments = node.args[:1] if name == "round" else node.args
        self.constants |= {one.col_offset for one in node.args[len(arguments) :]}
        kinds = [self.kind(argument) for argument in arguments]
        return _Kind(1) if name == "count" else max(kinds, key=lambda kind: kind.degree)


def _whole(node: ast.expr) -> int | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, int) else None


def _tens(node: ast.expr) -> int:
    """3 for 1000, from 100 on; 0 for other numbers."""
    whole = _whole(node)
    if whole is None or whole < 100 or str(whole).strip("0") != "1":
        return 0
    return len(str(whole)) - 1


def _is_over_hundred(node: ast.expr) -> bool:
    """Whether it is ``x - 100``: over 100, that is the growth of an index that began with 100."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and _whole(node.right) == 100


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _is_count(node: ast.expr, *, of: ast.expr) -> bool:
    """Whether it says how many summands ``of`` has."""
    whole = _whole(node)
    return whole is not None and 2 <= whole <= _MAX_COUNT and _num_summands(of) == whole


def _num_summands(node: ast.expr) -> int:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _num_summands(node.left) + _num_summands(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum":
        return len(node.args)
    return 1
