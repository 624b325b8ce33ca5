"""A part of a page that may be a table."""

from __future__ import annotations

from dataclasses import dataclass, field

from tabrag.documents.page_content import PageBox, PageWord
from tabrag.documents.page_tables.strokes import Stroke


@dataclass(slots=True)
class Area:
    """A part of a page that may be a table.

    Attributes:
        box: Where it stands.
        words: What stands in it.
        horizontal: Lines drawn across it.
        vertical: Lines drawn down it.
    """

    box: PageBox
    words: list[PageWord] = field(default_factory=list)
    horizontal: list[Stroke] = field(default_factory=list)
    vertical: list[Stroke] = field(default_factory=list)
