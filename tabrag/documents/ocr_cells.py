"""Cells between lines in which OCR found nothing although there is ink: single digits, faint numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from tabrag.documents.page_content import PageBox, Rule
from tabrag.tables.ocr_engine import TextLine, read_line, text_line

# What is read of a cell must be surer than a line that was found as text.
_MIN_SCORE = 0.8
# In heights of a line of text: the least and the largest height of a cell that holds one line, the ink's
# least height, and the margin around it.
_LOWEST, _HIGHEST = 0.6, 2.2
_LEAST_INK = 0.3
_MARGIN = 0.25
# Cells of a page that are looked into.
_MAX_CELLS = 150
# A cell's box is filled by the cell itself: what is not is no cell.
_RECTANGULAR = 0.9


def unread_cells(
    image: Image.Image, rules: Sequence[Rule], lines: Sequence[TextLine], unit: float
) -> list[TextLine]:
    """Lines in cells that hold none yet.

    Args:
        image: The RGB picture: dark ink on a light ground.
        rules: Lines that are drawn in it, in pixels.
        lines: What OCR read.
        unit: Height of a line of text as OCR boxes it, in pixels.
    """
    import cv2

    if not rules or unit <= 0:
        return []
    grey = np.asarray(image.convert("L"))
    free = np.ones_like(grey)
    thick = max(round(0.1 * unit), 3)
    for rule in rules:
        start, end = (round(rule.x0), round(rule.y0)), (round(rule.x1), round(rule.y1))
        cv2.line(free, start, end, 0, thick)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(free, connectivity=4)
    height, width = grey.shape
    taken = {
        int(labels[min(max(round((y0 + y1) / 2), 0), height - 1), min(max(round(x), 0), width - 1)])
        for x0, y0, x1, y1 in (line.box for line in lines)
        for x in (x0, (x0 + x1) / 2, x1 - 1)
    }
    found: list[TextLine] = []
    looked = 0
    for number, (x, y, columns, rows, area) in enumerate(stats.tolist()):
        inside = x > 0 and y > 0 and x + columns < width and y + rows < height
        low = _LOWEST * unit <= rows <= _HIGHEST * unit and columns >= _LOWEST * unit
        if number == 0 or number in taken or not (inside and low) or area < _RECTANGULAR * columns * rows:
            continue
        box = _ink_box(grey[y : y + rows, x : x + columns], unit)
        if box is None:
            continue
        looked += 1
        if looked > _MAX_CELLS:
            break
        line = _read(image, (x + box[0], y + box[1], x + box[2], y + box[3]))
        if line.score >= _MIN_SCORE and line.text.strip():
            found.append(line)
    return found


def _ink_box(cell: np.ndarray, unit: float) -> PageBox | None:
    """The box around the ink of a cell, with a margin; None where there is none but dirt."""
    margin = max(round(0.06 * unit), 2)
    inner = cell[margin:-margin, margin:-margin].astype(np.int16)
    if not inner.size:
        return None
    contrast = np.median(inner) - inner
    if contrast.max() < 60:
        return None
    ink = contrast > 0.5 * contrast.max()
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if rows[-1] - rows[0] < _LEAST_INK * unit or ink.mean() > 0.4:
        return None
    space = _MARGIN * unit
    return (
        max(margin + columns[0] - space, 0),
        max(margin + rows[0] - space, 0),
        min(margin + columns[-1] + 1 + space, cell.shape[1]),
        min(margin + rows[-1] + 1 + space, cell.shape[0]),
    )


def _read(image: Image.Image, box: PageBox) -> TextLine:
    x0, y0, x1, y1 = (round(value) for value in box)
    text, score = read_line(image.crop((x0, y0, x1, y1)))
    return text_line(text, score, ((x0, y0), (x1, y0), (x1, y1), (x0, y1)))
