"""Small programs over the cells of one table: an operator and the cells that it works on.

==================  ======================================  ===============================================
operator            cells                                   answer
==================  ======================================  ===============================================
cell                one cell, header cells included         its text
negate              one number                              ``-a``: "fell by 7.7" where the table has -7.7
sum, average        two numbers or more
max, min            two numbers or more                     the extreme number
count               two cells or more                       how many they are
argmax, argmin      two numbers or more                     the header of the extreme one
difference          two numbers                             ``a - b``
ratio               two numbers                             ``a / b``
percent             two numbers                             ``a / b * 100``, one decimal, with ``%``
change              two numbers                             ``(a - b) / b``
percent_change      two numbers                             ``(a - b) / b * 100``, one decimal, with ``%``
==================  ======================================  ===============================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.chat.calculator import CalculatorError, evaluate, plain_number
from tabrag.tables.grid import cell_text, left_paths, path_texts, top_paths
from tabrag.tables.values import NumberFormat, infer_number_format, parse_value
from tabrag.types import Cell, Grid, HeaderPath

OPERATORS = (
    "cell", "negate", "sum", "average", "max", "min", "count", "argmax", "argmin", "difference", "ratio",
    "percent", "change", "percent_change",
)  # fmt: skip
SINGLE = ("cell", "negate")
"""Operators on one cell."""
PAIRS = ("difference", "ratio", "percent", "change", "percent_change")
"""Operators on two cells whose order matters."""
SETS = ("sum", "average", "max", "min", "count", "argmax", "argmin")
"""Operators on any number of cells."""
_TEXTS = ("cell", "count")
"""Operators that need no numbers."""
_PATTERNS = {
    "negate": "-{0}",
    "difference": "{0} - {1}",
    "ratio": "{0} / {1}",
    "percent": "{0} / {1} * 100",
    "change": "({0} - {1}) / {1}",
    "percent_change": "({0} - {1}) / {1} * 100",
}


@dataclass(frozen=True, slots=True)
class CellProgram:
    """What is to be computed.

    Attributes:
        operator: One of :data:`OPERATORS`.
        cells: The operands; their order matters for :data:`PAIRS`.
    """

    operator: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """What came out.

    Attributes:
        text: The answer.
        formula: The arithmetic with its numbers, for example ``(12.5 - 10.1) / 10.1``; None where nothing was
            computed.
        cells: The cells it comes from, the answer's own first.
    """

    text: str
    formula: str | None
    cells: tuple[Cell, ...]


def run_program(grid: Grid, program: CellProgram) -> Computed | None:
    """Compute a program; None where it has no result.

    There is none where an operand is no number or lies outside the grid, where their number does not fit the
    operator, for a division by zero, where the extreme cell has no header, and for a cell without a letter or
    figure ("-", "..").
    """
    operator, cells = program.operator, program.cells
    if not _fits(operator, cells) or not all(_inside(grid, cell) for cell in cells):
        return None
    if operator == "cell":
        text = cell_text(grid, *cells[0])
        return Computed(text, None, cells) if any(map(str.isalnum, text)) else None
    if operator == "count":
        return Computed(str(len(cells)), None, cells)
    numbers = [value for value in cell_numbers(grid, cells) if value is not None]
    if len(numbers) < len(cells):
        return None
    if operator in ("argmax", "argmin"):
        return _named_extreme(grid, program, numbers)
    texts = [_operand(number) for number in numbers]
    if operator in _PATTERNS:
        formula = _PATTERNS[operator].format(*texts)
    else:
        formula = f"{operator}({', '.join(text.strip('()') for text in texts)})"
    try:
        value = evaluate(formula)
    except CalculatorError:
        return None
    text = f"{value:.1f}%" if operator.startswith("percent") else plain_number(value)
    return Computed(text, formula, cells)


def cell_numbers(grid: Grid, cells: Sequence[Cell]) -> list[float | None]:
    """The number in each cell, read as its column writes numbers; a percentage stays in percent."""
    formats = {col: column_format(grid, col) for col in {col for _, col in cells}}
    return [_number(cell_text(grid, *cell), formats[cell[1]]) for cell in cells]


def _number(text: str, number_format: NumberFormat | None) -> float | None:
    value = parse_value(text, number_format)
    return None if value is None else value.number


def column_format(grid: Grid, col: int) -> NumberFormat | None:
    """How a column writes its numbers: next to ``0,5``, ``1.234`` is over a thousand."""
    return infer_number_format(line[col] for line in grid.cells[grid.num_header_rows :])


def label_of(grid: Grid, cell: Cell, others: tuple[Cell, ...]) -> Cell | None:
    """The header cell that tells ``cell`` from ``others``: its row's, or its column's where all share a row.

    The innermost header whose text no other cell's path has; the innermost one of all where none is special.
    """
    axis = 0 if any(other[0] != cell[0] for other in others) else 1
    paths: list[HeaderPath] = left_paths(grid) if axis == 0 else top_paths(grid)
    path = paths[cell[axis]]
    foreign = {
        text for other in others if other[axis] != cell[axis] for text in path_texts(grid, paths[other[axis]])
    }
    special = [header for header in path if cell_text(grid, *header) not in foreign]
    return (special or list(path) or [None])[-1]


def _named_extreme(grid: Grid, program: CellProgram, numbers: list[float]) -> Computed | None:
    best = max(numbers) if program.operator == "argmax" else min(numbers)
    winner = program.cells[numbers.index(best)]
    others = tuple(cell for cell in program.cells if cell != winner)
    label = label_of(grid, winner, others)
    if label is None:
        return None
    kind = program.operator.removeprefix("arg")
    formula = f"{kind}({', '.join(map(plain_number, numbers))})"
    return Computed(cell_text(grid, *label), formula, (label, winner, *others))


def _fits(operator: str, cells: tuple[Cell, ...]) -> bool:
    if operator in SINGLE:
        return len(cells) == 1
    if len(set(cells)) < len(cells):
        return False
    return len(cells) == 2 if operator in PAIRS else operator in SETS and len(cells) > 1


def _inside(grid: Grid, cell: Cell) -> bool:
    return 0 <= cell[0] < grid.num_rows and 0 <= cell[1] < grid.num_cols


def _operand(number: float) -> str:
    """The number as it stands in a formula, all its digits; a negative one in brackets."""
    text = plain_number(number, digits=12)
    return f"({text})" if number < 0 else text
