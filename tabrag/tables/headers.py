"""Header sizes of plain grids, by rule: spans, and the contrast between texts and numbers.

A grid from CSV, from a spreadsheet, from HTML without ``th`` or from OCR does not say which rows and columns
are headers. The rules here look at merged regions first (a banner over sub-labels, a corner cell that
reaches down), then at columns of numbers under texts. Rows over the full width at the top are the caption.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tabrag.tables.crop import drop_blank, keep_rows
from tabrag.tables.grid import Region, make_grid, owner_map, section_rows, top_paths, unit_rows
from tabrag.tables.header_cols import num_header_cols as count_header_cols
from tabrag.tables.header_rows import num_header_rows as count_header_rows
from tabrag.tables.left_tree import without_indents
from tabrag.tables.look import Look
from tabrag.types import Grid

_NOTE = re.compile(
    r"\s*(?:notes?\b|sources?\b|see also\b|n\.?b\.|footnotes?\b|\W*$|[*†‡§¹²³]|\(?\w{1,2}\)|\[\w{1,3}\])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InferredTable:
    """What the rows of a sheet or file turned out to be.

    Attributes:
        grid: The table itself, with header sizes.
        caption: Texts of the title rows above the header, joined by blanks.
        notes: Texts of the note rows below the body, one a line.
    """

    grid: Grid
    caption: str = ""
    notes: str = ""


def infer_headers(
    grid: Grid,
    *,
    num_header_rows: int | None = None,
    num_header_cols: int | None = None,
    fill_right: bool = False,
) -> Grid:
    """Find the header rows and header columns of a plain grid.

    Rows stay where they are. Title rows above the header count as header rows, but are no level of the top
    paths (:func:`infer_table` takes them out of the grid).

    Args:
        grid: A grid whose header sizes are unknown; what it says about them is not looked at.
        num_header_rows: The number of header rows where it is known, for example from ``thead``.
        num_header_cols: The number of header columns where it is known.
        fill_right: Whether a filled cell of an upper header row also covers the empty cells right of it that
            have a filled cell below, and a label left of other labels the empty cells below it, where the
            source lists its merged regions incompletely.

    Returns:
        The grid with its header sizes, and with the regions that ``fill_right`` adds.
    """
    look = Look(grid, fill_right=fill_right)
    num_titles = look.num_title_rows()
    if num_header_rows is None:
        num_header_rows = count_header_rows(look, num_titles)
    num_titles = min(num_titles, num_header_rows)
    if fill_right:
        regions = look.filled_right(num_titles, num_header_rows)
        grid = replace(grid, merged=[*grid.merged, *regions])
        look = Look(grid)
    if num_header_cols is None:
        num_header_cols = count_header_cols(look, num_titles, num_header_rows)
    grid = replace(grid, num_header_rows=num_header_rows, num_header_cols=num_header_cols)
    if fill_right:
        grid = replace(grid, merged=[*grid.merged, *_filled_down(grid)])
    if num_titles and grid.top_paths is None:
        paths = [tuple(cell for cell in path if cell[0] >= num_titles) for path in top_paths(grid)]
        grid = replace(grid, top_paths=paths)
    return grid


def infer_table(
    cells: Sequence[Sequence[str]], merged: Iterable[Sequence[int]] = (), *, fill_right: bool = False
) -> InferredTable:
    """Split the rows of a sheet or file into titles, table and notes, and find the headers of the table.

    Args:
        cells: Texts, row by row; blank rows and columns are dropped. Blanks before the labels of rows show
            their levels: they become left paths, and leave the texts.
        merged: Regions ``(first_row, last_row, first_col, last_col)``, inclusive.
        fill_right: As in :func:`infer_headers`.

    Raises:
        UserError: No text at all, or cells and regions that do not make a grid.
    """
    grid = drop_blank(make_grid(cells, merged=merged))
    look = Look(grid)
    first = look.num_title_rows()
    first = look.header_row_under_remarks(first)
    last = grid.num_rows
    while last - 1 > first + 1 and (_is_note(grid, look, last - 1) or look.is_sparse_text(last - 1)):
        last -= 1
    titles = [text.strip() for row in range(first) for text in grid.cells[row] if text.strip()]
    notes = [" ".join(filter(None, map(str.strip, grid.cells[row]))) for row in range(last, grid.num_rows)]
    kept = drop_blank(keep_rows(grid, range(first, last)))
    return InferredTable(
        grid=without_indents(infer_headers(kept, fill_right=fill_right)),
        caption=" ".join(titles),
        notes="\n".join(notes),
    )


def begins_table(cells: Sequence[Sequence[str]]) -> bool:
    """Whether rows begin with a header of their own, titles above it or not; blank rows and columns apart."""
    return Look(drop_blank(make_grid(cells))).begins_with_header()


def is_note(text: str) -> bool:
    """Whether a text begins as notes below a table do: "Source:", "Note", "*", "(1)"."""
    return _NOTE.match(text) is not None


def _filled_down(grid: Grid) -> list[Region]:
    """Regions of a label left of other labels and the blank cells below it, down to the next section row."""
    owners, sections = owner_map(grid), {*section_rows(grid), *unit_rows(grid)}
    regions = []
    for col in range(grid.num_header_cols - 1):
        first = grid.num_header_rows
        for row in range(grid.num_header_rows, grid.num_rows + 1):
            is_open = (
                row < grid.num_rows
                and row not in sections
                and not any((row, place) in owners for place in range(col + 1))
                and not any(grid.cells[row][place].strip() for place in range(col + 1))
                and grid.cells[row][col + 1].strip() != ""
            )
            if is_open:
                continue
            if row - first > 1 and grid.cells[first][col].strip() and (first, col) not in owners:
                regions.append((first, row - 1, col, col))
            first = row
    return [region for region in regions if region[0] not in sections]


def _is_note(grid: Grid, look: Look, row: int) -> bool:
    if not look.is_label(row):
        return False
    text = look.text(row, 0)
    is_merged = look.owners.get((row, 0), (0, 0, 0, 0))[3] == grid.num_cols - 1
    return is_merged or len(text) > 60 or is_note(text)
