"""Left paths by rule: units, sections, indents, groups of labels that come again, totals."""

from __future__ import annotations

from pathlib import Path

from tabrag.tables.grid import left_paths, make_grid, path_texts, section_rows, unit_rows
from tabrag.tables.headers import infer_table
from tabrag.tables.read_csv import read_csv
from tabrag.tables.read_xlsx import read_xlsx
from tabrag.types import Grid


def body(labels: list[tuple[str, str]], *, merged: list[tuple[int, int, int, int]] = ()) -> Grid:
    """Rows of a label and a first value; a row with a number has a second one."""
    rows = [[label, value, "7" if value.isdigit() else ""] for label, value in labels]
    return make_grid([["", "a", "b"], *rows], merged=merged, num_header_rows=1, num_header_cols=1)


def lefts(grid: Grid) -> list[list[str]]:
    return [path_texts(grid, path) for path in left_paths(grid)[grid.num_header_rows :]]


def test_a_unit_heads_the_sections_below_it() -> None:
    labels = [
        ("", "number"),
        ("total", "5"),
        ("", "percent"),
        ("sex", ""),
        ("men", "1"),
        ("age", ""),
        ("old", "2"),
    ]
    grid = body(labels, merged=[(1, 1, 1, 2), (3, 3, 1, 2)])
    assert unit_rows(grid) == unit_rows(body(labels)) == [1, 3] and section_rows(grid) == [4, 6]
    assert (
        lefts(grid)
        == lefts(body(labels))
        == [
            ["number"],
            ["number", "total"],
            ["percent"],
            ["percent", "sex"],
            ["percent", "sex", "men"],
            ["percent", "age"],
            ["percent", "age", "old"],
        ]
    )


def test_a_unit_right_below_a_section_row_belongs_to_it() -> None:
    grid = body([("sex", ""), ("", "percent"), ("men", "1"), ("age", ""), ("", "number"), ("old", "2")])
    assert lefts(grid)[1:3] == [["sex", "percent"], ["sex", "percent", "men"]]
    assert lefts(grid)[-1] == ["age", "number", "old"]


def test_numbers_and_long_texts_are_no_units() -> None:
    assert unit_rows(body([("", "12"), ("men", "1")])) == []
    assert unit_rows(body([("", "see the note on methods " * 4), ("men", "1")])) == []
    assert unit_rows(body([("men", "1"), ("", "percent")])) == []


def test_indented_labels_are_levels() -> None:
    labels = [
        ("All", "9"),
        ("  North", "4"),
        ("    Oslo", "3"),
        ("    Bergen", "1"),
        ("  South", "5"),
        ("None", "1"),
    ]
    assert [path[:-1] for path in lefts(body(labels))] == [
        [],
        ["All"],
        ["All", "  North"],
        ["All", "  North"],
        ["All"],
        [],
    ]


def test_one_blank_or_blanks_before_numbers_are_no_indent() -> None:
    assert lefts(body([("All", "9"), (" North", "4")])) == [["All"], [" North"]]
    assert lefts(body([("100", "9"), ("  10", "4")])) == [["100"], ["  10"]]


def test_a_section_heads_rows_of_its_own_depth_and_ends_at_the_next_one() -> None:
    labels = [("Trade", ""), ("sea", "1"), ("  old", "2"), ("Work", ""), ("land", "3"), ("Total", "6")]
    assert lefts(body(labels)) == [
        ["Trade"],
        ["Trade", "sea"],
        ["Trade", "sea", "  old"],
        ["Work"],
        ["Work", "land"],
        ["Total"],
    ]


def test_labels_that_come_again_stand_below_the_one_that_does_not() -> None:
    labels = [("all", "9"), ("young", "4"), ("old", "5"), ("men", "3"), ("young", "1"), ("old", "2")]
    assert lefts(body(labels)) == [
        ["all"],
        ["all", "young"],
        ["all", "old"],
        ["men"],
        ["men", "young"],
        ["men", "old"],
    ]
    # A single repeated label, or groups that differ, say nothing.
    plain = [("all", "9"), ("young", "4"), ("men", "3"), ("young", "1")]
    assert lefts(body(plain)) == [[label] for label, _ in plain]
    other = [("all", "9"), ("young", "4"), ("old", "5"), ("men", "3"), ("old", "1"), ("young", "2")]
    assert lefts(body(other)) == [[label] for label, _ in other]


def test_annotated_paths_are_kept() -> None:
    grid = body([("All", "9"), ("  North", "4")])
    grid.left_paths = [(), ((1, 0),), ((2, 0),)]
    assert lefts(grid) == [["All"], ["  North"]]


def test_indents_of_a_csv_file_become_paths_and_leave_the_texts(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("Region, 2020 ,2021\nNorway,9,8\n  North,4,3\n  South,5,5\nChad,1,2\n", encoding="utf-8")
    (table,) = read_csv(path)
    assert table.grid is not None
    assert [row[0] for row in table.grid.cells] == ["Region", "Norway", "North", "South", "Chad"]
    assert table.grid.cells[0] == ["Region", "2020", "2021"]
    assert lefts(table.grid) == [["Norway"], ["Norway", "North"], ["Norway", "South"], ["Chad"]]


def test_indents_of_a_workbook_become_paths(tmp_path: Path) -> None:
    import openpyxl
    from openpyxl.styles import Alignment

    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Region", 2020, 2021], ["Norway", 9, 8], ["North", 4, 3], ["Oslo", 2, 1], ["Chad", 1, 2]):
        sheet.append(row)
    sheet["A3"].alignment = Alignment(indent=1)
    sheet["A4"].alignment = Alignment(horizontal="left", indent=2)
    sheet["B3"].alignment = Alignment(horizontal="right", indent=3)
    book.save(tmp_path / "book.xlsx")
    (table,) = read_xlsx(tmp_path / "book.xlsx")
    assert table.grid is not None and table.grid.cells[3] == ["Oslo", "2", "1"]
    assert lefts(table.grid) == [["Norway"], ["Norway", "North"], ["Norway", "North", "Oslo"], ["Chad"]]


def test_without_indents_nothing_is_annotated() -> None:
    grid = infer_table([["", "a"], ["x", "1"], [" y", "2"]]).grid
    assert grid.left_paths is None and grid.cells[2][0] == "y"
