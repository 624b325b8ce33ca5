"""Tables that run over several pages: their parts are one table again, and no two tables become one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tabrag.documents.page_content import PageContent, PageTable, PageWord
from tabrag.documents.page_lines import word_size
from tabrag.errors import UserError
from tabrag.tables.grid import make_grid
from tabrag.tables.headers import begins_table, infer_headers

_MAX_HEADER = 5  # rows
_RULED_SHIFT = 4.0  # points by which the edges of drawn columns may differ
_SHIFT = 0.5  # of the narrowest column by which edges of other columns may differ
_CONTINUED = re.compile(
    r"[\s(\[–—-]*(?:cont(?:inued|inuation|['’]?d|\.)\.*|suite|fortsetzung|continuación|continua|продолжение|"
    r"[续續続]表?)[\s)\].]*",
    re.IGNORECASE,
)


@dataclass(slots=True)
class TablePart:
    """A table on one page, or what several have been joined to.

    Attributes:
        table: The table; of a joined one the cells of all parts.
        page: Number of its first page.
        last_page: Number of its last page.
        stands_out: Whether its first line is set apart by bold type or by its ground: it is a header.
        last_edges: Column edges of its last part.
        num_parts: 1 where nothing was joined.
    """

    table: PageTable
    page: int
    last_page: int
    stands_out: bool = False
    last_edges: list[float] = field(default_factory=list)
    num_parts: int = 1


def is_continued(text: str) -> bool:
    """Whether a caption says that its table began earlier."""
    return _CONTINUED.search(text) is not None


def without_continued(text: str) -> str:
    """A caption without the remark that its table began earlier."""
    return _CONTINUED.sub(" ", text).strip()


def first_line_stands_out(page: PageContent, table: PageTable) -> bool:
    """Whether the first line of a table is set in bold type or on a ground of its own, and the others not."""
    x0, y0, x1, y1 = table.box
    inside = [
        word
        for word in page.words
        if x0 - 1 <= (word.box[0] + word.box[2]) / 2 <= x1 + 1
        and y0 - 1 <= (word.box[1] + word.box[3]) / 2 <= y1 + 1
        and not word.raised
    ]
    if not inside:
        return False
    top = min(word.box[1] for word in inside)
    first = [word for word in inside if word.box[1] <= top + 0.5 * word_size(word)]
    rest = [word for word in inside if word.box[1] > top + 2.5 * word_size(word)]
    if not rest:
        return False
    if all(word.bold for word in first) and sum(word.bold for word in rest) < 0.5 * len(rest):
        return True
    grounds = {_ground(page, word) for word in first}
    return len(grounds) == 1 and grounds.isdisjoint({_ground(page, word) for word in rest})


def _ground(page: PageContent, word: PageWord) -> float:
    x, y = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
    around = [
        fill for fill in page.fills if fill.box[0] <= x <= fill.box[2] and fill.box[1] <= y <= fill.box[3]
    ]
    return round(around[-1].grey, 2) if around else 1.0


def try_join(upper: TablePart, lower: TablePart, *, said_continued: bool = False) -> tuple[bool, str]:
    """Append a part to a table where it is one.

    The caller sees to it that nothing stands between them.

    Args:
        upper: The table so far; it is changed where the part belongs to it.
        lower: The first table of the next page.
        said_continued: Whether a caption says that it goes on.

    Returns:
        Whether it was joined, and what people should know where it was not: a part with another number of
        columns.
    """
    above, below = upper.table.cells, lower.table.cells
    if not above or not below:
        return False, ""
    if len(above[0]) != len(below[0]):
        if begins_table(below) or lower.stands_out:
            return False, ""
        return False, (
            f"pages {upper.last_page}-{lower.page}: a table of {len(above[0])} columns is followed by one of "
            f"{len(below[0])} without a header; they were not joined"
        )
    if not _same_columns(upper, lower):
        return False, ""
    repeated = _repeated_rows(upper.table, below)
    if not repeated and not said_continued and _has_other_header(upper, lower):
        return False, ""
    if repeated >= len(below):
        repeated = len(below)
    offset = len(above) - repeated
    above.extend(list(row) for row in below[repeated:])
    upper.table.merged = [
        *upper.table.merged,
        *(
            (max(first, repeated) + offset, last + offset, left, right)
            for first, last, left, right in lower.table.merged
            if last >= repeated and (max(first, repeated) < last or left < right)
        ),
    ]
    upper.last_page = lower.last_page
    upper.last_edges = lower.table.col_edges
    upper.num_parts += 1
    return True, ""


def _same_columns(upper: TablePart, lower: TablePart) -> bool:
    """Whether the columns of two parts stand at the same places; pages may be shifted as a whole."""
    a, b = upper.last_edges or upper.table.col_edges, lower.table.col_edges
    if not a or not b:
        return True
    if len(a) != len(b):
        return False
    widths = [right - left for left, right in zip(a, a[1:], strict=False)]
    limit = (
        _RULED_SHIFT if upper.table.ruled and lower.table.ruled else max(_SHIFT * min(widths), _RULED_SHIFT)
    )
    shifts = [right - left for left, right in zip(a, b, strict=True)]
    middle = sorted(shifts)[len(shifts) // 2]
    return all(abs(shift - middle) <= limit for shift in shifts)


def _repeated_rows(table: PageTable, below: Sequence[Sequence[str]]) -> int:
    """The number of rows at the top of a part that repeat the table's header."""
    above = table.cells
    header = min(_num_header_rows(table), _MAX_HEADER)
    for start in range(header):
        count = header - start
        if count <= len(below) and all(_same(above[start + row], below[row]) for row in range(count)):
            return count
    count = 0
    while count < min(len(above), len(below), _MAX_HEADER) and _same(above[count], below[count]):
        count += 1
    texts = [text for text in below[0] if text.strip()]
    words = [text for text in texts if any(map(str.isalpha, text))]
    return count if count and 2 * len(words) > len(texts) else 0


def _num_header_rows(table: PageTable) -> int:
    try:
        return infer_headers(make_grid(table.cells, merged=table.merged)).num_header_rows
    except UserError:
        return 0


def _same(upper: Sequence[str], lower: Sequence[str]) -> bool:
    return [_plain(text) for text in upper] == [_plain(text) for text in lower] and any(map(_plain, upper))


def _plain(text: str) -> str:
    return "".join(without_continued(text).casefold().split())


def _has_other_header(upper: TablePart, lower: TablePart) -> bool:
    if lower.stands_out:
        return True
    if upper.stands_out:
        return False
    return begins_table(lower.table.cells)
