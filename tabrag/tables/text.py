"""Text forms of a table: its headers, Markdown, HTML, and the line of its titles.

Texts of cells go into them as they are. Nothing is invented: an empty cell prints as nothing, and two
columns of one name keep that name.
"""

from __future__ import annotations

import html as html_escape
import re
from collections.abc import Iterable, Mapping, Sequence

from tabrag.errors import UserError
from tabrag.tables.grid import Region, corner_paths, left_paths, owner_map, path_texts, top_paths
from tabrag.types import Grid, HeaderPath, Table


def title_text(table: Table, *, separator: str = " - ") -> str:
    """Title, page title, section and caption in one line; a part that stands in another part is left out."""
    parts = [one_line(text) for text in (table.title, table.page_title, table.section, table.caption)]
    kept: list[str] = []
    for number, part in enumerate(parts):
        others = kept + [other for other in parts[number + 1 :] if len(other) > len(part)]
        if part and not any(_contains(other, part) for other in others):
            kept.append(part)
    return separator.join(kept)


def words_text(table: Table) -> str:
    """The words of the table's picture in one line; empty where there are none or nobody has read them."""
    return " ".join(word.text for word in table.words or ())


def running_rows(table: Table) -> list[str]:
    """The cells of each row one after another, as a program that takes the text out of a file gives them."""
    rows = [[words_text(table)]] if table.grid is None else table.grid.cells
    return [" ".join(text for text in map(one_line, row) if text) for row in rows]


def headers_text(
    table: Table,
    *,
    fields: Sequence[str] = ("title", "left", "top"),
    field_separator: str = " | ",
    header_separator: str = "; ",
    path_separator: str = " > ",
    parents: str = "repeat",
    paths: Mapping[str, Sequence[HeaderPath]] | None = None,
) -> str:
    """Title and headers without the data, after THoRR ("headers only").

    ``title | left paths | top paths``: each leaf path once, printed as ``parent > child``. The headers above
    the row labels belong to the top paths. Empty fields are left out.

    Args:
        table: A table; one without a grid gives its title alone.
        fields: Which of ``title``, ``left`` and ``top``, in which order.
        field_separator: Stands between two fields.
        header_separator: Stands between two paths of a field.
        path_separator: Stands between the levels of a path.
        parents: ``repeat`` prints whole paths; ``once`` prints each header a single time, parents before
            their children, which says the same words in about two thirds of the length.
        paths: Which ``left`` and ``top`` paths to print; those of :func:`header_paths` where None.

    Raises:
        UserError: An unknown field or kind of ``parents``.
    """
    if parents not in ("repeat", "once"):
        raise UserError(f"parents={parents!r}: choose 'repeat' or 'once'")
    unknown = [name for name in fields if name not in ("title", "left", "top")]
    if unknown:
        raise UserError(f"unknown field {unknown[0]!r} of a headers text: choose from title, left, top")
    texts = {"title": title_text(table), "left": "", "top": ""}
    grid = table.grid
    if grid is not None:
        for name, printed in (header_paths(grid) if paths is None else paths).items():
            headers = (
                _leaf_texts(grid, printed, separator=path_separator)
                if parents == "repeat"
                else _header_texts(grid, printed)
            )
            texts[name] = header_separator.join(headers)
    return field_separator.join(texts[name] for name in fields if texts[name])


def header_paths(grid: Grid) -> dict[str, list[HeaderPath]]:
    """The ``left`` and ``top`` paths of a headers text; the headers above the row labels are top paths."""
    top = corner_paths(grid) + top_paths(grid)[grid.num_header_cols :]
    return {"left": left_paths(grid), "top": top}


def leaf_paths(paths: Iterable[HeaderPath]) -> list[HeaderPath]:
    """The paths that are not the beginning of another one, each once; empty ones are dropped."""
    distinct = dict.fromkeys(path for path in paths if path)
    inner = {path[:length] for path in distinct for length in range(1, len(path))}
    return [path for path in distinct if path not in inner]


