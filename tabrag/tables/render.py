"""Draw a table as a picture, and know where each of its words stands.

Printed words are the training and test data of every model that reads table images: their texts and boxes
come from the drawing itself, so no OCR is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageDraw

from tabrag.errors import UserError
from tabrag.tables.boxes import enclosing_box
from tabrag.tables.fonts import get_face
from tabrag.tables.layout import CellBox, Layout, lay_out
from tabrag.tables.lines import draw_grounds, draw_lines
from tabrag.tables.scan import scan
from tabrag.tables.sheet_frame import draw_frame, frame_height, frame_width
from tabrag.tables.styles import STYLES, Look, choose_look
from tabrag.tables.text_block import Block, PlacedWord, measure, place, wrap
from tabrag.types import Grid, Table, Word

__all__ = ["MAX_AREA", "MAX_SIDE", "STYLES", "Rendered", "render"]

MAX_SIDE = 32_000
"""Longest side of a picture, pixels: many viewers and all JPEG files stop at twice this."""
MAX_AREA = 90_000_000
"""Largest area of a picture, pixels: below the limit of `tabrag.tables.image.open_image`."""

_TITLE_ENLARGED = 1.15
# Font sizes: below this width a title over a small table would wrap into a tower.
_MIN_TITLE_WIDTH = 26


@dataclass(slots=True, kw_only=True)
class Rendered:
    """A drawn table.

    Attributes:
        image: RGB picture.
        words: Its words: title (cell None), top headers, row headers, body; cells row by row in each part.
            Boxes are 0..1000 of the picture and enclose the ink.
    """

    image: Image.Image
    words: list[Word]


def render(table: Table, style: str = "ruled", *, seed: int = 0, scale: float = 1.0) -> Rendered:
    """Draw a table with its title lines. On one machine, table, style and seed decide the picture.

    The column letters and row numbers of the style ``spreadsheet`` are drawn, but are no words of the table.

    Args:
        table: Needs a grid.
        style: One of `STYLES`.
        seed: Chooses font size, spaces and colours within the style, and the defects of ``scanned``.
        scale: Factor on the size of everything, 0.3..8.

    Raises:
        UserError: No grid, an unknown style, a character that no installed font has, or a picture larger than
            `MAX_SIDE` or `MAX_AREA`.
    """
    if table.grid is None or not table.grid.cells or not table.grid.cells[0]:
        raise UserError(f"table {table.id!r} has no grid: only tables with cells can be rendered")
    if not 0.3 <= scale <= 8:
        raise UserError(f"scale {scale} is outside 0.3..8")
    try:
        return _render(table, table.grid, style, f"{seed}/{table.id}", scale)
    except UserError as error:
        raise UserError(f"table {table.id!r}: {error}") from None


def _render(table: Table, grid: Grid, style: str, key: str, scale: float) -> Rendered:
    look = choose_look(style, key=key, scale=scale)
    lowest_row = get_face(look.style.family, look.font_size).line_height + 2 * look.pad_y
    _check_size((grid.num_cols * look.font_size, grid.num_rows * lowest_row), grid)
    layout = lay_out(grid, look)
    titles = _titles(table, look, max(layout.x_edges[-1], _MIN_TITLE_WIDTH * look.font_size))
    margin = max(4, look.font_size)
    letters, numbers = (frame_height(look), frame_width(look, grid.num_rows)) if look.style.frame else (0, 0)

    text_width = max([layout.x_edges[-1]] + [width for block in titles for width in block.widths])
    title_height = sum(block.height + look.pad_y for block in titles) + (look.pad_y if titles else 0)
    left, top = margin + numbers, margin + title_height + letters
    size = (left + text_width + margin, top + layout.y_edges[-1] + margin)
    _check_size(size, grid)
    layout.x_edges = [left + x for x in layout.x_edges]
    layout.y_edges = [top + y for y in layout.y_edges]

    image = Image.new("RGB", size, look.style.paper)
    draw = ImageDraw.Draw(image)
    draw_grounds(draw, grid, layout, look)
    draw_lines(draw, grid, layout, look)
    if look.style.frame:
        draw_frame(draw, look, layout.x_edges, layout.y_edges)
    words = _place_titles(titles, look, left=margin, right=left + text_width, top=margin)
    words += _place_cells(grid, layout, look)
    _draw_words(draw, words, grid, look)

    boxes = [_ink_box(word) for word in words]
    if look.style.scanned:
        image, boxes = scan(image, boxes, key=key)
    return Rendered(
        image=image,
        words=[
            Word(text=word.text, box=enclosing_box(box, image.size), cell=word.cell)
            for word, box in zip(words, boxes, strict=True)
        ],
    )


def _titles(table: Table, look: Look, width: int) -> list[Block]:
    """Title, page title, section and caption, each once: the first in larger and bold letters."""
    blocks: list[Block] = []
    texts = (text.strip() for text in (table.title, table.page_title, table.section, table.caption))
    for text in dict.fromkeys(text for text in texts if text):
        size = look.font_size if blocks else round(look.font_size * _TITLE_ENLARGED)
        face = get_face(look.style.family, size, bold=not blocks)
        blocks.append(wrap(measure(text, face), face, width))
    return blocks


def _check_size(size: tuple[int, int], grid: Grid) -> None:
    width, height = size
    if max(size) > MAX_SIDE or width * height > MAX_AREA:
        raise UserError(
            f"the picture of {grid.num_rows} rows and {grid.num_cols} columns would have "
            f"at least {width} x {height} pixels, above the limit of {MAX_SIDE} a side, {MAX_AREA} in all: "
            f"split the table, or choose a smaller scale"
        )


def _place_titles(titles: list[Block], look: Look, *, left: int, right: int, top: int) -> list[PlacedWord]:
    words: list[PlacedWord] = []
    align = "centre" if look.style.centred_title else "left"
    for block in titles:
        words += place(block, left=left, right=right, top=top, cell=None, align=align)
        top += block.height + look.pad_y
    return words


def _place_cells(grid: Grid, layout: Layout, look: Look) -> list[PlacedWord]:
    def part(entry: tuple[CellBox, Block]) -> int:
        cell = entry[0]
        return 0 if cell.row < grid.num_header_rows else 1 if cell.col < grid.num_header_cols else 2

    words: list[PlacedWord] = []
    for cell, block in sorted(layout.cells, key=part):
        if block.lines:
            y0, y1 = layout.y_edges[cell.row], layout.y_edges[cell.last_row + 1]
            words += place(
                block,
                left=layout.x_edges[cell.col] + look.pad_x,
                right=layout.x_edges[cell.last_col + 1] - look.pad_x,
                top=y0 + (y1 - y0 - block.height) // 2,
                cell=(cell.row, cell.col),
                align=cell.align,
            )
    return words


def _draw_words(draw: ImageDraw.ImageDraw, words: list[PlacedWord], grid: Grid, look: Look) -> None:
    for word in words:
        on_header = word.cell is not None and word.cell[0] < grid.num_header_rows
        colour = look.style.header_ink if on_header else look.style.ink
        glyphs = word.glyphs
        draw.bitmap((word.x + glyphs.left, word.y + glyphs.top), glyphs.mask, fill=colour)


def _ink_box(word: PlacedWord) -> tuple[float, float, float, float]:
    glyphs = word.glyphs
    left, top = word.x + glyphs.left, word.y + glyphs.top
    return (left, top, left + glyphs.mask.width, top + glyphs.mask.height)
