from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.index.tokens import STOP_WORDS, tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Total R&D Spending, 2018-19", ["total", "r", "d", "spending", "2018", "19"]),
        ("1,234.5 and 12,345,678", ["1234.5", "12345678"]),
        ("1,23 or 1234,567", ["1", "23", "1234", "567"]),
        ("the GDP's cities, boxes and countries", ["gdp", "city", "boxe", "country"]),
        ("Café Ärzte ÉTÉ", ["cafe", "arzte", "ete"]),
        ("ＡＢＣ １２３ x² ﬁsh", ["abc", "123", "x", "2", "fish"]),
        ("q3fy19", ["q", "3", "fy", "19"]),
        ("売上高 は", ["売", "上", "高", "売上", "上高", "は"]),
        ("2020年", ["2020", "年"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("Население города", ["население", "города"]),
        ("النمو الاقتصادي", ["النمو", "الاقتصادي"]),
        ("서울 인구", ["서울", "인구"]),
        ("_a_b_ — … ???", ["a", "b"]),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert tokenize(text) == words


def test_options() -> None:
    assert tokenize("which boats", stop_words=frozenset()) == ["which", "boat"]
    assert tokenize("which boats", stem=False) == ["boats"]
    assert all(tokenize(word) == [] for word in STOP_WORDS)
    assert tokenize("hepatitis a") == ["hepatiti", "a"]


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_text_gives_lower_case_words_without_spaces_and_again_the_same(text: str) -> None:
    words = tokenize(text, stop_words=frozenset(), stem=False)
    assert all(word and not any(character.isspace() for character in word) for word in words)
    assert tokenize(text.upper().lower(), stop_words=frozenset(), stem=False) == tokenize(
        text.upper().lower().lower(), stop_words=frozenset(), stem=False
    )
