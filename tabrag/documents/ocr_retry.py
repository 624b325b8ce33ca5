"""A second look at lines that the recogniser is unsure of."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageOps

from tabrag.tables.ocr import MIN_SCORE
from tabrag.tables.ocr_engine import PixelBox, TextLine, read_line, text_line

# Lines that the recogniser is surer of are left as they are.
_SURE = 0.9
# A box this many times as high as wide may hold several short lines, one below the other.
_TALL = 1.4
# A line this many times as long as high is read in two parts if it cannot be read as a whole.
_LONG = 8
# How a line that runs upwards or downwards is turned to read it.
_TURNS = (Image.Transpose.ROTATE_270, Image.Transpose.ROTATE_90)


def sure_lines(lines: list[TextLine], image: Image.Image) -> list[TextLine]:
    """Lines that can be read, each unsure one read again: with full contrast, in parts, or row by row.

    Args:
        lines: What OCR read.
        image: The RGB picture it was read from.
    """
    looked = [better for line in lines for better in _second_look(line, image)]
    return [line for line in looked if line.score >= MIN_SCORE and line.text.strip()]


def _second_look(line: TextLine, image: Image.Image) -> list[TextLine]:
    if line.score >= _SURE:
        return [line]
    x0, y0, x1, y1 = line.box
    if y1 - y0 >= _TALL * (x1 - x0):
        turned = [line, *(_read(line.box, image, turn=turn) for turn in _TURNS)]
        rows = _rows(line.box, image)
        best = max(turned, key=lambda line: line.score)
        return rows if len(rows) > 1 and min(row.score for row in rows) > best.score else [best]
    found = max(line, _read(line.box, image), key=lambda line: line.score)
    if found.score < _SURE and x1 - x0 >= _LONG * (y1 - y0):
        middle = _blank(line.box, image)
        halves = [_read(box, image) for box in ((x0, y0, middle, y1), (middle, y0, x1, y1))]
        if min(half.score for half in halves) > found.score:
            return halves
    return [found]


def _read(box: PixelBox, image: Image.Image, turn: Image.Transpose | None = None) -> TextLine:
    piece = ImageOps.autocontrast(image.crop(_whole(box)).convert("L"), cutoff=1).convert("RGB")
    text, score = read_line(piece if turn is None else piece.transpose(turn))
    x0, y0, x1, y1 = box
    return text_line(text, score, ((x0, y0), (x1, y0), (x1, y1), (x0, y1)))


def _rows(box: PixelBox, image: Image.Image) -> list[TextLine]:
    """The rows of ink of a box, each read as a line."""
    x0, y0, x1, y1 = _whole(box)
    grey = np.asarray(image.crop((x0, y0, x1, y1)).convert("L")).astype(int)
    dark = np.abs(grey - np.median(grey)) > 0.4 * max(int(np.ptp(grey)), 1)
    filled = np.flatnonzero(dark.sum(axis=1) > 0)
    if not len(filled):
        return []
    rows = np.split(filled, np.flatnonzero(np.diff(filled) > 1) + 1)
    margin = 0.15 * (x1 - x0)
    return [
        _read((x0, max(y0 + row[0] - margin, y0), x1, min(y0 + row[-1] + 1 + margin, y1)), image)
        for row in rows
        if row[-1] - row[0] >= 0.2 * (x1 - x0)
    ]


def _blank(box: PixelBox, image: Image.Image) -> float:
    """Where the widest blank in the middle half of a line stands."""
    x0, y0, x1, y1 = _whole(box)
    grey = np.asarray(image.crop((x0, y0, x1, y1)).convert("L")).astype(int)
    dark = np.abs(grey - np.median(grey)) > 0.4 * max(int(np.ptp(grey)), 1)
    columns = np.flatnonzero(dark.any(axis=0))
    width = x1 - x0
    gaps = [
        (int(second - first), (first + second) / 2)
        for first, second in zip(columns, columns[1:], strict=False)
        if width / 4 <= (first + second) / 2 <= 3 * width / 4
    ]
    return x0 + float(max(gaps, default=(0, width / 2))[1])


def _whole(box: PixelBox) -> tuple[int, int, int, int]:
    x0, y0, x1, y1 = box
    return (max(int(x0), 0), max(int(y0), 0), int(np.ceil(x1)), int(np.ceil(y1)))
