from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tabrag.data.document_copies import MAX_HOLDERS, Groups, Runs
from tabrag.data.document_words import words_of

_WORDS = [f"w{letter}{other}" for letter in "abcdefghij" for other in "abcdefghij"]


def _text(seed: int, length: int = 600, *, numbers: bool = True) -> str:
    draw = random.Random(seed)
    return " ".join(
        f"{draw.randint(100, 99999):,}" if numbers and place % 5 == 0 else draw.choice(_WORDS)
        for place in range(length)
    )


def _copies(*texts: list[str], min_share: float = 0.5) -> list[tuple[int, int]]:
    runs = Runs()
    for row, parts in enumerate(texts):
        runs.add(row, [words_of(text) for text in parts])
    return [(first, second) for first, second, _ in runs.copies(min_share)]


def test_a_page_written_another_way_is_a_copy() -> None:
    page = _text(1)
    words = page.split()
    retyped = " . ".join(" ".join(words[place : place + 40]).upper() for place in range(0, len(words), 40))
    in_cells = [" ".join(words[place : place + 3]) for place in range(0, len(words), 3)]
    assert _copies([page], [_text(2)], [retyped], in_cells) == [(0, 2), (0, 3), (2, 3)]


def test_a_page_within_a_longer_document_is_a_copy_of_it() -> None:
    long = [_text(3), _text(4), _text(5)]
    assert _copies(long, [_text(4)]) == [(0, 1)]
    third = [_text(4), _text(6), _text(7)]
    assert _copies(long, third) == []
    assert _copies(long, third, min_share=0.25) == [(0, 1)]


def test_text_without_numbers_and_text_of_many_is_no_sign_of_a_copy() -> None:
    same = _text(7, numbers=False)
    assert _copies([same + " " + _text(8, 60)], [same + " " + _text(9, 60)]) == []
    shared = _text(10)
    assert len(_copies(*[[shared]] * 3)) == 3
    assert _copies(*[[shared]] * (MAX_HOLDERS + 1)) == []


def test_no_documents_and_short_ones() -> None:
    assert list(Runs().copies(0.5)) == []
    assert _copies(["1 2 3"], ["1 2 3"], []) == []


@given(st.lists(st.tuples(*[st.sampled_from("abcdefgh")] * 2), max_size=12))
def test_groups_are_the_connected_sets(pairs: list[tuple[str, str]]) -> None:
    groups = Groups()
    for first, second in pairs:
        groups.join(first, second)
    sets = {letter: {letter} for letter in "abcdefgh"}
    for first, second in pairs:
        joined = sets[first] | sets[second]
        for letter in joined:
            sets[letter] = joined
    assert {letter: groups.of(letter) for letter in sets} == {
        letter: min(members) for letter, members in sets.items()
    }
