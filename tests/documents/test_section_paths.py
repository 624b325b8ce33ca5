from __future__ import annotations

from small_report import report

from tabrag.documents.section_paths import section_paths, where
from tabrag.types import Block, Document


def test_a_block_stands_under_the_headings_that_are_open():
    levels = [(1, "A"), (0, "x"), (2, "B"), (3, " C\n c "), (0, "y"), (2, "D"), (0, "z"), (1, "E"), (0, "")]
    blocks = [Block(kind="heading" if level else "text", level=level, text=text) for level, text in levels]
    paths = section_paths(Document(id="d", blocks=blocks))
    assert paths == [
        (),
        ("A",),
        ("A",),
        ("A", "B"),
        ("A", "B", "C c"),
        ("A",),
        ("A", "D"),
        (),
        ("E",),
    ]


def test_title_and_headings_stand_in_one_line_each_once():
    assert where(report(), ("Trade", "Prices")) == "Fruit report > Trade > Prices"
    assert where(report(), ("Fruit report", "Prices")) == "Fruit report > Prices"
    assert where(Document(id="d"), ()) == ""
