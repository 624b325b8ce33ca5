"""How many columns at the left hold row labels, by rule."""

from __future__ import annotations

from tabrag.tables.forms import is_form
from tabrag.tables.kinds import Kind
from tabrag.tables.look import Look


def num_header_cols(look: Look, start: int, end: int) -> int:
    """Columns of row labels: left of a banner and of numbers, as many as tell the rows apart.

    The first column is one even where it holds years, ranks or numbers, unless it stands under a banner.

    Args:
        look: The grid.
        start: The first header row below the titles.
        end: The first row of the body.
    """
    num_cols = look.grid.num_cols
    if num_cols == 1 or end >= look.num_rows or _is_data_at_left(look, start, end):
        return 0
    corner = look.corner(start)
    if corner is not None and corner[3] > 0:
        return corner[3] + 1
    if end > start + 1 and (width := _stub_width(look, start, end)):
        return width
    if start == end and is_form(look, start):
        return 1
    limit = 1
    while limit < _first_banner(look, start, end) and look.column_kind(limit, end) is not Kind.NUMBER:
        limit += 1
    return next((width for width in range(1, limit + 1) if _tells_apart(look, width, end)), 1)


def _first_banner(look: Look, start: int, end: int) -> int:
    """The first column of the first banner that is not at the left; the last column where there is none."""
    firsts = [
        region[2] for region in look.grid.merged if start <= region[0] < end and region[3] > region[2] > 0
    ]
    return min(firsts, default=look.grid.num_cols - 1)


def _stub_width(look: Look, start: int, end: int) -> int:
    """Columns left of the first banner of a header with several rows; 0 where the rows do not show it.

    Their own headers stand in the first row alone, or nowhere. Of these columns, numbers behind the first
    label are data: a total, a size. So are texts where other columns between or behind the banners
    have headers of this kind, too: the banner is then one property among others.
    """
    num_cols = look.grid.num_cols
    stub = 0
    while stub < num_cols and _is_plain(look, start, end, stub):
        stub += 1
    if stub in (0, num_cols):
        return 0
    if stub == 1:
        return 1
    blank = 0
    while blank < stub and look.kinds[start][blank] is Kind.BLANK:
        blank += 1
    kinds = [look.column_kind(col, end) for col in range(stub)]
    if blank:
        return blank if blank == stub or kinds[0] is not Kind.NUMBER else stub
    if all(kind is Kind.NUMBER for kind in kinds[1:]):
        return 1
    is_one_of_many = any(_is_plain(look, start, end, col) for col in range(stub + 1, num_cols))
    if is_one_of_many and (stub > 2 or Kind.NUMBER in kinds[1:]):
        return 1
    return stub


def _is_plain(look: Look, start: int, end: int, col: int) -> bool:
    """Whether the header of a column stands in the first header row alone and covers no other column."""
    region = look.owners.get((start, col))
    if region is not None and region[3] > region[2]:
        return False
    for row in range(start + 1, end):
        region = look.owners.get((row, col), (row, row, col, col))
        if region[0] == row and look.text(row, col).strip():
            return False
    return True


def _tells_apart(look: Look, width: int, end: int) -> bool:
    """Whether the labels in the first ``width`` columns are different in (almost) all rows."""
    labels = [
        tuple(look.text(row, col) for col in range(width))
        for row in range(end, look.num_rows)
        if not look.is_label(row)
    ]
    return 10 * len(set(labels)) >= 9 * len(labels)


def _is_data_at_left(look: Look, start: int, end: int) -> bool:
    """Whether the first column holds data: under a banner, or in a single row of numbers.

    A banner is merged, or open to the right. A column of texts before numbers is one of labels all the same.
    """
    kinds = {look.column_kind(col, end) for col in range(look.grid.num_cols)}
    if look.column_kind(0, end) is not Kind.NUMBER and Kind.NUMBER in kinds:
        return False
    if end == look.num_rows - 1 and Kind.NUMBER in kinds and Kind.TEXT not in look.kinds[end]:
        return True
    region = look.owners.get((start, 0))
    if region is not None:
        return region[3] > region[2] and region[1] < end - 1
    top, below = look.kinds[start], look.kinds[end - 1]
    return end > start + 1 and Kind.BLANK not in (top[0], below[0], below[1]) and top[1] is Kind.BLANK
