"""The program over a table's cells whose result is a query's answer, found from gold headers and cells.

No data set says in one form how an answer is computed, so the program is searched: the operands are the
answer cells (or, where they are unknown, the cells in the gold rows and columns), and the operator is one
whose result is the answer under the rules of :mod:`tabrag.evaluation.answers`. A question whose answer is a
header may compare cells that the annotation does not list; see :func:`_comparison`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from tabrag.evaluation.answers import exact_match
from tabrag.tables.axes import axis_headers
from tabrag.tables.grid import cell_text, left_paths, owner, top_paths
from tabrag.tables.programs import PAIRS, CellProgram, cell_numbers, run_program
from tabrag.types import Cell, GoldHeaders, Grid

_MAX_OPERANDS = 40
_MAX_CROSSED = 12
"""Cells in the gold rows and columns up to which all their pairs are tried."""
_MORE = re.compile(
    r"\b(?:more|most|higher|highest|greater|greatest|larger|largest|bigger|biggest|longest|longer|top|best|"
    r"maximum|max|better|oldest|older|leading|major|majority|main|common|dominant|first|exceed\w*)\b"
)
_LESS = re.compile(
    r"\b(?:less|least|lower|lowest|fewer|fewest|smaller|smallest|shorter|shortest|worst|minimum|min|younger|"
    r"youngest|bottom|last|under)\b"
)
_TOTAL = re.compile(r"\b(?:totals?|all|overall|both)\b")


def find_program(question: str, answers: Sequence[str], gold: GoldHeaders, grid: Grid) -> CellProgram | None:
    """The simplest program that gives one of the answers; None where there is none.

    Args:
        question: Its words "higher", "fewest" and so on decide between largest and smallest.
        answers: The gold answers; one of them is enough.
        gold: The headers and cells that the question is about.
        grid: The table's grid.
    """
    if not answers:
        return None
    named = [cell for cell in gold.answer_cells if _is_header(grid, cell)]
    cells = list(dict.fromkeys(owner(grid, *cell) for cell in gold.answer_cells if cell not in named))
    crossed = [] if cells else _crossed(grid, gold)
    programs = (
        *_comparisons(question, named, gold, grid),
        *(CellProgram("cell", (cell,)) for cell in (*named, *cells)),
        *_computations(question, cells, grid),
        *_computations(question, crossed[:_MAX_CROSSED], grid),
    )
    return next((program for program in programs if _gives(grid, program, answers)), None)


def _gives(grid: Grid, program: CellProgram, answers: Sequence[str]) -> bool:
    computed = run_program(grid, program)
    return computed is not None and exact_match(computed.text, answers)


def _computations(question: str, cells: Sequence[Cell], grid: Grid) -> Iterator[CellProgram]:
    """All operators on all or on pairs of the cells, the simpler ones first."""
    for cell in cells:
        yield CellProgram("cell", (cell,))
    for cell in cells:
        yield CellProgram("negate", (cell,))
    if len(cells) < 2 or len(cells) > _MAX_OPERANDS:
        return
    pairs = list(permutations(cells[:_MAX_CROSSED], 2))
    for operator in PAIRS:
        yield from (CellProgram(operator, pair) for pair in pairs)
    directions = _directions(question) or ("argmax", "argmin")
    numbers = _with_numbers(grid, cells)
    for operator in ("sum", "average", *directions, "max", "min"):
        yield CellProgram(operator, tuple(sorted(numbers)))
    yield CellProgram("count", tuple(sorted(cells)))


def _comparisons(
    question: str, named: Sequence[Cell], gold: GoldHeaders, grid: Grid
) -> Iterator[CellProgram]:
    """Programs that find the named headers as the header of an extreme cell.

    Compared are, in one gold column (or row): the other gold rows ("A or B"), the rows with the same parent,
    all rows of the same depth; rows that say "total" only where they are gold. Without a word like "higher"
    or "fewest" in the question there are none: the header may be asked for by a value.
    """
    directions = _directions(question)
    if not directions:
        return
    for header in named:
        axis = 0 if any(header in path for path in left_paths(grid)) else 1
        paths = left_paths(grid) if axis == 0 else top_paths(grid)
        body = [one.position for one in axis_headers(grid, "row" if axis == 0 else "col")]
        winners = [place for place in body if header in paths[place]]
        lines = _gold_lines(grid, gold, axis=1 - axis)
        marked = {*(gold.left if axis == 0 else gold.top)} - {header}
        for rivals in (_pair, _siblings, _peers):
            for line in lines:
                for winner in winners:
                    others = rivals(grid, paths, body, winner, header, marked)
                    first, *rest = [
                        (place, line) if axis == 0 else (line, place) for place in (winner, *others)
                    ]
                    cells = [first, *_with_numbers(grid, rest)]
                    if 2 <= len(cells) <= _MAX_OPERANDS:
                        yield from (CellProgram(name, tuple(sorted(cells))) for name in directions)


def _with_numbers(grid: Grid, cells: Sequence[Cell]) -> list[Cell]:
    numbers = cell_numbers(grid, cells)
    return [cell for cell, number in zip(cells, numbers, strict=True) if number is not None]


def _pair(
    grid: Grid,
    paths: Sequence[Sequence[Cell]],
    body: Iterable[int],
    winner: int,
    header: Cell,
    marked: set[Cell],
) -> list[int]:
    return [
        place
        for place in body
        if place != winner and paths[place] and header not in paths[place] and paths[place][-1] in marked
    ]


def _siblings(
    grid: Grid,
    paths: Sequence[Sequence[Cell]],
    body: Iterable[int],
    winner: int,
    header: Cell,
    marked: set[Cell],
) -> list[int]:
    return [
        place
        for place in _peers(grid, paths, body, winner, header, marked)
        if paths[place][:-1] == paths[winner][:-1]
    ]


def _peers(
    grid: Grid,
    paths: Sequence[Sequence[Cell]],
    body: Iterable[int],
    winner: int,
    header: Cell,
    marked: set[Cell],
) -> list[int]:
    return [
        place
        for place in body
        if place != winner
        and len(paths[place]) == len(paths[winner])
        and not _TOTAL.search(cell_text(grid, *paths[place][-1]).casefold())
    ]


def _directions(question: str) -> tuple[str, ...]:
    lower = question.casefold()
    found = [(match.start(), "argmax") for match in _MORE.finditer(lower)]
    found += [(match.start(), "argmin") for match in _LESS.finditer(lower)]
    return tuple(dict.fromkeys(name for _, name in sorted(found)))


def _gold_lines(grid: Grid, gold: GoldHeaders, *, axis: int) -> list[int]:
    """Positions whose innermost gold header is a gold one; those below a gold header where there are none."""
    paths = left_paths(grid) if axis == 0 else top_paths(grid)
    marked = {*(gold.left if axis == 0 else gold.top)}
    body = [one.position for one in axis_headers(grid, "row" if axis == 0 else "col")]
    exact = [place for place in body if paths[place] and set(paths[place]) <= marked]
    return (
        exact or [place for place in body if set(paths[place]) & marked] or (body if len(body) == 1 else [])
    )


def _crossed(grid: Grid, gold: GoldHeaders) -> list[Cell]:
    rows, cols = _gold_lines(grid, gold, axis=0), _gold_lines(grid, gold, axis=1)
    return [(row, col) for row in rows for col in cols if cell_text(grid, row, col).strip()]


def _is_header(grid: Grid, cell: Cell) -> bool:
    return cell[0] < grid.num_header_rows or cell[1] < grid.num_header_cols
