"""How well rows and columns of a table fit a question, by the words of their headers and of their cells.

A row is known by its header path and by what stands in its cells: "who played for Ajax" names a row by a cell
that is no header. Both are weighed by how few rows have the word.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tabrag.inference.rule_words import Asked, asked_words, beginnings, header_words, words
from tabrag.tables.grid import corner_paths, left_paths, path_texts, section_rows, top_paths
from tabrag.tables.lexical import TOTALS
from tabrag.tables.spans import owner_map
from tabrag.tables.values import NumberFormat, Value, infer_number_format, parse_value
from tabrag.types import Grid

_STRANGE_WEIGHT = 0.1
_WHOLE_BONUS = 0.2
_SHORT_NUMBER = 3
"""A number of fewer digits in a cell names no row by itself: it stands in many questions."""
_NUM_SAMPLED = 200
"""Rows that show of which kind a column is."""
_MIN_FLAT = 3
"""Columns with one header level from which on a second level over a single other one is no group."""
_TOTAL = TOTALS | set(words("subtotal sum"))


@dataclass(slots=True)
class Fit:
    """How a row or column fits.

    Attributes:
        score: The weights of its words, less a tenth of those that the question does not have.
        words: What each of the question's words counts in it.
    """

    score: float = 0.0
    words: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Match:
    """A table beside a question.

    Attributes:
        grid: The table.
        asked: The question.
        text: The texts as they are seen: those of merged regions in each of their cells.
        rows: Header texts of the body rows, section rows left out, by position.
        cols: Those of all columns, header columns included (there the texts above the row labels).
        row_fits: How well each row fits.
        col_fits: How well each column fits, header columns included.
        named: By row the columns whose cell the question names, with the share of the cell's words.
    """

    grid: Grid
    asked: Asked
    text: list[list[str]]
    rows: dict[int, list[str]]
    cols: dict[int, list[str]]
    row_fits: dict[int, Fit]
    col_fits: dict[int, Fit]
    named: dict[int, dict[int, float]]

    @property
    def body_cols(self) -> range:
        """The columns right of the header columns."""
        return range(self.grid.num_header_cols, self.grid.num_cols)

    def number_format(self, col: int) -> NumberFormat | None:
        """How a column writes its numbers: next to ``0,5``, ``1.234`` is over a thousand."""
        if col not in self._formats:
            first = self.grid.num_header_rows
            lines = self.grid.cells[first : first + _NUM_SAMPLED]
            self._formats[col] = infer_number_format(line[col] for line in lines)
        return self._formats[col]

    @cached_property
    def _formats(self) -> dict[int, NumberFormat | None]:
        return {}

    def value(self, row: int, col: int) -> Value | None:
        """The number in a cell."""
        text = self.text[row][col]
        return parse_value(text, self.number_format(col)) if any(map(str.isdecimal, text)) else None

    @cached_property
    def numeric_cols(self) -> frozenset[int]:
        """The columns most of whose filled cells are numbers."""
        found = set()
        sampled = list(self.rows)[:_NUM_SAMPLED]
        for col in range(self.grid.num_cols):
            filled = [row for row in sampled if any(map(str.isalnum, self.text[row][col]))]
            if filled and sum(self.value(row, col) is not None for row in filled) > len(filled) / 2:
                found.add(col)
        return frozenset(found)

    @cached_property
    def parents(self) -> frozenset[int]:
        """Rows that stand for others: totals, and rows with rows below them in the tree of labels."""
        paths = left_paths(self.grid)
        inner = {path[:length] for path in paths for length in range(1, len(path))}
        return frozenset(
            row
            for row, texts in self.rows.items()
            if (paths[row] and paths[row] in inner) or is_total(self.label(row))
        )

    def label(self, row: int) -> list[str]:
        """The header path of a row; its first text that is no number where it has none."""
        if self.rows[row]:
            return self.rows[row]
        name = self.name_col(row)
        return [] if name is None else [self.text[row][name]]

    def name_col(self, row: int) -> int | None:
        """The column of the row's name where it has no header: the first one of texts."""
        cols = range(self.grid.num_cols)
        filled = [col for col in cols if self.text[row][col].strip()]
        return next((col for col in filled if col not in self.numeric_cols), filled[0] if filled else None)


