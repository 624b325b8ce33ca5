"""Parts of tables on several pages: joined where they are one, never otherwise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.joins import TablePart, is_continued, try_join, without_continued
from tabrag.documents.page_content import PageTable
from tabrag.tables.grid import make_grid

HEADER = ["Region", "2020", "2021"]
BODY = [["North", "1.5", "2"], ["South", "3", "4"], ["East", "5", "6"], ["West", "7", "8"]]
EDGES = [72.0, 172.0, 222.0, 272.0]


def part(cells: list[list[str]], page: int = 1, edges: list[float] = EDGES, **more: object) -> TablePart:
    box = (edges[0], 100.0, edges[-1], 200.0)
    copied = [list(row) for row in cells]
    table = PageTable(box=box, cells=copied, col_edges=edges, ruled=True, merged=more.pop("merged", []))
    return TablePart(table, page, page, last_edges=edges, **more)


def test_a_part_without_a_header_and_one_with_the_same_header_are_appended():
    for below in (BODY[2:], [HEADER, *BODY[2:]]):
        upper = part([HEADER, *BODY[:2]])
        assert try_join(upper, part(below, 2)) == (True, "")
        assert upper.table.cells == [HEADER, *BODY]
        assert (upper.page, upper.last_page, upper.num_parts) == (1, 2, 2)


def test_another_header_keeps_tables_apart_whether_type_or_texts_tell_it():
    other = [["Town", "People", "Area"], *BODY[2:]]
    for upper, lower in (
        (part([HEADER, *BODY[:2]]), part(other, 2)),
        (part([HEADER, *BODY[:2]], stands_out=True), part(other, 2, stands_out=True)),
    ):
        assert try_join(upper, lower) == (False, "")
        assert upper.table.cells == [HEADER, *BODY[:2]]


def test_pages_may_be_shifted_as_a_whole_but_columns_may_not():
    shifted = [edge + 20 for edge in EDGES]
    assert try_join(part([HEADER, *BODY[:2]]), part(BODY[2:], 2, shifted))[0]
    moved = [EDGES[0], EDGES[1] - 40, *EDGES[2:]]
    assert not try_join(part([HEADER, *BODY[:2]]), part(BODY[2:], 2, moved))[0]


def test_another_number_of_columns_is_told():
    joined, note = try_join(part([HEADER, *BODY[:2]]), part([["1", "2"], ["3", "4"]], 2, EDGES[:3]))
    assert not joined and "3 columns" in note and "2 without a header" in note


def test_two_header_rows_with_merged_cells_are_dropped_as_one_and_other_regions_move():
    header = [["Region", "Sales", ""], ["", "2020", "2021"]]
    regions = [(0, 1, 0, 0), (0, 0, 1, 2)]
    upper = part([*header, *BODY[:2]], merged=list(regions))
    lower = part([*header, *BODY[2:]], 2, merged=[*regions, (2, 3, 0, 0)])
    lower.table.cells[3][0] = ""
    assert try_join(upper, lower)[0]
    assert [row[1] for row in upper.table.cells] == ["Sales", "2020", "1.5", "3", "5", "7"]
    assert upper.table.merged == [*regions, (4, 5, 0, 0)]


@given(st.integers(1, 6), st.integers(1, 6), st.booleans())
def test_no_row_is_lost_or_doubled(above: int, below: int, repeated: bool):
    first = [[f"a{row}", str(row), str(row + 1)] for row in range(above)]
    second = [[f"b{row}", str(row), str(row + 1)] for row in range(below)]
    upper = part([HEADER, *first], stands_out=True)
    joined, _ = try_join(upper, part([HEADER, *second] if repeated else second, 2, stands_out=repeated))
    assert joined
    assert upper.table.cells == [HEADER, *first, *second]
    make_grid(upper.table.cells, merged=upper.table.merged)


def test_remarks_that_a_table_goes_on_are_told_apart_from_its_name():
    for text in ("Table 3 (continued)", "Table 3, cont'd", "Table 3 – Contd."):
        assert is_continued(text) and without_continued(text).rstrip(",") == "Table 3"
    assert not is_continued("Table 3: Content of iron")
