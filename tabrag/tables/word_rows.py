"""Rows from the words of a picture; the slight slope of a scan is levelled."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy as np

from tabrag.types import Word

# Slopes of a scan that are tried: thousandths of the height over the whole width.
_SLOPES = range(-90, 91, 3)
_SIZE = 1000


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
