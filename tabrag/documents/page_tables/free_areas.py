"""Areas that no line bounds: lines of several pieces below each other, between paragraphs of running text."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tabrag.documents.page_content import PageWord
from tabrag.documents.page_tables.area import Area
from tabrag.documents.page_tables.prose import Paragraph, paragraphs
from tabrag.documents.page_tables.strokes import SNAP, Stroke
from tabrag.documents.page_tables.text_lines import Piece, TextLine, bounds, text_lines

_GAP = 1.8
"""Widest blank between two lines of a table, heights of type."""
_SINGLES = 3
"""Lines of one piece (section rows, labels over two lines) that may follow each other inside a table."""
_LONG = 9
"""A line of one piece with so many words is text."""


def free_areas(
    words: Sequence[PageWord], horizontal: Sequence[Stroke], vertical: Sequence[Stroke]
) -> list[Area]:
    """Areas that may be borderless tables, from above, with their words and the lines drawn in them."""
    lines = text_lines([word for word in words if word.turn == 0])
    running = paragraphs(lines)
    prose = {id(piece) for paragraph in running for piece in paragraph.pieces}
    lanes: dict[tuple[float, float], list[TextLine]] = {}
    gaps = _gaps(running)
    for line in lines:
        pieces = [piece for piece in line.pieces if id(piece) not in prose]
        for key, part in _by_lane(pieces, gaps):
            lanes.setdefault(key, []).append(_line(part))
    found = []
    for lane in lanes.values():
        for run in _runs(lane, running, horizontal):
            found.append(_area(run, horizontal, vertical))
    return sorted(found, key=lambda area: (area.box[1], area.box[0]))


def _gaps(running: Sequence[Paragraph]) -> list[tuple[float, float, float]]:
    """Blanks ``(x, y0, y1)`` between running text at the left and at the right."""
    boxes = sorted({paragraph.box for paragraph in running if len(paragraph.pieces) >= 3})[:200]
    gaps = []
    for left in boxes:
        for right in boxes:
            size = right[0] - left[2]
            if 0 < size <= 0.5 * (left[2] - left[0]) and min(left[3], right[3]) > max(left[1], right[1]):
                gaps.append(((left[2] + right[0]) / 2, min(left[1], right[1]), max(left[3], right[3])))
    return gaps


def _by_lane(
    pieces: Sequence[Piece], gaps: Sequence[tuple[float, float, float]]
) -> list[tuple[tuple[float, float], list[Piece]]]:
    """Pieces of a line by the text column they stand in."""
    if not pieces:
        return []
    cuts = sorted(
        {
            round(x)
            for x, y0, y1 in gaps
            if y0 <= pieces[0].middle <= y1 and not any(piece.box[0] < x < piece.box[2] for piece in pieces)
        }
    )
    edges = [-1e9, *cuts, 1e9]
    lanes = []
    for low, high in zip(edges, edges[1:], strict=False):
        part = [piece for piece in pieces if low <= piece.box[0] < high]
        if part:
            # Cuts a few points apart are one: the lane is told by its left side alone.
            lanes.append(((round(low / 40), 0.0), part))
    return lanes


def _line(pieces: list[Piece]) -> TextLine:
    return TextLine(pieces, min(piece.box[1] for piece in pieces), max(piece.box[3] for piece in pieces))


def _runs(
    lines: list[TextLine], running: Sequence[Paragraph], horizontal: Sequence[Stroke]
) -> list[list[TextLine]]:
    runs: list[list[TextLine]] = []
    run: list[TextLine] = []
    singles = 0
    for line in lines:
        if run and not _continues(run, line, singles, running):
            runs.append(run)
            run, singles = [], 0
        run.append(line)
        singles = 0 if len(line.pieces) > 1 else singles + 1
    runs.append(run)
    return [trimmed for run in runs if len(trimmed := _trimmed(run, horizontal)) >= 2]


def _continues(run: list[TextLine], line: TextLine, singles: int, running: Sequence[Paragraph]) -> bool:
    last = run[-1]
    size = median(piece.size for piece in last.pieces)
    gaps = [below.y0 - above.y1 for above, below in zip(run, run[1:], strict=False)]
    widest = max(_GAP * size, 1.3 * median(gaps) if len(gaps) >= 2 else 0.0)
    if line.y0 - last.y1 > widest:
        return False
    if len(line.pieces) == 1:
        if singles >= _SINGLES or line.pieces[0].num_words >= _LONG:
            return False
    elif singles and len(run) == singles and run[-1].pieces[0].num_words >= _LONG:
        return False
    x0, x1 = min(last.x0, line.x0), max(last.x1, line.x1)
    return not any(
        box[1] > last.middle and box[3] < line.middle and box[0] < x1 and box[2] > x0
        for box in (paragraph.box for paragraph in running)
    )


def _trimmed(run: list[TextLine], horizontal: Sequence[Stroke]) -> list[TextLine]:
    """Without titles above and single texts below; a text over the columns of values is a header."""
    parted = [index for index, line in enumerate(run) if len(line.pieces) > 1]
    if len(parted) < 2:
        return []
    first, last = parted[0], parted[-1]
    label_end = median(run[index].pieces[0].box[2] for index in parted)
    x1 = max(line.x1 for line in run[first : last + 1])
    x0 = min(line.x0 for line in run[first : last + 1])
    while first > 0 and _is_header(run[first - 1], run[first], label_end, (x0, x1), horizontal):
        first -= 1
    return run[first : last + 1]


def _is_header(
    line: TextLine,
    below: TextLine,
    label_end: float,
    sides: tuple[float, float],
    horizontal: Sequence[Stroke],
) -> bool:
    """Whether a line of one text stands over the columns of values, not over the table as a title.

    It is right above the next line, or a line is drawn below it that is no longer than these columns.
    """
    x0, x1 = sides
    middle = (line.x0 + line.x1) / 2
    is_over_values = (
        abs(middle - (label_end + x1) / 2) < abs(middle - (x0 + x1) / 2) or line.x0 > (x0 + x1) / 2
    )
    is_underlined = any(
        line.middle < s.at < below.middle and s.start <= line.x0 + SNAP and line.x1 - SNAP <= s.end
        for s in horizontal
        if s.start > x0 + 0.2 * (x1 - x0)
    )
    is_near = below.y0 - line.y1 <= below.pieces[0].size or is_underlined
    return line.x0 > label_end and is_over_values and is_near


def _area(run: list[TextLine], horizontal: Sequence[Stroke], vertical: Sequence[Stroke]) -> Area:
    words = [word for line in run for piece in line.pieces for word in piece.words]
    x0, y0, x1, y1 = bounds(words)
    box = (x0 - 1, y0 - 1, x1 + 1, y1 + 1)
    hs = [s for s in horizontal if y0 < s.at < y1 and s.end > x0 and s.start < x1]
    vs = [s for s in vertical if x0 + SNAP < s.at < x1 - SNAP and min(s.end, y1) - max(s.start, y0) > SNAP]
    return Area(box, words, hs, vs)
