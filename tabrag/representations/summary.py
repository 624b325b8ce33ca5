"""What a table reports: its subject, period, units, rows and columns, each label once (MixRAG)."""

from __future__ import annotations

from pathlib import Path

from tabrag.representations import Measure, statement_entries
from tabrag.tables.verbalise import summary
from tabrag.types import Entry, Table


def entries(
    table: Table, *, folder: Path | None = None, measure: Measure | None = None, windows: bool = False
) -> list[Entry]:
    """One text entry; several where it is too long and ``windows`` is set.

    Args:
        table: The table.
        folder: Not needed: a text stands for itself.
        measure: What fits into the encoder.
        windows: Whether a text that does not fit becomes several entries, each with the title; else the
            encoder cuts it.
    """
    return statement_entries(table, [summary(table)], measure, windows=windows)
