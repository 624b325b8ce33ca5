"""Windows of long tables: they fit, they keep their headers, and nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_tables import tables

from tabrag.tables.grid import left_paths, make_grid, owner_map, path_texts, top_paths
from tabrag.tables.grid_windows import markdown_windows
from tabrag.tables.header_windows import headers_windows
from tabrag.tables.text import headers_text, markdown, title_text
from tabrag.tables.windows import Meter, Window, words_windows
from tabrag.types import Cell, Grid, Table, Word


def _signs(texts: Sequence[str]) -> list[int]:
    """A token for each word and each sign, and two special ones: sums of lines are exact."""
    return [2 + len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


def _joined(texts: Sequence[str]) -> list[int]:
    """A tokenizer that joins across blanks and line ends: sums of lines are only an estimate."""
    return [3 + (len(text) + 2) // 3 for text in texts]


Count = Callable[[Sequence[str]], list[int]]


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text)


def _whole(table: Table) -> str:
    return "\n".join(part for part in (title_text(table), markdown(table)) if part)


def _body(num_rows: int, num_cols: int) -> list[list[str]]:
    return [[f"v{row}x{col}" for col in range(num_cols)] for row in range(num_rows)]


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """Header rows and columns with texts of their own, numbered values, sections and merged regions."""
    head_rows, head_cols = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    num_rows, num_cols = head_rows + draw(st.integers(1, 9)), head_cols + draw(st.integers(1, 6))
    cells = [[f"v{row}x{col}" for col in range(num_cols)] for row in range(num_rows)]
    merged = []
    if head_rows == 2 and num_cols - head_cols > 1:
        merged.append((0, 0, head_cols, draw(st.integers(head_cols + 1, num_cols - 1))))
    row = draw(st.integers(head_rows, num_rows - 1))
    kind = draw(st.sampled_from(["none", "section", "tall", "long"]))
    if kind == "section" and num_cols > 1:
        merged.append((row, row, 0, num_cols - 1))
    elif kind == "tall" and row + 1 < num_rows:
        col = draw(st.integers(0, num_cols - 1))
        merged.append((row, draw(st.integers(row + 1, num_rows - 1)), col, col))
    elif kind == "long":
        cells[row] = [f"{text} so long" for text in cells[row]]
    return make_grid(cells, merged=merged, num_header_rows=head_rows, num_header_cols=head_cols)


def _values(grid: Grid) -> dict[Cell, str]:
    return {
        (row, col): text
        for row, line in enumerate(grid.cells)
        for col, text in enumerate(line)
        if text.strip()
    }


@settings(deadline=None, max_examples=120)
@given(
    grids(), st.integers(4, 120), st.sampled_from(["", "A title of it"]), st.sampled_from([_signs, _joined])
)
def test_nothing_is_lost_and_all_fits(grid: Grid, limit: int, title: str, count: Count) -> None:
    table = Table(id="t", title=title, grid=grid)
    windows = markdown_windows(table, Meter(limit=limit, count=count))
    if count([_whole(table)])[0] <= limit:
        assert windows == [Window(_whole(table))]
        return
    assert max(count([window.text for window in windows])) <= limit
    for cell, text in _values(grid).items():
        holders = [window.text.removeprefix(title) for window in windows if cell in (window.cells or ())]
        assert _letters(text) in _letters("".join(holders))
    assert _letters(title) in _letters("".join(window.text for window in windows))


@settings(deadline=None, max_examples=120)
@given(grids(), st.integers(70, 120))
def test_each_value_has_its_title_and_all_its_headers(grid: Grid, limit: int) -> None:
    windows = markdown_windows(Table(id="t", title="Title", grid=grid), Meter(limit=limit, count=_signs))
    left, top, owners = left_paths(grid), top_paths(grid), owner_map(grid)
    for window in windows:
        assert window.text.startswith("Title\n")
        shown = set(re.findall(r"v\d+x\d+", window.text))
        for (row, col), text in _values(grid).items():
            if row >= grid.num_header_rows and col >= grid.num_header_cols and text in shown:
                # A merged region stands in several rows and columns: the headers of those in the window are
                # enough.
                first, last, left_end, right_end = owners.get((row, col), (row, row, col, col))
                columns, rows = range(left_end, right_end + 1), range(first, last + 1)
                assert any(shown.issuperset(path_texts(grid, top[c])) for c in columns)
                assert any(shown.issuperset(path_texts(grid, left[r])) for r in rows)


@settings(deadline=None, max_examples=50)
@given(tables(), st.integers(6, 40), st.sampled_from(["repeat", "once"]))
def test_windows_of_any_table_fit(table: Table, limit: int, parents: str) -> None:
    meter = Meter(limit=limit, count=_joined)
    make = words_windows if table.grid is None else markdown_windows
    for windows in (make(table, meter), headers_windows(table, meter, parents=parents)):
        assert 1 <= len(windows) <= 200
        assert max(_joined([window.text for window in windows])) <= limit


def test_rows_keep_their_order_and_fill_the_window() -> None:
    table = Table(id="t", title="Title", grid=make_grid([["a", "b"], *_body(40, 2)], num_header_rows=1))
    windows = markdown_windows(table, Meter(limit=100, count=_signs))
    rows = [re.findall(r"v(\d+)x0", window.text) for window in windows]
    assert [int(row) for part in rows for row in part] == list(range(40))
    assert all(window.text.startswith("Title\n| a | b |\n| --- | --- |\n| v") for window in windows)
    room = 100 - _signs(["Title | a | b | | --- | --- |"])[0]
    assert [len(part) for part in rows[:-1]] == [room // 5] * (len(rows) - 1) and len(rows) > 2


def test_a_section_above_the_window_is_repeated() -> None:
    cells = [
        ["", "2019"],
        ["north", ""],
        ["tea", "1"],
        ["salt", "2"],
        ["south", ""],
        ["rice", "3"],
        ["oil", "4"],
    ]
    grid = make_grid(cells, num_header_rows=1, num_header_cols=1)
    windows = markdown_windows(Table(id="t", grid=grid), Meter(limit=26, count=_signs))
    head = "|  | 2019 |\n| --- | --- |\n"
    assert [window.text.removeprefix(head) for window in windows] == [
        "| north |  |\n| tea | 1 |",
        "| north |\n| salt | 2 |",
        "| south |  |\n| rice | 3 |",
        "| south |\n| oil | 4 |",
    ]
    assert (1, 0) in (windows[1].cells or ()) and (2, 0) not in (windows[1].cells or ())


def test_wide_tables_are_parted_between_columns_under_their_banner() -> None:
    cells = [
        ["", "2019", "", "", ""],
        ["who", "a", "b", "c", "d"],
        ["Ann", "1", "2", "3", "4"],
        ["Bob", *"5678"],
    ]
    grid = make_grid(cells, merged=[(0, 0, 1, 4)], num_header_rows=2, num_header_cols=1)
    windows = markdown_windows(Table(id="t", grid=grid), Meter(limit=56, count=_signs))
    assert [window.text for window in windows] == [
        "|  | 2019 |  |\n| --- | --- | --- |\n| who | a | b |\n| Ann | 1 | 2 |\n| Bob | 5 | 6 |",
        "|  | 2019 |  |\n| --- | --- | --- |\n| who | c | d |\n| Ann | 3 | 4 |\n| Bob | 7 | 8 |",
    ]


def test_a_long_row_is_parted_between_its_cells() -> None:
    long = " ".join(["word"] * 14)
    grid = make_grid([["a", "b"], ["1", "2"], [f"{long} x", f"{long} y"], ["3", "4"]], num_header_rows=1)
    windows = markdown_windows(Table(id="t", grid=grid), Meter(limit=36, count=_signs))
    rule = "\n| --- |\n"
    assert [window.text for window in windows] == [
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        f"| a |{rule}| {long} x |",
        f"| b |{rule}| {long} y |",
        "| a | b |\n| --- | --- |\n| 3 | 4 |",
    ]


def test_a_cell_longer_than_a_window_is_parted_at_blanks_and_a_word_between_letters() -> None:
    text = " ".join(f"w{number}" for number in range(90))
    table = Table(id="t", title="Title", grid=make_grid([["a"], [text], ["b"]], num_header_rows=1))
    windows = markdown_windows(table, Meter(limit=30, count=_signs))
    pieces = [one.text.removeprefix("Title\n") for one in windows if one.text.startswith("Title\nw")]
    assert " ".join(pieces) == text and len(pieces) > 2
    word = Table(id="t", grid=make_grid([["x" * 300]]))
    windows = markdown_windows(word, Meter(limit=30, count=_joined))
    assert "".join(window.text for window in windows) == "x" * 300


def test_a_title_over_half_a_window_stands_alone() -> None:
    title = " ".join(f"t{number}" for number in range(30))
    table = Table(id="t", title=title, grid=make_grid([["a"], ["1"], ["2"]], num_header_rows=1))
    windows = markdown_windows(table, Meter(limit=40, count=_signs))
    assert [window.text for window in windows] == [title, "| a |\n| --- |\n| 1 |\n| 2 |"]


def test_each_header_path_stands_in_a_window_and_the_shorter_list_in_all() -> None:
    cells = [["", "2019", "2020"], *([f"row {row}", "1", "2"] for row in range(60))]
    table = Table(id="t", title="Title", grid=make_grid(cells, num_header_rows=1, num_header_cols=1))
    for parents in ("repeat", "once"):
        windows = headers_windows(table, Meter(limit=50, count=_signs), parents=parents)
        assert all(window.text.startswith("Title | row ") for window in windows)
        assert all(window.text.endswith(" | 2019; 2020") for window in windows)
        rows = [name for window in windows for name in re.findall(r"row \d+", window.text)]
        assert rows == [f"row {row}" for row in range(60)] and 3 < len(windows) < 8
    (short,) = headers_windows(table, Meter(limit=500, count=_signs))
    assert short == Window(headers_text(table))


def test_parents_of_headers_are_repeated_in_each_window() -> None:
    cells = [["", "x"], ["north", ""], *([f"n{row}", "1"] for row in range(9))]
    table = Table(id="t", grid=make_grid(cells, num_header_rows=1, num_header_cols=1))
    windows = headers_windows(table, Meter(limit=16, count=_signs), parents="once")
    assert len(windows) > 1 and all("north; n" in window.text and "| x" in window.text for window in windows)


def test_words_of_a_picture_without_a_grid() -> None:
    words = [Word(text=f"w{number}", box=(0, 0, 1, 1)) for number in range(50)]
    table = Table(id="t", title="Title", words=words)
    windows = words_windows(table, Meter(limit=20, count=_signs))
    assert all(window.text.startswith("Title\n") and window.cells is None for window in windows)
    assert " ".join(window.text.removeprefix("Title\n") for window in windows) == " ".join(
        w.text for w in words
    )
