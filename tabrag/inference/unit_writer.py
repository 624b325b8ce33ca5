"""Units of documents as the texts that a reader gets, and the lines that stand between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from tabrag.documents.part import DocumentPart
from tabrag.documents.placeholders import unmarked
from tabrag.documents.units import Unit
from tabrag.index.tokens import tokenize
from tabrag.inference.config import ContextConfig
from tabrag.inference.context import Context, build_context
from tabrag.inference.document_text import GAP, TABLE_SHARE
from tabrag.tables.subtable import Subtable
from tabrag.tables.text import title_text
from tabrag.types import Table


@dataclass(frozen=True, slots=True)
class Said:
    """A unit as text.

    Attributes:
        text: What is shown; empty for a picture that tells nothing.
        table: Its table, where it is one.
        context: What is shown of that, as Markdown.
    """

    text: str
    table: Table | None = None
    context: Context | None = None


class UnitWriter:
    """Makes texts of units and measures them, each once.

    Args:
        question: What is asked.
        refined: Refined tables by table id.
        config: How tables are shown; one gets a share of the budget.
        num_tokens: How a text is measured.
    """

    def __init__(
        self,
        question: str,
        refined: Mapping[str, Subtable],
        config: ContextConfig,
        num_tokens: Callable[[str], int],
    ) -> None:
        self.asked = tokenize(question)
        self._question = question
        self._refined = refined
        self._share = replace(config, max_tokens=max(1, config.max_tokens // TABLE_SHARE))
        self._num_tokens = num_tokens
        self._said: dict[tuple[str, int], Said] = {}
        self._sizes: dict[str, int] = {}

    def costs(self, part: DocumentPart) -> list[int]:
        """Tokens of each unit of a part; of a summary those of all it says."""
        texts = [self.said(part, unit).text for unit in part.units]
        summaries = [summary_text(block.text) for block in part.document.blocks if not part.units]
        return list(map(self.size, [*texts, *summaries]))

    def marks(self, part: DocumentPart, known: Sequence[DocumentPart]) -> int:
        """Tokens at most of what stands between the texts of a part: gap, pages and section.

        Args:
            part: The part.
            known: What is shown of its document already.
        """
        before = {page for other in known for page in self._pages(other)}
        pages = self._pages(part) - before - {None}
        lines = [GAP, *map(page_mark, pages), *map(section_mark, filter(None, [part.section]))]
        return sum(map(self.size, lines))

    def gap(self, part: DocumentPart, unit: Unit) -> int:
        """Tokens at most of what stands above a unit where those before it are left out."""
        section = part.sections[part.places.index(unit.block)]
        marks = [GAP] if section in ((), part.section) else [GAP, section_mark(section)]
        return sum(map(self.size, marks))

    def size(self, text: str) -> int:
        """Tokens of a text with the break before it."""
        if text not in self._sizes:
            self._sizes[text] = self._num_tokens(text) + 1 if text else 0
        return self._sizes[text]

    def _pages(self, part: DocumentPart) -> set[int | None]:
        """Pages of the units that say something."""
        blocks = dict(zip(part.places, part.document.blocks, strict=False))
        return {blocks[unit.block].page for unit in part.units if self.said(part, unit).text}

    def said(self, part: DocumentPart, unit: Unit) -> Said:
        """A unit as text; empty for a picture that tells nothing."""
        key = (part.document.id, unit.number)
        if key not in self._said:
            self._said[key] = self._write(part, unit)
        return self._said[key]

    def _write(self, part: DocumentPart, unit: Unit) -> Said:
        block = part.document.blocks[part.places.index(unit.block)]
        table = part.tables.get(block.table) if block.table is not None else None
        if table is not None:
            context = build_context(
                table,
                self._question,
                part=self._refined.get(table.id),
                config=self._share,
                num_tokens=self._num_tokens,
            )
            text = "\n".join(text for text in (title_text(table), context.text) if text)
            return Said(unmarked(text), table, context)
        if block.kind == "picture":
            said = unmarked(" ".join(unit.text.split()))
            return Said("" if block.decoration else f"[picture: {said}]" if said else "[picture]")
        if block.kind == "heading":
            return Said(f"{'#' * min(max(block.level, 1), 6)} {unmarked(unit.text.strip())}")
        return Said(unmarked(unit.text))


def page_mark(number: int | None) -> str:
    """The line above what stands on a page."""
    return f"[page {number}]"


def section_mark(section: Sequence[str]) -> str:
    """The line above what stands under headings that are not shown."""
    return f"[section: {unmarked(' > '.join(section))}]"


def summary_text(text: str) -> str:
    """A summary as it stands among the texts."""
    return f"[summary] {unmarked(text)}"
