"""Tables as a chat model sees them: their text, picture or both under one budget."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from tabrag.chat.prompts import Shown
from tabrag.errors import UserError
from tabrag.inference.config import ReaderConfig
from tabrag.inference.context import Context, build_contexts
from tabrag.inference.view import Corpus, View, picture_of
from tabrag.tables.text import title_text

logger = logging.getLogger(__name__)


def shown_tables(
    views: Sequence[View],
    question: str,
    *,
    corpus: Corpus,
    config: ReaderConfig,
    num_tokens: Callable[[str], int],
) -> tuple[list[Shown], list[str]]:
    """What the model sees of tables, and notes of what it does not see of them.

    Args:
        views: The tables, the best first.
        question: The question.
        corpus: Where their pictures lie.
        config: Whether text or pictures are shown, and the budget.
        num_tokens: How a text is measured.

    Raises:
        UserError: A table has no picture where one must be shown.
    """
    texts = [""] * len(views)
    notes: list[str] = []
    if config.show != "image":
        contexts = build_contexts(
            [(view.table, view.part) for view in views],
            question,
            config=config.context,
            num_tokens=num_tokens,
        )
        texts = [context.text for context in contexts]
        notes = [note for view, context in zip(views, contexts, strict=True) for note in _cut(view, context)]
    shown = []
    for view, text in zip(views, texts, strict=True):
        picture = picture_of(view.table, corpus) if config.show != "text" else None
        if picture is None and config.show != "text":
            raise UserError(f"table '{view.table.id}' has no picture to show: set reader.show=text")
        shown.append(Shown(view.table.id, title_text(view.table), text, picture))
    return shown, notes


def _cut(view: View, context: Context) -> list[str]:
    """A note where the reader's own budget cut a table down further than refining did."""
    grid = view.read.grid
    if grid is None or (len(context.rows), len(context.cols)) == (grid.num_rows, grid.num_cols):
        return []
    note = (
        f"table '{view.table.id}' was cut to {len(context.rows)} of {grid.num_rows} rows"
        f" and {len(context.cols)} of {grid.num_cols} columns"
    )
    logger.info("%s", note)
    return [note]
