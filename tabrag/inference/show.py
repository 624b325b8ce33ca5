"""What a reranker sees of a table: the same under every question, so that it is computed once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tabrag.chat.prompts import Shown
from tabrag.errors import UserError
from tabrag.inference.config import ContextConfig
from tabrag.inference.context import build_context
from tabrag.tables.text import title_text
from tabrag.types import Table

Show = Literal["text", "image", "both"]
_NO_QUESTION = ""


@dataclass(frozen=True, slots=True)
class TableShower:
    """Makes what a chat model sees of a table.

    Attributes:
        show: ``text``, ``image`` or ``both``.
        context: Budget of the text: without a question to choose by, the first rows and columns are shown.
        num_tokens: How a text is measured.
        image_path: Where a table's picture lies; None where no pictures are to be had.
    """

    show: Show
    context: ContextConfig
    num_tokens: Callable[[str], int]
    image_path: Callable[[Table], str | Path] | None = None

    def __call__(self, table: Table) -> Shown:
        """What is shown of ``table``.

        Raises:
            UserError: Its picture is to be shown and it has none.
        """
        text, picture = "", None
        if self.show != "image":
            text = self._context(table)[0]
        if self.show != "text":
            if table.image is None or self.image_path is None:
                raise UserError(
                    f"table '{table.id}' has no picture to show: this model sees tables as pictures "
                    f"(show: {self.show}); make them with  scripts/prepare_data.py ... --render"
                )
            picture = str(self.image_path(table))
        return Shown(table.id, title_text(table), text, picture)

    def is_cut(self, table: Table) -> bool:
        """Whether a part of the table's text does not fit into the budget."""
        return self.show != "image" and self._context(table)[1]

    def _context(self, table: Table) -> tuple[str, bool]:
        made = build_context(table, _NO_QUESTION, config=self.context, num_tokens=self.num_tokens)
        return made.text, bool(made.num_hidden_rows or made.num_hidden_cols)
