"""Tables of many kinds on pages made for it."""

from __future__ import annotations

import pytest
from page_sheet import Sheet, stripped

from tabrag.documents.page_content import Fill, PageWord, Rule
from tabrag.documents.page_tables import find_tables

XS = [60.0, 250.0, 350.0, 450.0]
ROWS = [["Region", "2018", "2019", "2020"], ["North", "1,204", "1,310", "98"], ["South", "77", "1,001", "3"]]


def _plain(
    sheet: Sheet, y: float, rows: list[list[str]] | None = None, xs: list[float] | None = None
) -> None:
    for number, row in enumerate(rows or ROWS):
        sheet.row(y + 14 * number, row, xs or XS)


def test_merged_cells_are_what_no_line_parts() -> None:
    sheet = Sheet()
    sheet.box(50, 50, 410, 130)
    sheet.rules += [Rule(50, 90, 410, 90), Rule(170, 70, 410, 70), Rule(50, 110, 410, 110)]
    sheet.rules += [Rule(170, 50, 170, 130), Rule(290, 70, 290, 130)]
    sheet.text(60, 65, "Region")
    sheet.text(290, 54, "Sales of the year", align="middle")
    sheet.text(230, 74, "2019", align="middle")
    sheet.text(350, 74, "2020", align="middle")
    for row, texts in enumerate((["North", "1", "2"], ["South", "3", "4"])):
        for col, text in enumerate(texts):
            sheet.text(60 + 125 * col, 94 + 20 * row, text)
    (table,) = find_tables(sheet.page())
    assert table.cells == [
        ["Region", "Sales of the year", ""],
        ["", "2019", "2020"],
        ["North", "1", "2"],
        ["South", "3", "4"],
    ]
    assert sorted(table.merged) == [(0, 0, 1, 2), (0, 1, 0, 0)]
    assert table.ruled
    assert table.col_edges == pytest.approx([50, 170, 290, 410])
    assert table.box == pytest.approx((50, 50, 410, 130))


def test_a_table_inside_a_cell_is_its_own() -> None:
    sheet = Sheet()
    sheet.grid(
        [50, 150, 500],
        [50, 70, 200, 220],
        [["No", "Remarks"], ["1", "Outbreak in the villages:"], ["2", "none"]],
    )
    inner = [["Village", "Cases"], ["Upper", "12"], ["Lower", "7"]]
    sheet.grid([170, 270, 370], [95, 115, 135, 155], inner)
    sheet.text(155, 170, "Spraying is done.")
    outer, found = find_tables(sheet.page())
    assert found.cells == inner
    assert outer.cells == [
        ["No", "Remarks"],
        ["1", "Outbreak in the villages: Spraying is done."],
        ["2", "none"],
    ]


def test_side_by_side_and_above_each_other() -> None:
    sheet = Sheet()
    one, two = [["A", "B"], ["1", "2"], ["3", "4"]], [["C", "D"], ["5", "6"], ["7", "8"]]
    sheet.grid([50, 150, 250], [50, 70, 90, 110], one)
    sheet.grid([300, 400, 500], [50, 70, 90, 110], two)
    sheet.text(60, 140, "Table 2. Another one below")
    _plain(sheet, 165)
    sheet.text(60, 260, "Table 3. And one more")
    _plain(sheet, 285, [[text.replace("0", "5") for text in row] for row in ROWS])
    tables = [table.cells for table in find_tables(sheet.page())]
    assert tables[:3] == [one, two, ROWS]
    assert len(tables) == 4


def test_rules_above_and_below() -> None:
    sheet = Sheet()
    for y in (46, 61, 106):
        sheet.rules.append(Rule(50, y, 460, y))
    sheet.text(60, 32, "Table 1. Persons")
    _plain(sheet, 49, [ROWS[0], ["Europe", "", "", ""], *ROWS[1:]])
    sheet.text(60, 110, "Source: the agency's own survey of households and firms in all regions.")
    (table,) = find_tables(sheet.page())
    assert table.cells == [ROWS[0], ["Europe", "", "", ""], *ROWS[1:]]
    assert not table.ruled


