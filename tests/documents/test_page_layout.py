"""A page into regions: tables take their words, pictures their labels, the rest is text."""

from __future__ import annotations

from tabrag.documents.page_content import PageBox, PageContent, PageTable, PageWord
from tabrag.documents.page_layout import lay_out

SIZE = 10.0


def words(text: str, left: float, top: float) -> list[PageWord]:
    """Words of a line; each letter is half as wide as it is high."""
    found = []
    for word in text.split():
        width = 0.5 * SIZE * len(word)
        found.append(PageWord(word, (left, top, left + width, top + SIZE), size=SIZE))
        left += width + 3
    return found


def page(*lines: tuple[str, float, float], pictures: list[PageBox] | None = None) -> PageContent:
    every = [word for line in lines for word in words(*line)]
    return PageContent(number=1, width=600, height=800, words=every, pictures=pictures or [])


def shown(content: PageContent, *tables: PageTable) -> list[str]:
    """Each region in reading order: its text, ``table``, or ``picture`` with its labels."""
    return [
        "table"
        if region.table is not None
        else " ".join(line.text for line in region.lines)
        if region.lines
        else f"picture {region.labels}".strip()
        for region in lay_out(content, tables)
    ]


def test_words_of_a_table_are_no_text():
    content = page(("Above it", 60, 100), ("Cell", 70, 210), ("Below it", 60, 400))
    table = PageTable(box=(60, 200, 500, 300), cells=[["Cell"]])
    assert shown(content) == ["Above it", "Cell", "Below it"]
    assert shown(content, table) == ["Above it", "table", "Below it"]


def test_words_upon_a_picture_are_its_labels():
    content = page(("Above it", 60, 100), ("North", 300, 250), pictures=[(60, 200, 500, 400)])
    assert shown(content) == ["Above it", "picture North"]


def test_a_picture_under_prose_is_a_ground():
    prose = [
        ("Prose that is set on a coloured ground as wide as that", 70.0, 210.0 + 14 * row) for row in range(4)
    ]
    content = page(*prose, pictures=[(60, 200, 400, 400)])
    assert shown(content) == [" ".join(text for text, _, _ in prose)]
    bar = page(("Heading", 70, 205), pictures=[(60, 200, 560, 225)])
    assert shown(bar) == ["Heading"]


def test_small_pictures_and_grounds_of_the_whole_page_are_left_out():
    kept: PageBox = (100, 300, 300, 500)
    content = page(("Text", 60, 100), pictures=[(60, 200, 70, 210), kept])
    assert [region.box for region in lay_out(content, []) if not region.lines] == [kept]
    assert shown(page(("Text", 60, 100), pictures=[(0, 0, 600, 800)])) == ["Text"]


def test_strips_of_one_picture_are_one_and_pictures_apart_are_two():
    strips = [(100.0, 200.0 + 30 * part, 300.0, 230.0 + 30 * part) for part in range(4)]
    (region,) = lay_out(page(pictures=strips), [])
    assert region.box == (100, 200, 300, 320)
    assert len(lay_out(page(pictures=[(100, 200, 300, 300), (100, 400, 300, 500)]), [])) == 2


def test_a_picture_that_is_part_of_a_table_is_left_out():
    table = PageTable(box=(60, 200, 500, 400), cells=[["a", "b"]])
    inside: PageBox = (100, 220, 200, 300)
    assert shown(page(pictures=[inside])) == ["picture"]
    assert shown(page(pictures=[inside]), table) == ["table"]
