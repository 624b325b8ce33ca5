"""Number of header rows and columns of plain grids: units, groups, forms, banners, and bad input."""

from __future__ import annotations

import pytest
from effort import within
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.tables.forms import is_form
from tabrag.tables.grid import left_paths, make_grid, path_texts, top_paths
from tabrag.tables.headers import infer_headers, infer_table
from tabrag.tables.look import Look
from tabrag.types import Grid


def sizes(cells: list[list[str]], merged: list[tuple[int, int, int, int]] = (), **options: bool) -> tuple:
    grid = infer_headers(make_grid(cells, merged=merged), **options)
    return grid.num_header_rows, grid.num_header_cols


UNIT = [
    ["", "women", "men"],
    ["", "percent", ""],
    ["total", "27", "26"],
    ["rural", "21", "19"],
]


@pytest.mark.parametrize("merged", [[(0, 1, 0, 0), (1, 1, 1, 2)], [(1, 1, 1, 2)], []])
def test_a_unit_over_all_columns_begins_the_body(merged: list[tuple[int, int, int, int]]) -> None:
    assert sizes(UNIT, merged) == (1, 1)


def test_units_of_their_own_columns_end_the_header() -> None:
    units = [UNIT[0], ["", "percent", "hours"], *UNIT[2:]]
    assert sizes(units, [(0, 1, 0, 0)]) == sizes(units) == (2, 1)


def test_a_banner_below_a_title_row_of_names_is_no_unit() -> None:
    cells = [["", "Sales", ""], ["", "2020", "2021"], ["North", "1", "2"], ["South", "3", "4"]]
    assert sizes(cells) == sizes(cells, [(0, 0, 1, 2)]) == (2, 1)


def test_a_text_over_all_columns_in_the_last_row_has_no_rows_below_it() -> None:
    cells = [["", "north", "south"], ["", "percent", ""]]
    assert sizes(cells, [(0, 1, 0, 0), (1, 1, 1, 2)], fill_right=True) == (2, 0)


def test_blank_rows_do_not_end_a_header() -> None:
    cells = [["", "all", ""], ["", "", ""], ["", "from", "to"], ["men", "1", "2"], ["women", "3", "4"]]
    assert sizes(cells) == (3, 1)


def test_a_group_of_rows_below_a_full_header_is_body() -> None:
    cells = [
        ["device", "date", "parameters", ""],
        ["pump", "2004", "model", "A3"],
        ["", "", "power", "12 kW"],
        ["fan", "2006", "model", "K8"],
        ["", "", "power", "2 kW"],
    ]
    merged = [(0, 0, 2, 3), (1, 2, 0, 0), (1, 2, 1, 1), (3, 4, 0, 0), (3, 4, 1, 1)]
    assert sizes(cells, merged) == (1, 1)


def test_a_row_that_counts_is_a_header_above_texts_only() -> None:
    texts = [
        ["No", "1", "2", "total"],
        ["firm", "A", "B", "all"],
        ["sum", "5", "6", "11"],
        ["new", "no", "yes", "-"],
    ]
    assert sizes(texts) == (1, 1)
    numbers = [["a", "1", "2"], ["b", "3", "4"], ["c", "5", "6"]]
    assert sizes(numbers) == (0, 1)


FORM = [
    ["Name", "Tiger", "Born", "1988"],
    ["Latin", "P. tigris", "Weight", "190 kg"],
    ["Food", "meat", "Status", "endangered"],
    ["Age", "12", "Order", "Carnivora"],
]
CONTACTS = [
    ["Name", "Street", "City", "Note"],
    ["Ann", "12 Main St", "Oslo", "call first"],
    ["Bob", "Harbour", "Bern", "2nd floor"],
    ["Cid", "4 Elm Rd", "Rome", "x"],
    ["Dan", "9 Oak Av", "Paris", "y"],
]


def test_forms_have_no_header_row_and_lists_have_one() -> None:
    assert sizes(FORM) == (0, 1)
    assert sizes([["Animals", "", "", ""], *FORM], [(0, 0, 0, 3)]) == (1, 1)
    assert (
        sizes(
            [
                ["City", "Mayor", "Born", "Party"],
                *[[f"c{n}", f"m{n}", f"19{n}", "red"] for n in range(10, 15)],
            ]
        )[0]
        == 1
    )
    assert is_form(Look(make_grid(FORM)), 0)
    assert not is_form(Look(make_grid(CONTACTS)), 0) and sizes(CONTACTS) == (1, 1)
    assert not is_form(Look(make_grid([["", "a b", "", "c d"], ["", "1", "", "x"], ["", "y", "", "2"]])), 0)


