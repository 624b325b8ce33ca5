"""Text into sentences: nothing is lost, short forms end nothing."""

from __future__ import annotations

import pytest
from effort import within
from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Sales rose. They fell by 3.5 % in 2020! Why?",
            ["Sales rose.", "They fell by 3.5 % in 2020!", "Why?"],
        ),
        ("Acme Inc. sold No. 5 to J. Smith. It paid.", ["Acme Inc. sold No. 5 to J. Smith.", "It paid."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("approx. 30 units were sold. see note 3.", ["approx. 30 units were sold. see note 3."]),
        ("收入增加。支出减少！", ["收入增加。", "支出减少！"]),
        ("Revenue was $ 2.3 . The rest ...", ["Revenue was $ 2.3 .", "The rest ..."]),
        ("In the U.S. Sales rose.", ["In the U.S. Sales rose."]),
        ("  ", []),
        ("no end", ["no end"]),
    ],
)
def test_sentences(text: str, expected: list[str]):
    assert split_sentences(text) == expected


@given(st.text(st.sampled_from('aB. !?。\n"J1'), max_size=60))
def test_nothing_is_lost(text: str):
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_text_without_ends_is_cut_at_blanks():
    text = "unicorn " * 500
    parts = split_sentences(text)
    assert len(parts) > 3 and all(500 < len(part) <= 1000 for part in parts[:-1])
    assert " ".join(parts).split() == text.split()
    assert [len(part) for part in split_sentences("x" * 2500)] == [1000, 1000, 500]


@pytest.mark.parametrize("piece", ["No. 5 ", "It is so. ", "a.b. "])
def test_long_texts_take_no_long_time(piece: str):
    with within(5):
        assert split_sentences(piece * 50_000)
