"""The words of a page with the boxes of their blocks, as models of pages take them.

All words of a block have its box: the segments of LayoutLMv3 (Huang et al., 2022).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from tabrag.types import Block, Document, Table, Word


def page_words(document: Document, tables: Mapping[str, Table], page: int) -> list[Word]:
    """The words of a page in reading order; what has no box is left out.

    Args:
        document: The document.
        tables: Its tables by id.
        page: Number of the page.
    """
    blocks = [block for block in document.blocks if block.page == page and block.box is not None]
    return [Word(text=text, box=block.box) for block in blocks if block.box for text in _words(block, tables)]


def _words(block: Block, tables: Mapping[str, Table]) -> list[str]:
    if block.table is None:
        return block.text.split()
    table = tables[block.table]
    if table.grid is None:
        return [word.text for word in table.words or ()]
    return list(chain.from_iterable(cell.split() for row in table.grid.cells for cell in row))
