"""Draw a table as a picture, and know where each of its words stands.

Printed words are the training and test data of every model that reads table images: their texts and boxes come from the
drawing itself, so no OCR is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image, ImageDraw

from tabrag.errors import UserError
from tabrag.tables.fonts import Face, get_face
from tabrag.tables.layout import (
    Block,
    CellBox,
    Layout,
    PlacedWord,
    block_height,
    lay_out,
    place,
    split_words,
    wrap,
)
from tabrag.tables.scan import scan
from tabrag.tables.sheet_frame import draw_frame, frame_width
from tabrag.tables.styles import STYLES, Colour, Look, choose_look
from tabrag.types import Box, Grid, Table, Word

__all__ = ["MAX_SIDE", "STYLES", "Rendered", "render"]

MAX_SIDE = 32_000
"""Longest side of a picture, pixels. JPEG and many viewers stop at 65,535, and memory grows with the area."""
MAX_AREA = 90_000_000
"""Largest area of a picture, pixels: below the limit of `tabrag.tables.image.open_image`."""

_TITLE_ENLARGED = 1.15
_MIN_TEXT_WIDTH = 26
"""Narrowest picture for a title, in font sizes: below it a title over a small table wraps into a tower."""


@dataclass(slots=True, kw_only=True)
class Rendered:
    """A drawn table.

    Attributes:
        image: RGB picture.
        words: Its words in reading order: title (cell None), top headers, row headers, body, the last two row by
            row. Boxes are 0..1000 of the picture and enclose the ink.
    """

    image: Image.Image
    words: list[Word]


def render(table: Table, style: str = "ruled", *, seed: int = 0, scale: float = 1.0) -> Rendered:
    """Draw a table with its title lines. The same table, style and seed give the same picture on one machine.

    The column letters and row numbers of the style ``spreadsheet`` are drawn, but are no words of the table.

    Args:
        table: Needs a grid.
        style: One of `STYLES`.
        seed: Chooses font size, spaces and colours within the style, and the defects of ``scanned``.
        scale: Factor on the size of everything, 0.3..8.

    Raises:
        UserError: No grid, an unknown style, a script that no installed font covers, or a picture above `MAX_SIDE`.
    """
    if table.grid is None or not table.grid.cells or not table.grid.cells[0]:
        raise UserError(f"table {table.id!r} has no grid: only tables with cells can be rendered")
    if not 0.3 <= scale <= 8:
        raise UserError(f"scale {scale} is outside 0.3..8")
    try:
        return _render(table, table.grid, style, seed, scale)
    except UserError as error:
        raise UserError(f"table {table.id!r}: {error}") from None


def _render(table: Table, grid: Grid, style: str, seed: int, scale: float) -> Rendered:
    key = f"{seed}/{table.id}"
    look = choose_look(style, key=key, scale=scale)
    layout = lay_out(grid, look)
    margin = max(4, look.font_size)
    sheet = frame_width(look, grid.num_rows) if look.style.frame else 0
    titles = _titles(table, look, max(layout.x_edges[-1], _MIN_TEXT_WIDTH * look.font_size))
    title_height = sum(block_height(block, face) + look.pad_y for block, face in titles)

    left = margin + sheet
    text_width = max(
        [layout.x_edges[-1]]
        + [block.line_width(i, face) for block, face in titles for i in range(len(block.lines))]
    )
    width = left + text_width + margin
    table_top = margin + title_height + (look.pad_y if titles else 0) + (look.font_size * 2 if sheet else 0)
    height = table_top + layout.y_edges[-1] + margin
    _check_size(width, height, grid)

    image = Image.new("RGB", (width, height), look.style.paper)
    draw = ImageDraw.Draw(image)
    x_edges = [left + x for x in layout.x_edges]
    y_edges = [table_top + y for y in layout.y_edges]
    _draw_grounds(draw, grid, layout.cells, x_edges, y_edges, look)
    _draw_lines(draw, grid, layout.cells, x_edges, y_edges, look)
    if sheet:
        draw_frame(draw, look, x_edges, y_edges)

    words: list[PlacedWord] = []
    top = margin
    align = "centre" if look.style.centred_title else "left"
    for block, face in titles:
        words += place(block, face, left=left, right=left + text_width, top=top, cell=None, align=align)
        top += block_height(block, face) + look.pad_y
    num_title_words = len(words)
    for cell in _reading_order(grid, layout):
        words += _place_cell(cell, x_edges, y_edges, look)
    header_ink = look.style.header_ink
    for index, word in enumerate(words):
        on_header = index >= num_title_words and word.cell is not None and word.cell[0] < grid.num_header_rows
        colour = header_ink if on_header else look.style.ink
        draw.bitmap((word.x + word.glyphs.left, word.y + word.glyphs.top), word.glyphs.mask, fill=colour)

    boxes = [_ink_box(word) for word in words]
    if look.style.scanned:
        image, boxes = scan(image, boxes, key=key)
    return Rendered(
        image=image,
        words=[
            Word(text=word.text, box=_thousandths(box, image.size), cell=word.cell)
            for word, box in zip(words, boxes, strict=True)
        ],
    )


def _titles(table: Table, look: Look, width: int) -> list[tuple[Block, Face]]:
    """Title, page title, section and caption, each once: the first in larger and bold letters."""
    texts: list[str] = []
    for text in (table.title, table.page_title, table.section, table.caption):
        if text.strip() and text.strip() not in texts:
            texts.append(text.strip())
    blocks: list[tuple[Block, Face]] = []
    for text in texts:
        size = look.font_size if blocks else round(look.font_size * _TITLE_ENLARGED)
        face = get_face(look.style.family, size, bold=not blocks)
        blocks.append((wrap(split_words(text), face, width), face))
    return blocks


def _check_size(width: int, height: int, grid: Grid) -> None:
    if max(width, height) > MAX_SIDE or width * height > MAX_AREA:
        raise UserError(
            f"the picture of {grid.num_rows} rows and {grid.num_cols} columns would have {width} x {height} pixels, "
            f"above the limit of {MAX_SIDE} a side and {MAX_AREA:,} in all: split the table or choose a smaller scale"
        )


def _reading_order(grid: Grid, layout: Layout) -> list[CellBox]:
    def part(cell: CellBox) -> int:
        if cell.row < grid.num_header_rows:
            return 0
        return 1 if cell.col < grid.num_header_cols else 2

    return sorted(layout.cells, key=part)


def _place_cell(cell: CellBox, x_edges: list[int], y_edges: list[int], look: Look) -> list[PlacedWord]:
    if not cell.words:
        return []
    align = "right" if cell.right_aligned else "centre" if cell.centred else "left"
    free = y_edges[cell.last_row + 1] - y_edges[cell.row] - block_height(cell.block, cell.face)
    return list(
        place(
            cell.block,
            cell.face,
            left=x_edges[cell.col] + look.pad_x,
            right=x_edges[cell.last_col + 1] - look.pad_x,
            top=y_edges[cell.row] + free // 2,
            cell=(cell.row, cell.col),
            align=align,
        )
    )


def _draw_grounds(
    draw: ImageDraw.ImageDraw,
    grid: Grid,
    cells: list[CellBox],
    x_edges: list[int],
    y_edges: list[int],
    look: Look,
) -> None:
    style = look.style
    left, right = x_edges[0], x_edges[-1]
    first = grid.num_header_rows
    if look.header_fill is not None and first:
        draw.rectangle((left, y_edges[0], right, y_edges[first]), fill=look.header_fill)
    if style.stripe is not None:
        for row in range(first + 1, grid.num_rows, 2):
            draw.rectangle((left, y_edges[row], right, y_edges[row + 1]), fill=style.stripe)
    if style.side_fill is not None and grid.num_header_cols:
        edge = x_edges[grid.num_header_cols]
        draw.rectangle((left, y_edges[first], edge, y_edges[-1]), fill=style.side_fill)


def _draw_lines(
    draw: ImageDraw.ImageDraw,
    grid: Grid,
    cells: list[CellBox],
    x_edges: list[int],
    y_edges: list[int],
    look: Look,
) -> None:
    style = look.style
    if style.lines == "all":
        for cell in cells:
            corners = (
                x_edges[cell.col],
                y_edges[cell.row],
                x_edges[cell.last_col + 1],
                y_edges[cell.last_row + 1],
            )
            draw.rectangle(corners, outline=style.line, width=style.line_width)
    elif style.lines == "rows":
        for cell in cells:
            y = y_edges[cell.last_row + 1]
            draw.line(
                (x_edges[cell.col], y, x_edges[cell.last_col + 1], y), fill=style.line, width=style.line_width
            )
        draw.line((x_edges[0], y_edges[0], x_edges[-1], y_edges[0]), fill=style.line, width=style.line_width)
    elif style.lines == "rules":
        _draw_rules(draw, grid, cells, x_edges, y_edges, style.line)


def _draw_rules(
    draw: ImageDraw.ImageDraw,
    grid: Grid,
    cells: list[CellBox],
    x_edges: list[int],
    y_edges: list[int],
    colour: Colour,
) -> None:
    """Three rules over the whole width, and a short one under each spanning header."""
    for y, width in ((y_edges[0], 2), (y_edges[grid.num_header_rows], 1), (y_edges[-1], 2)):
        draw.line((x_edges[0], y, x_edges[-1], y), fill=colour, width=width)
    for cell in cells:
        if cell.last_row + 1 < grid.num_header_rows and cell.last_col > cell.col and cell.words:
            y = y_edges[cell.last_row + 1]
            draw.line((x_edges[cell.col] + 4, y, x_edges[cell.last_col + 1] - 4, y), fill=colour)


def _ink_box(word: PlacedWord) -> tuple[float, float, float, float]:
    glyphs = word.glyphs
    left, top = word.x + glyphs.left, word.y + glyphs.top
    return (left, top, left + glyphs.mask.width, top + glyphs.mask.height)


def _thousandths(box: tuple[float, float, float, float], size: tuple[int, int]) -> Box:
    """Pixels to 0..1000, rounded outwards so that a thin word keeps an area."""
    width, height = size
    x0, y0, x1, y1 = box
    left, top = int(x0 * 1000 // width), int(y0 * 1000 // height)
    right, bottom = -int(-x1 * 1000 // width), -int(-y1 * 1000 // height)
    return tuple(min(max(value, 0), 1000) for value in (left, top, right, bottom))  # type: ignore[return-value]
