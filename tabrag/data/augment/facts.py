"""What the questions of one table are made of: its rows, its columns, its values and its topic."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from tabrag.data.augment.labels import Label, Role, cell_kind, clean, is_latin, is_rate, is_total, role_of
from tabrag.data.augment.subject import Subject, subject_of
from tabrag.tables.grid import corner_paths, left_paths, owner_map, section_rows, top_paths
from tabrag.tables.kinds import Kind
from tabrag.tables.values import NumberFormat, infer_number_format, parse_value
from tabrag.types import Cell, Grid, HeaderPath, Table

_MAX_ROWS = 300
"""Rows that questions are about: those of a longer table would all be like these."""
_DISTINCT = 0.8
_DRAWS = 20


@dataclass(frozen=True, slots=True)
class Line:
    """A row or column of the body.

    Attributes:
        index: Its number in the grid.
        labels: Its headers, outermost first.
    """

    index: int
    labels: tuple[Label, ...]
    is_headed: bool = True
    """Whether the labels are header cells, not those of a key column."""

    @property
    def leaf(self) -> str:
        """The innermost header that is no bare unit; the innermost one where all are."""
        spoken = [label.text for label in self.labels if label.role is not Role.UNIT]
        return (spoken or [label.text for label in self.labels] or [""])[-1]

    @property
    def parents(self) -> tuple[str, ...]:
        """The headers above the innermost one."""
        return tuple(label.text for label in self.labels[:-1])

    @property
    def is_total(self) -> bool:
        """Whether the line is a sum of others."""
        return any(is_total(label.text) for label in self.labels)


class Facts:
    """A table as the makers of questions see it.

    Args:
        table: A table with a grid.
    """

    def __init__(self, table: Table, grid: Grid) -> None:
        self.grid = grid
        self.subject: Subject = subject_of(table)
        self._owners = owner_map(grid)
        self._values: dict[Cell, float | None] = {}
        sections = set(section_rows(grid))
        body = [row for row in range(grid.num_header_rows, grid.num_rows) if row not in sections][:_MAX_ROWS]
        tops = top_paths(grid)
        corners = corner_paths(grid)
        self.fields: list[Line] = [
            Line(col, self._labels(corners[col] if col < grid.num_header_cols else tops[col]))
            for col in range(grid.num_cols)
        ]
        """All columns, those of the row labels included, with the headers above them."""
        self.key: int | None = None if grid.num_header_cols else self._key_column(body)
        """The column that names the rows of a table without row headers."""
        lefts = left_paths(grid) if self.key is None else [((row, self.key),) for row in range(grid.num_rows)]
        rows = [Line(row, self._labels(lefts[row]), self.key is None) for row in body]
        self.rows: list[Line] = [row for row in rows if row.labels or self.key is None]
        self.columns: list[Line] = [
            field for field in self.fields[grid.num_header_cols :] if field.index != self.key
        ]

    @property
    def has_left_headers(self) -> bool:
        """Whether the labels of the rows are header cells, not those of a key column."""
        return self.key is None

    @cached_property
    def is_latin(self) -> bool:
        """Whether the table is written in Latin letters."""
        headers = [label.text for line in (*self.fields, *self.rows) for label in line.labels]
        return is_latin(" ".join([self.subject.text, *headers]))

    @cached_property
    def has_headers(self) -> bool:
        """Whether a header has a letter or digit."""
        lines = (*self.fields, *(self.rows if self.has_left_headers else ()))
        return any(char.isalnum() for line in lines for label in line.labels for char in label.text)

    def draw(self, rng: random.Random) -> tuple[Line, Line]:
        """A (row, column) pair of the body with a text and with headers on one side at least."""
        for _ in range(_DRAWS):
            pair = rng.choice(self.rows), rng.choice(self.columns)
            if self._is_filled(*pair):
                return pair
        return rng.choice([pair for pair in product(self.rows, self.columns) if self._is_filled(*pair)])

    @cached_property
    def is_filled(self) -> bool:
        """Whether there is such a pair at all."""
        return any(self._is_filled(row, column) for row, column in product(self.rows, self.columns))

    def _is_filled(self, row: Line, column: Line) -> bool:
        return bool(row.labels or column.labels) and self._is_content(self.text(row.index, column.index))

    def _is_content(self, text: str) -> bool:
        """Whether a cell says something; a unit below the header ("millions of dollars") does not."""
        kind = cell_kind(text)
        if kind is Kind.TEXT:
            return role_of(clean(text)) is not Role.UNIT
        return kind not in (Kind.BLANK, Kind.MISSING)

    @cached_property
    def row_noun(self) -> str:
        """What a row is ("team", "province"), from the header above the row labels or the "by" of a title."""
        col = self.key if self.key is not None else self.grid.num_header_cols - 1
        if 0 <= col < len(self.fields) and self.fields[col].labels:
            text = self.fields[col].leaf
            if 0 < len(text.split()) <= 4 and any(char.isalpha() for char in text):
                return text
        return self.subject.groups[0] if self.subject.groups else ""

    @cached_property
    def name_counts(self) -> Counter[tuple[str, ...]]:
        """How many rows have the same labels."""
        return Counter(tuple(label.text.casefold() for label in row.labels) for row in self.rows)

    def is_named(self, row: Line) -> bool:
        """Whether the labels of a row belong to it alone."""
        names = tuple(label.text.casefold() for label in row.labels)
        return bool(names) and self.name_counts[names] == 1

    def name(self, line: Line) -> str:
        """The innermost header of a line as printed."""
        return self.text(*line.labels[-1].cell)

    def text(self, row: int, col: int) -> str:
        """The text seen at a cell, in one line."""
        region = self._owners.get((row, col))
        owner = (row, col) if region is None else (region[0], region[2])
        return " ".join(self.grid.cells[owner[0]][owner[1]].split())

    def owner(self, row: int, col: int) -> Cell:
        """The cell that carries the text seen at a cell."""
        region = self._owners.get((row, col))
        return (row, col) if region is None else (region[0], region[2])

    def value(self, row: int, col: int) -> float | None:
        """The number printed in a cell; None for texts, periods and numbers with a scale ("1.2m")."""
        cell = (row, col)
        if cell not in self._values:
            text = self.text(row, col)
            value = None
            if cell_kind(text) is Kind.NUMBER:
                value = parse_value(text, self._formats[col])
            self._values[cell] = None if value is None or value.scale != 1 else value.number
        return self._values[cell]

    def adds_up(self, column: Line) -> bool:
        """Whether sums of the column's figures mean something."""
        texts = [label.text for label in column.labels]
        if not self.subject.is_count and any(label.role is Role.TIME for label in column.labels):
            return False
        return bool(texts) and not any(map(is_rate, texts)) and not is_rate(self.subject.main)

    def values(self, row: Line, column: Line) -> list[float]:
        """The numbers in the column of all rows on the level of ``row``, totals apart."""
        level = (one for one in self.rows if one.parents == row.parents and not one.is_total)
        return [value for one in level if (value := self.value(one.index, column.index)) is not None]

    def siblings(self, row: Line, column: Line) -> list[Line]:
        """The rows on the level of ``row``, totals apart, that have a number of their own in the column."""
        return [
            other
            for other in self.rows
            if other.parents == row.parents
            and not other.is_total
            and self.is_named(other)
            and self.owner(other.index, column.index) == (other.index, column.index)
            and self.value(other.index, column.index) is not None
        ]

    @cached_property
    def _formats(self) -> list[NumberFormat | None]:
        rows = [row.index for row in self.rows]
        return [infer_number_format(self.text(row, col) for row in rows) for col in range(self.grid.num_cols)]

    def _labels(self, path: HeaderPath) -> tuple[Label, ...]:
        labels: list[Label] = []
        for row, col in path:
            text = clean(self.text(row, col))
            if (
                text
                and (not labels or labels[-1].text != text)
                and any(char.isalnum() or char == "%" for char in text)
            ):
                labels.append(Label(text, (row, col), role_of(text)))
        return tuple(labels)

    def _key_column(self, body: list[int]) -> int | None:
        """The first column of texts, else of periods, whose cells are mostly different."""
        for wanted in (Kind.TEXT, Kind.PERIOD):
            for col in range(self.grid.num_cols):
                texts = [text for row in body if (text := self.text(row, col))]
                kinds = Counter(map(cell_kind, texts))
                if (
                    len(texts) > 1
                    and 2 * kinds[wanted] > len(texts)
                    and len({text.casefold() for text in texts}) >= _DISTINCT * len(body)
                ):
                    return col
        return None
