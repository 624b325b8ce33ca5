"""Facts in what a reader is shown."""

from __future__ import annotations

import pytest

from tabrag.chat.prompts import Shown
from tabrag.chat.protocol import Picture
from tabrag.evaluation.context_evidence import blocks_of_text, is_shown, pictures_of
from tabrag.types import Block, Document, Fact, Page

MARKDOWN = """Sales by region
| | 2022 Units | 2023 Units |
| --- | --- | --- |
| Europe | | |
| North | 11 | 1,234 |
| South | 13 | 14 |
The north grew."""


def cell(text: str, row: tuple[str, ...], column: tuple[str, ...]) -> Fact:
    return Fact(kind="cell", document="d", text=text, row=row, column=column)


def test_a_table_with_its_title_is_one_block():
    blocks = blocks_of_text(MARKDOWN)
    assert blocks[0] == "Sales by region"
    assert blocks[1].startswith("Sales by region\n| | 2022") and blocks[1].endswith("| South | 13 | 14 |")
    assert blocks[2] == "The north grew."


@pytest.mark.parametrize(
    ("fact", "found"),
    [
        (cell("1,234", ("Europe", "North"), ("2023", "Units")), True),
        (cell("1,234", ("Europe", "North"), ("2023 units",)), True),
        (cell("14", ("North",), ("2023",)), False),  # another row's
        (cell("234", ("North",), ("2023",)), False),  # half a number
        (cell("1,234", ("North",), ("2021",)), False),
        (cell("1,234", ("West", "North"), ("2023",)), False),
    ],
)
def test_a_cell_needs_its_row_and_its_labels(fact: Fact, found: bool):
    assert is_shown(fact, [Shown("d", "Report", MARKDOWN)]) is found
    assert is_shown(fact, [Shown("d", "Report", body=("[page 3]", MARKDOWN))]) is found


def test_labels_of_another_text_do_not_count():
    fact = cell("14", ("South",), ("2023",))
    assert is_shown(fact, [Shown("d", text="South 2023 14")])
    assert not is_shown(fact, [Shown("d", text="South 14"), Shown("d", text="2023")])
    assert not is_shown(fact, [Shown("d", text="South 14\nand 2023")])


def test_the_title_of_a_table_counts_for_its_labels():
    fact = cell("5", ("North",), ("2021",))
    assert is_shown(fact, [Shown("t", "Sales of 2021", "| North | 5 |")])
    assert not is_shown(fact, [Shown("t", "Sales", "| North | 5 |")])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Before. The plant  in “Lodz” closed,\nin May. After", True),
        ("The plant in Lodz closed in March.", False),
        ("The plant in Lodz closed in Mayfair.", False),
    ],
)
def test_a_sentence_counts_by_its_words(text: str, found: bool):
    fact = Fact(kind="sentence", document="d", text="The plant in Lodz closed in May.")
    assert is_shown(fact, [Shown("d", text=text)]) is found


def test_a_sentence_may_not_be_put_together_from_two_texts():
    fact = Fact(kind="sentence", document="d", text="Sales rose fast.")
    assert not is_shown(fact, [Shown("d", body=("Sales rose", "fast."))])
    assert is_shown(fact, [Shown("d", body=("Sales rose fast.",))])


DOCUMENT = Document(
    id="d",
    pages=[Page(number=1), Page(number=2, image="pages/d/2.png")],
    blocks=[
        Block(kind="picture", image="images/d/1.png", page=1),
        Block(kind="text", text="Words.", page=2),
        Block(kind="picture", image="images/d/2.png", page=2),
        Block(kind="text", text="More words.", page=2),
        Block(kind="text", text="And more.", page=2),
        Block(kind="picture", image="images/d/3.png", page=2),
        Block(kind="caption", text="Figure 2: Sales by region", page=2),
    ],
)


def test_the_picture_beside_the_caption_or_its_page_shows_a_chart():
    fact = Fact(kind="picture", document="d", page=2, text="Sales by region")
    assert pictures_of(fact, DOCUMENT) == ["images/d/3.png", "pages/d/2.png"]
    elsewhere = Fact(kind="picture", document="d", page=1, text="a caption that was lost")
    assert pictures_of(elsewhere, DOCUMENT) == ["images/d/1.png"]
    unknown = Fact(kind="picture", document="d", text="Figure 2: Sales by region")
    assert pictures_of(unknown, DOCUMENT) == ["images/d/3.png", "pages/d/2.png"]


def test_a_picture_counts_where_it_is_shown():
    fact = Fact(kind="picture", document="d", text="Sales")
    shown = [Shown("d", body=("Sales", Picture("/x/images/d/3.png")))]
    assert is_shown(fact, shown, ["/x/images/d/3.png"])
    assert is_shown(fact, [Shown("t", picture="/x/images/d/3.png")], ["/x/../x/images/d/3.png"])
    assert not is_shown(fact, shown, ["/x/images/d/2.png"])
    assert not is_shown(fact, [Shown("d", text="Figure: Sales")], ["/x/images/d/3.png"])
