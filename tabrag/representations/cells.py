"""Title and all cells in row order, whole or in chunks (DPR-table, the baseline of THoRR)."""

from __future__ import annotations

from pathlib import Path

from tabrag.errors import UserError
from tabrag.representations import Measure, text_meter, window_entries
from tabrag.tables.cells_text import cells_chunks, cells_text, count_words_and_signs
from tabrag.tables.windows import Meter, Window
from tabrag.types import Entry, Table

_SHORTEST = 16


def entries(
    table: Table,
    *,
    folder: Path | None = None,
    measure: Measure | None = None,
    title: str = "each",
    title_separator: str = " . ",
    cell_separator: str = " | ",
    row_separator: str = " . ",
    chunk: int | None = None,
) -> list[Entry]:
    """One text entry, title and cells; with ``chunk`` one entry a chunk, of which an item's best counts.

    Args:
        table: The table.
        folder: Not needed: a text stands for itself.
        measure: What fits into the encoder.
        title: ``each`` chunk begins with it (DPR), ``first``: it is the beginning of the text that is cut,
            or ``none``.
        title_separator: Stands between title and cells.
        cell_separator: Stands between two cells.
        row_separator: Stands between two rows.
        chunk: Most tokens of a chunk, 16 or more, title and special tokens included; without an encoder
            (BM25) words and signs count as tokens. None: one entry, which an encoder cuts. See
            :func:`tabrag.tables.cells_text.cells_chunks`.

    Raises:
        UserError: A chunk that is too short, or longer than the encoder's input.
    """
    form = {
        "title": title,
        "title_separator": title_separator,
        "cell_separator": cell_separator,
        "row_separator": row_separator,
    }
    if chunk is None:
        return window_entries(table, [Window(cells_text(table, **form))])
    if chunk < _SHORTEST:
        raise UserError(f"representation 'cells': chunk is {chunk}: set {_SHORTEST} or more tokens, or null")
    encoder = text_meter(measure, windows=True)
    if encoder is not None and chunk > encoder.limit:
        raise UserError(
            f"representation 'cells': a chunk of {chunk} tokens is longer than the encoder's input of "
            f"{encoder.limit}: choose a smaller chunk, or a longer input of the item tower (max_length)"
        )
    meter = Meter(limit=chunk, count=count_words_and_signs if encoder is None else encoder.count)
    return window_entries(table, cells_chunks(table, meter, **form))
