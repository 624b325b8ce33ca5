"""The best parts under a budget, in their own order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tabrag.documents.select import fill, rarity_scores

SIZES = st.lists(st.tuples(st.floats(0, 9), st.integers(1, 9)), max_size=8)


def test_rare_shared_words_count_more_than_those_of_all_parts():
    scores = rarity_scores("net sales fruit".split(), ["net sales".split(), "net fruit".split(), ["net"], []])
    assert scores[0] == scores[1] > scores[2] > scores[3] == 0
    assert rarity_scores([], [["a"], []]) == [0, 0] and rarity_scores(["a"], []) == []


def test_parts_are_taken_best_first_and_given_in_their_order():
    assert fill([1, 3, 2], [5, 5, 5], budget=10) == [1, 2]
    assert fill([3, 2, 1], [5, 9, 2], budget=8) == [0, 2]
    assert fill([1, 2], [3, 30], budget=8) == [1]
    assert fill([], [], budget=8) == []


@given(SIZES, st.integers(1, 30))
def test_the_budget_holds_but_for_the_best_part(parts: list[tuple[float, int]], budget: int):
    scores, sizes = [score for score, _ in parts], [size for _, size in parts]
    chosen = fill(scores, sizes, budget=budget)
    assert chosen == sorted(set(chosen)) and bool(chosen) == bool(parts)
    assert len(chosen) == 1 or sum(sizes[place] for place in chosen) <= budget or not parts
    if chosen:
        assert max(scores) in [scores[place] for place in chosen]