def test_labels_with_one_value_over_the_rest_are_a_form() -> None:
    cells = [
        ["Product", "Filter X", "", ""],
        ["Medium", "clean air", "", ""],
        ["Size", "1", "4", "63"],
        ["Flow", "20", "80", "300"],
    ]
    merged = [(0, 0, 1, 3), (1, 1, 1, 3)]
    assert is_form(Look(make_grid(cells, merged=merged)), 0) and sizes(cells, merged) == (0, 1)
    assert sizes([["", "Sales", "", ""], ["", "2019", "2020", "2021"], *cells[2:]], [(0, 0, 1, 3)]) == (2, 1)


STUB = [
    ["club", "season", "division", "league", "", "cup", ""],
    ["", "", "", "apps", "goals", "apps", "goals"],
    ["Hull", "1957-58", "first", "11", "2", "0", "0"],
    ["Leeds", "1958-59", "third", "33", "11", "11", "2"],
    ["", "1959-60", "third", "38", "16", "2", "0"],
]


@pytest.mark.parametrize("fill_right", [False, True])
def test_row_labels_stand_left_of_the_first_banner(fill_right: bool) -> None:
    spans = [(0, 1, 0, 0), (0, 1, 1, 1), (0, 1, 2, 2), (0, 0, 3, 4), (0, 0, 5, 6)]
    assert sizes(STUB, spans) == sizes(STUB, fill_right=fill_right) == (2, 3)


def test_a_number_before_the_first_banner_is_data() -> None:
    cells = [
        ["", "total", "kind", ""],
        ["", "", "men", "women"],
        ["North", "9", "4", "5"],
        ["South", "7", "3", "4"],
    ]
    assert sizes(cells) == sizes(cells, [(0, 1, 0, 0), (0, 1, 1, 1), (0, 0, 2, 3)]) == (2, 1)


def test_a_banner_that_is_one_property_among_others_leaves_one_label_column() -> None:
    cells = [
        ["firm", "seat", "place", "business", "share", "", "origin"],
        ["", "", "", "", "direct", "indirect", ""],
        ["A", "Oslo", "Oslo", "trade", "100", "", "bought"],
        ["B", "Bern", "Bern", "trade", "65", "5", "founded"],
    ]
    assert sizes(cells) == (2, 1)


def test_a_group_label_covers_the_blank_cells_below_it_where_asked() -> None:
    cells = [*STUB, ["", "total", "", "71", "27", "13", "2"]]
    filled = infer_headers(make_grid(cells), fill_right=True)
    assert path_texts(filled, left_paths(filled)[4]) == ["Leeds", "1959-60", "third"]
    assert path_texts(filled, top_paths(filled)[4]) == ["league", "goals"]
    literal = infer_headers(make_grid(cells))
    assert path_texts(literal, left_paths(literal)[4]) == ["1959-60", "third"]
    assert [text for row in filled.cells for text in row] == [text for row in cells for text in row]


def test_plain_grid_of_report_h01() -> None:
    cells = [["", "", "Sales", ""], ["", "", "2020", "2021"], ["North", "a", "1", "2"], ["", "b", "3", "4"]]
    grid = infer_headers(make_grid(cells, merged=[(0, 1, 0, 1), (0, 0, 2, 3), (2, 3, 0, 0)]))
    assert (grid.num_header_rows, grid.num_header_cols) == (2, 2)
    assert path_texts(grid, top_paths(grid)[3]) == ["Sales", "2021"]
    assert path_texts(grid, left_paths(grid)[2]) == ["North", "a"]
    assert path_texts(grid, left_paths(grid)[3]) == ["North", "b"]


def test_plain_grid_of_report_h08() -> None:
    cells = [
        ["Region", "2020", "", "2021", ""],
        ["", "Total", "", "Total", "New"],
        ["Oslo", "1", "2", "3", "4"],
    ]
    grid = infer_headers(make_grid(cells, merged=[(0, 1, 0, 0), (0, 0, 1, 2), (0, 0, 3, 4)]))
    assert (grid.num_header_rows, grid.num_header_cols) == (2, 1)
    found = [path_texts(grid, path) for path in top_paths(grid)[1:]]
    assert found == [["2020", "Total"], ["2020"], ["2021", "Total"], ["2021", "New"]]


