"""Title and the whole grid as Markdown, or the words of a picture that has no grid."""

from __future__ import annotations

from pathlib import Path

from tabrag.representations import Measure, text_meter, window_entries
from tabrag.tables.grid_windows import markdown_windows
from tabrag.tables.text import markdown, title_text, words_text
from tabrag.tables.windows import Window, words_windows
from tabrag.types import Entry, Table


def entries(
    table: Table,
    *,
    folder: Path | None = None,
    measure: Measure | None = None,
    title: bool = True,
    spans: str = "first",
    windows: bool = False,
) -> list[Entry]:
    """One text entry: the title's line, then the table; without a grid, the words of its picture.

    Args:
        table: The table.
        folder: Not needed: a text stands for itself.
        measure: What fits into the encoder.
        title: Whether the title's line comes first.
        spans: ``first`` writes the text of a merged region once, ``repeat`` in each of its cells.
        windows: Whether a table that does not fit becomes several entries, see
            :func:`tabrag.tables.grid_windows.markdown_windows`; else the encoder cuts it.
    """
    meter = text_meter(measure, windows=windows)
    if meter is None:
        body = words_text(table) if table.grid is None else markdown(table, spans=spans)
        parts = [title_text(table) if title else "", body]
        return window_entries(table, [Window("\n".join(part for part in parts if part))])
    if table.grid is None:
        return window_entries(table, words_windows(table, meter, title=title))
    return window_entries(table, markdown_windows(table, meter, title=title, spans=spans))
