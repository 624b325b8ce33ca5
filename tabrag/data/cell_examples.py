"""Training examples of a cell reader: a question, its table, and the program that gives the answer."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass

from tabrag.data.cell_programs import find_program
from tabrag.data.folder import DataFolder
from tabrag.errors import UserError
from tabrag.tables.programs import CellProgram
from tabrag.types import Grid

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CellExample:
    """A question over one table.

    Attributes:
        query_id: Its id.
        table_id: Id of the table that answers it.
        text: The question.
        answers: The gold answers.
        program: What gives one of them; None where nothing was found.
    """

    query_id: str
    table_id: str
    text: str
    answers: tuple[str, ...]
    program: CellProgram | None


def cell_examples(
    folder: DataFolder, split: str, *, max_examples: int = 0, programs: bool = True
) -> list[CellExample]:
    """The questions of a split that have answers and a table with a grid, in the order of the file.

    Args:
        folder: Data set folder.
        split: Name of the split.
        max_examples: Keep every n-th one, so that at most about this many are left; 0 keeps all.
        programs: Search programs, and keep only questions that have one, to train on.

    Raises:
        UserError: There are none.
    """
    pairs = [
        (folder.queries[query_id], next(item for item, grade in grades.items() if grade > 0))
        for query_id, grades in folder.qrels(split).items()
        if any(grade > 0 for grade in grades.values())
    ]
    pairs = [(query, item) for query, item in pairs if query.task == "qa" and query.answers]
    step = -(-len(pairs) // max_examples) if max_examples else 1
    found = []
    for query, item in pairs[::step]:
        grid = folder.tables[item].grid
        if grid is None:
            continue
        program = None
        if programs:
            gold = next((one for one in folder.gold_headers.get(query.id, ()) if one.table_id == item), None)
            program = find_program(query.text, query.answers, gold, grid) if gold is not None else None
        found.append(CellExample(query.id, item, query.text, tuple(query.answers), program))
    if programs:
        kept = [example for example in found if example.program is not None]
        counts = Counter(example.program.operator for example in kept if example.program)
        shown = ", ".join(f"{name} {count}" for name, count in counts.most_common())
        logger.info(
            "%s: %d of %d questions have a program over cells: %s", split, len(kept), len(found), shown
        )
        found = kept
    if not found:
        raise UserError(
            f"{folder.path}: no query of split '{split}' whose answer can be computed from gold cells: use a "
            "data set with answers and headers.jsonl, for example hitab or synthetic"
        )
    return found


def grid_of(folder: DataFolder, example: CellExample) -> Grid:
    """The grid of an example's table; :func:`cell_examples` leaves tables without one out."""
    grid = folder.tables[example.table_id].grid
    assert grid is not None
    return grid
