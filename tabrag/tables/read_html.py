"""Tables of HTML pages. Nothing is fetched, no script runs, no entity of the page is expanded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lxml import etree
from lxml.etree import _Element

from tabrag.errors import UserError
from tabrag.tables.crop import keep_rows, shown
from tabrag.tables.decode import decode
from tabrag.tables.grid import make_grid
from tabrag.tables.headers import infer_headers
from tabrag.tables.html_grid import PlacedTable, place
from tabrag.tables.html_layout import is_layout
from tabrag.tables.html_style import PageStyles
from tabrag.tables.html_text import element_text, is_hidden
from tabrag.tables.indents import indented, with_levels
from tabrag.tables.left_tree import without_indents
from tabrag.tables.look import Look
from tabrag.types import Grid, Source, Table

_CHARSET = re.compile(
    rb"<(?:meta|\?xml)[^>]{0,400}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE
)
_HEADINGS = tuple(f"h{level}" for level in range(1, 7))


def read_html(
    source: str | Path | bytes, *, name: str = "", keep_layout: bool = False, infer: bool = True
) -> list[Table]:
    """Read the tables of a page in document order; a table inside another one is a table of its own.

    Args:
        source: A path, or the content of a page as bytes.
        name: Stands for the path where bytes are given; ids are ``STEM#tN``.
        keep_layout: Whether tables that only arrange the page are returned too.
        infer: Whether headers that the markup does not name are found by rule, and full-width rows at the top
            become the caption. Without it only ``thead`` and ``th`` count.

    Returns:
        Tables with caption, heading above (``section``), page title, and ``outer_table`` in the metadata of
        a table inside another one that is returned too.

    Raises:
        UserError: An unreadable file, or a table whose spans are absurd in sum.
    """
    if isinstance(source, bytes):
        data = source
    else:
        name = name or str(source)
        try:
            data = Path(source).read_bytes()
        except OSError as error:
            raise UserError(f"{source}: cannot be read ({error.strerror}): check the path") from error
    root = parse_page(data)
    if root is None:
        return []
    page_title = title_of_page(root)
    stem = Path(name).stem or "page"
    tables: list[Table] = []
    ids: dict[_Element, str] = {}
    section = ""
    styles = PageStyles(root)
    for element in root.iter(*_HEADINGS, "table"):
        if _is_in_hidden(element):
            continue
        if element.tag != "table":
            section = element_text(element).replace("\n", " ") or section
            continue
        try:
            table = read_table(element, styles, keep_layout=keep_layout, infer=infer)
        except UserError as error:
            raise UserError(f"{name or 'page'}: {error}") from error
        if table is None:
            continue
        table.id = f"{stem}#t{len(tables) + 1}"
        table.section, table.page_title, table.source = section, page_title, Source(file=name)
        table.title = table.caption or section or page_title
        outer = next((ids[above] for above in element.iterancestors("table") if above in ids), None)
        if outer is not None:
            table.metadata["outer_table"] = outer
        ids[element] = table.id
        tables.append(table)
    return tables


def parse_page(data: bytes) -> _Element | None:
    """The root of a page, its markup mended as browsers do; None where nothing in it looks like markup.

    Its encoding is the one that it declares anywhere, else a guess. Comments are dropped.
    """
    declared = _CHARSET.search(data)
    text, _ = decode(data, declared=declared[1].decode("ascii") if declared else None)
    text = text.replace("\x00", "")
    if not text.strip():
        return None
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, recover=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        return etree.fromstring(text.encode("utf-8", errors="replace"), parser)
    except etree.XMLSyntaxError:
        # Nothing in the bytes looks like markup.
        return None


def title_of_page(root: _Element) -> str:
    """The text of its ``title``."""
    title = next(root.iter("title"), None)
    return "" if title is None else re.sub(r"\s+", " ", "".join(title.itertext())).strip()


def _is_in_hidden(element: _Element) -> bool:
    return is_hidden(element) or any(is_hidden(above) for above in element.iterancestors())


def read_table(
    element: _Element, styles: PageStyles, *, keep_layout: bool = False, infer: bool = True
) -> Table | None:
    """Read one ``table`` element: caption and grid, the rest of the record empty.

    Args:
        element: The element.
        styles: Those of its page: they say how far labels are indented.
        keep_layout: As in :func:`read_html`.
        infer: As in :func:`read_html`.

    Returns:
        None where it only arranges the page.

    Raises:
        UserError: Its spans are absurd in sum.
    """
    placed = place(element)
    cells = placed.texts()
    is_blank = not any(text for row in cells for text in row)
    if not keep_layout and (is_blank or is_layout(element, placed, cells)):
        return None
    caption = next((element_text(child) for child in element if child.tag == "caption"), "").replace(
        "\n", " "
    )
    if is_blank:
        return Table(id="", caption=caption, grid=make_grid(cells if placed.cells else [[""]]))
    grid = make_grid(cells, merged=placed.merged())
    num_header_rows, num_header_cols = _marked_headers(placed, grid)
    if not infer:
        grid.num_header_rows, grid.num_header_cols = num_header_rows, num_header_cols
        return Table(id="", caption=caption, grid=grid)
    rows, cols = shown(grid)
    titles = rows[: min(Look(keep_rows(grid, rows, cols=cols)).num_title_rows(), len(rows) - 1)]
    texts = [next(filter(None, grid.cells[row]), "").replace("\n", " ") for row in titles]
    rows = rows[len(titles) :]
    grid = _with_headers(
        _with_levels(keep_rows(grid, rows, cols=cols), _labels(placed, rows, cols), styles),
        sum(row < num_header_rows for row in rows),
        sum(col < num_header_cols for col in cols),
    )
    caption = " ".join(dict.fromkeys(filter(None, [caption, *texts])))
    return Table(id="", caption=caption, grid=without_indents(grid))


def _labels(placed: PlacedTable, rows: Sequence[int], cols: Sequence[int]) -> dict[int, _Element]:
    """The elements in the first column that is kept, by the rows that are kept."""
    first = {cell.row: cell.element for cell in placed.cells if cell.col <= cols[0] <= cell.last_col}
    return {place: first[row] for place, row in enumerate(rows) if row in first}


def _with_levels(grid: Grid, labels: dict[int, _Element], styles: PageStyles) -> Grid:
    """The grid with blanks before its labels that show their levels."""
    cells = [
        [indented(texts[0], styles.start(labels[row])) if row in labels else texts[0], *texts[1:]]
        for row, texts in enumerate(grid.cells)
    ]
    return replace(grid, cells=with_levels(cells))


def _with_headers(grid: Grid, num_header_rows: int, num_header_cols: int) -> Grid:
    if num_header_rows == 0 and num_header_cols > 0:
        # Row headers alone: a list of properties.
        return infer_headers(grid, num_header_rows=0, num_header_cols=num_header_cols)
    inferred = infer_headers(grid, num_header_rows=num_header_rows or None)
    inferred.num_header_cols = max(inferred.num_header_cols, num_header_cols)
    return inferred


def _marked_headers(placed: PlacedTable, grid: Grid) -> tuple[int, int]:
    """Header rows and columns that ``thead`` and ``th`` name.

    A ``thead`` says where header rows end, unless it has titles alone. A row over the full width below
    another header row is one only where others follow: else it begins the first group of rows.
    """
    look = Look(grid)
    num_rows = placed.num_head_rows
    if num_rows == grid.num_rows:
        num_rows = 0
    has_header = any(not look.is_label(row) for row in range(num_rows))
    row = grid.num_rows if has_header else num_rows
    while row < grid.num_rows - 1 and _is_header_row(placed, grid, row):
        is_label = look.is_label(row)
        if not (is_label and has_header):
            num_rows = row + 1
        has_header = has_header or not is_label
        row += 1
    kinds: dict[tuple[int, int], bool] = {
        (row, col): cell.is_header
        for cell in placed.cells
        for row in range(max(cell.row, num_rows), cell.last_row + 1)
        for col in range(cell.col, cell.last_col + 1)
    }
    body = [row for row in range(num_rows, grid.num_rows) if not look.is_label(row)]
    body = body or list(range(num_rows, grid.num_rows))
    num_cols = 0
    while num_cols < grid.num_cols:
        marked = [kinds[row, num_cols] for row in body if (row, num_cols) in kinds]
        if not marked or not all(marked):
            break
        num_cols += 1
    return num_rows, num_cols


def _is_header_row(placed: PlacedTable, grid: Grid, row: int) -> bool:
    starting = [cell for cell in placed.cells if cell.row == row]
    filled = [cell for cell in starting if grid.cells[cell.row][cell.col]]
    # Beside true header cells an empty ``td`` may stand in the corner; below a ``thead`` it marks a body row.
    if not filled or not all(cell.is_header for cell in (starting if placed.num_head_rows else filled)):
        return False
    covered = sum(cell.last_col - cell.col + 1 for cell in placed.cells if cell.row <= row <= cell.last_row)
    # A row of span starts covers its first columns only; a row label stands in the first one alone.
    return covered == grid.num_cols and (grid.num_cols == 1 or filled[-1].last_col > 0)
