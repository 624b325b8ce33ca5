"""Cells of Word tables: whatever is merged comes back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.documents.office.word_table import place_cells
from tabrag.documents.office.xml import parse_xml

docx = pytest.importorskip("docx")

Region = tuple[int, int, int, int]


@st.composite
def _merges(draw: st.DrawFn) -> tuple[int, int, list[Region]]:
    num_rows, num_cols = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    regions: list[Region] = []
    taken: set[tuple[int, int]] = set()
    for _ in range(draw(st.integers(1, 5))):
        first_row, first_col = draw(st.integers(0, num_rows - 1)), draw(st.integers(0, num_cols - 1))
        last_row = draw(st.integers(first_row, num_rows - 1))
        last_col = draw(st.integers(first_col, num_cols - 1))
        cells = {(r, c) for r in range(first_row, last_row + 1) for c in range(first_col, last_col + 1)}
        if len(cells) > 1 and not cells & taken:
            taken |= cells
            regions.append((first_row, last_row, first_col, last_col))
    return num_rows, num_cols, regions


@settings(max_examples=60, deadline=None)
@given(drawn=_merges())
def test_any_merges_come_back(drawn: tuple[int, int, list[Region]]) -> None:
    num_rows, num_cols, regions = drawn
    table = docx.Document().add_table(num_rows, num_cols)
    for first_row, last_row, first_col, last_col in regions:
        table.cell(first_row, first_col).merge(table.cell(last_row, last_col))
    owners = {(row, col): (row, row, col, col) for row in range(num_rows) for col in range(num_cols)}
    for region in regions:
        for row in range(region[0], region[1] + 1):
            for col in range(region[2], region[3] + 1):
                owners[row, col] = region
    # A column in which no cell begins is none.
    starts = sorted({region[2] for region in owners.values()})
    expected = {
        (first_row, last_row, starts.index(first_col), sum(start <= last_col for start in starts) - 1)
        for first_row, last_row, first_col, last_col in owners.values()
    }
    placed = place_cells(table._tbl)
    found = {(cell.row, cell.last_row, cell.col, cell.last_col) for cell in placed.cells}
    assert found == expected and (placed.num_rows, placed.num_cols) == (num_rows, len(starts))
    covered = [
        (row, col)
        for cell in placed.cells
        for row in range(cell.row, cell.last_row + 1)
        for col in range(cell.col, cell.last_col + 1)
    ]
    assert len(covered) == len(set(covered)) == num_rows * len(starts)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.lists(
            st.tuples(st.integers(-2, 7), st.sampled_from(["", "<vMerge/>", "<vMerge val='restart'/>"])),
            max_size=5,
        ),
        max_size=6,
    )
)
def test_no_cells_overlap_whatever_a_file_says(rows: list[list[tuple[int, str]]]) -> None:
    body = "".join(
        "<tr>"
        + "".join(f"<tc><tcPr><gridSpan val='{span}'/>{down}</tcPr></tc>" for span, down in row)
        + "</tr>"
        for row in rows
    )
    placed = place_cells(parse_xml(f"<tbl>{body}</tbl>".encode()))
    covered = [
        (row, col)
        for cell in placed.cells
        for row in range(cell.row, cell.last_row + 1)
        for col in range(cell.col, cell.last_col + 1)
    ]
    assert len(covered) == len(set(covered))
    assert all(row < placed.num_rows and col < placed.num_cols for row, col in covered)
    assert placed.num_rows == sum(map(bool, rows))


def test_edges_a_hair_apart_are_one() -> None:
    cells = "<tr><tc/><tc/></tr>"
    shifted = "<tr><tc><tcPr><gridSpan val='2'/></tcPr></tc><tc/></tr>"
    tables = []
    for width in (20, 900):
        grid = f"<tblGrid><gridCol w='2000'/><gridCol w='{width}'/><gridCol w='2000'/></tblGrid>"
        first = cells.replace("<tc/></tr>", "<tc><tcPr><gridSpan val='2'/></tcPr></tc></tr>")
        tables.append(place_cells(parse_xml(f"<tbl>{grid}{first}{shifted}</tbl>".encode())))
    assert (tables[0].num_cols, tables[0].merged()) == (2, [])
    assert tables[1].num_cols == 3 and len(tables[1].merged()) == 2
