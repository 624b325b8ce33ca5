"""How fast tables are drawn, style by style, on one thread."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from tabrag.tables.render import STYLES, render
from tabrag.types import Table


def measure_rendering(tables: Sequence[Table], *, styles: Sequence[str] = STYLES) -> dict[str, Any]:
    """Draw each table in each style at its native size.

    Args:
        tables: The first 20 are drawn once more in front, to warm up.
        styles: Names of styles.

    Returns:
        ``tables_per_s`` a style and ``mixed`` (all styles together), in tables a second of CPU time, and the
        median size of a picture in pixels.
    """
    rates: dict[str, float] = {}
    widths: list[int] = []
    heights: list[int] = []
    total = 0.0
    for style in styles:
        for table in tables[:20]:
            render(table, style)
        since = time.process_time()
        for table in tables:
            image = render(table, style).image
            widths.append(image.width)
            heights.append(image.height)
        spent = time.process_time() - since
        rates[style] = round(len(tables) / spent, 1)
        total += spent
    rates["mixed"] = round(len(tables) * len(styles) / total, 1)
    middle = len(widths) // 2
    return {
        "tables_per_s": rates,
        "median_pixels": [sorted(widths)[middle], sorted(heights)[middle]],
        "num_tables": len(tables),
    }
