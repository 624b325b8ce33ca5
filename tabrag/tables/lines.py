"""The grounds and rules of a printed table."""

from __future__ import annotations

from PIL import ImageDraw

from tabrag.tables.layout import Layout
from tabrag.tables.styles import Look
from tabrag.types import Grid

# How far a rule under a spanning header of a journal table stays away from its neighbours, pixels.
_GAP = 4


def draw_grounds(draw: ImageDraw.ImageDraw, grid: Grid, layout: Layout, look: Look) -> None:
    """Fill the header, every second body row and the row headers, as the style has them."""
    style, xs, ys, first = look.style, layout.x_edges, layout.y_edges, grid.num_header_rows
    if look.header_fill is not None and first:
        draw.rectangle((xs[0], ys[0], xs[-1], ys[first]), fill=look.header_fill)
    if style.stripe is not None:
        for row in range(first + 1, grid.num_rows, 2):
            draw.rectangle((xs[0], ys[row], xs[-1], ys[row + 1]), fill=style.stripe)
    if style.side_fill is not None and grid.num_header_cols and first < grid.num_rows:
        draw.rectangle((xs[0], ys[first], xs[grid.num_header_cols], ys[-1]), fill=style.side_fill)


def draw_lines(draw: ImageDraw.ImageDraw, grid: Grid, layout: Layout, look: Look) -> None:
    """Draw the lines of the style; none runs through a merged region."""
    style, xs, ys = look.style, layout.x_edges, layout.y_edges
    if style.lines == "all":
        for cell, _ in layout.cells:
            corners = (xs[cell.col], ys[cell.row], xs[cell.last_col + 1], ys[cell.last_row + 1])
            draw.rectangle(corners, outline=style.line)
    elif style.lines == "rows":
        draw.line((xs[0], ys[0], xs[-1], ys[0]), fill=style.line)
        for cell, _ in layout.cells:
            y = ys[cell.last_row + 1]
            draw.line((xs[cell.col], y, xs[cell.last_col + 1], y), fill=style.line)
    elif style.lines == "rules":
        for y, width in ((ys[0], 2), (ys[grid.num_header_rows], 1), (ys[-1], 2)):
            draw.line((xs[0], y, xs[-1], y), fill=style.line, width=width)
        for cell, block in layout.cells:
            if cell.last_row + 1 < grid.num_header_rows and cell.last_col > cell.col and block.lines:
                y = ys[cell.last_row + 1]
                draw.line((xs[cell.col] + _GAP, y, xs[cell.last_col + 1] - _GAP, y), fill=style.line)
