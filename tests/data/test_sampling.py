"""The plan of an epoch."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabrag.data.sampling import choose_negatives, epoch_batches
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
