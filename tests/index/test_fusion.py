from __future__ import annotations

import math
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabrag.errors import UserError
from tabrag.index.fusion import convex, rrf, with_documents
from tabrag.types import Candidate, Run


def run_of(*item_ids: str) -> Run:
    """One query ``q`` with candidates in this order."""
    return {"q": [Candidate(item_id=item_id, score=1.0, stage="test") for item_id in item_ids]}


def fused(*lists: str, depth: int = 100, **settings: float) -> list[tuple[str, float]]:
    run = rrf([run_of(*one.split()) for one in lists], depth=depth, **settings)
    return [(candidate.item_id, candidate.score) for candidate in run["q"]]


def test_only_returned_items_score_and_ranks_start_at_one() -> None:
    assert fused("t4 t7 t1", "t2 t8 t1") == [
        ("t1", pytest.approx(2 / 63)),
        ("t2", 1 / 61),
        ("t4", 1 / 61),
        ("t7", 1 / 62),
        ("t8", 1 / 62),
    ]


def test_the_constant_decides_between_agreement_and_first_places() -> None:
    lists = ("a b c d x", "e f g h x")
    assert fused(*lists)[0] == ("x", pytest.approx(2 / 65))
    assert fused(*lists, k=1)[0] == ("a", 0.5)
    assert dict(fused(*lists, k=1))["x"] == pytest.approx(2 / 6)
    assert rrf([run_of("a")], depth=1)["q"][0].stage == "rrf(k=60)"
    assert rrf([run_of("a")], k=1.5, depth=1)["q"][0].stage == "rrf(k=1.5)"


@pytest.mark.parametrize(
    "values",
    [{"k": -1}, {"k": math.nan}, {"k": math.inf}, {"weights": [1.0]}, {"weights": [1.0, -1.0]}, {"depth": 0}],
)
def test_settings_out_of_range(values: dict) -> None:
    with pytest.raises(UserError):
        rrf([run_of("a"), run_of("b")], **{"depth": 5, **values})


def test_an_item_twice_in_a_list_counts_at_its_first_place() -> None:
    assert fused("A A A B", "B") == [("B", pytest.approx(1 / 62 + 1 / 61)), ("A", 1 / 61)]


def test_ties_by_best_single_rank_then_id() -> None:
    # with k=0, m scores 1/2 + 1/2 and y and z 1/1 each: equal, but only y and z once stood first
    assert fused("z m", "y m", k=0) == [("y", 1.0), ("z", 1.0), ("m", 1.0)]


def test_weights_and_depth() -> None:
    runs = [run_of("a", "b"), run_of("c", "b")]
    assert [one.item_id for one in rrf(runs, weights=[1.0, 0.1], depth=2)["q"]] == ["b", "a"]
    assert [one.item_id for one in rrf(runs, weights=[3.0, 0.1], depth=1, k=1)["q"]] == ["a"]


def test_queries_that_some_runs_lack() -> None:
    run = rrf([{"q1": []}, {"q2": run_of("a")["q"]}], depth=3)
    assert {query_id: len(candidates) for query_id, candidates in run.items()} == {"q1": 0, "q2": 1}


names = st.lists(st.sampled_from("abcdefgh"), max_size=8)


@settings(deadline=None)
@given(st.lists(names, min_size=1, max_size=5), st.randoms())
def test_order_of_runs_changes_nothing_and_bounds_hold(
    lists: list[list[str]], shuffle: random.Random
) -> None:
    runs = [run_of(*one) for one in lists]
    first = rrf(runs, depth=100)["q"]
    shuffle.shuffle(runs)
    assert rrf(runs, depth=100)["q"] == first
    assert {one.item_id for one in first} == {name for one in lists for name in one}
    assert len({one.item_id for one in first}) == len(first)
    assert all(0 < one.score <= len(lists) / 61 + 1e-12 for one in first)
    assert [one.score for one in first] == sorted((one.score for one in first), reverse=True)


@settings(deadline=None)
@given(names)
def test_one_list_keeps_its_order(one: list[str]) -> None:
    assert [name for name, _ in fused(" ".join(one))] == list(dict.fromkeys(one))


def test_same_bytes_for_every_hash_seed() -> None:
    program = (
        "from tabrag.index.fusion import rrf\n"
        "from tabrag.types import Candidate\n"
        "lists = ['z y x w v', 'v w x y z', 'x a b c d', 'd c b a x']\n"
        "runs = [{'q': [Candidate(item_id=i, score=1.0, stage='') for i in one.split()]} for one in lists]\n"
        "print([(c.item_id, c.score) for c in rrf(runs, depth=9)['q']])\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
        )
        for seed in range(20)
    ]
    outputs = {process.communicate()[0] for process in processes}
    assert all(process.returncode == 0 for process in processes)
    assert len(outputs) == 1
    assert b"'x'" in outputs.pop()