def match(grid: Grid, question: str) -> Match:
    """Compare a table with a question."""
    asked = asked_words(question)
    sections = set(section_rows(grid))
    lefts, tops = left_paths(grid), top_paths(grid)
    body = range(grid.num_header_rows, grid.num_rows)
    rows = {row: path_texts(grid, lefts[row]) for row in body if row not in sections}
    rows = rows or {row: path_texts(grid, lefts[row]) for row in body}
    cols = {col: path_texts(grid, path) for col, path in enumerate(corner_paths(grid))}
    cols |= {col: path_texts(grid, tops[col]) for col in range(grid.num_header_cols, grid.num_cols)}
    text = _seen(grid)
    col_fits, row_fits = path_fits(_without_banner(cols), asked), path_fits(_without_numbers(rows), asked)
    named = _add_cells(text, rows, asked, row_fits, col_fits, labels=grid.num_header_cols)
    return Match(grid, asked, text, rows, cols, row_fits, col_fits, named)


def path_fits(paths: Mapping[int, Sequence[str]], asked: Asked) -> dict[int, Fit]:
    """How each header path fits; the measure is that of :func:`tabrag.tables.lexical.path_scores`."""
    bags = {
        key: frozenset().union(*(header_words(text, asked) for text in texts)) for key, texts in paths.items()
    }
    counts = Counter(word for bag in bags.values() for word in bag)
    weights = {word: math.log(1 + len(bags) / count) for word, count in counts.items()}
    fits = {}
    for key, bag in bags.items():
        shared = {word: weights[word] * asked.weights[word] for word in bag if word in asked.weights}
        strange = sum(weights[word] for word in bag if word not in asked.weights)
        score = max(sum(shared.values()) - _STRANGE_WEIGHT * strange, 0.0) if shared else 0.0
        fits[key] = Fit(score + (_WHOLE_BONUS if bag & _TOTAL else 0.0), shared)
    return fits


def _without_numbers(rows: Mapping[int, list[str]]) -> dict[int, list[str]]:
    """Header paths without short numbers where these stand beside words: they count or measure the row."""
    return {
        row: [text for text in texts if not _is_short_number(words(text))] or texts
        for row, texts in rows.items()
    }


def _without_banner(cols: Mapping[int, list[str]]) -> dict[int, list[str]]:
    """Header paths without the outer text of one column where no other has any: it speaks of the table."""
    deep = [col for col, texts in cols.items() if len(texts) > 1]
    if len(deep) != 1 or sum(len(texts) == 1 for texts in cols.values()) < _MIN_FLAT:
        return dict(cols)
    return {col: texts[-1:] for col, texts in cols.items()}


def _seen(grid: Grid) -> list[list[str]]:
    regions = owner_map(grid)
    text = [list(line) for line in grid.cells] if regions else grid.cells
    for (row, col), region in regions.items():
        text[row][col] = grid.cells[region[0]][region[2]]
    return text


def _add_cells(
    text: Sequence[Sequence[str]],
    rows: Mapping[int, Sequence[str]],
    asked: Asked,
    row_fits: Mapping[int, Fit],
    col_fits: Mapping[int, Fit],
    *,
    labels: int,
) -> dict[int, dict[int, float]]:
    """Add to the fits of rows what the question names of their cells; return these by row and column."""
    hint = _hint(asked)
    found: dict[int, dict[int, tuple[float, frozenset[str]]]] = {}
    counts: Counter[str] = Counter()
    for row in rows if hint is not None else ():
        line = text[row]
        if hint is None or hint.search("\n".join(line)) is None:
            continue
        for col, one in enumerate(line):
            if not one.strip():
                continue
            bag = words(one)
            if col < labels and rows[row] and not _is_short_number(bag):
                continue
            shared = frozenset(filter(asked.says, bag))
            if shared and not (_is_short_number(bag) and not col_fits[col].words):
                found.setdefault(row, {})[col] = (len(shared) / len(bag), shared)
        counts.update({word for _, shared in found.get(row, {}).values() for word in shared})
    for row, cells in found.items():
        fit = row_fits[row]
        gained: dict[str, float] = {}
        for share, shared in cells.values():
            for word in shared - fit.words.keys():
                weight = math.log(1 + len(rows) / counts[word]) * share
                gained[word] = max(gained.get(word, 0.0), weight)
        fit.words.update(gained)
        fit.score += sum(gained.values())
    return {row: {col: share for col, (share, _) in cells.items()} for row, cells in found.items()}


def _hint(asked: Asked) -> re.Pattern[str] | None:
    """Finds lines that may hold a word of the question, fast."""
    starts = {start for word in asked.weights if asked.says(word) for start in beginnings(word)}
    return re.compile("|".join(sorted(starts)), re.IGNORECASE) if starts else None


def _is_short_number(bag: Sequence[str]) -> bool:
    return len(bag) == 1 and bag[0].isdecimal() and len(bag[0]) < _SHORT_NUMBER


def is_total(texts: Sequence[str]) -> bool:
    """Whether a header path ends in a total."""
    return bool(texts) and bool(_TOTAL & set(words(texts[-1])))
