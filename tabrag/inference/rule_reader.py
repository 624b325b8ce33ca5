"""Answering from a table by its header words alone: no language model, no training.

Four cases, tried in this order:

1. a comparison of two named alternatives ("which is higher, A or B"): their values in the row or column asked
for; 2. an extreme ("which X has the highest Y"): the row header of the extreme value of the column;
3. a header asked for ("which club in 2010"): the row's cell under the header column of that name;
4. otherwise the cell where the best row and the best column meet; a column whose cell in the row stands in
the question is given, not asked for.

It computes no sums or differences and reads no pictures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tabrag.inference.found import Found
from tabrag.tables.axes import named_cells
from tabrag.tables.grid import cell_text, corner_paths, left_paths, owner, path_texts, top_paths
from tabrag.tables.lexical import (
    TOTALS,
    asked_direction,
    best,
    body_paths,
    certainty,
    overlap,
    path_scores,
    words,
)
from tabrag.tables.values import NumberFormat, infer_number_format, parse_value
from tabrag.types import Cell, Grid

_TOTAL = TOTALS | set(words("subtotal"))
_ASKS_NAME = re.compile(r"\b(?:which|who|whom|what|when|where)\b")
_ASKS_VALUE = re.compile(r"\bhow (?:many|much)\b|\bpercent|\bproportion\b|^what (?:was|is|were|are) the\b")
_NOUN = re.compile(r"\b(?:which|what)\s+((?:[\w-]+\s+){0,2}[\w-]+)")


def read_cell(grid: Grid, question: str) -> Found | None:
    """The answer to ``question``; None where the grid has no body cell."""
    fits = overlap(grid, question)
    if not fits.rows or not fits.cols:
        return None
    named_at: dict[int, set[int]] = {}
    for named_row, named_col in named_cells(grid, question):
        named_at.setdefault(named_row, set()).add(named_col)
    row = _row(fits.rows, named_at)
    col = _cols(fits.cols, named_at.get(row, set()))
    at = (row, col[0])
    sure = certainty(fits.rows) * certainty(fits.cols)
    lower = question.lower()
    if _ASKS_NAME.search(lower) and not _ASKS_VALUE.search(lower):
        direction = asked_direction(lower)
        named = None
        if direction and " or " in lower:
            named = _alternative(grid, lower, at, direction)
        if named is None and direction:
            extremes = (_extreme(grid, one, direction) for one in col)
            named = next((one for one in extremes if one is not None), None)
        named = named or _stub(grid, lower, at[0])
        if named is not None:
            return Found(
                text=cell_text(grid, *named[0]), cells=[owner(grid, *cell) for cell in named], certainty=sure
            )
    return Found(text=cell_text(grid, *at), cells=[owner(grid, *at)], certainty=sure)


def _row(scores: Mapping[int, float], named_at: Mapping[int, set[int]]) -> int:
    """The row that fits best; of equal ones that with most cells that the question names."""
    rows = best(scores) or list(scores)
    return max(rows, key=lambda row: len(named_at.get(row, ())))


def _cols(scores: Mapping[int, float], named: set[int]) -> list[int]:
    """The columns that fit best. One whose cell in the row stands in the question is given, not asked for."""
    asked = {col: score for col, score in scores.items() if col not in named}
    return best(asked) or best(scores) or list(asked) or list(scores)


def _alternative(grid: Grid, question: str, at: Cell, direction: int) -> list[Cell] | None:
    """Header and value of the winner of "A or B", then the value of the other; both are rows or columns."""
    before, after = question.rsplit(" or ", 1)
    pairs = []
    for axis, paths in enumerate(body_paths(grid)):
        asked, of_second = path_scores(paths, question), path_scores(paths, after)
        second = max(best(of_second), key=asked.__getitem__, default=None)
        of_first = path_scores({key: texts for key, texts in paths.items() if key != second}, before)
        first = max(best(of_first), key=asked.__getitem__, default=None)
        if first is not None and second is not None:
            pairs.append((of_second[second] + of_first[first], axis, first, second))
    for _, axis, *keys in sorted(pairs, key=lambda pair: -pair[0])[:1]:
        cells = [(key, at[1]) if axis == 0 else (at[0], key) for key in keys]
        values = [parse_value(cell_text(grid, *cell), _number_format(grid, cell[1])) for cell in cells]
        if values[0] is None or values[1] is None:
            return None
        wins_first = (values[0].number - values[1].number) * direction > 0
        winner, other = cells if wins_first else cells[::-1]
        path = left_paths(grid)[winner[0]] if axis == 0 else top_paths(grid)[winner[1]]
        return [path[-1], winner, other] if path else None
    return None


def _extreme(grid: Grid, col: int, direction: int) -> list[Cell] | None:
    """Row header and cell of the extreme value of a column, totals left out.

    A total is a row that says so, or one whose header has rows below it in the tree: it holds their sum.
    """
    paths = left_paths(grid)
    parents = {path[:length] for path in paths for length in range(1, len(path))}
    number_format = _number_format(grid, col)
    values: Mapping[int, float] = {
        row: value.number * direction
        for row, texts in body_paths(grid)[0].items()
        if texts
        and paths[row] not in parents
        and not _TOTAL & set(words(texts[-1]))
        and (value := parse_value(cell_text(grid, row, col), number_format)) is not None
    }
    if not values:
        return None
    row = max(values, key=values.__getitem__)
    if paths[row]:
        return [paths[row][-1], (row, col)]
    names = [other for other in range(grid.num_cols) if parse_value(cell_text(grid, row, other)) is None]
    return [(row, names[0]), (row, col)] if names else None


def _number_format(grid: Grid, col: int) -> NumberFormat | None:
    """How the numbers of a column are written: next to ``0,5``, ``1.234`` is over a thousand."""
    return infer_number_format(cells[col] for cells in grid.cells[grid.num_header_rows :])


def _stub(grid: Grid, question: str, row: int) -> list[Cell] | None:
    """The row's cell in the header column whose own header is what is asked for ("which club", "who")."""
    headers = {col: path_texts(grid, path) for col, path in enumerate(corner_paths(grid))}
    noun = _NOUN.search(question)
    if noun:
        asked = set(words(noun[1]))
        shared = {col: float(len(asked & set(words(" ".join(texts))))) for col, texts in headers.items()}
        if best(shared):
            return [(row, best(shared)[0])]
    if re.search(r"\bwhom?\b", question):
        names = [col for col in headers if parse_value(cell_text(grid, row, col)) is None]
        return [(row, names[0])] if names else None
    return None