def test_header_over_groups_with_and_without_lines() -> None:
    xs = [60.0, 200.0, 260.0, 340.0, 400.0]
    rows = [
        ["Total", "1,200", "1,310", "98.4", "88.0"],
        ["Men", "77", "1,001", "3.5", "9.9"],
        ["Women", "9", "8", "7.0", "1.0"],
    ]
    for with_lines in (True, False):
        sheet = Sheet()
        sheet.text(215, 50, "Number", align="middle")
        sheet.text(355, 50, "Share", align="middle")
        if with_lines:
            sheet.rules += [Rule(165, 62, 262, 62), Rule(300, 62, 402, 62)]
        sheet.row(66, ["Sex", "2019", "2020", "2019", "2020"], xs)
        for number, row in enumerate(rows):
            sheet.row(80 + 14 * number, row, xs)
        (table,) = find_tables(sheet.page())
        header = [["Sex", "Number", "", "Share", ""], ["", "2019", "2020", "2019", "2020"]]
        assert table.cells == [*header, *rows], with_lines
        assert sorted(table.merged) == [(0, 0, 1, 2), (0, 0, 3, 4), (0, 1, 0, 0)]


@pytest.mark.parametrize("banners", [("Today", "2023"), ("2019", "Target"), ("FY 2019", "2023")])
@pytest.mark.parametrize("lines", ["none", "touching", "below"])
@pytest.mark.parametrize("label_at", [50.0, 57.0, 66.0])
def test_a_year_stands_over_a_group_beside_other_texts(
    banners: tuple[str, str], lines: str, label_at: float
) -> None:
    """Values are right-aligned, texts over two columns stand in their middle."""
    sheet = Sheet()
    rights = (210.0, 280.0, 350.0, 420.0)
    header = ["Margin", "Growth", "Margin", "Growth"]
    rows = [("Rail", "8.3", "3.3", "11.2", "5.1"), ("Ships", "5.8", "1.7", "8.8", "4.5")]
    for text, x in zip(banners, (215.0, 355.0), strict=True):
        sheet.text(x, 50, text, align="middle", bold=True)
    sheet.text(60, label_at, "Segment", bold=True)
    for place, (label, *values) in enumerate([("", *header), *rows]):
        y = 66 + 16.0 * place
        sheet.text(60, y, label)
        for right, value in zip(rights, values, strict=True):
            sheet.text(right, y, value, align="right", bold=not place)
    if lines == "touching":
        sheet.rules += [Rule(145, 63, 285, 63), Rule(285, 63, 425, 63)]
    if lines != "none":
        sheet.rules += [Rule(55, y, 425, y) for y in (46, 79, 95, 111)]
    (table,) = find_tables(sheet.page())
    assert table.cells[2:] == [list(row) for row in rows]
    assert table.cells[0][1:] == [banners[0], "", banners[1], ""] and table.cells[1][1:] == header
    assert {(0, 0, 1, 2), (0, 0, 3, 4)} <= set(table.merged)


def test_years_in_the_first_row_of_a_list_are_no_header() -> None:
    sheet = Sheet()
    rows = [
        ["Founded", "1990", ""],
        ["Seat", "Paris", "France"],
        ["Staff", "1,250", "412"],
        ["Plants", "14", "9"],
        ["Sales", "88.0", "71.5"],
    ]
    for number, row in enumerate(rows):
        sheet.row(60 + 14.0 * number, row, [60, 250, 350])
    (table,) = find_tables(sheet.page())
    assert table.cells == rows and table.merged == []


