"""What a reader sees of a table: its Markdown, cut down to what the question needs where it is too long.

Nothing is dropped silently: the text ends with a note, and :class:`Context` lists what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tabrag.inference.config import ContextConfig
from tabrag.tables.grid import cell_text, left_paths
from tabrag.tables.lexical import overlap
from tabrag.tables.subtable import Subtable
from tabrag.tables.text import markdown, words_text
from tabrag.tables.token_estimate import estimate_tokens
from tabrag.types import Grid, Table


@dataclass(frozen=True, slots=True)
class Context:
    """The text of a table for a reader.

    Attributes:
        text: Markdown, with a note at the end where rows or columns are left out; for a table without a grid
            the words of its picture, or empty.
        rows: Grid rows that are shown, in order; header rows included.
        cols: Grid columns that are shown, in order; header columns included.
        num_hidden_rows: Rows left out.
        num_hidden_cols: Columns left out.
    """

    text: str
    rows: tuple[int, ...] = ()
    cols: tuple[int, ...] = ()
    num_hidden_rows: int = 0
    num_hidden_cols: int = 0


def build_context(
    table: Table,
    question: str,
    *,
    part: Subtable | None = None,
    config: ContextConfig | None = None,
    num_tokens: Callable[[str], int] = estimate_tokens,
) -> Context:
    """The table as text within the budget.

    A table that fits is shown whole. Otherwise body rows and columns are taken in the order of their word
    overlap with the question (equal ones: the first of the table first) while they fit; they stand in the
    table's order. Header rows, header columns and the section rows of shown rows always stay, and at least
    one body row and column does, even when the budget is too small for it: the chat model then shortens the
    text, and says so.

    Args:
        table: A table.
        question: What is asked of it.
        part: The refined table, which is shown in place of the whole one.
        config: The budget.
        num_tokens: How a text is measured.
    """
    config = config or ContextConfig()
    whole = table.grid
    if whole is None:
        return Context(_first_words(words_text(table), config.max_tokens, num_tokens))
    grid = whole if part is None else part.grid
    read = replace(table, grid=grid)
    all_rows, all_cols = tuple(range(grid.num_rows)), tuple(range(grid.num_cols))
    body_rows, body_cols = all_rows[grid.num_header_rows :], all_cols[grid.num_header_cols :]
    if len(body_rows) <= config.max_rows and len(body_cols) <= config.max_cols:
        text = markdown(read)
        if num_tokens(text) <= config.max_tokens:
            return _noted(text, all_rows, all_cols, whole=whole, part=part)
    fits = overlap(grid, question)
    ranked_rows = sorted(body_rows, key=lambda row: -fits.rows.get(row, -1.0))
    ranked_cols = sorted(body_cols, key=lambda col: -fits.cols.get(col, -1.0))
    lefts = left_paths(grid)

    def shown(num_rows: int, num_cols: int) -> Context:
        chosen = set(ranked_rows[:num_rows])
        chosen |= {cell[0] for row in chosen for cell in lefts[row]}
        rows = (*all_rows[: grid.num_header_rows], *(row for row in body_rows if row in chosen))
        chosen_cols = set(ranked_cols[:num_cols])
        cols = (*all_cols[: grid.num_header_cols], *(col for col in body_cols if col in chosen_cols))
        small = Grid(
            # A merged header is repeated where its first cell may be gone.
            cells=[[cell_text(grid, row, col) for col in cols] for row in rows],
            num_header_rows=grid.num_header_rows,
            num_header_cols=grid.num_header_cols,
        )
        return _noted(markdown(replace(table, grid=small)), rows, cols, whole=whole, part=part)

    cols = min(len(body_cols), config.max_cols)
    while cols > 1 and num_tokens(shown(1, cols).text) > config.max_tokens // 2:
        cols = max(cols // 2, 1)  # half of the budget is for the headers and one row, half for more rows
    low, high = 1, min(len(body_rows), config.max_rows)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high) if num_tokens(shown(middle, cols).text) <= config.max_tokens else (low, middle - 1)
        )
    return shown(low, cols)


def build_contexts(
    tables: Sequence[tuple[Table, Subtable | None]],
    question: str,
    *,
    config: ContextConfig | None = None,
    num_tokens: Callable[[str], int] = estimate_tokens,
) -> list[Context]:
    """Several tables (with their refined forms) within one budget, in their order.

    Each gets an equal share of ``config.max_tokens``; what a small table leaves goes to the larger ones.
    """
    config = config or ContextConfig()
    if len(tables) < 2:
        return [
            build_context(table, question, part=part, config=config, num_tokens=num_tokens)
            for table, part in tables
        ]
    sizes = [num_tokens(_whole_text(table, part)) for table, part in tables]
    contexts: dict[int, Context] = {}
    left = config.max_tokens
    for place in sorted(range(len(tables)), key=lambda place: sizes[place]):
        table, part = tables[place]
        share = replace(config, max_tokens=max(1, left // (len(tables) - len(contexts))))
        made = build_context(table, question, part=part, config=share, num_tokens=num_tokens)
        left = max(0, left - num_tokens(made.text))
        contexts[place] = made
    return [contexts[place] for place in range(len(tables))]


def _whole_text(table: Table, part: Subtable | None) -> str:
    if table.grid is None:
        return words_text(table)
    return markdown(table if part is None else replace(table, grid=part.grid))


def _first_words(text: str, max_tokens: int, num_tokens: Callable[[str], int]) -> str:
    """The words of a picture within the budget, at least one, and how many are left out."""
    words = text.split()
    if num_tokens(text) <= max_tokens or len(words) < 2:
        return text

    def shown(count: int) -> str:
        return f"{' '.join(words[:count])}\n[{len(words) - count} words not shown]"

    low, high = 1, len(words) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if num_tokens(shown(middle)) <= max_tokens else (low, middle - 1)
    return shown(low)


def _noted(
    text: str, rows: tuple[int, ...], cols: tuple[int, ...], *, whole: Grid, part: Subtable | None
) -> Context:
    """The text with what it leaves out of the whole table; rows and columns in coordinates of that."""
    if part is not None:
        rows, cols = tuple(part.rows[row] for row in rows), tuple(part.cols[col] for col in cols)
    hidden_rows, hidden_cols = whole.num_rows - len(rows), whole.num_cols - len(cols)
    notes = [f"{count} {kind}" for count, kind in ((hidden_rows, "rows"), (hidden_cols, "columns")) if count]
    if notes:
        text += f"\n[{' and '.join(notes)} not shown]"
    return Context(text, rows, cols, hidden_rows, hidden_cols)
