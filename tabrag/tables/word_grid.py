"""Rows and columns from the words of a picture.

A plain reconstruction for scans: words at one height are a row, wide blanks that run down the page part the columns.
Lines of one cell stay rows of their own, and merged cells are not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tabrag.types import Grid, Word

# Two words of a row are parts of one cell when the blank between them is narrower than this many characters.
_CELL_GAP = 1.6
# A place belongs to the blank between two columns when at most this share of the rows has ink there.
_CROSSING = 0.12
_WIDTH = 1000


def words_to_grid(words: Sequence[Word]) -> Grid | None:
    """Arrange words in rows and columns by their boxes.

    Args:
        words: Words of one picture with boxes 0..1000, in any order.

    Returns:
        A grid without headers or merged regions, or None where the words form no table: fewer than two rows with two
        cells each.
    """
    words = [word for word in words if word.text.strip()]
    if not words:
        return None
    character = median((word.box[2] - word.box[0]) / len(word.text) for word in words)
    rows = [_cells(row, _CELL_GAP * character) for row in _rows(words)]
    tabular = [row for row in rows if len(row) > 1]
    if len(tabular) < 2:
        return None
    edges = _column_edges(tabular)
    if len(edges) < 2:
        return None
    grid = [_fill(row, edges) for row in rows]
    return Grid(cells=grid) if sum(sum(map(bool, row)) > 1 for row in grid) > 1 else None


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words whose middles lie within the height of the row's first word, rows from above, words from the left."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: word.box[1] + word.box[3]):
        middle = (word.box[1] + word.box[3]) / 2
        if rows and middle <= max(_upper_part(other) for other in rows[-1][:1]):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: word.box[0]) for row in rows]


def _upper_part(word: Word) -> float:
    """How far down the middles of words on the same row reach."""
    y0, y1 = word.box[1], word.box[3]
    return y0 + 0.85 * (y1 - y0)


def _cells(row: list[Word], gap: float) -> list[tuple[int, int, str]]:
    """(x0, x1, text) of words that stand close together."""
    cells: list[tuple[int, int, str]] = []
    for word in row:
        x0, _, x1, _ = word.box
        if cells and x0 - cells[-1][1] <= gap:
            start, end, text = cells[-1]
            cells[-1] = (start, max(end, x1), f"{text} {word.text}")
        else:
            cells.append((x0, x1, word.text))
    return cells


def _column_edges(rows: list[list[tuple[int, int, str]]]) -> list[int]:
    """Left end of each column: places with ink, parted by places where hardly any row has some."""
    ink = [0] * (_WIDTH + 1)
    for row in rows:
        for x0, x1, _ in row:
            for x in range(x0, x1 + 1):
                ink[x] += 1
    limit = int(_CROSSING * len(rows))
    return [x for x in range(_WIDTH + 1) if ink[x] > limit and (x == 0 or ink[x - 1] <= limit)]


def _fill(row: list[tuple[int, int, str]], edges: list[int]) -> list[str]:
    """Put each text into the column in which it begins (the nearest one for a text left of all)."""
    cells = [""] * len(edges)
    for x0, x1, text in row:
        middle = x0 + min(x1 - x0, 20) / 2
        col = max((i for i, edge in enumerate(edges) if edge <= middle), default=0)
        cells[col] = f"{cells[col]} {text}".strip()
    return cells