def test_shaded_rows_with_empty_cells_in_every_column() -> None:
    sheet = Sheet()
    rows = [
        ["Product", "Place", "Expected", "Actual"],
        ["SK-1", "A-1", "450", ""],
        ["", "B-7", "", "289"],
        ["SK-2", "", "780", "778"],
        ["", "C-5", "", ""],
        ["", "", "180", ""],
    ]
    for number, row in enumerate(rows):
        y = 60.0 + 27 * number
        sheet.fills.append(Fill((50, y, 460, y + 27), 0.8 if number == 0 else 0.96 + 0.02 * (number % 2)))
        sheet.row(y + 8, row, XS)
    (table,) = find_tables(sheet.page())
    assert table.cells == rows


def test_labels_over_two_lines_leaders_marks_and_thousands() -> None:
    sheet = Sheet()
    xs = [60.0, 300.0, 380.0]
    sheet.row(50, ["Offence", "2019", "2020"], xs, size=8)
    lines = [
        ("Total", "1 234", "9 800", 60),
        ("Murder and", "", "", 60),
        ("manslaughter", "10", "12", 68),
        ("Robbery", "7", "1 002", 60),
    ]
    for number, (label, one, two, x) in enumerate(lines):
        y = 60.0 + 9 * number
        end = sheet.text(x, y, label, size=8)
        if one:
            while end < 250:
                sheet.text(end, y, ".", size=8)
                end += 5
        for place, text in zip(xs[1:], (one, two), strict=True):
            if text:
                sheet.text(place, y, text, size=8, align="right")
    sheet.words.append(PageWord("2", (301, 78, 304, 83), 5, raised=True))
    (table,) = find_tables(sheet.page())
    assert stripped(table) == [
        ["Offence", "2019", "2020"],
        ["Total", "1 234", "9 800"],
        ["Murder and manslaughter", "10²", "12"],
        ["Robbery", "7", "1 002"],
    ]


def test_indented_labels_begin_with_blanks() -> None:
    sheet = Sheet()
    rows = [("Crime", 60), ("Murder", 70), ("Robbery", 70), ("Property", 60), ("Theft", 70), ("Arson", 70)]
    for number, (label, x) in enumerate(rows):
        y = 60.0 + 12 * number
        sheet.row(y, ["", f"{7 * number + 1}", f"{number + 3}.5"], [0, 300, 380])
        sheet.text(x, y, label)
    (table,) = find_tables(sheet.page())
    assert [row[0] for row in table.cells] == [
        "Crime",
        "  Murder",
        "  Robbery",
        "Property",
        "  Theft",
        "  Arson",
    ]


def test_wrapped_cells_between_lines_are_one_row() -> None:
    sheet = Sheet()
    for x in (50, 200, 400):
        sheet.rules.append(Rule(x, 50, x, 140))
    for y in (50, 66, 104, 140):
        sheet.rules.append(Rule(50, y, 400, y))
    sheet.text(55, 53, "Loan")
    sheet.text(205, 53, "Rate")
    for y, texts in (
        (68, ("Two years fixed", "interest only rate of the")),
        (80, ("at the start", "first two years")),
    ):
        for x, text in zip((55, 205), texts, strict=True):
            sheet.text(x, y, text)
    sheet.text(55, 106, "Free")
    sheet.text(205, 118, "5.1%")
    (table,) = find_tables(sheet.page())
    assert table.cells == [
        ["Loan", "Rate"],
        ["Two years fixed at the start", "interest only rate of the first two years"],
        ["Free", "5.1%"],
    ]


def test_rows_between_rules_that_come_every_few_rows() -> None:
    sheet = Sheet()
    rows = [[f"State {number}", str(100 + number), str(3 * number), f"{number}.5"] for number in range(10)]
    for x in (50, 200, 270, 370, 460):
        sheet.rules.append(Rule(x, 50, x, 184))
    for y in (50, 64, 124, 184):
        sheet.rules.append(Rule(50, y, 460, y))
    sheet.row(52, ROWS[0], XS)
    for number, row in enumerate(rows):
        sheet.row(65 + 12 * number, row, [60, 260, 360, 450])
    (table,) = find_tables(sheet.page())
    assert table.cells == [ROWS[0], *rows]


