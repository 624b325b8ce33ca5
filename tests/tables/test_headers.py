"""Header sizes and paths of plain grids."""

from __future__ import annotations

import pytest

from tabrag.tables.grid import left_paths, make_grid, path_texts, section_rows, top_paths
from tabrag.tables.headers import infer_headers, infer_table
from tabrag.tables.kinds import Kind, cell_kind
from tabrag.tables.text import headers_text
from tabrag.types import Grid, Table


def tops(grid: Grid) -> list[list[str]]:
    return [path_texts(grid, path) for path in top_paths(grid)]


def lefts(grid: Grid) -> list[list[str]]:
    return [path_texts(grid, path) for path in left_paths(grid)]


H03 = [
    ["Table 3", "", "", ""],
    ["Region", "2020", "2020", "2021"],
    ["", "Q1", "Q2", "Q1"],
    ["Europe", "", "", ""],
    ["France", "1", "2", "3"],
]
H03_MERGED = [(0, 0, 0, 3), (3, 3, 0, 3)]


def test_title_banner_and_section_of_report_h03() -> None:
    table = infer_table(H03, H03_MERGED)
    assert table.caption == "Table 3"
    grid = table.grid
    assert (grid.num_header_rows, grid.num_header_cols) == (2, 1)
    assert grid.cells[3][2] == "2" and section_rows(grid) == [2]
    assert tops(grid)[2] == ["2020", "Q2"] and lefts(grid)[3] == ["Europe", "France"]
    assert "Table 3" not in headers_text(Table(id="t", grid=grid))


def test_title_row_that_stays_is_no_level_of_a_path() -> None:
    grid = infer_headers(make_grid(H03, merged=H03_MERGED))
    assert grid.cells == H03 and grid.num_header_rows == 3
    assert tops(grid) == [[], ["2020", "Q1"], ["2020", "Q2"], ["2021", "Q1"]]
    assert lefts(grid)[4] == ["Europe", "France"]


H09 = [["Current", "", "", "Second", ""], ["a", "b", "c", "d", "e"]]


@pytest.mark.parametrize("body", [[], [["1", "2", "3", "4", "5"]], [["1.5", "2", "3", "4", "5"]] * 3])
def test_banner_without_merge_information_of_report_h09(body: list[list[str]]) -> None:
    filled = infer_headers(make_grid(H09 + body), fill_right=True)
    assert filled.num_header_rows == 2 and filled.num_header_cols == 0
    assert tops(filled) == [
        ["Current", "a"],
        ["Current", "b"],
        ["Current", "c"],
        ["Second", "d"],
        ["Second", "e"],
    ]
    assert not any(word in headers_text(Table(id="t", grid=filled)) for word in ("nan", "None"))
    if body:
        literal = infer_headers(make_grid(H09 + body))
        assert tops(literal) == [["Current", "a"], ["b"], ["c"], ["Second", "d"], ["e"]]


