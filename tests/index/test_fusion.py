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
from tabrag.index.fusion import rrf
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
