"""What a grid looks like: kinds of cells, titles, labels, corners, votes of columns."""

from __future__ import annotations

import re
from collections import Counter

from tabrag.tables.grid import Region, owner_map
from tabrag.tables.kinds import Kind, cell_kind
from tabrag.types import Grid

_MAX_BODY_ROWS = 200
"""Rows below the header that are looked at: more do not change a majority."""
MAX_HEADER_ROWS = 12
"""Most header rows that are looked for."""


class Look:
    """A grid with the kinds of its cells as they are seen (a merged region shows its text everywhere)."""

    def __init__(self, grid: Grid, *, fill_right: bool = False) -> None:
        self.grid = grid
        self.fill_right = fill_right
        self.owners = owner_map(grid)
        self.num_rows = min(grid.num_rows, MAX_HEADER_ROWS + _MAX_BODY_ROWS)
        self.kinds = [[cell_kind(text) for text in row] for row in grid.cells[: self.num_rows]]
        self._labels: dict[int, bool] = {}
        for (row, col), region in self.owners.items():
            if row < self.num_rows:
                self.kinds[row][col] = self.kinds[region[0]][region[2]]

    def num_title_rows(self) -> int:
        """Rows at the top with one text over the full width, or with a text in the first cell alone.

        One or two words right above two columns without another header are a header with an empty second
        cell.
        """
        count = 0
        while count < self.num_rows and self.is_label(count):
            count += 1
        if count == self.num_rows:  # labels down to the end are a list of one filled column, not titles
            return 0
        return count - 1 if count and self._is_half_header(count - 1) else count

    def _is_half_header(self, row: int) -> bool:
        """Whether a label names the first of two columns, and the rows below it have no header."""
        return (
            self.grid.num_cols == 2
            and (row, 0) not in self.owners
            and re.fullmatch(r"[^\W\d_]+(?:\s[^\W\d_]+)?", self.text(row, 0).strip()) is not None
            and self.kinds[row + 1][1] is Kind.NUMBER
            and self.votes(row + 1, row + 2) < 0
        )

    def begins_with_header(self) -> bool:
        """Whether different texts stand over numbers, right at the top or below titles."""
        row = self.num_title_rows()
        if row + 1 >= self.num_rows:
            return False
        texts = [text for col in range(self.grid.num_cols) if (text := self.text(row, col).strip())]
        is_header = not {Kind.NUMBER, Kind.MISSING}.intersection(self.kinds[row])
        return is_header and len(texts) == len(set(texts)) > 1 and self.votes(row, row + 1) > 0

    def header_row_under_remarks(self, start: int) -> int:
        """The first row of the true header, where rows of remarks from ``start`` on stand right above it.

        Remarks put three or more texts of their own above the row labels, and a header row without gaps
        follows.
        """
        stub: set[str] = set()
        for row in range(start, min(self.num_rows - 1, start + MAX_HEADER_ROWS)):
            kinds = self.kinds[row]
            if Kind.NUMBER in kinds:
                break
            if kinds[0] is not Kind.BLANK and (row, 0) not in self.owners:
                stub.add(self.grid.cells[row][0])
            if Kind.BLANK not in kinds:
                is_header = self.votes(row, row + 1) > 0 and Kind.NUMBER in self.kinds[row + 1]
                return row if is_header and len(stub) >= 3 else start
        return start

    def is_sparse_text(self, row: int) -> bool:
        """Whether a row of a well filled table of numbers has a few texts and no number."""
        num_cols = self.grid.num_cols
        filled = [text for col in range(num_cols) if (text := self.text(row, col).strip())]
        if num_cols < 4 or 2 * len(filled) > num_cols:
            return False
        body = [kinds for kinds in self.kinds if Kind.NUMBER in kinds]
        num_filled = sum(num_cols - kinds.count(Kind.BLANK) for kinds in body)
        is_text = all(cell_kind(text) is Kind.TEXT for text in filled)
        return is_text and 5 * num_filled > 4 * num_cols * max(1, len(body))

    def corner(self, start: int) -> Region | None:
        """The merged cell above the row labels: an empty one, or one beside a banner."""
        corner = self.owners.get((start, 0))
        if corner is None or corner[1] >= self.num_rows - 1 or corner[3] >= self.grid.num_cols - 1:
            return None
        is_blank = self.kinds[start][0] is Kind.BLANK
        has_banner = any(region[0] == start and region[3] > region[2] > 0 for region in self.grid.merged)
        return corner if is_blank or (has_banner and corner[2] == corner[3]) else None

    def text(self, row: int, col: int) -> str:
        """The text that is seen at a cell."""
        region = self.owners.get((row, col), (row, row, col, col))
        return self.grid.cells[region[0]][region[2]]

    def votes(self, row: int, end: int) -> int:
        """Votes of the columns on whether ``row`` is a header over a body that begins in row ``end``."""
        score = 0
        for col, kind in enumerate(self.kinds[row]):
            below = self.column_kind(col, end)
            if below is Kind.NUMBER:
                score += {Kind.TEXT: 1, Kind.PERIOD: 1, Kind.NUMBER: -1}.get(kind, 0)
            elif below is Kind.PERIOD:
                score += {Kind.TEXT: 1, Kind.PERIOD: -1, Kind.NUMBER: -1}.get(kind, 0)
        return score

    def column_kind(self, col: int, end: int) -> Kind:
        """The kind of most of the filled cells of a column from row ``end`` on."""
        counts = Counter(self.kinds[row][col] for row in range(end, self.num_rows) if not self.is_label(row))
        filled = counts[Kind.NUMBER] + counts[Kind.PERIOD] + counts[Kind.TEXT]
        if filled == 0:
            return Kind.NUMBER if counts[Kind.MISSING] else Kind.BLANK
        if 2 * counts[Kind.TEXT] > filled:
            return Kind.TEXT
        return Kind.NUMBER if counts[Kind.NUMBER] >= counts[Kind.PERIOD] else Kind.PERIOD

    def is_label(self, row: int) -> bool:
        """Whether the row has one text over the full width, or a text in the first cell alone."""
        if row not in self._labels:
            region = self.owners.get((row, 0), (row, row, 0, 0))
            num_cols = self.grid.num_cols
            self._labels[row] = (
                num_cols > 1
                and self.text(row, 0).strip() != ""
                and (region[3] == num_cols - 1 or region[0] == region[1])
                and not any(self.text(row, col).strip() for col in range(region[3] + 1, num_cols))
            )
        return self._labels[row]

    def filled_right(self, start: int, end: int) -> list[Region]:
        """Regions of a filled header cell and the empty cells right of it that have a filled cell below."""
        regions = []
        for row in range(start, end - 1):
            col = 0
            while col < self.grid.num_cols:
                last = col
                if self.kinds[row][col] is not Kind.BLANK and (row, col) not in self.owners:
                    while last + 1 < self.grid.num_cols and self._is_open(row, last + 1):
                        last += 1
                if last > col:
                    regions.append((row, row, col, last))
                col = last + 1
        return regions

    def _is_open(self, row: int, col: int) -> bool:
        return (
            self.kinds[row][col] is Kind.BLANK
            and (row, col) not in self.owners
            and self.kinds[row + 1][col] is not Kind.BLANK
        )
