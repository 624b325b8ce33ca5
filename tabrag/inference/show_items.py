"""What a reranker sees of a candidate: a table, a document, or a part of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tabrag.chat.prompts import Shown
from tabrag.chat.protocol import Picture
from tabrag.documents.part import DocumentPart
from tabrag.documents.whole import Item, WholeDocument
from tabrag.inference.config import ContextConfig
from tabrag.inference.document_text import document_texts
from tabrag.inference.show import Show, TableShower
from tabrag.tables.text import title_text
from tabrag.types import Table

SHOWN_VERSION = 1
"""Raised when documents and their parts are shown in another way: batch jobs name it."""

_MAX_PICTURES = 2
"""Pictures at most of one part: a page and, of a chunk that runs on, the next one."""


@dataclass(slots=True)
class ItemShower:
    """Makes what a chat model sees of an item.

    A table is the same under every question. A document is too long to be shown whole: the question chooses
    what is shown of its text. With pictures a part of a document is shown by the pictures of its pages, or,
    where its pages have none, by those that stand in it; where there are none either, by its text.

    Attributes:
        show: ``text``, ``image`` or ``both``.
        context: Budget of the text of one item.
        num_tokens: How a text is measured.
        image_path: Where a table's picture lies; None where no pictures are to be had.
        picture_path: Where a document's picture lies, by its path in the data set folder; None likewise.
    """

    show: Show
    context: ContextConfig
    num_tokens: Callable[[str], int]
    image_path: Callable[[Table], str | Path] | None = None
    picture_path: Callable[[str], str] | None = None
    _tables: dict[int, Shown] = field(default_factory=dict)

    def __call__(self, item: Item, question: str) -> Shown:
        """What is shown of ``item`` under ``question``.

        Raises:
            UserError: A table's picture is to be shown and it has none.
        """
        if not isinstance(item, WholeDocument):
            if id(item) not in self._tables:
                make = TableShower(self.show, self.context, self.num_tokens, self.image_path)
                self._tables[id(item)] = make(item)
            return self._tables[id(item)]
        pictures = self._pictures(item)
        text = ""
        if self.show != "image" or not pictures:
            (chosen,) = document_texts([item], question, config=self.context, num_tokens=self.num_tokens)
            text = chosen.text
        return Shown(item.id, item_title(item), text, body=pictures, name="Document")

    def _pictures(self, item: WholeDocument) -> tuple[Picture, ...]:
        if self.show == "text" or self.picture_path is None:
            return ()
        return tuple(Picture(self.picture_path(path)) for path in part_pictures(item)[:_MAX_PICTURES])


def part_pictures(item: WholeDocument) -> list[str]:
    """The pictures of the pages that a part stands on; where there are none, those in it that tell something.

    Returns:
        Paths in the data set folder; none for a whole document.
    """
    if not isinstance(item, DocumentPart):
        return []
    return page_pictures(item) or own_pictures(item)


def page_pictures(item: WholeDocument) -> list[str]:
    """The pictures of the pages that a part, or a whole document, stands on, in the order of the pages."""
    numbers = part_pages(item)
    return [page.image for page in item.document.pages if page.number in numbers and page.image is not None]


def own_pictures(item: WholeDocument) -> list[str]:
    """The pictures in a part, or in a whole document, that tell something, in reading order."""
    return [block.image for block in item.document.blocks if block.image is not None and not block.decoration]


def part_pages(item: WholeDocument) -> list[int]:
    """Numbers of the pages that a part stands on, ascending."""
    found = {block.page for block in item.document.blocks if block.page is not None}
    if isinstance(item, DocumentPart) and item.part.page is not None:
        found.add(item.part.page)  # a page without text has no block
    return sorted(found)


def item_title(item: Item) -> str:
    """A title that says where in its document a part stands: its pages and the headings above it."""
    if isinstance(item, Table):
        return title_text(item)
    title = item.document.title
    if not isinstance(item, DocumentPart):
        return title
    places = [f"summary {item.part.node}"] if item.part.node is not None else [_pages(part_pages(item))]
    places.append(" > ".join(item.section))
    return ", ".join(place for place in (title, *places) if place)


def item_titles(items: Sequence[Item]) -> list[str]:
    """Titles of several items; those of one document that would be the same are told apart by a number."""
    titles = [item_title(item) for item in items]
    seen: dict[str, int] = {}
    told = []
    for title, item in zip(titles, items, strict=True):
        seen[title] = seen.get(title, 0) + 1
        is_one_of_several = isinstance(item, DocumentPart) and titles.count(title) > 1
        told.append(f"{title}, part {seen[title]}" if is_one_of_several else title)
    return told


def _pages(numbers: Sequence[int]) -> str:
    if not numbers:
        return ""
    return f"page {numbers[0]}" if len(numbers) == 1 else f"pages {numbers[0]} to {numbers[-1]}"
