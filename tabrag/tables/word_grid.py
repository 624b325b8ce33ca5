"""Rows and columns from the words of a picture.

A plain reconstruction for scans: words at one height are a row, blanks that run down the page part columns.
Lines of one cell stay rows of their own, and merged cells are not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from tabrag.types import Grid, Word

# Two words of a row are parts of one cell when the blank between them is narrower than this many characters.
_CELL_GAP = 1.6
# A blank that runs down the page parts two columns when it is at least this many characters wide.
_COLUMN_GAP = 0.9
# The blank between two columns may be crossed by this share of the rows (titles, totals), or one in four.
_CROSSING = 0.12
# Slopes of a scan that are tried: thousandths of the height over the whole width.
_SLOPES = range(-90, 91, 3)
_SIZE = 1000

_Piece = list[Word]


def words_to_grid(words: Sequence[Word]) -> Grid | None:
    """Arrange words in rows and columns by their boxes.

    Args:
        words: Words of one picture with boxes 0..1000, in any order. The slight slope of a scan is levelled.

    Returns:
        A grid without headers or merged regions, or None where the words form no table: fewer than two rows
        of two cells, or text that runs upwards or downwards.
    """
    words = [word for word in words if word.text.strip()]
    if not words or _is_turned(words):
        return None
    character = median((word.box[2] - word.box[0]) / len(word.text) for word in words)
    rows = [_pieces(row, _CELL_GAP * character) for row in group_rows(words)]
    tabular = [row for row in rows if len(row) > 1]
    if len(tabular) < 2:
        return None
    columns = _columns(tabular, _COLUMN_GAP * character)
    if len(columns) < 2:
        return None
    cells = [_fill(row, columns) for row in rows]
    used = [col for col in range(len(columns)) if any(row[col] for row in cells)]
    cells = [[row[col] for col in used] for row in cells]
    return Grid(cells=cells) if sum(sum(map(bool, row)) > 1 for row in cells) > 1 else None


def group_rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words at one height, rows from above, the words of a row from the left."""
    if not words:
        return []
    slope = _slope(words)
    height = median(word.box[3] - word.box[1] for word in words)
    rows: list[list[Word]] = []
    middle_of_row = 0.0
    for middle, word in sorted(((_middle(word, slope), word) for word in words), key=lambda pair: pair[0]):
        if rows and middle - middle_of_row <= 0.45 * height:
            rows[-1].append(word)
            middle_of_row += (middle - middle_of_row) / len(rows[-1])
        else:
            rows.append([word])
            middle_of_row = middle
    return [sorted(row, key=lambda word: word.box[0]) for row in rows]


def _middle(word: Word, slope: float) -> float:
    """Height of a word's middle on the levelled page."""
    return (word.box[1] + word.box[3]) / 2 - slope * (word.box[0] + word.box[2]) / (2 * _SIZE)


def _slope(words: Sequence[Word]) -> float:
    """The slope at which the middles of words gather in the sharpest rows; the smallest of good ones."""
    xs = np.array([(word.box[0] + word.box[2]) / 2 for word in words])
    ys = np.array([(word.box[1] + word.box[3]) / 2 for word in words])
    bin_width = max(2.0, median(word.box[3] - word.box[1] for word in words) / 3)
    best, best_score = 0.0, -1.0
    for slope in sorted(_SLOPES, key=abs):
        levelled = ys - slope * xs / _SIZE
        counts = np.bincount(((levelled - levelled.min()) / bin_width).astype(int))
        score = float((counts.astype(float) ** 2).sum())
        if score > best_score * 1.02:
            best, best_score = float(slope), score
    return best


def _is_turned(words: Sequence[Word]) -> bool:
    """Whether long words are tall: then the lines run upwards or downwards and rows mean nothing."""
    short = [word.box[3] - word.box[1] for word in words if len(word.text) <= 3]
    long = [word.box[3] - word.box[1] for word in words if len(word.text) >= 6]
    return len(short) >= 3 and len(long) >= 3 and median(long) > 2 * median(short)


def _pieces(row: list[Word], gap: float) -> list[_Piece]:
    """The words that stand close together."""
    pieces: list[_Piece] = []
    for word in row:
        if pieces and word.box[0] - max(other.box[2] for other in pieces[-1]) <= gap:
            pieces[-1].append(word)
        else:
            pieces.append([word])
    return pieces


def _columns(rows: list[list[_Piece]], min_blank: float) -> list[tuple[int, int]]:
    """(x0, x1) of each stretch with ink in more than a few rows."""
    ink = np.zeros(_SIZE + 2, dtype=int)
    for row in rows:
        for word in (word for piece in row for word in piece):
            ink[word.box[0] : word.box[2] + 1] += 1
    filled = (ink > max(int(_CROSSING * len(rows)), int(len(rows) >= 4))).astype(int)
    steps = np.diff(filled, prepend=0)
    columns: list[tuple[int, int]] = []
    for start, end in zip(
        np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True
    ):
        if columns and start - columns[-1][1] < min_blank:
            columns[-1] = (columns[-1][0], end)
        else:
            columns.append((start, end))
    return columns


def _fill(row: list[_Piece], columns: list[tuple[int, int]]) -> list[str]:
    """Put each piece into the column it overlaps most (the nearest one where it overlaps none).

    A piece whose words lie in several columns, none across two, is a row of narrowly set cells.
    """
    cells = [""] * len(columns)
    for piece in row:
        split = all(len(_overlapped(word, columns)) == 1 for word in piece)
        for words in ([word] for word in piece) if split else (piece,):
            x0, x1 = words[0].box[0], max(word.box[2] for word in words)
            col = max(range(len(columns)), key=lambda i: min(x1, columns[i][1]) - max(x0, columns[i][0]))
            cells[col] = " ".join(filter(None, [cells[col], *(word.text for word in words)]))
    return cells


def _overlapped(word: Word, columns: list[tuple[int, int]]) -> list[int]:
    return [i for i, (start, end) in enumerate(columns) if word.box[0] < end and word.box[2] > start]
