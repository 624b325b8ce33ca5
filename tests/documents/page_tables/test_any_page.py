"""What holds for any page: no word is lost or doubled, no crash, no long wait, however the page is turned."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from effort import within
from hypothesis import given, settings
from hypothesis import strategies as st
from page_sheet import Sheet

from tabrag.documents.page_content import Fill, PageContent, PageTable, PageWord, Rule
from tabrag.documents.page_tables import find_tables
from tabrag.documents.page_tables.turn import turned_back, turned_box, turned_page


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_has_the_same_tables(turn: int) -> None:
    sheet = Sheet()
    sheet.grid([50, 150, 250], [50, 70, 90, 110], [["A", "B"], ["1", "2"], ["3", "4"]])
    for number, row in enumerate((["Region", "2019", "2020"], ["North", "1,204", "98"], ["South", "7", "3"])):
        sheet.row(200 + 14 * number, row, [60, 350, 450])
    page = sheet.page()
    turned = turned_page(page, 360 - turn)
    assert {word.turn for word in turned.words} == {turn}
    found, wanted = find_tables(turned), find_tables(page)
    assert [table.cells for table in found] == [table.cells for table in wanted] != []
    for table, other in zip(found, wanted, strict=True):
        assert turned_box(table.box, turn, turned.width, turned.height) == pytest.approx(other.box)


@given(
    st.tuples(*[st.floats(0, 500)] * 4),
    st.sampled_from([0, 90, 180, 270]),
    st.floats(500, 900),
    st.floats(500, 900),
)
def test_boxes_are_turned_back(numbers: tuple[float, ...], turn: int, width: float, height: float) -> None:
    (x0, x1), (y0, y1) = sorted(numbers[:2]), sorted(numbers[2:])
    box = (x0, y0, x1, y1)
    assert turned_back(turned_box(box, turn, width, height), turn, width, height) == pytest.approx(box)


@st.composite
def _pages(draw: st.DrawFn) -> PageContent:
    number = st.integers(0, 60)
    words = [
        PageWord(text, (10.0 * x, 8.0 * y, 10.0 * x + 5 * len(text), 8.0 * y + size), float(size), turn=turn)
        for text, x, y, size, turn in draw(
            st.lists(
                st.tuples(
                    st.sampled_from(["a", "Total", "1,234", "-", "12", ".", "...", "(X)", "مدينة", "公路"]),
                    number,
                    number,
                    st.sampled_from([5, 8, 12]),
                    st.sampled_from([0, 0, 0, 90, 270]),
                ),
                max_size=60,
            )
        )
    ]
    lines = [
        Rule(
            10.0 * x, 8.0 * y, 10.0 * x + (10 * length if flat else 0), 8.0 * y + (0 if flat else 8 * length)
        )
        for x, y, length, flat in draw(
            st.lists(st.tuples(number, number, number, st.booleans()), max_size=40)
        )
    ]
    fills = [
        Fill((10.0 * x, 8.0 * y, 10.0 * (x + w), 8.0 * (y + h)), 0.7)
        for x, y, w, h in draw(st.lists(st.tuples(number, number, number, number), max_size=10))
    ]
    return PageContent(number=1, width=620, height=500, words=words, rules=lines, fills=fills)


def _stands_in(word: PageWord, table: PageTable) -> bool:
    x, y = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
    x0, y0, x1, y1 = table.box
    return x0 <= x <= x1 and y0 <= y <= y1


@st.composite
def _table_like(draw: st.DrawFn) -> PageContent:
    """Rows and columns of words, some left out or with a second line, lines and shades between some."""
    choice = draw(st.randoms(use_true_random=False))
    num_rows, num_cols = choice.randint(2, 12), choice.randint(2, 8)
    sheet = Sheet()
    for row in range(num_rows):
        y = 50.0 + 16 * row
        for col in range(num_cols):
            x = 50.0 + 60 * col
            if choice.random() < 0.85:
                sheet.text(
                    x + choice.uniform(0, 20),
                    y,
                    choice.choice(["Total", "12", "1,234", "-", "a b", "(X)"]),
                    size=8,
                )
            if choice.random() < 0.05:
                sheet.text(x, y + 7, "more", size=8)
            if choice.random() < 0.02:
                sheet.upwards(x, y, "turned")
        if choice.random() < 0.3:
            sheet.rules.append(Rule(48, y - 3, 50 + 60 * num_cols - choice.choice([0, 0, 60]), y - 3))
        if choice.random() < 0.2:
            sheet.fills.append(Fill((48, y - 3, 50 + 60 * num_cols, y + 13), 0.8))
    for col in range(num_cols):
        if choice.random() < 0.2:
            sheet.rules.append(Rule(48 + 60 * col, 47, 48 + 60 * col, 47 + 16 * choice.randint(1, num_rows)))
    return sheet.page()


def test_pages_like_tables_have_tables() -> None:
    """The test below would say nothing of pages without tables."""
    found = 0

    @settings(max_examples=60, deadline=None, database=None)
    @given(_table_like())
    def count(page: PageContent) -> None:
        nonlocal found
        found += bool(find_tables(page))

    count()
    assert found >= 20


@settings(max_examples=120, deadline=None)
@given(st.one_of(_pages(), _table_like()))
def test_words_go_in_and_come_out_once(page: PageContent) -> None:
    """On any page: a word is in a cell of the one table that it stands in; cells and regions make a grid."""
    tables = find_tables(page)
    said = Counter("".join(text for table in tables for row in table.cells for text in row))
    there = Counter(
        "".join(word.text for word in page.words if any(_stands_in(word, table) for table in tables))
    )
    for counts in (said, there):
        for char in " .…":  # blanks between words; dots that lead to numbers
            counts.pop(char, None)
    assert said == there
    for table in tables:
        assert {len(row) for row in table.cells} == {len(table.col_edges) - 1}
        taken = [
            (row, col)
            for top, bottom, left, right in table.merged
            for row in range(top, bottom + 1)
            for col in range(left, right + 1)
        ]
        assert len(taken) == len(set(taken))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 8), st.integers(2, 6), st.randoms(use_true_random=False))
def test_all_words_of_a_ruled_table_are_in_its_cells(
    num_rows: int, num_cols: int, choice: random.Random
) -> None:
    sheet = Sheet()
    cells = [
        [choice.choice(["one two", "3.5", "a", "12", "Total sum"]) for _ in range(num_cols)]
        for _ in range(num_rows)
    ]
    sheet.grid(
        [50 + 70 * col for col in range(num_cols + 1)], [50 + 18 * row for row in range(num_rows + 1)], cells
    )
    shuffled = sheet.page()
    choice.shuffle(shuffled.words)
    choice.shuffle(shuffled.rules)
    (table,) = find_tables(shuffled)
    assert table.cells == cells


@pytest.mark.parametrize("kind", ["words", "rules", "fills", "table"])
def test_large_pages_take_no_time(kind: str) -> None:
    choice = random.Random(5)
    page = PageContent(number=1, width=600, height=800)
    for _ in range(5000):
        x, y = choice.uniform(0, 560), choice.uniform(0, 790)
        page.words.append(PageWord(choice.choice(["a", "12", "Total", "1,234"]), (x, y, x + 20, y + 8), 8))
        if kind == "rules":
            flat = choice.random() < 0.5
            length = choice.uniform(5, 300)
            page.rules.append(Rule(x, y, x + length * flat, y + length * (not flat)))
        elif kind == "fills":
            page.fills.append(Fill((x, y, x + choice.uniform(1, 90), y + choice.uniform(1, 40)), 0.5))
    if kind == "table":
        page.words = [
            PageWord(str(row * col), (10 + 11 * col, 10 + 7 * row, 16 + 11 * col, 15 + 7 * row), 5)
            for row in range(100)
            for col in range(50)
        ]
        page.rules = [Rule(8, 9 + 7 * row, 560, 9 + 7 * row) for row in range(101)]
    with within(4):
        found = find_tables(page)
    assert [len(table.cells) for table in found] == ([100] if kind == "table" else [])


def test_noise_of_a_scan_changes_nothing() -> None:
    sheet = Sheet()
    cells = [["Prize", "Odds 1 in:", "Winners"], ["$20", "30.00", "25,677"], ["$40", "60.0", "12,001"]]
    sheet.grid([50, 150, 250, 350], [50, 70, 90, 110], cells)
    clean = sheet.page()
    choice = random.Random(3)

    def moved(word: PageWord) -> PageWord:
        x0, y0, x1, y1 = (value + choice.uniform(-1.2, 1.2) for value in word.box)
        return replace(word, box=(x0, y0, x1, y1), size=0.0)

    rules = [
        Rule(rule.x0 + choice.uniform(-1, 1), rule.y0, rule.x1, rule.y1) if rule.y0 == rule.y1 else rule
        for rule in clean.rules
    ]
    noisy = replace(clean, words=[moved(word) for word in clean.words], rules=rules, scanned=True)
    assert [table.cells for table in find_tables(noisy)] == [cells]
