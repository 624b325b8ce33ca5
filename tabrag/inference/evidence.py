"""Where in a table an answer stands."""

from __future__ import annotations

import re

from tabrag.evaluation.answer_dates import parse_date
from tabrag.evaluation.answer_refusals import is_refusal
from tabrag.evaluation.answer_replies import final_answer
from tabrag.evaluation.answer_values import number, numbers_in
from tabrag.evaluation.answers import list_members, normalise, same
from tabrag.inference.units import cells_in_other_units
from tabrag.tables.grid import Region
from tabrag.tables.header_scores import HeaderScores
from tabrag.tables.lexical import best, overlap
from tabrag.tables.text import title_text
from tabrag.types import Cell, Evidence, Grid, Table

_WORD = r"\w+"


def evidence_at(table: Table, cells: list[Cell], *, image: str | None) -> Evidence:
    """The evidence for given cells; rows and columns are all that they (or their merged regions) cover."""
    regions = [_region(table.grid, cell) for cell in cells]
    return Evidence(
        item_id=table.id,
        title=title_text(table),
        rows=sorted({row for region in regions for row in range(region[0], region[1] + 1)}),
        columns=sorted({col for region in regions for col in range(region[2], region[3] + 1)}),
        cells=cells,
        source=table.source,
        image=image,
    )


def locate(table: Table, answer: str, question: str, *, image: str | None) -> Evidence:
    """Find ``answer`` in ``table``.

    Cells that equal the answer (numbers by value) come first, then cells that contain its text, then those
    that hold its number in another unit, and last the cells of its members, where it is a list whose members
    all stand in the table. Among several, those whose row and column headers fit the question best. Where the
    answer does not stand in the table, ``cells`` is empty, and ``rows`` and ``columns`` are those whose
    headers fit the question best.
    """
    grid = table.grid
    if grid is None:
        return evidence_at(table, [], image=image)
    fits = overlap(grid, question)
    found = _best_of(grid, fits, _cells(table, answer))
    members = list_members(answer)
    if not found and len(members) > 1:
        each = [_best_of(grid, fits, _cells(table, member)) for member in members]
        found = list(dict.fromkeys(cell for some in each for cell in some)) if all(each) else []
    evidence = evidence_at(table, found, image=image)
    if not found:
        evidence.rows, evidence.columns = best(fits.rows), best(fits.cols)
    return evidence


def locate_sentence(table: Table, sentence: str, question: str, *, image: str | None) -> Evidence:
    """Find the cells that a sentence tells of: those of its numbers, and those whose whole text is in it.

    Texts of fewer than four characters are not looked for. Of several equal cells the best one counts, as in
    :func:`locate`.
    """
    grid = table.grid
    if grid is None:
        return evidence_at(table, [], image=image)
    said = f" {' '.join(re.findall(_WORD, normalise(sentence)))} "
    texts = {normalise(text) for line in grid.cells for text in line if number(text) is None}
    named = [text for text in texts if len(text) > 3 and f" {' '.join(re.findall(_WORD, text))} " in said]
    values = [written for written, _ in numbers_in(sentence)]
    fits = overlap(grid, question)
    cells = {cell for text in [*named, *values] for cell in _best_of(grid, fits, _equal_cells(grid, text))}
    evidence = evidence_at(table, sorted(cells), image=image)
    if not cells:
        evidence.rows, evidence.columns = best(fits.rows), best(fits.cols)
    return evidence


def value_of(reply: str, table: Table) -> str:
    """The value that a chat model's reply gives: the reply itself, or what its sentence says.

    A reply that stands in the table is taken as it is. Otherwise what it is wrapped in goes ("The answer
    is:"), and of a longer sentence the last number that stands in a body cell is taken. A list of numbers and
    what matches nothing stays as it is.
    """
    if _cells(table, reply):
        return reply
    reply = final_answer(reply)
    if _cells(table, reply) or len(reply.split()) < 3 or all(map(number, list_members(reply))):
        return reply
    numbers = [written for written, _ in numbers_in(reply)]
    return next((text for text in reversed(numbers) if _in_body(table, text)), reply)


def _in_body(table: Table, answer: str) -> bool:
    grid = table.grid
    return grid is not None and any(
        row >= grid.num_header_rows and col >= grid.num_header_cols for row, col in _cells(table, answer)
    )


def _cells(table: Table, answer: str) -> list[Cell]:
    grid = table.grid
    if grid is None or not normalise(answer):
        return []
    value = number(answer)
    if equal := _equal_cells(grid, answer):
        return equal
    if value is not None:
        return cells_in_other_units(table, value)
    wanted = f" {normalise(answer)} "
    return [cell for cell, text in _texts(grid).items() if wanted in f" {normalise(text)} "]


def _equal_cells(grid: Grid, answer: str) -> list[Cell]:
    wanted = normalise(answer)
    # What is neither a number nor a date nor a refusal equals texts alone: a long table is not parsed for it.
    by_value = number(answer) is not None or parse_date(answer) is not None or is_refusal(answer)
    return [
        cell
        for cell, text in _texts(grid).items()
        if normalise(text) == wanted or (by_value and number(text) is not None and same(text, answer))
    ]


def _texts(grid: Grid) -> dict[Cell, str]:
    return {
        (row, col): text
        for row, line in enumerate(grid.cells)
        for col, text in enumerate(line)
        if text.strip()
    }


def _best_of(grid: Grid, fits: HeaderScores, cells: list[Cell]) -> list[Cell]:
    """Of the cells those whose headers fit best; none of none."""
    scores = [_score(fits, _region(grid, cell)) for cell in cells]
    return [cell for cell, score in zip(cells, scores, strict=True) if score == max(scores)]


def _score(fits: HeaderScores, region: Region) -> float:
    first_row, last_row, first_col, last_col = region
    by_row = max(fits.rows.get(row, 0.0) for row in range(first_row, last_row + 1))
    return by_row + max(fits.cols.get(col, 0.0) for col in range(first_col, last_col + 1))


def _region(grid: Grid | None, cell: Cell) -> Region:
    """The merged region that begins at a cell, or the cell alone."""
    merged = () if grid is None else grid.merged
    alone = (cell[0], cell[0], cell[1], cell[1])
    return next((region for region in merged if (region[0], region[2]) == cell), alone)
