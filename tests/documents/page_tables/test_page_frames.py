"""Frames around whole pages: slides with bars and frames are no tables, tables over whole pages are."""

from __future__ import annotations

import pytest
from page_sheet import PROSE, Sheet

from tabrag.documents.assemble import assemble
from tabrag.documents.page_content import PageContent
from tabrag.documents.page_tables import find_tables

WIDTH, HEIGHT = 480.0, 270.0


def _slide(margin: float, number: int) -> Sheet:
    """A frame with a bar at the left, a title above and a footer below."""
    sheet = Sheet(WIDTH, HEIGHT)
    x0, y0, x1, y1 = margin, margin, WIDTH - margin, HEIGHT - margin
    xs, ys = [x0, x0 + 90, x1], [y0, y0 + 34, y1 - 20, y1]
    sheet.grid(xs, ys, [["", ""], ["", ""], ["", ""]])
    sheet.text(xs[1] + 10, y0 + 12, f"Work of year {number}", size=14)
    for place, part in enumerate(("Contents", "Method", "Data", "Results", "Outlook")):
        sheet.text(x0 + 6, y0 + 50 + 18 * place, part, size=8)
    sheet.prose(xs[1] + 10, y0 + 50, 300, 5, start=number)
    sheet.text(x0 + 6, y1 - 16, "A. Author", size=8)
    sheet.text(xs[1] + 10, y1 - 16, f"Institute {number}/9", size=8)
    return sheet


def _page(sheet: Sheet, number: int) -> PageContent:
    page = sheet.page()
    page.number = number
    return page


@pytest.mark.parametrize("margin", [0.0, 8.0, 14.0])
def test_a_frame_around_a_slide_is_no_table(margin: float) -> None:
    found = assemble([_page(_slide(margin, number), number) for number in (1, 2, 3)], "deck.pdf")
    assert not found.tables
    texts = [block.text for block in found.blocks]
    assert [text for text in texts if text.startswith("Work")] == [f"Work of year {n}" for n in (1, 2, 3)]
    assert sum(" ".join(PROSE[1:6]) in text for text in texts) >= 1


def test_bars_that_tear_a_sentence_apart_are_no_table() -> None:
    """Lines from side to side of the page that are drawn behind its text: most of their cells are empty."""
    sheet = Sheet(WIDTH, HEIGHT)
    xs = [0.0, 95.0, 145.0, 205.0, 275.0, WIDTH]
    sheet.grid(xs, [0.0, 40.0, 120.0, 200.0, HEIGHT], [[""] * 5] * 4)
    sheet.text(60, 70, "This theme is simple and nice, with shades", size=14)
    sheet.text(60, 150, "Its bars run over the page.", size=14)
    assert find_tables(sheet.page()) == []


def test_a_table_inside_a_framed_slide_is_found() -> None:
    sheet = _slide(6, 1)
    sheet.words = [word for word in sheet.words if not (word.size == 10)]
    sheet.grid(
        [130, 230, 300, 370],
        [70, 90, 110, 130],
        [["", "2019", "2020"], ["Sales", "1,204", "1,310"], ["Costs", "77", "81"]],
    )
    (table,) = find_tables(sheet.page())
    assert table.cells[1] == ["Sales", "1,204", "1,310"]


@pytest.mark.parametrize("margin", [0.0, 10.0])
def test_tables_over_the_whole_page_stay(margin: float) -> None:
    sheet = Sheet(WIDTH, HEIGHT)
    xs = [margin + (WIDTH - 2 * margin) * part / 4 for part in range(5)]
    ys = [margin + (HEIGHT - 2 * margin) * part / 5 for part in range(6)]
    rows = [["Risk", "Likely", "Harm", "What is done"]]
    rows += [[f"risk {row}", "high", str(row), ""] for row in range(4)]
    sheet.grid(xs, ys, rows)
    for row in range(1, 5):
        for line in range(4):  # cells of several lines
            sheet.text(xs[3] + 4, ys[row] + 4 + 11 * line, "measure taken", size=9)
    (table,) = find_tables(sheet.page())
    assert len(table.cells) == 5 and table.cells[2][:3] == ["risk 1", "high", "1"]