def markdown(table: Table, spans: str = "first") -> str:
    """The grid as a GitHub-flavoured Markdown table, without the titles; empty for a table without a grid.

    Markdown knows one header row: it is the first one, further header rows follow below the rule. A grid
    without a header row gets an empty one. Pipes are escaped, line ends become blanks.

    Args:
        table: The table.
        spans: ``first`` prints the text of a merged region in its first cell only, ``repeat`` in each of its
            cells.

    Raises:
        UserError: An unknown kind of ``spans``.
    """
    if spans not in ("first", "repeat"):
        raise UserError(f"spans={spans!r}: choose 'first' or 'repeat'")
    grid = table.grid
    if grid is None:
        return ""
    rows = [list(row) for row in grid.cells]
    if spans == "repeat":
        for (row, col), region in owner_map(grid).items():
            rows[row][col] = rows[region[0]][region[2]]
    if grid.num_header_rows == 0:
        rows.insert(0, [""] * grid.num_cols)
    rows.insert(1, ["---"] * grid.num_cols)
    return "\n".join(map(markdown_row, rows))


def markdown_row(texts: Iterable[str]) -> str:
    """One row of a Markdown table."""
    return "| " + " | ".join(map(_markdown_cell, texts)) + " |"


def html(table: Table) -> str:
    """The grid as an HTML table with true spans, ``thead`` and ``th``; empty for a table without a grid."""
    grid = table.grid
    if grid is None:
        return ""
    owners = owner_map(grid)
    rows = [_html_row(grid, row, owners) for row in range(grid.num_rows)]
    lines = ["<table>"]
    caption = one_line(table.caption)
    if caption:
        lines.append(f"<caption>{html_escape.escape(caption, quote=False)}</caption>")
    for tag, part in (("thead", rows[: grid.num_header_rows]), ("tbody", rows[grid.num_header_rows :])):
        if part:
            lines += [f"<{tag}>", *part, f"</{tag}>"]
    return "\n".join([*lines, "</table>"])


def _html_row(grid: Grid, row: int, owners: dict[tuple[int, int], Region]) -> str:
    cells = []
    for col in range(grid.num_cols):
        region = owners.get((row, col), (row, row, col, col))
        if (region[0], region[2]) != (row, col):
            continue
        tag = "th" if row < grid.num_header_rows or col < grid.num_header_cols else "td"
        rowspan, colspan = region[1] - region[0] + 1, region[3] - region[2] + 1
        attributes = (f' rowspan="{rowspan}"' if rowspan > 1 else "") + (
            f' colspan="{colspan}"' if colspan > 1 else ""
        )
        text = html_escape.escape(grid.cells[row][col], quote=False).replace("\n", "<br>")
        cells.append(f"<{tag}{attributes}>{text}</{tag}>")
    return "<tr>" + "".join(cells) + "</tr>"


def _leaf_texts(grid: Grid, paths: Iterable[HeaderPath], *, separator: str) -> list[str]:
    texts = (separator.join(one_line(text) for text in path_texts(grid, path)) for path in leaf_paths(paths))
    return list(dict.fromkeys(text for text in texts if text))


def _header_texts(grid: Grid, paths: Iterable[HeaderPath]) -> list[str]:
    cells = dict.fromkeys(cell for path in paths for cell in path)
    return [text for row, col in cells if (text := one_line(grid.cells[row][col]))]


def _markdown_cell(text: str) -> str:
    text = one_line(text)
    # A backslash before an escaped pipe would undo the escape.
    return text.replace("\\", "\\\\").replace("|", "\\|") if "|" in text else text


def one_line(text: str) -> str:
    """The text with blanks in place of line ends, one at a time."""
    return " ".join(text.split())


def _contains(text: str, part: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(part.casefold())}(?!\w)", text.casefold()) is not None
