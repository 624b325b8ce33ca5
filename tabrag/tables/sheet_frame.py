"""The grey frame of a spreadsheet: column letters above and row numbers beside the cells."""

from __future__ import annotations

from PIL import ImageDraw

from tabrag.tables.fonts import get_face
from tabrag.tables.styles import Colour, Look

_GROUND: Colour = (230, 230, 230)
_LINE: Colour = (180, 180, 180)
_INK: Colour = (90, 90, 90)


def column_letters(index: int) -> str:
    """A, B, ..., Z, AA, ... for 0, 1, ..., 25, 26, ..."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def frame_width(look: Look, num_rows: int) -> int:
    """Width of the column of row numbers, pixels."""
    face = get_face(look.style.family, look.font_size)
    return face.glyphs(str(num_rows)).advance + 2 * look.pad_x + 2


def frame_height(look: Look) -> int:
    """Height of the row of column letters, pixels."""
    face = get_face(look.style.family, look.font_size)
    return face.line_height + 2


def draw_frame(draw: ImageDraw.ImageDraw, look: Look, x_edges: list[int], y_edges: list[int]) -> None:
    """Draw the frame to the left of and above the cells whose edges are given."""
    left, top = x_edges[0] - frame_width(look, len(y_edges) - 1), y_edges[0] - frame_height(look)
    draw.rectangle((left, top, x_edges[0], y_edges[0]), fill=_GROUND, outline=_LINE)
    for col in range(len(x_edges) - 1):
        _label(draw, look, column_letters(col), (x_edges[col], top, x_edges[col + 1], y_edges[0]))
    for row in range(len(y_edges) - 1):
        _label(draw, look, str(row + 1), (left, y_edges[row], x_edges[0], y_edges[row + 1]))


def _label(draw: ImageDraw.ImageDraw, look: Look, text: str, box: tuple[int, int, int, int]) -> None:
    face = get_face(look.style.family, look.font_size)
    draw.rectangle(box, fill=_GROUND, outline=_LINE)
    glyphs = face.glyphs(text)
    x = (box[0] + box[2] - glyphs.advance) // 2
    y = (box[1] + box[3] - face.line_height) // 2 + face.ascent
    draw.bitmap((x + glyphs.left, y + glyphs.top), glyphs.mask, fill=_INK)
