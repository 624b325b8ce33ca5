"""A question and a table to what the cell reader sees: tokens of headers; facts of rows, columns, cells.

The text is ``[CLS] question [SEP] column headers [SEP] row headers [SEP]``; each header cell is written once,
in the order in which the paths come to it, so a parent stands before its first child. The body's texts are
not read; what the question says of them is told by facts beside the headers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tabrag.models.inputs.kept import KeptIds
from tabrag.models.inputs.tokens import Tokenization
from tabrag.tables.axes import AxisHeader, axis_headers, named_cells
from tabrag.tables.grid import owner_map
from tabrag.tables.lexical import path_scores
from tabrag.tables.programs import column_format
from tabrag.tables.values import NumberFormat, Value, parse_value
from tabrag.types import Cell, Grid

Floats = npt.NDArray[np.float32]
NUM_AXIS_FACTS = 9
"""See :func:`_axis_facts`."""
NUM_CELL_FACTS = 6
"""See :func:`_cell_facts`."""
_TOTAL = re.compile(r"\b(?:totals?|all|overall|both)\b")


@dataclass(frozen=True, slots=True)
class Node:
    """One header as the model sees it.

    Attributes:
        cell: The header cell; None where first cells stand for the header that a row or column lacks.
        ids: Its token ids, at least one.
    """

    cell: Cell | None
    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AxisPart:
    """The rows or the columns of a table.

    Attributes:
        positions: Their places in the grid, ``N`` of them.
        nodes: The headers on their paths, each once.
        paths: For each position the numbers of its headers in ``nodes``, outermost first, never empty.
        facts: Floats[N, :data:`NUM_AXIS_FACTS`].
    """

    positions: tuple[int, ...]
    nodes: tuple[Node, ...]
    paths: tuple[tuple[int, ...], ...]
    facts: Floats

    def keep(self, places: Sequence[int]) -> AxisPart:
        """Only some of the positions, given by their numbers, and the headers on their paths."""
        used = list(dict.fromkeys(node for place in places for node in self.paths[place]))
        number = {node: new for new, node in enumerate(used)}
        return AxisPart(
            tuple(self.positions[place] for place in places),
            tuple(self.nodes[node] for node in used),
            tuple(tuple(number[node] for node in self.paths[place]) for place in places),
            self.facts[list(places)],
        )

    @property
    def num_tokens(self) -> int:
        """Tokens of all its headers."""
        return sum(len(node.ids) for node in self.nodes)


@dataclass(frozen=True, slots=True)
class CellTable:
    """A question with a table, or with a part of one.

    Attributes:
        question: Token ids of the question.
        rows: ``R`` rows.
        cols: ``C`` columns.
        cells: Floats[R, C, :data:`NUM_CELL_FACTS`], facts of the body cells.
        numbers: Floats64[R, C], their values; NaN where a cell is no number.
    """

    question: tuple[int, ...]
    rows: AxisPart
    cols: AxisPart
    cells: Floats
    numbers: npt.NDArray[np.float64]

    def __len__(self) -> int:
        """Tokens without the special ones."""
        return len(self.question) + self.rows.num_tokens + self.cols.num_tokens

    def keep(self, rows: Sequence[int], cols: Sequence[int]) -> CellTable:
        """Some rows and columns, given by their numbers (not their places in the grid), in rising order."""
        chosen = np.ix_(list(rows), list(cols))
        return CellTable(
            self.question,
            self.rows.keep(rows),
            self.cols.keep(cols),
            self.cells[chosen],
            self.numbers[chosen],
        )


@dataclass
class CellTableInputs:
    """Makes :class:`CellTable` from questions and grids.

    Attributes:
        tokenization: The tokenizer with its ``max_length``.
        header_length: Most tokens of one header; of a longer one the first.
    """

    tokenization: Tokenization
    header_length: int = 24

    def __post_init__(self) -> None:
        self._ids = KeptIds(self.tokenization, is_never_empty=True)

    @classmethod
    def load(cls, folder: Path, *, max_length: int, header_length: int) -> CellTableInputs:
        """Read the tokenizer of a model folder."""
        return cls(Tokenization.load(folder, max_length=max_length), header_length)

    def table(self, question: str, grid: Grid) -> CellTable | None:
        """The question with the whole table; None where the table has no body cell.

        A question that is longer than half an input is cut to that.
        """
        heads = axis_headers(grid, "row"), axis_headers(grid, "col")
        if not heads[0] or not heads[1]:
            return None
        named = set(named_cells(grid, question))
        facts = [_axis_facts(axis, question, named, by=number) for number, axis in enumerate(heads)]
        cells, numbers = _cell_facts(grid, heads[0], heads[1], named)
        asked = self._ids([question])[0][: self.tokenization.max_length // 2]
        return CellTable(
            asked, self._axis(heads[0], facts[0]), self._axis(heads[1], facts[1]), cells, numbers
        )

    def fit(
        self,
        table: CellTable,
        row_scores: Mapping[int, float] | None = None,
        col_scores: Mapping[int, float] | None = None,
    ) -> CellTable:
        """The table, or where it is too long for one input its best rows and columns.

        Args:
            table: The whole table.
            row_scores: How likely each grid row is needed; by the words that it shares with the question
                where None.
            col_scores: The same of the columns. Columns come first: they take up to half of the room.
        """
        room = self.tokenization.max_length - len(self.special[0]) - 3 * len(self.special[1])
        room -= len(table.question)
        if table.rows.num_tokens + table.cols.num_tokens <= room:
            return table
        cols = best_within(table.cols, col_scores, max(room // 2, room - table.rows.num_tokens))
        left = room - table.cols.keep(cols).num_tokens
        return table.keep(best_within(table.rows, row_scores, left), cols)

    @property
    def special(self) -> tuple[list[int], list[int]]:
        """The special tokens before and after a text."""
        return self.tokenization.frame

    def _axis(self, headers: Sequence[AxisHeader], facts: Floats) -> AxisPart:
        numbers: dict[Cell | tuple[str, int], int] = {}
        texts: list[str] = []
        paths = []
        for header in headers:
            keys: list[tuple[Cell | tuple[str, int], str]] = list(
                zip(header.path, header.texts, strict=False)
            )
            if not header.path:
                keys = [(("own", header.position), ", ".join(header.texts))]
            for key, text in keys:
                if key not in numbers:
                    numbers[key] = len(numbers)
                    texts.append(text)
            paths.append(tuple(numbers[key] for key, _ in keys))
        ids = self._ids(texts)
        nodes = tuple(
            Node(None if isinstance(key[0], str) else (int(key[0]), key[1]), one[: self.header_length])
            for key, one in zip(numbers, ids, strict=True)
        )
        return AxisPart(tuple(header.position for header in headers), nodes, tuple(paths), facts)

    def save(self, folder: Path) -> None:
        """Write the tokenizer's files."""
        self.tokenization.save(folder)

    def state(self) -> str:
        """All that decides what a question and a table become."""
        return f"{self.header_length} {self.tokenization.state()}"


