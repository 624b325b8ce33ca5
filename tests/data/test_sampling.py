"""The plan of an epoch."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.data.sampling import choose_negatives, epoch_batches, set_shares
from tabrag.errors import UserError


@given(
    items=st.lists(st.integers(0, 12), min_size=8, max_size=60),
    batch_size=st.integers(1, 4),
    num_processes=st.integers(1, 2),
    epoch=st.integers(0, 3),
    queries_per_item=st.integers(1, 3),
    num_neighbours=st.integers(0, 2),
)
def test_each_query_at_most_once_and_only_the_remainder_is_dropped(
    items, batch_size, num_processes, epoch, queries_per_item, num_neighbours
) -> None:
    plan = epoch_batches(
        items,
        batch_size=batch_size,
        num_processes=num_processes,
        seed=1,
        epoch=epoch,
        queries_per_item=queries_per_item,
        neighbours={item: [(item + 1) % 13, (item + 2) % 13] for item in range(13)},
        num_neighbours=num_neighbours,
    )
    used = [query for batch in plan for query in batch]
    assert len(used) == len(set(used))
    assert len(items) - len(used) < batch_size * num_processes
    assert all(len(batch) == batch_size for batch in plan)
    assert len(plan) % num_processes == 0


def test_a_global_batch_holds_each_table_once_where_it_can() -> None:
    items = [query // 3 for query in range(96)]  # three queries a table, as in HiTab
    plan = epoch_batches(items, batch_size=4, num_processes=2, seed=0, epoch=0)
    groups = [plan[i] + plan[i + 1] for i in range(0, len(plan), 2)]
    repeated = sum(len({items[q] for q in group}) < len(group) for group in groups)
    assert len(groups) == 12 and repeated <= 1


def test_the_global_batches_do_not_depend_on_the_number_of_processes() -> None:
    items = list(range(40))
    one = epoch_batches(items, batch_size=8, num_processes=1, seed=3, epoch=1)
    two = epoch_batches(items, batch_size=4, num_processes=2, seed=3, epoch=1)
    assert [a + b for a, b in zip(two[::2], two[1::2], strict=True)] == one


def test_epochs_differ_and_each_is_the_same_in_any_process() -> None:
    items = list(range(64))
    first, second = (epoch_batches(items, batch_size=4, num_processes=1, seed=0, epoch=e) for e in (0, 1))
    assert first != second
    code = (
        "from tabrag.data.sampling import epoch_batches;"
        "print(epoch_batches(list(range(64)), batch_size=4, num_processes=1, seed=0, epoch=1))"
    )
    for hash_seed in ("0", "7"):
        out = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": hash_seed},
        )
        assert out.stdout.strip() == str(second)


def test_several_queries_an_item_and_its_neighbours_share_a_batch() -> None:
    items = [query // 3 for query in range(90)]
    neighbours = {item: [item ^ 1] for item in range(30)}  # pairs that are easily confused
    plan = epoch_batches(
        items,
        batch_size=12,
        num_processes=1,
        seed=0,
        epoch=0,
        queries_per_item=3,
        neighbours=neighbours,
        num_neighbours=1,
    )
    together = [len({items[q] ^ 1 for q in batch} & {items[q] for q in batch}) for batch in plan]
    assert len(plan) == 7 and all(len({items[q] for q in batch}) == 4 for batch in plan)
    assert together == [4] * 7
    assert len({q for batch in plan for q in batch}) == 84


def test_too_little_data_is_named() -> None:
    with pytest.raises(UserError, match="3 training queries do not fill one batch of 2 x 2"):
        epoch_batches([0, 1, 2], batch_size=2, num_processes=2, seed=0, epoch=0)


def test_negatives_change_with_the_epoch_and_are_ragged() -> None:
    draws = {tuple(choose_negatives(range(20), count=2, seed=0, epoch=e, query=5)) for e in range(6)}
    assert len(draws) > 1 and all(len(set(draw)) == 2 for draw in draws)
    assert choose_negatives([4], count=3, seed=0, epoch=0, query=0) == [4]
    assert choose_negatives([], count=3, seed=0, epoch=0, query=0) == []


SETS = [0] * 300 + [1] * 60 + [2] * 24  # one large, one middling, one small data set
ITEMS = [query // 2 for query in range(len(SETS))]


def _mixed(
    epoch: int = 0, *, processes: int = 1, sets: list[int] | None = SETS, **changes
) -> list[list[int]]:
    settings = {"batch_size": 12 // processes, "num_processes": processes, "seed": 5, "epoch": epoch}
    return epoch_batches(ITEMS, **settings, sets=sets, **changes)


def test_plans_are_those_of_recorded_runs() -> None:
    plans = [
        epoch_batches(
            [(query * 7) % 31 for query in range(100)],
            batch_size=4,
            num_processes=2,
            seed=seed,
            epoch=seed % 2,
            queries_per_item=1 + seed % 3,
            neighbours={item: [(item + n) % 31 for n in (1, 5, 9)] for item in range(31)},
            num_neighbours=seed % 3,
            sets=[query % 2 for query in range(100)],
            mix_temperature=1.0,
        )
        for seed in range(6)
    ]
    assert plans[0][:2] == [[6, 60, 11, 28], [85, 88, 38, 43]]
    assert hashlib.sha256(json.dumps(plans).encode()).hexdigest()[:16] == "beb6ba643e8ee29a"


@pytest.mark.parametrize("changes", [{"mix_temperature": 3.0}, {"one_set_a_batch": True}])
def test_one_set_alone_is_never_mixed(changes) -> None:
    plain = _mixed(sets=None)
    assert _mixed(sets=[4] * len(ITEMS), **changes) == plain != _mixed(**changes)


def test_shares_flatten_with_the_temperature() -> None:
    assert set_shares([300, 60, 40], temperature=1) == pytest.approx([0.75, 0.15, 0.1])
    assert set_shares([90, 10], temperature=2) == pytest.approx([0.75, 0.25])  # 3 to 1 by square roots
    assert set_shares([10**6, 1], temperature=1e9) == pytest.approx([0.5, 0.5])


def test_a_temperature_repeats_small_sets_and_draws_from_large_ones() -> None:
    epochs = [[query for batch in _mixed(epoch, mix_temperature=4.0) for query in batch] for epoch in (0, 1)]
    expected = set_shares([300, 60, 24], temperature=4.0)
    for queries in epochs:
        assert len(queries) == 384 == 12 * len(_mixed())
        found = Counter(SETS[query] for query in queries)
        assert all(abs(found[set_] - 384 * expected[set_]) <= 1 for set_ in range(3))
        times = Counter(queries)
        assert {times[query] for query in range(300)} == {0, 1}
        assert {times[query] for query in range(360, 384)} == {3, 4}
    assert {q for q in epochs[0] if q < 300} != {q for q in epochs[1] if q < 300}


@pytest.mark.parametrize("one_set", [False, True])
def test_a_batch_repeats_no_query_where_it_can(one_set: bool) -> None:
    plan = _mixed(mix_temperature=4.0, one_set_a_batch=one_set, queries_per_item=2)
    repeated = sum(len(set(batch)) < len(batch) for batch in plan)
    assert len({query for batch in plan for query in batch}) < 384 and repeated <= 1


def test_each_batch_from_one_set_in_random_order() -> None:
    plan = _mixed(one_set_a_batch=True)
    sets = [{SETS[query] for query in batch} for batch in plan]
    assert len(plan) == 32 and all(len(found) == 1 for found in sets)
    order = [found.pop() for found in sets]
    assert Counter(order) == {0: 25, 1: 5, 2: 2} and order != sorted(order)
    assert len({query for batch in plan for query in batch}) == 384
    flat = Counter(SETS[b[0]] for b in _mixed(one_set_a_batch=True, mix_temperature=1e9))
    assert sorted(flat.values()) == [10, 11, 11]


def test_a_set_too_small_for_a_batch_of_its_own_is_named() -> None:
    with pytest.raises(UserError, match="one_set_a_batch: a data set of 5 training queries does not fill"):
        _mixed(sets=[0] * 379 + [1] * 5, one_set_a_batch=True)
    assert _mixed(sets=[0] * 379 + [1] * 5, mix_temperature=9.0)


@pytest.mark.parametrize("one_set", [False, True])
def test_neighbours_come_along_where_this_epoch_has_them(one_set: bool) -> None:
    pairs = {item: [item ^ 1] for item in range(len(ITEMS))}
    changes = {"mix_temperature": 2.0, "one_set_a_batch": one_set}
    plain = _mixed(**changes)
    plan = _mixed(**changes, neighbours=pairs, num_neighbours=1)
    together = [
        sum(sum(ITEMS[other] == ITEMS[query] ^ 1 for query in batch for other in batch) for batch in batches)
        for batches in (plain, plan)
    ]
    assert together[1] > 2 * together[0]
    assert Counter(map(len, plan)) == {12: 32}


@given(
    sets=st.lists(st.integers(0, 3), min_size=20, max_size=80),
    temperature=st.floats(0.3, 50),
    one_set=st.booleans(),
    epoch=st.integers(0, 2),
    queries_per_item=st.integers(1, 3),
)
def test_mixing_keeps_the_number_of_batches_and_ignores_the_number_of_processes(
    sets, temperature, one_set, epoch, queries_per_item
) -> None:
    def plan(processes: int) -> list[list[int]]:
        return epoch_batches(
            [query // 2 for query in range(len(sets))],
            batch_size=4 // processes,
            num_processes=processes,
            seed=2,
            epoch=epoch,
            queries_per_item=queries_per_item,
            sets=sets,
            mix_temperature=temperature,
            one_set_a_batch=one_set,
        )

    if one_set and len(set(sets)) > 1 and min(Counter(sets).values()) < 4:
        with pytest.raises(UserError, match="one_set_a_batch"):
            plan(1)
        return
    one, two = plan(1), plan(2)
    assert [a + b for a, b in zip(two[::2], two[1::2], strict=True)] == one
    assert len(one) == len(sets) // 4 and all(len(batch) == 4 for batch in one)
    if one_set:
        assert all(len({sets[query] for query in batch}) == 1 for batch in one)
        assert {sets[query] for batch in one for query in batch} == set(sets)


def test_a_mixed_epoch_is_the_same_in_any_process() -> None:
    code = (
        "from tabrag.data.sampling import epoch_batches;"
        "print(epoch_batches(list(range(64)), batch_size=4, num_processes=1, seed=0, epoch=1,"
        " sets=[int(q > 50) for q in range(64)], mix_temperature=2.0, one_set_a_batch=True))"
    )
    shown = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "7")
    }
    assert len(shown) == 1 and len(json.loads(shown.pop())) == 16
