"""Where in a table an answer stands."""

from __future__ import annotations

from tabrag.evaluation.answers import normalise, number, same
from tabrag.inference.lexical import Overlap, best, overlap
from tabrag.tables.text import title_text
from tabrag.types import Cell, Evidence, Table


def evidence_at(table: Table, cells: list[Cell], *, image: str | None) -> Evidence:
    """The evidence for given cells; rows and columns are theirs."""
    return Evidence(
        item_id=table.id,
        title=title_text(table),
        rows=sorted({row for row, _ in cells}),
        columns=sorted({col for _, col in cells}),
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
        scores = [_score(fits, cell) for cell in found]
        return evidence_at(
            table,
            [cell for cell, score in zip(found, scores, strict=True) if score == max(scores)],
            image=image,
        )
    evidence = evidence_at(table, [], image=image)
    evidence.rows, evidence.columns = best(fits.rows), best(fits.cols)
    return evidence


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


def _score(fits: Overlap, cell: Cell) -> float:
    return fits.rows.get(cell[0], 0.0) + fits.cols.get(cell[1], 0.0)