@pytest.mark.parametrize(
    ("cells", "merged", "sizes"),
    [
        # A banner over sub-labels, with and without spans.
        ([["", "Sales", ""], ["Region", "2020", "2021"], ["North", "1", "2"]], [(0, 0, 1, 2)], (2, 1)),
        (
            [["Region", "Sales", ""], ["", "2020", "2021"], ["North", "1", "2"]],
            [(0, 1, 0, 0), (0, 0, 1, 2)],
            (2, 1),
        ),
        ([["Region", "Sales", ""], ["", "2020", "2021"], ["North", "1", "2"]], [], (2, 1)),
        # Numbers as labels under a banner.
        (
            [["who", "try", ""], ["", "1", "2"], ["Ann", "3.5", "4.1"], ["Bob", "3", "4"]],
            [(0, 1, 0, 0), (0, 0, 1, 2)],
            (2, 1),
        ),
        # Years as headers, units below names.
        ([["", "2019", "2020"], ["Costs", "10", "12"], ["Sales", "11", "14"]], [], (1, 1)),
        ([["Steel", "C", "Si"], ["", "%", "%"], ["A", "0.1", "0.3"], ["B", "0.2", "0.2"]], [], (2, 1)),
        # Years as row labels; a table without a header; texts only.
        ([["Year", "Cost"], ["2019", "10"], ["2020", "12"]], [], (1, 1)),
        ([["Ann", "3"], ["Bob", "4"], ["Cid", "5"]], [], (0, 1)),
        ([["Name", "City"], ["Ann", "Oslo"], ["Bob", "Bern"]], [], (1, 1)),
        # Labels in two columns: spans, or the first column alone does not tell rows apart.
        (
            [["Year", "Month", "Cost"], ["2025", "May", "1"], ["", "June", "2"], ["2026", "May", "3"]],
            [(1, 2, 0, 0)],
            (1, 2),
        ),
        (
            [["Club", "Season", "Goals"], ["A", "2001", "3"], ["A", "2002", "4"], ["A", "2003", "5"]],
            [],
            (1, 2),
        ),
        # A text column under a banner is data.
        (
            [["Club", "League", ""], ["", "Division", "Goals"], ["A", "First", "3"], ["B", "Second", "4"]],
            [(0, 1, 0, 0), (0, 0, 1, 2)],
            (2, 1),
        ),
        # A header whose second cell is empty.
        ([["Region", ""], ["North", "10"], ["South", "20"]], [], (1, 1)),
        # Codes as headers.
        ([["Country", "Y2015", "V100"], ["Chad", "1", "2"], ["Mali", "3", "4"]], [], (1, 1)),
        ([["only"]], [], (1, 0)),
        ([["42"]], [], (0, 0)),
        ([["Total", "42"]], [], (0, 1)),
    ],
)
def test_header_sizes(cells: list[list[str]], merged: list[tuple], sizes: tuple[int, int]) -> None:
    grid = infer_headers(make_grid(cells, merged=merged))
    assert (grid.num_header_rows, grid.num_header_cols) == sizes


def test_known_sizes_are_kept() -> None:
    cells = [["Name", "City"], ["Ann", "Oslo"], ["Bob", "Bern"]]
    assert infer_headers(make_grid(cells), num_header_rows=2).num_header_rows == 2
    assert infer_headers(make_grid(cells), num_header_cols=0).num_header_cols == 0


def test_titles_notes_and_blank_rows_leave_the_grid() -> None:
    table = infer_table(
        [
            ["", "", "", ""],
            ["Students by state", "", "", ""],
            ["State", "", "A", "B"],
            ["Ohio", "", "1", "2"],
            ["", "", "", ""],
            ["Utah", "", "3", "4"],
            ["Note: a student can count twice", "", "", ""],
            ["####", "", "", ""],
        ]
    )
    assert table.grid.cells == [["State", "A", "B"], ["Ohio", "1", "2"], ["Utah", "3", "4"]]
    assert table.caption == "Students by state"
    assert table.notes == "Note: a student can count twice\n####"


def test_a_short_label_over_two_columns_is_their_header_and_a_longer_one_a_title() -> None:
    rows = [["North", "10"], ["South", "20"]]
    table = infer_table([["Region", ""], *rows])
    assert (table.caption, table.grid.num_header_rows, table.grid.cells[0]) == ("", 1, ["Region", ""])
    for title in ("Table 3", "Prices by home region"):
        table = infer_table([[title, ""], *rows])
        assert (table.caption, table.grid.num_header_rows, table.grid.cells) == (title, 0, rows)
    table = infer_table([["Prices", ""], ["Region", "2020"], *rows])
    assert (table.caption, table.grid.num_header_rows) == ("Prices", 1)


def test_last_row_with_missing_values_stays() -> None:
    table = infer_table([["Place", "Cost"], ["Oslo", "10"], ["Bern", "12"], ["Guam", ""]])
    assert table.grid.cells[-1] == ["Guam", ""] and table.notes == ""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Kind.BLANK),
        ("—", Kind.MISSING),
        ("n.a.", Kind.MISSING),
        ("1,234", Kind.NUMBER),
        ("1.234", Kind.NUMBER),
        ("1.2 MB (-92%)", Kind.NUMBER),
        ("293-375", Kind.NUMBER),
        ("2018", Kind.PERIOD),
        ("2018/19", Kind.PERIOD),
        ("Q1 2020", Kind.PERIOD),
        ("3 May 2018", Kind.TEXT),
        ("Total", Kind.TEXT),
        ("Y2015", Kind.TEXT),
        ("US$15", Kind.NUMBER),
    ],
)
def test_kinds_of_cells(text: str, kind: Kind) -> None:
    assert cell_kind(text) is kind