def test_in_one_column_of_a_page_of_two() -> None:
    sheet = Sheet()
    sheet.prose(50, 50, 230, 20)
    sheet.prose(320, 50, 230, 50, start=23)
    rows = [["Type", "2018", "2019"], ["Cars", "1,204", "98"], ["Ships", "77", "3"], ["Planes", "5", "61"]]
    _plain(sheet, 310, rows, [50.0, 180.0, 270.0])
    sheet.prose(50, 385, 230, 20, start=5)
    (table,) = find_tables(sheet.page())
    assert table.cells == rows
    assert table.box[2] < 300


def test_beside_a_picture_with_labels() -> None:
    sheet = Sheet()
    _plain(sheet, 60, [*ROWS, ["East", "5", "6", "7"]], [60.0, 150.0, 200.0, 250.0])
    for number in range(5):
        sheet.text(320, 55 + 15 * number, f"{number}.50", size=6)
        sheet.text(350 + 30 * number, 130, "JFMAM"[number], size=6)
    sheet.pictures.append((300, 40, 550, 140))
    (table,) = find_tables(sheet.page())
    assert table.cells == [*ROWS, ["East", "5", "6", "7"]]


def test_upright_words_beside_turned_headers() -> None:
    sheet = Sheet()
    cells = [["District", "", ""], ["North", "23.65", "20.81"], ["South", "15.34", "13.50"]]
    sheet.grid([50, 150, 200, 250], [50, 150, 170, 190], cells)
    sheet.upwards(160, 145, "Projected population")
    sheet.upwards(175, 145, "of the year")
    sheet.upwards(215, 145, "Adults")
    (table,) = find_tables(sheet.page())
    assert table.cells[0] == ["District", "Projected population of the year", "Adults"]
    assert table.cells[1:] == cells[1:]


def test_columns_stay_as_printed_where_words_run_from_the_right() -> None:
    sheet = Sheet()
    cells = [["12", "قائمة", "1"], ["7", "حزب", "2"]]
    sheet.grid([50, 150, 250, 300], [50, 70, 90], cells)
    sheet.text(210, 53, "نداء")
    (table,) = find_tables(sheet.page())
    assert table.cells == [["12", "نداء قائمة", "1"], ["7", "حزب", "2"]]


def test_a_header_alone() -> None:
    sheet = Sheet()
    sheet.box(50, 50, 350, 90)
    sheet.rules += [Rule(50, 70, 350, 70), Rule(150, 70, 150, 90), Rule(250, 70, 250, 90)]
    sheet.text(200, 53, "Follow up of the weeks before", align="middle")
    for number, text in enumerate(("No.", "State", "Remarks")):
        sheet.text(55 + 100 * number, 73, text)
    (table,) = find_tables(sheet.page())
    assert table.cells == [["Follow up of the weeks before", "", ""], ["No.", "State", "Remarks"]]
    assert table.merged == [(0, 0, 0, 2)]


def test_a_caption_above_the_same_header_begins_another_table() -> None:
    sheet = Sheet()
    for top in (50, 122):
        sheet.rules += [Rule(50, top + 16 * number, 500, top + 16 * number) for number in range(4)]
        for number, row in enumerate(ROWS):
            sheet.row(top + 4 + 16 * number, row, XS)
    sheet.text(60, 105, "Table 2. Sales of the second year")
    assert [stripped(table) for table in find_tables(sheet.page())] == [ROWS, ROWS]


def test_codes_of_currencies_stand_before_numbers() -> None:
    rows = [["Item", "Price", "Total"], ["Work", "CHF 120.00", "CHF 3`360.00"], ["Wood", "7.00", "14.00"]]
    rows += [["Sum", "CHF 9.00", "EUR 3`374.00"]]
    sheet = Sheet()
    _plain(sheet, 60, rows, [60, 200, 320])
    (table,) = find_tables(sheet.page())
    assert stripped(table) == rows
