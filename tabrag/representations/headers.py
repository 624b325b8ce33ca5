"""Title and header paths as text, without the data (the item side of THoRR)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tabrag.representations import Measure, text_meter, window_entries
from tabrag.tables.header_windows import headers_windows
from tabrag.tables.text import headers_text
from tabrag.tables.windows import Window
from tabrag.types import Entry, Table


def entries(
    table: Table,
    *,
    folder: Path | None = None,
    measure: Measure | None = None,
    fields: Sequence[str] = ("title", "left", "top"),
    parents: str = "repeat",
    field_separator: str = " | ",
    header_separator: str = "; ",
    path_separator: str = " > ",
    windows: bool = False,
) -> list[Entry]:
    """One text entry: ``title | left header paths | top header paths``; several where it is too long.

    Args:
        table: The table.
        folder: Not needed: a text stands for itself.
        measure: What fits into the encoder.
        fields: Which parts, in which order; without windows models cut long texts at the end, so the order
            decides what is lost.
        parents: ``repeat`` prints whole paths, ``once`` each header a single time.
        field_separator: Stands between two fields. ``" [SEP] "`` is THoRR's: a BERT tokenizer reads it as its
            separator token.
        header_separator: Stands between two paths of a field.
        path_separator: Stands between the levels of a path.
        windows: Whether a text that does not fit becomes several entries, see
            :func:`tabrag.tables.header_windows.headers_windows`; else the encoder cuts it.
    """
    form: dict[str, Any] = {
        "fields": tuple(fields),
        "parents": parents,
        "field_separator": field_separator,
        "header_separator": header_separator,
        "path_separator": path_separator,
    }
    meter = text_meter(measure, windows=windows)
    if meter is None:
        return window_entries(table, [Window(headers_text(table, **form))])
    return window_entries(table, headers_windows(table, meter, **form))
