"""Commas of a formula: those that group digits and those that part arguments.

:mod:`tabrag.chat.formula` has the rules in words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tabrag.chat.calculator import CalculatorError

_FIRST = re.compile(r"[1-9]\d{0,2}")
_GROUP = re.compile(r"\d{3}(?:\.\d*)?")
_DIGITS = re.compile(r"\d{3}")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a formula.

    Attributes:
        kind: ``number``, ``function``, ``factor``, ``currency``, ``sign`` or ``blank``.
        text: What it stands for: digits, a function's name, a factor's digits, a sign.
        written: Of a number: how it was written.
    """

    kind: str
    text: str
    written: str = ""


@dataclass(slots=True)
class _Bracket:
    """What stands between a bracket and its end, or outside of all brackets.

    Attributes:
        function: Whose arguments these are; None where it is no call.
        commas: Places of the commas that stand directly in it.
    """

    function: str | None
    commas: list[int] = field(default_factory=list)


def join_groups(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with one number in place of the pieces that commas had cut it into.

    Raises:
        CalculatorError: A comma outside of a call groups nothing, or one in a call could mean both.
    """
    joined: dict[int, list[int]] = {}
    for bracket in _brackets(tokens):
        grouped: set[int] = set()
        groups = [group for chain in _chains(tokens, bracket.commas) for group in _groups(tokens, chain)]
        if any(len(group) > 1 for group in groups) and _commas_group(tokens, bracket, groups):
            for group in groups:
                joined[group[0]] = group
                grouped.update(range(group[0] + 1, group[-1], 2))
        if bracket.function is None and grouped != set(bracket.commas):
            raise CalculatorError("a comma that neither parts arguments nor groups digits by three")
    result: list[Token] = []
    after = -1
    for at, token in enumerate(tokens):
        if at <= after:
            continue
        pieces = joined.get(at, [at])
        after = pieces[-1]
        if len(pieces) > 1:
            texts = [tokens[piece].text for piece in pieces]
            token = Token("number", "".join(texts), ",".join(texts))
        result.append(token)
    return result


def _brackets(tokens: Sequence[Token]) -> list[_Bracket]:
    found = [_Bracket(None)]
    open_ones = [found[0]]
    before: Token | None = None
    for at, token in enumerate(tokens):
        if token.text == "(":
            is_call = before is not None and before.kind == "function"
            open_ones.append(_Bracket(before.text if before is not None and is_call else None))
            found.append(open_ones[-1])
        elif token.text == ")" and len(open_ones) > 1:
            open_ones.pop()
        elif token.text == ",":
            open_ones[-1].commas.append(at)
        if token.kind != "blank":
            before = token
    return found


def _chains(tokens: Sequence[Token], commas: Sequence[int]) -> list[list[int]]:
    """Places of numbers that follow each other with nothing but a comma between."""
    chains: list[list[int]] = []
    for at in commas:
        if not 0 < at < len(tokens) - 1 or {tokens[at - 1].kind, tokens[at + 1].kind} != {"number"}:
            continue
        if chains and chains[-1][-1] == at - 1:
            chains[-1].append(at + 1)
        else:
            chains.append([at - 1, at + 1])
    return chains


def _groups(tokens: Sequence[Token], chain: Sequence[int]) -> list[list[int]]:
    """A chain cut into numbers, each as long as grouping allows."""
    groups: list[list[int]] = []
    for place in chain:
        piece = tokens[place].text
        last = groups[-1] if groups else []
        whole = all(_DIGITS.fullmatch(tokens[one].text) for one in last[1:])
        if last and whole and _FIRST.fullmatch(tokens[last[0]].text) and _GROUP.fullmatch(piece):
            last.append(place)
        else:
            groups.append([place])
    return groups


def _commas_group(tokens: Sequence[Token], bracket: _Bracket, groups: Sequence[Sequence[int]]) -> bool:
    """Whether the commas of a bracket group digits where they can."""
    if bracket.function in (None, "abs"):
        return True
    pieces = [tokens[place].text for group in groups for place in group[1:]]
    if bracket.function == "round":
        return True  # nobody rounds to hundreds of digits
    if any(piece.startswith("0") and piece[1:2] != "." for piece in pieces):
        return True
    if any(
        "blank" in (tokens[at - 1].kind, tokens[min(at + 1, len(tokens) - 1)].kind) for at in bracket.commas
    ):
        return True
    starts = {group[0] for group in groups}
    if all(_has_currency(tokens, start) for start in starts):
        return True
    inner = sum(len(group) - 1 for group in groups)
    if inner == len(bracket.commas):  # a function of one number says nothing
        return False
    if any(len(group) > 1 and len(tokens[group[0]].text) < 3 for group in groups):
        raise CalculatorError("a comma that may group digits or part arguments: write numbers without commas")
    return False


def _has_currency(tokens: Sequence[Token], at: int) -> bool:
    while at > 0 and (tokens[at - 1].kind == "blank" or tokens[at - 1].text in ("-", "+")):
        at -= 1
    return at > 0 and tokens[at - 1].kind == "currency"
