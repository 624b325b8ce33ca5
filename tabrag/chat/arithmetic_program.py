"""Programs of assignments that a model wrote; they are read line by line and never executed.

A line is ``name = expression``, ``print(expression)`` or ``return expression``. An expression is a formula
over numbers and names that were set before (:mod:`tabrag.chat.formula`), a list of such expressions for
``sum``, ``len`` and the like, or one text in quotes. Other lines count as missing: what needs them has no
value. Program of thought: Chen et al., TMLR 2023.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tabrag.chat.calculator import MAX_LENGTH, CalculatorError
from tabrag.chat.formula import Formula, read_formula

_FENCE = re.compile(r"```[ \t]*\w*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\s*(?::\s*\w+\s*)?=(?!=)\s*(.+)")
_RESULT = re.compile(r"print\s*\((.+)\)|return\s+(.+)")
_QUOTED = re.compile(r"([\"'])(.*)\1")
_LIST = re.compile(r"[\[(]([^\[\]()]*,[^\[\]()]*)[\])]")
_LIST_ALONE = re.compile(r"\(\s*\[([^\[\]]*)\]\s*\)")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w)(?!\s*\()")
_COMMENT = re.compile(r"\s*#[^\"']*$")
_DIGIT_GROUPS = re.compile(r"(?<=\d)_(?=\d)")
_ANSWERS = ("ans", "answer", "result", "final_answer")
_MAX_LINES = 200


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """What a program gives; one of the two is set.

    Attributes:
        formula: Its answer as one formula, names replaced by what they stand for.
        text: Its answer where that is a text in quotes.
    """

    formula: Formula | None = None
    text: str | None = None


def run_program(reply: str) -> ProgramResult | None:
    """The result of the program in a reply: of its last code fence, or of all its lines.

    The answer is what ``ans`` (``answer``, ``result``, ``final_answer``) was last set to, else what is
    printed or returned, else the last assignment.

    Returns:
        The result; None where the answer has no value.
    """
    fenced = _FENCE.findall(reply)
    lines = (fenced[-1] if fenced else reply).splitlines()[:_MAX_LINES]
    statements = [part.strip() for line in lines for part in _COMMENT.sub("", line).split(";")]
    names: dict[str, str] = {}
    printed = last = None
    for statement in statements:
        if match := _ASSIGNMENT.fullmatch(statement):
            last = _inlined(match[2], names)
            names[match[1]] = last
        elif match := _RESULT.fullmatch(statement):
            printed = _inlined(match[1] or match[2], names)
    chosen = next((names[name] for name in reversed(list(names)) if name in _ANSWERS), printed or last)
    return None if chosen is None else _result(chosen)


def without_program(reply: str) -> str:
    """A reply without the lines of its program, which are no answer in words."""
    lines = (line.strip() for line in reply.splitlines())
    return "\n".join(line for line in lines if not line.startswith("```") and not _ASSIGNMENT.fullmatch(line))


def _inlined(expression: str, names: dict[str, str]) -> str:
    """The expression with each known name in it replaced; a too long one has no value."""
    if _QUOTED.fullmatch(expression.strip()):
        return expression.strip()

    def replaced(match: re.Match[str]) -> str:
        known = names.get(match[0])
        if known is None:
            return match[0]
        if known_list := _LIST.fullmatch(known):
            return known_list[1].rstrip(", ")
        return known if re.fullmatch(r"[\d.]+", known) or _QUOTED.fullmatch(known) else f"({known})"

    plain = _LIST_ALONE.sub(r"(\1)", _DIGIT_GROUPS.sub("", expression.strip()))
    text = _NAME.sub(replaced, plain)
    return text if len(text) <= MAX_LENGTH else "?"


def _result(expression: str) -> ProgramResult | None:
    if quoted := _QUOTED.fullmatch(expression.strip("() ")):
        return ProgramResult(text=quoted[2].strip())
    try:
        return ProgramResult(formula=read_formula(expression))
    except CalculatorError:
        return None