def unchanged(cells: list[list[str]], merged: list[tuple[int, int, int, int]] = ()) -> Grid:
    """The grid with its headers, after it is shown that nothing of it is lost."""
    grid = make_grid(cells, merged=merged)
    for fill_right in (False, True):
        found = infer_headers(grid, fill_right=fill_right)
        assert found.cells == grid.cells and set(grid.merged) <= set(found.merged)
        assert 0 <= found.num_header_rows <= grid.num_rows and 0 <= found.num_header_cols <= grid.num_cols
        assert len(left_paths(found)) == grid.num_rows and len(top_paths(found)) == grid.num_cols
    table = infer_table(cells, merged)
    shown = [text.strip() for row in grid.cells for text in row if text.strip()]
    kept = [text for row in table.grid.cells for text in row if text.strip()]
    assert kept and all(text in " ".join([table.caption, table.notes, *kept]) for text in shown)
    return infer_headers(grid)


def test_bad_input_gives_a_right_or_an_unchanged_table() -> None:
    no_header = unchanged([["Ann", "3"], ["Bob", "4"], ["Cid", "5"]])
    assert (no_header.num_header_rows, no_header.num_header_cols) == (0, 1)
    no_labels = unchanged(
        [["a", "", "b", ""], ["x", "y", "x", "y"], ["1", "2", "3", "4"]], [(0, 0, 0, 1), (0, 0, 2, 3)]
    )
    assert (no_labels.num_header_rows, no_labels.num_header_cols) == (2, 0)
    assert unchanged([["only"]]).num_header_rows == 1 and unchanged([["42"]]).num_header_rows == 0
    same = unchanged([["Name", "Total", "Total"], ["a", "1", "2"], ["b", "3", "4"]])
    assert [path_texts(same, path) for path in top_paths(same)[1:]] == [["Total"], ["Total"]]
    empty = unchanged([["", "", ""], ["a", "1", "2"], ["b", "3", "4"]])
    assert empty.num_header_cols == 1
    over_all = unchanged([["Everything", "", ""], ["a", "1", "2"], ["b", "3", "4"]], [(0, 0, 0, 2)])
    assert (over_all.num_header_rows, over_all.num_header_cols) == (1, 1)
    unchanged([["All of it", ""], ["", ""]], [(0, 1, 0, 1)])


def test_five_thousand_rows_in_a_second() -> None:
    rows = [[f"row {number}", str(number), "2"] for number in range(5000)]
    with within(2):
        grid = infer_table([["", "Sales", ""], ["Region", "2020", "2021"], *rows], [(0, 0, 1, 2)]).grid
        paths = left_paths(grid)
    assert (grid.num_header_rows, grid.num_header_cols, grid.num_rows) == (2, 1, 5002)
    assert paths[5001] == ((5001, 0),)


texts = st.sampled_from(
    ["", "", " ", "a", "Total", "percent", "12", "2019", "–", "x 3", "  b", "No", "1", "2"]
)


@st.composite
def grids(draw: st.DrawFn) -> tuple[list[list[str]], list[tuple[int, int, int, int]]]:
    num_rows, num_cols = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    cells = draw(
        st.lists(st.lists(texts, min_size=num_cols, max_size=num_cols), min_size=num_rows, max_size=num_rows)
    )
    merged: list[tuple[int, int, int, int]] = []
    taken: set[tuple[int, int]] = set()
    for _ in range(draw(st.integers(0, 4))):
        first_row, first_col = draw(st.integers(0, num_rows - 1)), draw(st.integers(0, num_cols - 1))
        last_row = draw(st.integers(first_row, num_rows - 1))
        last_col = draw(st.integers(first_col, num_cols - 1))
        places = {
            (row, col) for row in range(first_row, last_row + 1) for col in range(first_col, last_col + 1)
        }
        if not places & taken:
            taken |= places
            merged.append((first_row, last_row, first_col, last_col))
    return cells, merged


@settings(max_examples=300, deadline=None)
@given(grids())
def test_no_grid_raises_or_loses_a_text(
    sample: tuple[list[list[str]], list[tuple[int, int, int, int]]],
) -> None:
    cells, merged = sample
    infer_headers(make_grid(cells, merged=merged), fill_right=True)
    if any(text.strip() for row in cells for text in row):
        unchanged(cells, merged)
    else:
        infer_headers(make_grid(cells, merged=merged))
