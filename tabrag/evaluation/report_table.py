"""A table with marked cells for a report: picture with boxes, or grid."""

from __future__ import annotations

import base64
import io
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from tabrag.tables.grid import owner_map
from tabrag.types import Box, Cell, Grid, Word

MAX_SIDE = 1400
"""Longest side of an embedded picture, pixels."""
MAX_BYTES = 400_000
"""Size of an embedded picture before base64, bytes."""
_MAX_ROWS = 60


def picture_url(path: Path) -> tuple[str, int]:
    """A picture file as a data URL of bounded size, and its width in pixels: PNG, or JPEG where PNG is too
    large.

    Raises:
        UserError: The picture cannot be opened.
    """
    from tabrag.tables.image import open_image

    image = open_image(path)
    image.thumbnail((MAX_SIDE, MAX_SIDE))
    data, kind = _encoded(image, format="PNG", optimize=True), "png"
    quality = 85
    while len(data) > MAX_BYTES and quality >= 25:
        data, kind = _encoded(image, format="JPEG", quality=quality), "jpeg"
        quality -= 20
    while len(data) > MAX_BYTES and min(image.size) > 16:
        image = image.resize((image.width // 2, image.height // 2))
        data = _encoded(image, format="JPEG", quality=60)
    return f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}", image.width


def _encoded(image: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, **options)
    return buffer.getvalue()


def marked_boxes(
    words: Sequence[Word], cells: Collection[Cell], headers: Collection[Cell], tinted: Iterable[Box] = ()
) -> list[dict[str, Any]]:
    """Boxes to lay over a picture, in percent of its size, of kind ``tint``, ``cell`` or ``header``.

    A cell whose words are not in ``words`` gets none. The boxes of ``tinted`` lie below the others.
    """
    boxes: dict[Cell, Box] = {}
    for word in words:
        if word.cell is not None and (word.cell in cells or word.cell in headers):
            x0, y0, x1, y1 = boxes.get(word.cell, word.box)
            other = word.box
            boxes[word.cell] = (min(x0, other[0]), min(y0, other[1]), max(x1, other[2]), max(y1, other[3]))
    marked = [
        {"kind": "cell" if cell in cells else "header", **_percent(box)}
        for cell, box in sorted(boxes.items())
    ]
    return [{"kind": "tint", **_percent(box)} for box in tinted] + marked


def _percent(box: Box) -> dict[str, float]:
    x0, y0, x1, y1 = box
    return {"left": x0 / 10, "top": y0 / 10, "width": (x1 - x0) / 10, "height": (y1 - y0) / 10}


def marked_grid(
    grid: Grid, cells: Collection[Cell], headers: Collection[Cell], tinted: Collection[Cell] = ()
) -> tuple[list[list[dict[str, Any]]], int]:
    """Rows of cells with text, tag, spans, mark and tint, and how many rows are left out.

    Of a long grid the header rows are kept and the body rows around the first marked cell.
    """
    first = max(min((row for row, _ in cells), default=0) - _MAX_ROWS // 2, grid.num_header_rows)
    kept = [
        row for row in range(grid.num_rows) if row < grid.num_header_rows or first <= row < first + _MAX_ROWS
    ]
    owners = owner_map(grid)
    rows = []
    for row in kept:
        line = []
        for col in range(grid.num_cols):
            region = owners.get((row, col), (row, row, col, col))
            covered = [other for other in kept if region[0] <= other <= region[1]]
            if (row, col) != (covered[0], region[2]):
                continue
            at = (region[0], region[2])
            is_header = row < grid.num_header_rows or col < grid.num_header_cols
            line.append(
                {
                    "text": grid.cells[at[0]][at[1]],
                    "tag": "th" if is_header else "td",
                    "cols": region[3] - region[2] + 1,
                    "rows": len(covered),
                    "kind": " ".join(
                        name
                        for name, on in (
                            ("tint", at in tinted),
                            ("cell", at in cells),
                            ("header", at in headers and at not in cells),
                        )
                        if on
                    ),
                }
            )
        rows.append(line)
    return rows, grid.num_rows - len(kept)