def best_within(
    axis: AxisPart,
    scores: Mapping[int, float] | None,
    room: int,
    *,
    always: Collection[int] = (),
) -> list[int]:
    """Numbers of the best rows or columns whose headers take at most ``room`` tokens together, rising.

    Args:
        axis: The rows or columns.
        scores: Score by grid position; words shared with the question where None.
        room: Tokens.
        always: Numbers to take in any case. Without these the best one is taken in any case.
    """
    if scores is None:
        ranks = axis.facts[:, 0]
    else:
        ranks = np.array([scores.get(position, 0.0) for position in axis.positions])
    chosen = set(always)
    shown = {node for place in chosen for node in axis.paths[place]}
    room -= sum(len(axis.nodes[node].ids) for node in shown)
    for place in np.argsort(-ranks, kind="stable").tolist():
        if place in chosen:
            continue
        new = set(axis.paths[place]) - shown
        cost = sum(len(axis.nodes[node].ids) for node in new)
        if cost > room and chosen:
            continue
        chosen.add(place)
        shown |= new
        room -= cost
    return sorted(chosen)


def _axis_facts(headers: Sequence[AxisHeader], question: str, named: set[Cell], *, by: int) -> Floats:
    """Facts of rows (``by`` 0) or columns (1), all 0..1.

    Words shared with the question relative to the best position, whether it is the best, whether it shares
    any; cells that the question names, one and three of them; whether it says "total"; depth of its path; its
    place from first to last; whether it is the last.
    """
    scores = path_scores({number: list(header.texts) for number, header in enumerate(headers)}, question)
    values = np.array([scores[number] for number in range(len(headers))], dtype=np.float32)
    counts = np.zeros(len(headers), dtype=np.float32)
    place = {header.position: number for number, header in enumerate(headers)}
    for cell in named:
        if cell[by] in place:
            counts[place[cell[by]]] += 1
    best = max(float(values.max()), 1e-6)
    last = max(len(headers) - 1, 1)
    columns = [
        values / best,
        values >= best,
        values > 0,
        counts > 0,
        np.minimum(counts, 3) / 3,
        [bool(header.texts) and bool(_TOTAL.search(header.texts[-1].casefold())) for header in headers],
        [min(len(header.path), 4) / 4 for header in headers],
        np.arange(len(headers)) / last,
        np.arange(len(headers)) == last,
    ]
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


def _cell_facts(
    grid: Grid, rows: Sequence[AxisHeader], cols: Sequence[AxisHeader], named: set[Cell]
) -> tuple[Floats, npt.NDArray[np.float64]]:
    """Facts of the body cells, and their values.

    Whether a cell is blank, a number, negative, a percentage, named by the question, and the first of its
    merged region.
    """
    facts = np.zeros((len(rows), len(cols), NUM_CELL_FACTS), dtype=np.float32)
    numbers = np.full((len(rows), len(cols)), np.nan)
    owners = owner_map(grid)
    for c, col in enumerate(cols):
        form = column_format(grid, col.position)
        for r, row in enumerate(rows):
            cell = (row.position, col.position)
            region = owners.get(cell)
            first = cell if region is None else (region[0], region[2])
            value = _value(text := grid.cells[first[0]][first[1]], form)
            is_first = first == cell
            if value is None:
                facts[r, c] = (not text.strip(), 0, 0, 0, cell in named, is_first)
                continue
            numbers[r, c] = value.number
            facts[r, c] = (0, 1, value.number < 0, value.percent, cell in named, is_first)
    return facts, numbers


@lru_cache(maxsize=200_000)
def _value(text: str, number_format: NumberFormat | None) -> Value | None:
    return parse_value(text, number_format)
