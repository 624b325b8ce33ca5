"""What each header of every level lets one look up, by whole paths (H-RCL of MixRAG)."""

from __future__ import annotations

from pathlib import Path

from tabrag.representations import Measure, statement_entries
from tabrag.tables.verbalise import header_statements
from tabrag.types import Entry, Table


def entries(
    table: Table,
    *,
    folder: Path | None = None,
    measure: Measure | None = None,
    title: bool = True,
    windows: bool = False,
) -> list[Entry]:
    """One text entry a header, see :func:`tabrag.tables.verbalise.header_statements`.

    Args:
        table: The table.
        folder: Not needed: a text stands for itself.
        measure: What fits into the encoder.
        title: Whether a text begins with the table's title.
        windows: Whether a text that does not fit becomes several entries, each with the header; else the
            encoder cuts it.
    """
    statements = header_statements(table, levels=True, title=title)
    return statement_entries(table, statements, measure, windows=windows)
