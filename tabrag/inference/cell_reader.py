"""Reading answers with a cell reader: scores to a program, the program to an answer with its formula.

Certainty is the probability of the operator times that of its cells: of one cell its softmax probability, of
two their product, of a set the least certain decision in or out of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from tabrag.inference.batching import token_batches
from tabrag.inference.found import Found
from tabrag.models.cell_reader import CHOICES, HEADER, ROLES, CellLogits, CellReader
from tabrag.models.inputs.cell_batch import collate
from tabrag.models.inputs.cell_table import CellTable
from tabrag.tables.grid import owner
from tabrag.tables.header_scores import HeaderScores
from tabrag.tables.programs import PAIRS, SINGLE, CellProgram, run_program
from tabrag.types import Cell, Grid

_NUM_TRIED = 24
"""First operands, and second ones, of which all pairs are tried."""
_NUM_SINGLE = 3
"""Cells that are tried as the only operand: the likeliest may hold a dash alone."""
_IN = 0.5
"""A cell of at least this probability is in a set."""


class CellAnswerer:
    """Calls a cell reader in batches of inputs of like length.

    Args:
        model: The reader; it is put into evaluation mode.
        batch_tokens: Positions of a batch, padding included.
    """

    def __init__(self, model: CellReader, *, batch_tokens: int = 4096) -> None:
        self.model = model.eval()
        self.batch_tokens = batch_tokens

    def __call__(
        self, pairs: Sequence[tuple[str, Grid]], scores: Sequence[HeaderScores] | None = None
    ) -> list[Found | None]:
        """The answer of each (question, grid), in order; None where a grid has no body or no cell answers.

        Args:
            pairs: Questions with their grids.
            scores: How likely each row and column is needed, which matters where a table is too long for one
                input; by words shared with the question where None.
        """
        inputs = self.model.inputs
        tables: list[CellTable | None] = []
        for number, (question, grid) in enumerate(pairs):
            table = inputs.table(question, grid)
            if table is not None:
                own = None if scores is None else scores[number]
                table = inputs.fit(table, own and own.rows, own and own.cols)
            tables.append(table)
        places = [place for place, table in enumerate(tables) if table is not None]
        lengths = [len(table) for table in tables if table is not None]
        answers: list[Found | None] = [None] * len(pairs)
        for batch in token_batches(lengths, batch_tokens=self.batch_tokens):
            chosen = [places[row] for row in batch]
            shown = [table for place in chosen if (table := tables[place]) is not None]
            logits = self._logits(shown)
            for n, (place, table) in enumerate(zip(chosen, shown, strict=True)):
                own_logits = CellLogits(*(values[n] for values in logits))
                answers[place] = answer_of(pairs[place][1], table, own_logits)
        return answers

    @torch.inference_mode()
    def _logits(self, tables: Sequence[CellTable]) -> CellLogits:
        device = next(self.model.parameters()).device
        batch = {name: values.to(device) for name, values in collate(self.model.inputs, tables).items()}
        return CellLogits(*(values.float().cpu() for values in self.model(**batch)))


def answer_of(grid: Grid, table: CellTable, logits: CellLogits) -> Found | None:
    """The result of the most likely program that has one.

    Operators are tried by probability; each with the most likely cells that it can work on.

    Args:
        grid: What the table's cells are cells of.
        table: What the model saw.
        logits: ``choice`` Tensor[O], ``cells`` Tensor[3, R, C], ``headers`` Tensor[N] (with padding).
    """
    chances = logits.choice.softmax(dim=0)
    for choice in chances.argsort(descending=True).tolist():
        operator = CHOICES[choice]
        for cells, chance in _operands(operator, table, logits):
            own = tuple(dict.fromkeys(owner(grid, *cell) for cell in cells))
            program = CellProgram("cell" if operator == HEADER else operator, own)
            computed = run_program(grid, program)
            if computed is not None:
                return Found(
                    text=computed.text,
                    cells=list(computed.cells),
                    certainty=chance * float(chances[choice]),
                    operator=operator,
                    formula=computed.formula,
                )
    return None


def _operands(
    operator: str, table: CellTable, logits: CellLogits
) -> Iterator[tuple[tuple[Cell, ...], float]]:
    """The most likely operands of an operator with their probability; nothing where the table has none."""
    num_rows, num_cols = table.numbers.shape
    if operator == HEADER:
        nodes = (*table.cols.nodes, *table.rows.nodes)
        chances = logits.headers[: len(nodes)].softmax(dim=0)
        best = int(chances.argmax())
        if (cell := nodes[best].cell) is not None:
            yield (cell,), float(chances[best])
        return
    planes = logits.cells[:, :num_rows, :num_cols]
    numeric = torch.from_numpy(table.numbers).isfinite()
    filled = numeric if operator != "cell" else torch.from_numpy(table.cells[..., 0]) == 0
    if operator in SINGLE:
        chances = planes[ROLES.index("first")].flatten().softmax(dim=0) * filled.flatten()
        best = chances.topk(min(_NUM_SINGLE, len(chances)))
        for place, chance in zip(best.indices.tolist(), best.values.tolist(), strict=True):
            if chance > 0:
                yield (_cell(table, place),), chance
    elif operator in PAIRS:
        yield from _pair(table, planes, numeric)
    else:
        yield from _set(table, planes[ROLES.index("member")], numeric)


def _pair(table: CellTable, planes: Tensor, numeric: Tensor) -> Iterator[tuple[tuple[Cell, ...], float]]:
    """The most likely two different cells that share a row or a column."""
    num_cols = table.numbers.shape[1]
    tops = []
    for role in ("first", "second"):
        logs = planes[ROLES.index(role)].flatten().log_softmax(dim=0)
        logs = logs.masked_fill(~numeric.flatten(), -math.inf)
        found = logs.topk(min(_NUM_TRIED, len(logs)))
        tops.append(list(zip(found.indices.tolist(), found.values.tolist(), strict=True)))
    pairs = [
        (a + b, first, second)
        for first, a in tops[0]
        for second, b in tops[1]
        if first != second
        and math.isfinite(a + b)
        and (first // num_cols == second // num_cols or first % num_cols == second % num_cols)
    ]
    if pairs:
        log_chance, first, second = max(pairs)
        yield (_cell(table, first), _cell(table, second)), math.exp(log_chance)


def _set(table: CellTable, plane: Tensor, numeric: Tensor) -> Iterator[tuple[tuple[Cell, ...], float]]:
    """The cells that are in; where fewer than two are, the two most likely ones of a row or column.

    The set is one row or one column, the one with more cells: all sums and comparisons but the rarest are.
    """
    chances = torch.where(numeric, plane.sigmoid(), torch.zeros(()))
    best = int(chances.argmax())
    row, col = divmod(best, chances.shape[1])
    lines = [[(row, c) for c in range(chances.shape[1])], [(r, col) for r in range(chances.shape[0])]]
    masses = [sum(float(chances[cell]) for cell in line) for line in lines]
    line = lines[masses.index(max(masses))]
    ranked = sorted((cell for cell in line if numeric[cell]), key=lambda cell: -float(chances[cell]))
    inside = [cell for cell in ranked if chances[cell] >= _IN]
    if len(inside) < 2:
        inside = ranked[:2]
    if len(inside) == 2 and chances[inside[1]] == 0 or len(inside) < 2:
        return
    least = min(max(float(chances[cell]), 1 - float(chances[cell])) for cell in line)
    own = min(float(chances[cell]) for cell in inside)
    yield tuple(sorted(_place(table, *cell) for cell in inside)), min(least, own)


def _cell(table: CellTable, place: int) -> Cell:
    return _place(table, *divmod(place, table.numbers.shape[1]))


def _place(table: CellTable, row: int, col: int) -> Cell:
    return table.rows.positions[row], table.cols.positions[col]
