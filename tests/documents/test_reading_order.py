"""Lines into regions, and regions into the order in which they are read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.page_content import PageBox, PageContent, PageTable, PageWord
from tabrag.documents.page_lines import page_lines
from tabrag.documents.paragraphs import hyphenated_words, join_lines
from tabrag.documents.reading_order import Region, reading_order, text_regions


def region(x0: float, y0: float, x1: float, y1: float) -> Region:
    return Region((x0, y0, x1, y1))


def order(*boxes: PageBox) -> list[int]:
    regions = [region(*box) for box in boxes]
    return [next(i for i, other in enumerate(regions) if other is found) for found in reading_order(regions)]


def text_page(texts: list[tuple[str, float, float]], size: float = 10) -> PageContent:
    """Words from (text, x, y): each letter is half as wide as it is high."""
    words = []
    for text, x, y in texts:
        for word in text.split():
            width = 0.5 * size * len(word)
            words.append(PageWord(word, (x, y, x + width, y + size), size=size))
            x += width + 0.3 * size
    return PageContent(number=1, width=600, height=800, words=words)


def test_columns_below_a_title_and_above_a_wide_table_are_read_one_by_one():
    title, left, right, wide = (50, 20, 550, 40), (50, 60, 290, 300), (310, 60, 550, 310), (50, 320, 550, 400)
    under_left, under_right = (50, 420, 290, 700), (310, 420, 550, 700)
    boxes = [under_right, wide, right, title, under_left, left]
    assert order(*boxes) == [3, 5, 2, 1, 4, 0]


def test_what_stands_below_a_narrow_region_at_its_left_comes_behind_it():
    text, table, source = (70, 50, 520, 100), (200, 120, 400, 200), (70, 210, 160, 220)
    assert order(source, table, text) == [2, 1, 0]


def test_a_table_in_a_cell_of_another_comes_behind_it():
    assert order((300, 200, 500, 300), (50, 100, 550, 700)) == [1, 0]


@given(st.permutations(range(6)))
def test_the_order_does_not_depend_on_the_order_given(places: list[int]):
    boxes: list[PageBox] = [
        *((50, 20, 550, 40), (50, 60, 290, 300), (310, 60, 550, 310)),
        *((50, 320, 550, 400), (50, 420, 290, 700), (310, 420, 550, 700)),
    ]
    assert [places[place] for place in order(*(boxes[place] for place in places))] == list(range(6))


@given(
    st.lists(
        st.tuples(st.floats(0, 500), st.floats(0, 700), st.floats(1, 300), st.floats(1, 200)), max_size=12
    )
)
def test_every_region_is_read_once_however_they_lie(boxes: list[tuple[float, float, float, float]]):
    found = order(*((x, y, x + width, y + height) for x, y, width, height in boxes))
    assert sorted(found) == list(range(len(boxes)))


def test_a_white_strip_parts_lines_that_a_wide_blank_of_one_line_does_not():
    rows = [("one two three four", 50.0, 100.0 + 12 * row) for row in range(5)]
    rows += [("five six seven eight", 146.0, 100.0 + 12 * row) for row in range(5)]
    lines = page_lines(text_page(rows), text_page(rows).words, [])
    assert {line.text for line in lines} == {"one two three four", "five six seven eight"}
    single = text_page([("one two three four", 50, 100), ("five six", 146, 100)])
    (line,) = page_lines(single, single.words, [])
    assert line.text == "one two three four five six"


def test_labels_and_values_at_one_height_are_read_row_by_row():
    rows = [(f"label {row}:", 50.0, 100.0 + 14 * row) for row in range(4)]
    rows += [(f"value{row}", 180.0, 100.0 + 14 * row) for row in range(4)]
    page = text_page(rows)
    (found,) = text_regions(page_lines(page, page.words, []), [])
    assert [line.text for line in found.lines] == [f"label {row}: value{row}" for row in range(4)]


def test_broken_words_are_whole_again_and_others_keep_their_hyphen():
    page = text_page([("a long-term loan", 50, 100)])
    hyphenated = hyphenated_words(page_lines(page, page.words, []))
    assert join_lines("the disabil-", "ity rate", hyphenated) == "the disability rate"
    assert join_lines("a long-", "term plan", hyphenated) == "a long-term plan"
    assert join_lines("in 2011-", "12 and", hyphenated) == "in 2011-12 and"
    assert join_lines("one", "two", hyphenated) == "one two"
    assert join_lines("编制条", "件不同", hyphenated) == "编制条件不同"


def test_a_table_keeps_its_place_among_texts():
    table = Region((50, 200, 550, 300), table=PageTable(box=(50, 200, 550, 300), cells=[["a"]]))
    above, below = region(50, 100, 550, 190), region(50, 310, 550, 400)
    assert reading_order([below, table, above]) == [above, table, below]
