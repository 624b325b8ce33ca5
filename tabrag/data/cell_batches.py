"""Training batches of a cell reader: tables cut down at random around the needed cells, and the targets."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from tabrag.data.cell_examples import CellExample, grid_of
from tabrag.data.folder import DataFolder
from tabrag.data.sampling import shuffled_batches
from tabrag.models.cell_reader import CHOICES, HEADER
from tabrag.models.inputs.cell_batch import collate
from tabrag.models.inputs.cell_table import AxisPart, CellTable, CellTableInputs, best_within
from tabrag.tables.header_scores import HeaderScores
from tabrag.tables.programs import PAIRS, SETS, CellProgram
from tabrag.types import Cell

_MAX_MEMBERS = 8
"""Cells of a set that are needed in a cut table; the others may go."""
_MAX_CACHED = 20_000
_NOISE = 0.6
"""How much chance has a say beside the scores in what stays."""


@dataclass(frozen=True, slots=True)
class Target:
    """A program in the numbers of one :class:`CellTable`.

    Attributes:
        choice: Number of the choice.
        cells: ``(row, column)`` numbers of the operands that are body cells.
        header: Number of the header that is the answer, columns first; -1 for none.
    """

    choice: int
    cells: tuple[tuple[int, int], ...]
    header: int = -1


def target_of(table: CellTable, program: CellProgram) -> Target | None:
    """The program as the model should choose it; None where the table does not show all of it.

    Of a set the cells that are shown count, two at least.
    """
    rows = {position: number for number, position in enumerate(table.rows.positions)}
    cols = {position: number for number, position in enumerate(table.cols.positions)}
    cells = [(rows[row], cols[col]) for row, col in program.cells if row in rows and col in cols]
    if program.operator in SETS:
        return Target(CHOICES.index(program.operator), tuple(cells)) if len(cells) > 1 else None
    if len(cells) == len(program.cells):
        return Target(CHOICES.index(program.operator), tuple(cells))
    headers = [node.cell for node in (*table.cols.nodes, *table.rows.nodes)]
    if program.operator == "cell" and program.cells[0] in headers:
        return Target(CHOICES.index(HEADER), (), headers.index(program.cells[0]))
    return None


class CellBatches(torch.utils.data.Dataset[dict[str, Any]]):
    """This process's batches of one epoch; element ``i`` is the whole batch of step ``i``.

    A batch holds ``chunks`` (inputs of like length: ``inputs``, see
    :func:`tabrag.models.inputs.cell_batch.collate`, and ``targets``, the keyword arguments of
    :func:`tabrag.losses.cells.program_loss` but for the scores) and ``query_ids``. The order of the questions
    and what is left of their tables are functions of (seed, epoch, question). ``cache`` keeps whole tables by
    the example's number, for the next epochs.
    """

    def __init__(
        self,
        folder: DataFolder,
        examples: Sequence[CellExample],
        *,
        inputs: CellTableInputs,
        scores: Sequence[HeaderScores] | None,
        max_tokens: int,
        batch_size: int,
        chunk_size: int,
        num_processes: int,
        rank: int,
        seed: int,
        epoch: int,
        cache: dict[int, CellTable] | None = None,
    ) -> None:
        self.folder = folder
        self.examples = examples
        self.inputs = inputs
        self.scores = scores
        self.max_tokens = max_tokens
        self.chunk_size = chunk_size
        self.seed = seed
        self.epoch = epoch
        self.cache = {} if cache is None else cache
        self.plan = shuffled_batches(
            len(examples),
            batch_size=batch_size,
            num_processes=num_processes,
            rank=rank,
            key=f"{seed}/{epoch}/cells",
        )

    def __len__(self) -> int:
        return len(self.plan)

    def __getitem__(self, step: int) -> dict[str, Any]:
        found = [self._example(number) for number in self.plan[step]]
        found.sort(key=lambda pair: len(pair[0]))
        size = self.chunk_size or len(found)
        chunks = []
        for first in range(0, len(found), size):
            tables = [table for table, _ in found[first : first + size]]
            batch = collate(self.inputs, tables)
            body = batch["row_mask"][:, :, None] & batch["col_mask"][:, None, :]
            targets = targets_of([target for _, target in found[first : first + size]], valid_BRC=body)
            chunks.append({"inputs": batch, "targets": targets})
        return {"chunks": chunks, "query_ids": [self.examples[number].query_id for number in self.plan[step]]}

    def _example(self, number: int) -> tuple[CellTable, Target]:
        example = self.examples[number]
        program = example.program
        assert program is not None
        table = self.cache.get(number)
        if table is None:
            table = self.inputs.table(example.text, grid_of(self.folder, example))
            assert table is not None
            if len(self.cache) < _MAX_CACHED:
                self.cache[number] = table
        rng = random.Random(f"{self.seed}/{self.epoch}/{example.query_id}")
        scores = None if self.scores is None else self.scores[number]
        table = sample_table(self.inputs, table, program, scores, rng, max_tokens=self.max_tokens)
        target = target_of(table, program)
        assert target is not None
        return table, target


def sample_table(
    inputs: CellTableInputs,
    table: CellTable,
    program: CellProgram,
    scores: HeaderScores | None,
    rng: random.Random,
    *,
    max_tokens: int,
) -> CellTable:
    """A part of a table that shows the program's cells.

    Args:
        inputs: Knows how much fits into an input.
        table: The whole table.
        program: What must stay; of a large set a few cells.
        scores: Rows and columns with high scores stay rather than others.
        rng: What decides.
        max_tokens: See :class:`tabrag.data.config.CellDataConfig`.
    """
    special = len(inputs.special[0]) + 3 * len(inputs.special[1])
    room = inputs.tokenization.max_length - special - len(table.question)
    if max_tokens:
        room = min(room, int(max_tokens * rng.uniform(0.5, 1.0)) - special - len(table.question))
    if table.rows.num_tokens + table.cols.num_tokens <= room:
        return table
    cells = list(program.cells)
    if program.operator in SETS:
        rng.shuffle(cells)
        cells = cells[:_MAX_MEMBERS]
    rows = _needed(table.rows, cells, by=0)
    cols = _needed(table.cols, cells, by=1)
    col_room = max(int(room * rng.uniform(0.3, 0.6)), room - table.rows.num_tokens)
    chosen_cols = best_within(
        table.cols, _ranks(table.cols, scores.cols if scores else None, rng), col_room, always=cols
    )
    left = room - table.cols.keep(chosen_cols).num_tokens
    chosen_rows = best_within(
        table.rows, _ranks(table.rows, scores.rows if scores else None, rng), left, always=rows
    )
    return table.keep(chosen_rows, chosen_cols)


def targets_of(targets: Sequence[Target], *, valid_BRC: Tensor) -> dict[str, Tensor]:
    """The targets of a batch as :func:`tabrag.losses.cells.program_loss` takes them."""
    num_cols = valid_BRC.shape[2]
    members = torch.zeros(valid_BRC.shape)
    places = torch.full((2, len(targets)), -1)
    for n, target in enumerate(targets):
        operator = CHOICES[target.choice]
        if operator in SETS:
            for row, col in target.cells:
                members[n, row, col] = 1
            continue
        for role, (row, col) in enumerate(target.cells[: 2 if operator in PAIRS else 1]):
            places[role, n] = row * num_cols + col
    return {
        "target_B": torch.tensor([target.choice for target in targets]),
        "first_B": places[0],
        "second_B": places[1],
        "header_B": torch.tensor([target.header for target in targets]),
        "members_BRC": members,
        "valid_BRC": valid_BRC,
    }


def _needed(axis: AxisPart, cells: Sequence[Cell], *, by: int) -> list[int]:
    """Numbers of the rows or columns of the cells; of a header cell on this axis the first one below it."""
    number = {position: place for place, position in enumerate(axis.positions)}
    headers = {node.cell: n for n, node in enumerate(axis.nodes)}
    found = {number[cell[by]] for cell in cells if cell[by] in number}
    for cell in cells:
        if cell in headers:
            found.add(next(place for place, path in enumerate(axis.paths) if headers[cell] in path))
    return sorted(found)


def _ranks(axis: AxisPart, scores: dict[int, float] | None, rng: random.Random) -> dict[int, float]:
    """Scores with noise: what is easily taken for the needed stays more often, but not always."""
    known = dict(zip(axis.positions, axis.facts[:, 0].tolist(), strict=True)) if scores is None else scores
    return {position: known.get(position, 0.0) + _NOISE * rng.random() for position in axis.positions}
