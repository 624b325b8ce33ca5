"""Which HTML tables only arrange the page."""

from __future__ import annotations

from lxml.etree import _Element

from tabrag.tables.html_grid import PlacedTable
from tabrag.tables.html_text import is_hidden
from tabrag.tables.kinds import Kind, cell_kind

_MAX_CELL_CHARS = 300
"""Longer texts are prose; one in a table is a remark, many are a page."""
_PAGE_PARTS = ("form", "input", "button", "iframe", "h1", "h2", "h3", "table")


def is_layout(element: _Element, placed: PlacedTable, cells: list[list[str]]) -> bool:
    """Whether a table holds parts of a page and no data.

    A table of data has at least two rows and two columns with text of its own; its cells are short; they
    hold no forms, headings or tables but for a few. Navigation boxes (headers beside lists of links) are no
    data either. What its author marks with a role is believed.
    """
    if element.get("role") in ("table", "grid", "treegrid"):
        return False
    filled = [text for row in cells for text in row if text]
    num_numbers = sum(cell_kind(text) is Kind.NUMBER for text in filled)
    if element.get("role") in ("presentation", "none") or _is_marked_navigation(element):
        # Encyclopedias set rankings in the frame of a navigation box too.
        return 4 * num_numbers < len(filled)
    rows = [[bool(text) for text in row] for row in cells]
    num_filled_rows = sum(any(row) for row in rows)
    num_filled_cols = sum(map(any, zip(*rows, strict=True)))
    num_headers = sum(cell.is_header for cell in placed.cells)
    if num_filled_rows < 2 or num_filled_cols < 2:
        return not (num_headers and num_filled_cols > 1) and not (
            placed.num_head_rows and num_filled_rows > 1
        )
    if not any(sum(row) > 1 for row in rows):
        return True
    num_long = sum(len(text) > _MAX_CELL_CHARS for text in filled)
    if 4 * num_long > len(filled):
        return True
    num_parts = sum(_holds(cell.element) for cell in placed.cells)
    if 2 * num_parts > len(filled):
        return True
    return _is_navigation(placed, cells)


def _holds(cell: _Element) -> bool:
    return any(not is_hidden(part) for part in cell.iter(*_PAGE_PARTS) if part is not cell)


def _is_marked_navigation(element: _Element) -> bool:
    parts = [element, *element.iterancestors()]
    return any(part.get("role") == "navigation" or part.tag == "nav" for part in parts) or any(
        name.startswith("navbox") for part in parts for name in (part.get("class") or "").split()
    )


def _is_navigation(placed: PlacedTable, cells: list[list[str]]) -> bool:
    """Whether most cells that are no headers hold three or more links in a list."""
    bodies = [cell for cell in placed.cells if not cell.is_header and cells[cell.row][cell.col]]
    lists = [cell for cell in bodies if sum(1 for _ in cell.element.iter("li")) >= 3]
    links = [cell for cell in lists if sum(1 for _ in cell.element.iter("a")) >= 3]
    return bool(bodies) and 2 * len(links) > len(bodies)
