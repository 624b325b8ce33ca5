"""The order that a reply names: valid numbers once, the others behind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.chat.listwise import order_prompt, read_order
from tabrag.chat.prompts import Shown
from tabrag.chat.protocol import Picture, Text


@pytest.mark.parametrize(
    ("reply", "order"),
    [
        ("2, 1", [1, 0, 2]),
        ("[3] > [3] > [1]", [2, 0, 1]),
        ("The best are 3 and 9.", [2, 0, 1]),
        ("[2, 3]", [1, 2, 0]),
        ("1. [2]\n2. [3]", [1, 2, 0]),
        ("1. 3\n2. 2\n3. 1", [2, 1, 0]),
        ("1) 2", [1, 0, 2]),
        ("**1.** [3]", [2, 0, 1]),
        ("1. Cattle in 2019 [3]\n2. Sheep [1]", [2, 0, 1]),
        ("Rank 1: 3\nRank 2: 2", [2, 1, 0]),
        ("3.\n2.", [2, 1, 0]),
        ("Top 1: 3, 2", [2, 1, 0]),
        ("The best 2 of [1] to [3]: [3], [2]", [2, 1, 0]),
        ("[3] has 2 of them, [1] none", [2, 0, 1]),
        ("<think>1 or 2?</think>3", [2, 0, 1]),
        ("{'ranking': [3, 1]}", [2, 0, 1]),
        ("[9] or 2", [1, 0, 2]),
        ("<think>1 or 2", None),
        ("none of them", None),
        ("0, 7", None),
        ("", None),
        ("99999999999999999999", None),
    ],
)
def test_replies(reply: str, order: list[int] | None):
    assert read_order(reply, 3) == order


@given(st.text(), st.integers(0, 6))
def test_an_order_is_a_permutation(reply: str, count: int):
    order = read_order(reply, count)
    assert order is None or sorted(order) == list(range(count))


def test_the_prompt_numbers_the_candidates_and_only_their_texts_may_be_cut():
    shown = [Shown("a", "First", "text a"), Shown("b", "Second", "", "b.png")]
    (message,) = order_prompt("which?", shown, num_best=1)
    texts = [part for part in message.parts if isinstance(part, Text)]
    assert [part.text for part in texts[:3]] == ["[1] First\n", "text a\n", "[2] Second\n"]
    assert [part.item_id for part in texts] == [None, "a", None, None]
    assert Picture("b.png") in message.parts
    assert "which?" in texts[-1].text and "[1] to [2]" in texts[-1].text and "best 1," in texts[-1].text