def scored(**scores: float) -> Run:
    """One query ``q`` with these candidates, best first."""
    ordered = sorted(scores.items(), key=lambda pair: -pair[1])
    return {"q": [Candidate(item_id=item, score=score, stage="test") for item, score in ordered]}


def test_convex_combination_by_hand() -> None:
    words, vectors = scored(a=8.0, b=4.0, c=2.0), scored(b=0.6, d=0.2, a=-0.2)
    run = convex([words, vectors], minima=[0.0, -1.0], weights=[1, 3], depth=3)["q"]
    # a: 1 and 0.5; b: 0.5 and 1; c: 0.25 and, unknown there, a's 0.5; d: unknown 0.25 and 0.75
    assert [(one.item_id, one.score) for one in run] == [
        ("b", pytest.approx(0.25 * 0.5 + 0.75)),
        ("a", pytest.approx(0.25 + 0.75 * 0.5)),
        ("d", pytest.approx(0.25 * 0.25 + 0.75 * 0.75)),
    ]


def test_what_ranks_forget_scores_tell() -> None:
    sure, unsure = scored(a=0.9, b=0.1, c=0.05), scored(c=0.5, b=0.49, a=0.48)
    assert rrf([sure, unsure], depth=3)["q"][0].item_id != "b"
    best = convex([sure, unsure], minima=[-1.0, -1.0], depth=3)["q"]
    assert best[0].item_id == "a" and best[0].score > best[1].score + 0.1


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcdefg"), st.floats(-1, 1), max_size=7), min_size=1, max_size=3
    ),
    st.sampled_from([None, -1.0]),
)
def test_convex_scores_lie_between_0_and_1_and_better_in_all_lists_is_better(
    lists: list[dict[str, float]], minimum: float | None
) -> None:
    runs = [scored(**one) for one in lists]
    found = convex(runs, minima=[minimum] * len(runs), depth=100)["q"]
    assert {one.item_id for one in found} == {item for one in lists for item in one}
    assert all(-1e-9 <= one.score <= 1 + 1e-9 for one in found)
    scores = {one.item_id: one.score for one in found}
    for a in scores:
        for b in scores:
            if all(a in one and b in one and one[a] >= one[b] for one in lists):
                assert scores[a] >= scores[b] - 1e-9


def test_convex_settings_and_empty_lists() -> None:
    assert convex([{"q": []}, scored(a=0.5)], minima=[0.0, -1.0], depth=5)["q"][0].item_id == "a"
    assert convex([{"q": []}], minima=[None], depth=5) == {"q": []}
    for settings_ in ({"weights": [0.0]}, {"weights": [1.0, 2.0]}, {"depth": 0}):
        with pytest.raises(UserError):
            convex([scored(a=0.5)], minima=[0.0], **{"depth": 5, **settings_})


def part_run(**scores: float) -> list[Candidate]:
    ranked = sorted(scores.items(), key=lambda pair: -pair[1])
    return [Candidate(item_id=name.replace("_", "#u"), score=score, stage="x") for name, score in ranked]


def test_parts_of_a_document_with_several_good_parts_move_up():
    run = {"q": part_run(**{"a_1-1": 1.0, "b_1-1": 0.9, "b_2-2": 0.8, "b_3-3": 0.7, "a_2-2": 0.0})}
    assert [one.item_id for one in run["q"]][:2] == ["a#u1-1", "b#u1-1"]
    found = with_documents(run, weight=1, depth=4)["q"]
    assert [one.item_id for one in found] == ["b#u1-1", "b#u2-2", "b#u3-3", "a#u1-1"]
    # b is the best document (2.4 / 3 scaled to 1), a the worst (1 / 3 scaled to 0).
    assert [one.score for one in found] == pytest.approx([0.95, 0.9, 0.85, 0.5])
    assert {one.stage for one in found} == {"x+documents"}


def test_without_weight_the_order_of_parts_stays():
    run = {"q": part_run(**{"a_1-1": 3.0, "b_1-1": 2.0, "b_2-2": 1.0})}
    found = with_documents(run, weight=0, depth=9)["q"]
    assert [one.item_id for one in found] == ["a#u1-1", "b#u1-1", "b#u2-2"]


def test_items_that_are_no_parts_keep_their_order():
    run = {"q": [Candidate(item_id=name, score=score, stage="x") for name, score in (("a", 3.0), ("b", 1.0))]}
    assert [one.item_id for one in with_documents(run, weight=5, depth=9)["q"]] == ["a", "b"]
    assert with_documents({"q": []}, weight=1, depth=9) == {"q": []}


@pytest.mark.parametrize(("weight", "depth"), [(-1.0, 1), (float("nan"), 1), (1.0, 0)])
def test_settings_of_documents_are_checked(weight: float, depth: int):
    with pytest.raises(UserError):
        with_documents({"q": []}, weight=weight, depth=depth)
