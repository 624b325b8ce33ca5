"""Running text: what no borderless table is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tabrag.documents.page_content import PageBox
from tabrag.documents.page_tables.text_lines import Piece, TextLine

_WORDS = 4.5
"""A line of running text has at least so many words."""
_LEADING = 0.95
"""Widest blank between two lines of a paragraph, heights of type."""
_LINES = 2
_JUSTIFIED = 3


@dataclass(slots=True)
class Paragraph:
    """Lines of running text below each other."""

    pieces: list[Piece]

    @property
    def box(self) -> PageBox:
        boxes = [piece.box for piece in self.pieces]
        return (
            min(box[0] for box in boxes),
            min(box[1] for box in boxes),
            max(box[2] for box in boxes),
            max(box[3] for box in boxes),
        )


def paragraphs(lines: Sequence[TextLine]) -> list[Paragraph]:
    """Paragraphs among the pieces of lines; a label before a number is none."""
    open_ones: list[Paragraph] = []
    found: list[Paragraph] = []
    followed_by_value: set[int] = set()
    for line in lines:
        still_open = []
        for paragraph in open_ones:
            last = paragraph.pieces[-1]
            if line.y0 - last.box[3] <= _LEADING * last.size:
                still_open.append(paragraph)
            else:
                found.append(paragraph)
        open_ones = still_open
        for piece, after in zip(line.pieces, [*line.pieces[1:], None], strict=True):
            if after is not None and after.is_value:
                followed_by_value.add(id(piece))
            home = next((paragraph for paragraph in open_ones if _follows(paragraph.pieces[-1], piece)), None)
            if home is not None:
                home.pieces.append(piece)
            elif _is_wordy(piece):
                open_ones.append(Paragraph([piece]))
    return [paragraph for paragraph in [*found, *open_ones] if _is_running_text(paragraph, followed_by_value)]


def _is_wordy(piece: Piece) -> bool:
    values = sum(1 for word in piece.words if word.text[:1].isdigit() or not word.text[:1].isalnum())
    return piece.num_words >= _WORDS and 2 * values < len(piece.words)


def _follows(above: Piece, below: Piece) -> bool:
    size = above.size
    if abs(below.size - size) > 0.15 * size or below.middle - above.middle < 0.5 * size:
        return False
    if below.box[1] - above.box[3] > _LEADING * size:
        return False
    overlap = min(above.box[2], below.box[2]) - max(above.box[0], below.box[0])
    narrower = min(above.box[2] - above.box[0], below.box[2] - below.box[0])
    return overlap >= 0.8 * narrower and abs(above.box[0] - below.box[0]) <= 3 * size and not below.is_value


def _is_running_text(paragraph: Paragraph, followed_by_value: set[int]) -> bool:
    wordy = [piece for piece in paragraph.pieces if _is_wordy(piece)]
    if len(wordy) < _LINES or 2 * len(wordy) < len(paragraph.pieces):
        return False
    if 2 * sum(id(piece) in followed_by_value for piece in paragraph.pieces) < len(paragraph.pieces):
        return True
    right = max(piece.box[2] for piece in paragraph.pieces)
    full = sum(right - piece.box[2] <= 0.3 * piece.size for piece in paragraph.pieces)
    return len(wordy) >= _JUSTIFIED and 10 * full >= 6 * len(paragraph.pieces)
