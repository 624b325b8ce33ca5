"""Where in a table an answer stands."""

from __future__ import annotations

import re

from tabrag.evaluation.answers import normalise, number, same
from tabrag.tables.grid import Region
from tabrag.tables.header_scores import HeaderScores
from tabrag.tables.lexical import best, overlap
from tabrag.tables.text import title_text
from tabrag.types import Cell, Evidence, Grid, Table

_LEAD_IN = re.compile(r"^(?:the )?answer(?: is)?\s*:?\s*", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d[\d,.]*")


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

    Cells that equal the answer (numbers by value) come first, then cells that contain its text; among
    several, those whose row and column headers fit the question best. Where the answer does not stand in the
    table, ``cells`` is empty, and ``rows`` and ``columns`` are those whose headers fit the question best.
    """
    grid = table.grid
    if grid is None:
        return evidence_at(table, [], image=image)
    fits = overlap(grid, question)
    found = _cells(table, answer)
    if found:
        scores = [_score(fits, _region(grid, cell)) for cell in found]
        return evidence_at(
            table,
            [cell for cell, score in zip(found, scores, strict=True) if score == max(scores)],
            image=image,
        )
    evidence = evidence_at(table, [], image=image)
    evidence.rows, evidence.columns = best(fits.rows), best(fits.cols)
    return evidence


def value_of(reply: str, table: Table) -> str:
    """The value that a chat model's reply gives: the reply itself, or what its sentence says.

    A reply that stands in the table is taken as it is. Otherwise a lead-in ("The answer is:") goes, and of a
    longer sentence the last number that stands in a body cell is taken. What matches nothing stays as it is.
    """
    if _cells(table, reply):
        return reply
    reply = _LEAD_IN.sub("", reply.strip())
    if _cells(table, reply) or len(reply.split()) < 3:
        return reply
    numbers = [match[0].rstrip(".,") for match in _NUMBER.finditer(reply)]
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
    texts = {
        (row, col): text
        for row, line in enumerate(grid.cells)
        for col, text in enumerate(line)
        if text.strip()
    }
    equal = [cell for cell, text in texts.items() if _equals(text, answer)]
    if equal or number(answer) is not None:
        return equal
    wanted = f" {normalise(answer)} "
    return [cell for cell, text in texts.items() if wanted in f" {normalise(text)} "]


def _equals(text: str, answer: str) -> bool:
    return normalise(text) == normalise(answer) or (number(text) is not None and same(text, answer))


def _score(fits: HeaderScores, region: Region) -> float:
    first_row, last_row, first_col, last_col = region
    by_row = max(fits.rows.get(row, 0.0) for row in range(first_row, last_row + 1))
    return by_row + max(fits.cols.get(col, 0.0) for col in range(first_col, last_col + 1))


def _region(grid: Grid | None, cell: Cell) -> Region:
    """The merged region that begins at a cell, or the cell alone."""
    merged = () if grid is None else grid.merged
    alone = (cell[0], cell[0], cell[1], cell[1])
    return next((region for region in merged if (region[0], region[2]) == cell), alone)
