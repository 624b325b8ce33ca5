"""Words of a picture in rows."""

from __future__ import annotations

from tabrag.tables.word_rows import group_rows
from tabrag.types import Word


def test_sloping_rows_stay_together() -> None:
    words = [
        Word(
            text=f"{row}{col}",
            box=(col * 200, row * 30 + col * 8, col * 200 + 40, row * 30 + col * 8 + 18),
        )
        for row in range(6)
        for col in range(5)
    ]
    assert max(word.box[1] for word in words if word.text[0] == "0") > min(
        word.box[1] for word in words if word.text[0] == "1"
    ), "the slope crosses the next row"
    assert [[word.text for word in row] for row in group_rows(words)] == [
        [f"{row}{col}" for col in range(5)] for row in range(6)
    ]


def test_no_words() -> None:
    assert group_rows([]) == []
