"""Pages on which nothing is a table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_sheet import Sheet

from tabrag.documents.page_content import Fill, Rule
from tabrag.documents.page_tables import find_tables


def _letter(sheet: Sheet) -> None:
    for number, line in enumerate(("Example Office", "12 High Street", "Sometown 12345")):
        sheet.text(50, 50 + 12 * number, line)
    sheet.text(550, 50, "21 March 2020", align="right")
    sheet.text(550, 62, "Ref. 44/2020", align="right")
    sheet.text(50, 130, "Dear Sir,")
    sheet.prose(50, 150, 500, 9)
    sheet.prose(50, 270, 500, 7, start=40)
    sheet.text(50, 380, "Yours faithfully,")


def _two_columns(sheet: Sheet) -> None:
    sheet.prose(50, 50, 230, 50)
    sheet.prose(310, 50, 230, 50, start=31)


def _three_columns(sheet: Sheet) -> None:
    for number in range(3):
        sheet.prose(40 + 180 * number, 50.0 + 3 * number, 160, 40, size=9, start=17 * number)


def _numbered_list(sheet: Sheet) -> None:
    for number in range(8):
        sheet.text(50, 60 + 40 * number, f"{number + 1}.")
        sheet.prose(80, 60 + 40 * number, 450, 2, start=11 * number)


def _short_list(sheet: Sheet) -> None:
    sheet.prose(50, 40, 500, 2)
    for number, text in enumerate(("Bread and butter", "Milk", "Six eggs", "A pound of apples", "Flour")):
        sheet.text(70, 80 + 14 * number, "•")
        sheet.text(90, 80 + 14 * number, text)


def _contents(sheet: Sheet) -> None:
    titles = ("Introduction", "Methods of the survey", "Results", "Work from home", "Discussion", "Annex")
    for number, title in enumerate(titles):
        y = 80 + 16 * number
        x = sheet.text(60, y, f"{number + 1} {title}") + 2
        while x < 500:
            sheet.text(x, y, ".")
            x += 6
        sheet.text(540, y, str(3 + 7 * number), align="right")


def _form(sheet: Sheet) -> None:
    fields = (
        ("Name:", "Jane Smith"),
        ("Date of birth:", "1 May 1970"),
        ("Street:", "12 High Street"),
        ("Town:", ""),
    )
    for number, (text, value) in enumerate(fields):
        sheet.text(60, 80 + 30 * number, text)
        sheet.text(175, 80 + 30 * number, value)
        sheet.rules.append(_rule(170, 92 + 30 * number, 400))


def _boxes(sheet: Sheet) -> None:
    for number in range(3):
        sheet.box(50, 60 + 150 * number, 550, 180 + 150 * number)
        sheet.prose(60, 70 + 150 * number, 480, 8, start=13 * number)


def _frame(sheet: Sheet) -> None:
    sheet.box(20, 20, 580, 780)
    sheet.text(300, 30, "Annual report", size=14, align="middle", bold=True)
    sheet.rules.append(_rule(20, 50, 580))
    sheet.rules.append(_rule(20, 760, 580))
    sheet.prose(50, 70, 500, 50)
    sheet.text(300, 765, "7", align="middle")


def _chart(sheet: Sheet) -> None:
    sheet.text(300, 80, "Prices of oil", align="middle", bold=True)
    for number in range(9):
        sheet.text(100, 100 + 25 * number, f"{2.6 - 0.2 * number:.2f}", size=8, align="right")
        sheet.rules.append(_rule(105, 104 + 25 * number, 500))
    for number, month in enumerate("JFMAMJJASOND"):
        sheet.text(115 + 33 * number, 320, month, size=8, align="middle")
    for number, name in enumerate(("2015", "2016", "5 year average")):
        sheet.text(150 + 110 * number, 340, name, size=8)


def _bars(sheet: Sheet) -> None:
    for number in range(6):
        sheet.fills.append(Fill((100.0 + 60 * number, 300.0 - 30 * number, 140.0 + 60 * number, 400.0), 0.4))
        sheet.text(120 + 60 * number, 285 - 30 * number, f"{10 + 3 * number}", size=8, align="middle")
        sheet.text(120 + 60 * number, 405, f"{2010 + number}", size=8, align="middle")


def _headings(sheet: Sheet) -> None:
    sheet.text(50, 40, "Report of the agency", size=9)
    sheet.text(550, 40, "Page 3 of 9", size=9, align="right")
    sheet.rules.append(_rule(50, 55, 550))
    sheet.text(50, 80, "1 Introduction", size=14, bold=True)
    sheet.prose(50, 100, 500, 12)
    sheet.text(50, 270, "2 Methods", size=14, bold=True)
    sheet.prose(50, 290, 500, 12, start=9)
    sheet.rules.append(_rule(50, 760, 550))
    sheet.text(50, 765, "www.example.org", size=9)
    sheet.text(550, 765, "May 2020", size=9, align="right")


def _rule(x0: float, y: float, x1: float) -> Rule:
    return Rule(x0, y, x1, y)


PAGES = (
    _letter,
    _two_columns,
    _three_columns,
    _numbered_list,
    _short_list,
    _contents,
    _form,
    _boxes,
    _frame,
    _chart,
    _bars,
    _headings,
)


@pytest.mark.parametrize("write", PAGES, ids=lambda write: write.__name__.strip("_"))
def test_nothing_is_a_table(write: Callable[[Sheet], None]) -> None:
    sheet = Sheet()
    write(sheet)
    assert len(sheet.words) >= 8
    assert [table.cells for table in find_tables(sheet.page())] == []


@pytest.mark.parametrize("write", PAGES, ids=lambda write: write.__name__.strip("_"))
def test_a_table_is_found_below_it(write: Callable[[Sheet], None]) -> None:
    """The same page with a table: what hides all tables would pass the test above."""
    sheet = Sheet(height=1100)
    write(sheet)
    xs = [60.0, 250.0, 350.0, 450.0]
    rows = [
        ["Region", "2018", "2019", "2020"],
        ["North", "1,204", "1,310", "98"],
        ["South", "77", "1,001", "3"],
    ]
    for number, row in enumerate(rows):
        sheet.row(850 + 14 * number, row, xs)
    assert [table.cells for table in find_tables(sheet.page())] == [rows]
