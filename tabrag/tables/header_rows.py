"""How many rows at the top are header rows, by rule: spans, and the contrast of texts and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from tabrag.tables.forms import is_form
from tabrag.tables.grid import Region
from tabrag.tables.kinds import Kind
from tabrag.tables.look import MAX_HEADER_ROWS, Look


def num_header_rows(look: Look, start: int) -> int:
    """Rows down to the last header row, the title rows included.

    A row that shows one unit over all columns of data below a full header ("percent") is the first row of
    the body: it heads the rows below it, and another such row can follow further down.

    Args:
        look: The grid.
        start: The first row below the titles.
    """
    end = start + 1
    corner = look.corner(start)
    if corner is not None and corner[1] > start:
        # It reaches down to the last header row, whatever stands in the rows, but for a row of one unit.
        end = corner[1] + 1
        return end - 1 if end - 1 > start and is_unit_row(look, start, end - 1) else _last(look, start, end)
    is_data = look.votes(start, end) < 0 and not _counts(look, start)
    if is_form(look, start) or (is_data and not (end < look.num_rows and is_unit_row(look, start, end))):
        return start
    if end == look.grid.num_rows and Kind.NUMBER in look.kinds[start]:
        return start  # a single row with numbers is data
    return _last(look, start, end)


def is_unit_row(look: Look, start: int, row: int) -> bool:
    """Whether the row shows one text alone, over the columns of data, and each of them has a header above.

    The text stands right of the label column. Its merged region reaches to the last column, or it stands
    before blank cells.
    """
    cells = look.grid.cells[row]
    last = len(cells) - 1
    texts = [col for col in range(1, last + 1) if cells[col].strip()]
    if row == start or len(texts) != 1 or texts[0] == last:
        return False
    first = texts[0]
    region = look.owners.get((row, first), (row, row, first, first))
    is_over_all = region[3] == last or (region[2] == region[3] and 2 * first <= last + 1)
    return (
        is_over_all
        and look.kinds[row][first] is Kind.TEXT
        and all(_has_header(look, start, row, col) for col in range(first, last + 1))
        and not any(look.owners.get((row, col), (row,))[0] < row for col in range(1, last + 1))
    )


def _has_header(look: Look, start: int, end: int, col: int) -> bool:
    return any(look.text(row, col).strip() for row in range(start, end))


def _last(look: Look, start: int, end: int) -> int:
    """The end of the header, at least ``end``; blank rows (of cells merged in the source) do not end it."""
    takes_all = look.fill_right and Kind.NUMBER not in look.kinds[-1]
    limit = min(look.num_rows if takes_all else look.num_rows - 1, start + MAX_HEADER_ROWS)
    row = end
    while row < limit:
        if any(kind is not Kind.BLANK for kind in look.kinds[row]):
            if not _continues(look, start, end - 1, row):
                break
            end = row + 1
        row += 1
    return end


def _counts(look: Look, row: int) -> bool:
    """Whether a label and 1, 2, 3 ... stand above columns that hold texts, too."""
    texts = [look.text(row, col).strip() for col in range(1, look.grid.num_cols)]
    numbers = [text for text in texts if text.isdigit()]
    is_count = numbers == [str(number) for number in range(1, len(numbers) + 1)] == texts[: len(numbers)]
    return (
        len(numbers) > 1
        and is_count
        and len(texts) - len(numbers) <= 1
        and look.kinds[row][0] is Kind.TEXT
        and Kind.TEXT in look.kinds[min(row + 1, look.num_rows - 1)][1:]
    )


def _continues(look: Look, start: int, above: int, row: int) -> bool:
    """Whether ``row`` belongs to the header that begins in row ``start`` and goes down to row ``above``."""
    if look.is_label(row) or _begins_group(look, row):
        return False
    has_below = row + 1 < look.num_rows
    if has_below and is_unit_row(look, start, row) and look.votes(row + 1, row + 2) <= 0:
        return False
    kinds, kinds_above = look.kinds[row], look.kinds[above]
    score = look.votes(row, row + 1)
    if score < 0 or not any(kind in (Kind.TEXT, Kind.PERIOD) for kind in kinds):
        return False
    regions = {look.owners[above, col] for col in range(len(kinds)) if (above, col) in look.owners}
    if any(start <= region[0] and region[1] >= row for region in regions):
        return True
    banners = [region for region in regions if region[3] > region[2]]
    if banners and (score > 0 or _under_banners(look, banners, row)):
        return True
    if kinds[0] is Kind.BLANK and (above, 0) not in look.owners:
        return True
    if score >= 2 and Kind.NUMBER not in kinds and Kind.BLANK not in kinds[1:] and _are_units(look, row):
        return True
    is_gappy = 5 * kinds_above[1:].count(Kind.BLANK) >= 2 * len(kinds) and Kind.BLANK not in kinds
    is_open = (look.fill_right or is_gappy) and Kind.NUMBER not in kinds
    return (score > 0 or is_open) and any(
        over is Kind.BLANK and under is not Kind.BLANK for over, under in zip(kinds_above, kinds, strict=True)
    )


def _begins_group(look: Look, row: int) -> bool:
    """Whether a label of several rows begins here below a label of its own: the body has begun."""
    region = look.owners.get((row, 0))
    return (
        region is not None
        and region[0] == row < region[1]
        and region[2] == region[3]
        and look.text(row, 0).strip() != ""
        and look.text(row - 1, 0).strip() != ""
    )


def _are_units(look: Look, row: int) -> bool:
    """Whether the row names units: short texts without a label before them, or in brackets."""
    texts = [look.text(row, col).strip() for col in range(1, look.grid.num_cols)]
    has_label = look.kinds[row][0] not in (Kind.BLANK, Kind.MISSING)
    return all(len(text) <= 12 and (not has_label or text[:1] in "([%$€£") for text in texts)


def _under_banners(look: Look, banners: Sequence[Region], row: int) -> bool:
    """Whether a row of texts under banners is a header: labels repeat, or nothing else is filled."""
    texts = [look.grid.cells[row][col] for region in banners for col in range(region[2], region[3] + 1)]
    covered = {col for region in banners for col in range(region[2], region[3] + 1)}
    others = [kind for col, kind in enumerate(look.kinds[row]) if col not in covered]
    return len(set(texts)) < len(texts) or (bool(others) and all(kind is Kind.BLANK for kind in others))
