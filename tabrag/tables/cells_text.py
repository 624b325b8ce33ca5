"""A table as its cells in row order, whole or in chunks: the text that DPR-table reads.

Wang et al., 2022, "Table Retrieval May Not Necessitate Table-specific Model Design": the title, then the
cells row by row with ``|`` between cells and ``.`` between rows. All rows and all words are kept here; the
published code keeps some rows and the first words of a cell only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from tabrag.errors import UserError
from tabrag.tables.text import one_line, title_text, words_text
from tabrag.tables.windows import Meter, Piece, Window, even_parts
from tabrag.types import Table

TITLES = ("each", "first", "none")

_WORDS_AND_SIGNS = re.compile(r"\w+|[^\w\s]")


def cells_text(
    table: Table,
    *,
    title: str = "each",
    title_separator: str = " . ",
    cell_separator: str = " | ",
    row_separator: str = " . ",
) -> str:
    """The title, then all cells in row order, those of header rows and columns included.

    An empty cell prints as nothing between its separators; a merged region prints once.

    Args:
        table: A table; one without a grid gives the words of its picture.
        title: ``none`` leaves the title out; see :func:`cells_chunks` for the others.
        title_separator: Stands between title and cells.
        cell_separator: Stands between two cells of a row.
        row_separator: Stands between two rows.

    Raises:
        UserError: An unknown choice of ``title``.
    """
    if title not in TITLES:
        raise UserError(f"title={title!r}: choose from {', '.join(TITLES)}")
    head = title_text(table) if title != "none" else ""
    body = _body_text(table, cell_separator=cell_separator, row_separator=row_separator)
    return title_separator.join(part for part in (head, body) if part)


def cells_chunks(
    table: Table,
    meter: Meter,
    *,
    title: str = "each",
    title_separator: str = " . ",
    cell_separator: str = " | ",
    row_separator: str = " . ",
) -> list[Window]:
    """The text of :func:`cells_text` in consecutive pieces, each filled up to the limit.

    A piece begins and ends between two words, wherever in a row that is; a word that is longer than a piece
    is parted between letters. No header is repeated.

    Args:
        table: A table.
        meter: What fits into a chunk; a title that is repeated counts.
        title: ``each`` chunk begins with the title, as each passage does in DPR (Karpukhin et al., 2020,
            section 4.1) and each input in DPR-table's code; a title that fills over half of a chunk stands in
            the first ones only. ``first``: it is the beginning of the text that is cut. ``none``: left out.
        title_separator: See :func:`cells_text`.
        cell_separator: See there.
        row_separator: See there.

    Returns:
        The one text of :func:`cells_text` where it fits.
    """
    whole = cells_text(
        table,
        title=title,
        title_separator=title_separator,
        cell_separator=cell_separator,
        row_separator=row_separator,
    )
    # A token has eight letters at most as a rule: a longer text is not worth measuring as a whole.
    if len(whole) <= 8 * meter.limit and meter.fits(whole):
        return [Window(whole)]
    pieces = list(_pieces(table, cell_separator=cell_separator, row_separator=row_separator))
    head = title_text(table) if title != "none" else ""
    repeated = ""
    if head and pieces and title == "each" and meter.count([head])[0] <= meter.limit // 2:
        repeated = head + title_separator
    elif head:
        pieces = [*((None, word) for word in (head + (title_separator if pieces else "")).split()), *pieces]
    return list(_print(_fill(pieces, meter, head=repeated), meter, head=repeated))


def count_words_and_signs(texts: Sequence[str]) -> list[int]:
    """Words and single signs of each text: what BERT's tokenizer makes before it parts rare words.

    It stands in for tokens where no tokenizer is at hand.
    """
    return [len(_WORDS_AND_SIGNS.findall(text)) for text in texts]


def _body_text(table: Table, *, cell_separator: str, row_separator: str) -> str:
    if table.grid is None:
        return words_text(table)
    return row_separator.join(cell_separator.join(map(one_line, row)) for row in table.grid.cells).strip()


def _pieces(table: Table, *, cell_separator: str, row_separator: str) -> Iterator[Piece]:
    """The words of the body and its separators in order, each with the cell that it stands in."""
    if table.grid is None:
        yield from ((None, word) for word in words_text(table).split())
        return
    for row, texts in enumerate(table.grid.cells):
        if row:
            yield from ((None, sign) for sign in row_separator.split())
        for col, text in enumerate(texts):
            if col:
                yield from ((None, sign) for sign in cell_separator.split())
            yield from (((row, col), word) for word in text.split())


def _fill(pieces: Sequence[Piece], meter: Meter, *, head: str) -> list[Sequence[Piece]]:
    """Runs of pieces that fit by the sum of their words' tokens."""
    room = meter.limit - meter.count([head])[0]
    words = list(dict.fromkeys(word for _, word in pieces))
    costs = dict(zip(words, meter.parts([f" {word}" for word in words]), strict=True))
    before = [0, *accumulate(costs[word] for _, word in pieces)]
    runs: list[Sequence[Piece]] = []
    start = 0
    for end in range(1, len(pieces) + 1):
        if end - 1 > start and before[end] - before[start] > room:
            runs.append(pieces[start : end - 1])
            start = end - 1
    if start < len(pieces):
        runs.append(pieces[start:])
    return runs


def _print(runs: Sequence[Sequence[Piece]], meter: Meter, *, head: str) -> Iterator[Window]:
    """The runs as texts; one that does not fit after all is parted again."""
    texts = [head + " ".join(word for _, word in run) for run in runs]
    counts = meter.count(texts) if texts else []
    for run, text, count in zip(runs, texts, counts, strict=True):
        cell, word = run[0]
        if count <= meter.limit:
            yield Window(text, frozenset(cell for cell, _ in run if cell is not None))
        elif len(run) > 1:
            yield from _print(list(even_parts(run, 2)), meter, head=head)
        elif len(word) > 1:
            letters = [[(cell, part)] for part in even_parts(word, 2)]
            yield from _print(letters, meter, head=head)
        else:  # a limit that does not hold one letter; the model cuts it, and counts that
            yield Window(text, frozenset({cell} if cell is not None else ()))
