"""Tables drawn into PDF files in many styles, with their grids known."""

from __future__ import annotations

import io
import random
from dataclasses import dataclass
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tabrag.types import Grid

_MARGIN = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How a table looks.

    Attributes:
        lines: ``all`` (round every cell), ``rows`` (below every row), ``book`` (above and below the header,
            below the last row, and under spanning headers), ``head`` (below the header) or ``none``.
        fill: ``none``, ``stripes`` (header and every second row) or ``cells`` (each cell, with white gaps).
        size: Height of the type.
        pad: Blank beside a text, points.
        leading: Pitch of the lines of a cell, in heights of type.
        gap: Blank above and below the text of a row, points.
        middle: Whether texts stand in the middle of a row's height.
        max_width: Widest column, points.
        bold_header: Whether header rows are bold.
    """

    lines: str = "all"
    fill: str = "none"
    size: float = 8.0
    pad: float = 4.0
    leading: float = 1.15
    gap: float = 2.0
    middle: bool = False
    max_width: float = 120.0
    bold_header: bool = True


def draw(grid: Grid, style: Style, path: Path, *, above: str = "", below: str = "") -> None:
    """Draw one table on a page of its own that is just wide enough."""
    cells = _cells(grid)
    fonts = {
        (row, col): "Helvetica-Bold" if style.bold_header and row < grid.num_header_rows else "Helvetica"
        for row, _, col, _ in cells
    }
    widths = _widths(grid, cells, fonts, style)
    lines = {
        region: _wrap(
            grid.cells[region[0]][region[2]],
            fonts[region[0], region[2]],
            style.size,
            sum(widths[region[2] : region[3] + 1]) - 2 * style.pad,
        )
        for region in cells
    }
    heights = _heights(grid, cells, lines, style)
    xs = [_MARGIN + sum(widths[:col]) for col in range(grid.num_cols + 1)]
    ys = [_MARGIN + 60 + sum(heights[:row]) for row in range(grid.num_rows + 1)]
    height = ys[-1] + _MARGIN + 60
    data = io.BytesIO()
    canvas = Canvas(data, pagesize=(max(xs[-1] + _MARGIN, 500), height))
    canvas.setLineWidth(0.6)
    _fills(canvas, grid, cells, xs, ys, height, style)
    _rules(canvas, grid, cells, xs, ys, height, style)
    for region in cells:
        _print(canvas, grid, region, lines[region], fonts[region[0], region[2]], xs, ys, height, style)
    canvas.setFont("Helvetica", 9)
    for y, text in ((_MARGIN + 30, above), (ys[-1] + 40, below)):
        if text:
            canvas.drawString(_MARGIN, height - y, text)
    canvas.save()
    path.write_bytes(data.getvalue())


def random_grid(choice: random.Random) -> Grid:
    """A table of numbers with one or two header rows and a column of labels."""
    names = [
        "North",
        "South",
        "East",
        "West",
        "Other areas",
        "Men",
        "Women",
        "Under 18 years",
        "Rest of the world",
    ]
    num_groups, per_group = choice.randint(1, 3), choice.randint(2, 4)
    num_cols = 1 + num_groups * per_group
    header, merged = [], []
    if num_groups > 1:
        row = ["Region"] + [""] * (num_cols - 1)
        merged.append((0, 1, 0, 0))
        for group in range(num_groups):
            first = 1 + group * per_group
            row[first] = (
                choice.choice(["Exports", "Imports", "Sales in the year", "All persons"]) + f" {group + 1}"
            )
            merged.append((0, 0, first, first + per_group - 1))
        header.append(row)
    last = ["" if num_groups > 1 else "Region"]
    last += [choice.choice(["Total", "Share", "Number", "Change, %"]) for _ in range(num_cols - 1)]
    header.append(last)
    body = [
        [choice.choice(names), *(choice.choice(_NUMBERS)(choice) for _ in range(num_cols - 1))]
        for _ in range(choice.randint(3, 18))
    ]
    return Grid(cells=[*header, *body], merged=merged, num_header_rows=len(header), num_header_cols=1)


_NUMBERS = (
    lambda choice: f"{choice.randint(0, 99999):,}",
    lambda choice: f"{choice.uniform(-50, 50):.1f}",
    lambda choice: f"{choice.randint(0, 100)}%",
    lambda choice: f"{choice.randint(1, 99)} {choice.randint(0, 999):03d}",
    lambda choice: choice.choice(["-", "n.a.", "1.2*"]),
)


def _cells(grid: Grid) -> list[tuple[int, int, int, int]]:
    covered = {
        (row, col)
        for top, bottom, left, right in grid.merged
        for row in range(top, bottom + 1)
        for col in range(left, right + 1)
    }
    single = [
        (row, row, col, col)
        for row in range(grid.num_rows)
        for col in range(grid.num_cols)
        if (row, col) not in covered
    ]
    return sorted([*single, *grid.merged])


def _widths(grid, cells, fonts, style: Style) -> list[float]:  # type: ignore[no-untyped-def]
    widths = [12.0] * grid.num_cols
    for spans in (False, True):
        for region in cells:
            row, _, first, last = region
            if (first < last) is not spans:
                continue
            text, font = grid.cells[row][first], fonts[row, first]
            longest = max((stringWidth(word, font, style.size) for word in text.split()), default=0.0)
            wanted = (
                max(longest, min(stringWidth(text, font, style.size), style.max_width)) + 2 * style.pad + 0.5
            )
            lack = wanted - sum(widths[first : last + 1])
            if lack > 0:
                for col in range(first, last + 1):
                    widths[col] += lack / (last - first + 1)
    return widths


def _wrap(text: str, font: str, size: float, width: float) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and stringWidth(f"{lines[-1]} {word}", font, size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _heights(grid, cells, lines, style: Style) -> list[float]:  # type: ignore[no-untyped-def]
    pitch = style.size * style.leading
    heights = [pitch + 2 * style.gap] * grid.num_rows
    for region in sorted(cells, key=lambda region: region[1] - region[0]):
        lack = len(lines[region]) * pitch + 2 * style.gap - sum(heights[region[0] : region[1] + 1])
        if lack > 0:
            heights[region[1]] += lack
    return heights


def _fills(canvas: Canvas, grid, cells, xs, ys, height, style: Style) -> None:  # type: ignore[no-untyped-def]
    for region in cells:
        top, bottom, left, right = region
        header = top < grid.num_header_rows
        if style.fill == "cells":
            canvas.setFillGray(0.75 if header else 0.92)
            canvas.rect(
                xs[left] + 0.5,
                height - ys[bottom + 1] + 0.5,
                xs[right + 1] - xs[left] - 1,
                ys[bottom + 1] - ys[top] - 1,
                stroke=0,
                fill=1,
            )
    if style.fill == "stripes":
        for row in range(grid.num_rows):
            if row == 0 or (row >= grid.num_header_rows and (row - grid.num_header_rows) % 2):
                bottom = grid.num_header_rows if row == 0 else row + 1
                canvas.setFillGray(0.8 if row == 0 else 0.94)
                canvas.rect(
                    xs[0], height - ys[bottom], xs[-1] - xs[0], ys[bottom] - ys[row], stroke=0, fill=1
                )
    canvas.setFillGray(0)


def _rules(canvas: Canvas, grid, cells, xs, ys, height, style: Style) -> None:  # type: ignore[no-untyped-def]
    def horizontal(y: float, x0: float, x1: float) -> None:
        canvas.line(x0, height - y, x1, height - y)

    if style.lines == "all":
        for top, bottom, left, right in cells:
            canvas.rect(xs[left], height - ys[bottom + 1], xs[right + 1] - xs[left], ys[bottom + 1] - ys[top])
    elif style.lines == "rows":
        horizontal(ys[0], xs[0], xs[-1])
        for _, bottom, left, right in cells:
            horizontal(ys[bottom + 1], xs[left], xs[right + 1])
    elif style.lines in ("book", "head"):
        places = (
            (ys[0], ys[grid.num_header_rows], ys[-1])
            if style.lines == "book"
            else (ys[grid.num_header_rows],)
        )
        for y in places:
            horizontal(y, xs[0], xs[-1])
        for _, bottom, left, right in cells:
            if bottom + 1 < grid.num_header_rows and right > left:
                horizontal(ys[bottom + 1], xs[left] + 3, xs[right + 1] - 3)


def _print(canvas, grid, region, lines, font, xs, ys, height, style: Style) -> None:  # type: ignore[no-untyped-def]
    top, bottom, left, right = region
    pitch = style.size * style.leading
    y = ys[top] + style.gap
    if top < grid.num_header_rows or style.middle:
        free = ys[bottom + 1] - ys[top] - 2 * style.gap - pitch * len(lines)
        y += free / 2 if style.middle or bottom > top else free
    canvas.setFont(font, style.size)
    for number, line in enumerate(lines):
        base = height - (y + pitch * number + 0.8 * style.size)
        if left > 0 and right > left:
            canvas.drawCentredString((xs[left] + xs[right + 1]) / 2, base, line)
        elif left > 0:
            canvas.drawRightString(xs[right + 1] - style.pad, base, line)
        else:
            canvas.drawString(xs[left] + style.pad, base, line)
