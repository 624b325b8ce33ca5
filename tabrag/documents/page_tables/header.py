"""Header lines above the rows of a table without lines, and their levels."""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.documents.page_tables.columns import column_of
from tabrag.documents.page_tables.header_spans import UNIT, crossed_columns, level_spans
from tabrag.documents.page_tables.pitch import has_values, row_pitch
from tabrag.documents.page_tables.strokes import Stroke
from tabrag.documents.page_tables.text_lines import Piece, TextLine
from tabrag.tables.kinds import Kind, cell_kind


def num_header_lines(lines: Sequence[TextLine], edges: Sequence[float]) -> int:
    """Lines above the first line of values; labels alone right above it are of the first rows.

    Years are headers. A line of values that is closer to the one above than rows are to each other is the end
    of a wrapped header.
    """
    pitch = row_pitch(lines, edges)
    for index, line in enumerate(lines):
        is_last = index == len(lines) - 1
        if not has_values(line, edges) or (
            not is_last
            and (
                _are_periods(line, edges, is_first=index == 0)
                or _is_over_header(line, lines[index + 1 : index + 3], edges)
            )
        ):
            continue
        if not (index and line.middle - lines[index - 1].middle < pitch):
            while index > 1 and {column_of(piece, edges) for piece in lines[index - 1].pieces} == {0}:
                index -= 1
            return index
    return 0


def _are_periods(line: TextLine, edges: Sequence[float], *, is_first: bool) -> bool:
    """Whether a line has years over columns; texts may stand beside them where it is first or unlabelled."""
    texts = [piece for piece in line.pieces if column_of(piece, edges) > 0]
    if is_first or len(texts) == len(line.pieces):
        texts = [piece for piece in texts if piece.is_value]
    return len(texts) > 1 and all(cell_kind(piece.text) is Kind.PERIOD for piece in texts)


def _is_over_header(line: TextLine, below: Sequence[TextLine], edges: Sequence[float]) -> bool:
    """Whether years, and texts beside them, stand over the headers of more columns than they are.

    A label and a single year may be a property and its value.

    Args:
        line: The line.
        below: The next two, of which the first may be a label in the middle of both header lines.
        edges: Edges of the columns.
    """
    texts = [piece for piece in line.pieces if column_of(piece, edges) > 0]
    values = [piece for piece in texts if piece.is_value]
    over_columns = ([piece for piece in one.pieces if column_of(piece, edges) > 0] for one in below)
    headers = next(filter(None, over_columns), [])
    return (
        bool(values)
        and all(cell_kind(piece.text) is Kind.PERIOD for piece in values)
        and (len(texts) > 1 or len(line.pieces) == 1)
        and len(headers) > len(texts)
        and not any(piece.is_value for piece in headers)
    )


def header_levels(
    lines: Sequence[TextLine], edges: Sequence[float], horizontal: Sequence[Stroke]
) -> list[list[TextLine]]:
    """Header lines by level: a line drawn between them parts two levels, and so do texts over columns."""
    levels: list[list[TextLine]] = []
    for line in lines:
        if not levels or _parts(levels[-1], line, edges, horizontal):
            levels.append([line])
        else:
            levels[-1].append(line)
    return levels


def level_texts(level: Sequence[TextLine]) -> list[Piece]:
    """The texts of a level from the left: lines of one text, which stand below each other, are one."""
    texts: list[Piece] = []
    for piece in (piece for line in level for piece in line.pieces):
        x0, y0, x1, y1 = piece.box
        for index, text in enumerate(texts):
            left, top, right, bottom = text.box
            if min(x1, right) - max(x0, left) >= 0.5 * min(x1 - x0, right - left):
                box = (min(x0, left), min(y0, top), max(x1, right), max(y1, bottom))
                texts[index] = Piece([*text.words, *piece.words], box)
                break
        else:
            texts.append(piece)
    return sorted(texts, key=lambda text: text.box[0])


def _parts(
    level: list[TextLine], below: TextLine, edges: Sequence[float], horizontal: Sequence[Stroke]
) -> bool:
    if any(
        level[-1].middle < stroke.at < below.middle and stroke.end > edges[0] and stroke.start < edges[-1]
        for stroke in horizontal
    ):
        return True
    texts = level_texts(level)
    for piece, span in zip(texts, level_spans(texts, below.pieces, edges), strict=True):
        if len(span) > 1 and not (span == crossed_columns(piece, edges) and _wraps(piece, below)):
            return True
    return is_unit_line(below, level[-1], edges)


def is_unit_line(line: TextLine, above: TextLine, edges: Sequence[float]) -> bool:
    """Whether a line says the unit of several columns below headers of their own ("percent")."""
    texts = [piece for piece in line.pieces if column_of(piece, edges) > 0]
    if (
        not texts
        or 2 * len(texts) > len(above.pieces)
        or not all(UNIT.fullmatch(text.text) for text in texts)
    ):
        return False
    if len(texts) > 1:
        return any(len(span) > 1 for span in level_spans(texts, above.pieces, edges))
    width = (edges[-1] - edges[1]) / max(len(edges) - 2, 1)
    return len(edges) > 3 and abs((texts[0].box[0] + texts[0].box[2]) - (edges[1] + edges[-1])) <= width


def _wraps(piece: Piece, below: TextLine) -> bool:
    """Whether a text goes on in one piece right below its middle."""
    under = [other for other in below.pieces if other.box[0] < piece.box[2] and other.box[2] > piece.box[0]]
    if len(under) != 1:
        return False
    middle = (piece.box[0] + piece.box[2]) / 2
    left, right = under[0].box[0] - piece.box[0], under[0].box[2] - piece.box[2]
    return (
        min(abs((under[0].box[0] + under[0].box[2]) / 2 - middle), abs(left), abs(right)) <= 0.5 * piece.size
    )


def without_middles(lines: Sequence[TextLine], edges: Sequence[float]) -> list[TextLine]:
    """Header lines without those that stand in the middle of two others: headers that reach over both."""
    kept = []
    for index, line in enumerate(lines):
        above = lines[index - 1] if index else None
        below = lines[index + 1] if index + 1 < len(lines) else None
        if above and below and above.y1 > line.y0 + 0.5 and below.y0 < line.y1 - 0.5:
            cols = {column_of(piece, edges) for piece in line.pieces}
            others = {column_of(piece, edges) for other in (above, below) for piece in other.pieces}
            if not cols & others:
                continue
        kept.append(line)
    return kept
