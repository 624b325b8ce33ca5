"""Running headers and footers go; what stands in the text, or only once, stays."""

from __future__ import annotations

import pytest

from tabrag.documents.page_content import PageBox, PageTable
from tabrag.documents.page_lines import Line
from tabrag.documents.reading_order import Region
from tabrag.documents.running import Layout, drop_running

WIDTH, HEIGHT = 600.0, 800.0


def line(text: str, top: float, page: int, *, left: float = 60, size: float = 10) -> Line:
    return Line(text=text, box=(left, top, left + 5 * len(text), top + size), page=page, size=size)


def layout(number: int, *regions: list[Line] | PageBox | Region) -> Layout:
    """A page of texts, pictures (their boxes) and other regions."""
    made = []
    for region in regions:
        if isinstance(region, list):
            box = (60.0, region[0].box[1], 540.0, region[-1].box[3])
            made.append(Region(box, region))
        else:
            made.append(region if isinstance(region, Region) else Region(region))
    return Layout(number, WIDTH, HEIGHT, made)


def page(number: int, *, header: str = "Annual report", footer: str = "Page {}", top: float = 30) -> Layout:
    body = [
        line(f"Text {name} of page {number}", 300 + 20 * place, number) for place, name in enumerate("abcde")
    ]
    return layout(
        number, [line(header, top, number)], body, [line(footer.format(number), HEIGHT - 30, number)]
    )


def texts(layout: Layout) -> list[str]:
    return [line.text for region in layout.regions for line in region.lines]


def test_headers_and_page_numbers_are_dropped_and_told_once():
    pages = [page(number) for number in (1, 2, 3)]
    assert len(texts(pages[1])) == 7
    assert drop_running(pages) == {"header": ["Annual report"]}  # a number alone is not told
    assert texts(pages[1]) == [f"Text {name} of page 2" for name in "abcde"]


def test_footers_with_other_digits_are_the_same_footer():
    pages = [page(number, footer="Report of 2020, sheet {} of 3") for number in (1, 2, 3)]
    assert drop_running(pages)["footer"] == [f"Report of 2020, sheet {number} of 3" for number in (1, 2, 3)]
    assert not any("sheet" in text for page in pages for text in texts(page))


def test_a_text_of_one_page_or_in_the_middle_of_pages_stays():
    first, *others = [page(number, header="") for number in (1, 2, 3)]
    first.regions[0].lines[0].text = "A title of its own"
    drop_running([first, *others])
    assert "A title of its own" in texts(first)
    pages = [page(number, top=200) for number in (1, 2, 3)]
    assert drop_running(pages) == {}
    assert all("Annual report" in texts(page) for page in pages)


def test_the_same_text_at_another_height_is_no_running_line():
    pages = [page(number, top=top) for number, top in ((1, 10), (2, 50), (3, 90))]
    assert drop_running(pages) == {}
    assert all("Annual report" in texts(page) for page in pages)


@pytest.mark.parametrize(("size", "stays"), [(10, False), (16, True)])
def test_numbered_headings_that_are_set_larger_stay(size: float, stays: bool):
    pages = [page(number, header="") for number in (1, 2, 3)]
    for number, one in enumerate(pages, start=1):
        one.regions[0].lines = [line(f"Chapter {number}", 30, number, size=size)]
    drop_running(pages)
    assert ["Chapter 1" in texts(pages[0]), "Chapter 3" in texts(pages[2])] == [stays, stays]


def test_captions_that_are_printed_again_stay():
    pages = [page(number, header="Table 3: Sales by region") for number in (1, 2, 3)]
    drop_running(pages)
    assert all(texts(one)[0] == "Table 3: Sales by region" for one in pages)


def test_what_a_table_parts_from_the_edge_is_not_running():
    def with_table(number: int) -> Layout:
        one = page(number, top=70)
        table = PageTable(box=(60, 10, 540, 60), cells=[["a", "b"], ["1", "2"]])
        one.regions.insert(0, Region(table.box, table=table))
        return one

    pages = [with_table(number) for number in (1, 2, 3)]
    drop_running(pages)
    assert all("Annual report" in texts(one) and one.regions[0].table is not None for one in pages)


def test_pictures_of_the_paper_go_and_others_stay():
    logo: PageBox = (400, 20, 500, 60)
    pages = [layout(number, logo, (100, 200, 300, 300 + 40.0 * number)) for number in (1, 2, 3)]
    drop_running(pages)
    assert [[region.box for region in one.regions] for one in pages] == [
        [(100, 200, 300, 300 + 40.0 * number)] for number in (1, 2, 3)
    ]
    two = [layout(number, logo) for number in (1, 2)]
    drop_running(two)
    assert all(len(one.regions) == 1 for one in two)  # two pages may be copies of one form
