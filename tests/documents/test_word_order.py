"""Words that are read from the right."""

from __future__ import annotations

import pytest

from tabrag.documents.page_content import PageWord
from tabrag.documents.page_lines import in_reading_order
from tabrag.documents.word_order import SUPERSCRIPTS, from_the_right, is_rtl


def words(text: str) -> list[PageWord]:
    """Words as they stand from left to right."""
    return [
        PageWord(word, (50.0 * place, 0, 50.0 * place + 40, 10), size=10)
        for place, word in enumerate(text.split())
    ]


def said(found: list[PageWord]) -> str:
    return " ".join(word.text for word in found)


@pytest.mark.parametrize(
    ("text", "rtl"),
    [("שלום", True), ("سنة", True), ("a1", False), ("2020", False), ("Ünder", False), ("", False)],
)
def test_scripts(text: str, rtl: bool) -> None:
    assert is_rtl(text) == rtl


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("עולם שלום", "שלום עולם"),
        ("בשנה 2020 12 שלום", "שלום 2020 12 בשנה"),  # figures in a row keep their order
        ("5 שלום", "שלום 5"),
        ("שלום New York", "New York שלום"),
    ],
)
def test_from_the_right(text: str, read: str) -> None:
    assert text != read and said(from_the_right(words(text))) == read


def test_lines_are_read_from_the_right_where_most_words_are() -> None:
    assert said(in_reading_order(words("עולם 7 שלום"))) == "שלום 7 עולם"
    for text in ("one two three", "one שלום two three", "7 8", "one שלום"):
        assert said(in_reading_order(words(text))) == text


def test_raised_figures() -> None:
    assert "2+-−x".translate(SUPERSCRIPTS) == "²⁺⁻⁻x"
