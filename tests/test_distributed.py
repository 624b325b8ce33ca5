"""Values between processes: every element once, in order, with gradients."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from processes import run_distributed

from tabrag import distributed
from tabrag.chat.endpoint import Refused
from tabrag.errors import UserError


def test_without_a_group_everything_is_local() -> None:
    x = torch.randn(3, 2, requires_grad=True)
    gathered, first = distributed.gather(x)
    assert gathered is x and first == 0
    assert distributed.gather_objects(["a", None]) == ["a", None]
    assert list(distributed.shard(range(5))) == [0, 1, 2, 3, 4]


def test_gather_keeps_gradients_of_ragged_batches() -> None:
    full = torch.arange(10.0).reshape(5, 2)
    weights = torch.tensor([1.0, 10.0, 100.0, 1000.0, 10000.0])[:, None]

    def work(rank: int) -> tuple[torch.Tensor, int, torch.Tensor]:
        own = (full[:3] if rank == 0 else full[3:]).clone().requires_grad_()
        gathered, first = distributed.gather(own)
        # Each process weighs the rows differently: the gradient of a row is the sum over the processes.
        (gathered * weights * (rank + 1)).sum().backward()
        return gathered.detach(), first, own.grad

    (all_0, first_0, grad_0), (all_1, first_1, grad_1) = run_distributed(work, 2)
    assert torch.equal(all_0, full) and torch.equal(all_1, full)
    assert (first_0, first_1) == (0, 3)
    assert torch.equal(torch.cat([grad_0, grad_1]), 3 * weights.expand(5, 2))


def test_objects_of_any_length_arrive_in_rank_order() -> None:
    parts = [["", "a"], [], ["long\ntext", None, [1, 2, 3]]]
    got = run_distributed(lambda rank: distributed.gather_objects(parts[rank]), 3)
    assert got == [["", "a", "long\ntext", None, [1, 2, 3]]] * 3


def test_shards_join_to_the_whole() -> None:
    lengths = (0, 1, 7, 8, 9)
    shards = run_distributed(lambda rank: [list(distributed.shard(range(length))) for length in lengths], 3)
    for length, *parts in zip(lengths, *shards, strict=True):
        assert [x for part in parts for x in part] == list(range(length))


def test_main_first_and_broadcast(tmp_path) -> None:
    cache = tmp_path / "made"

    def work(rank: int) -> tuple[bool, str]:
        with distributed.main_first():
            found = cache.exists()
            cache.touch()
        return found, distributed.broadcast_object(f"from {rank}")

    assert run_distributed(work, 2) == [(False, "from 0"), (True, "from 0")]


def test_a_single_process_needs_no_group() -> None:
    with distributed.group():
        assert not distributed.is_active()


def test_shared_work_is_done_once_and_a_fault_is_raised_in_every_process() -> None:
    def work(rank: int) -> tuple[list[int], int, list[str]]:
        done: list[int] = []

        def double(some: Sequence[int]) -> list[int]:
            done.extend(some)
            return [2 * one for one in some]

        def refuse(some: Sequence[int]) -> list[int]:
            if 4 in some:
                raise Refused("no", status=422, said="not this one")
            return double(some)

        found = distributed.shared(double, range(5))
        told = []
        try:
            distributed.shared(refuse, range(5))
        except Refused as fault:
            told = [str(fault), str(fault.status), fault.said]
        return found, len(done), told

    (first, num_first, told_first), (second, num_second, told_second) = run_distributed(work, 2)
    assert first == second == [0, 2, 4, 6, 8]
    assert (num_first, num_second) == (2 + 2, 3)
    assert told_first == told_second == ["no", "422", "not this one"]
    assert distributed.shared(lambda some: [one + 1 for one in some], [1, 2]) == [2, 3]


@pytest.mark.parametrize("count", [0, 1, 5, 12])
def test_a_shared_stream_is_made_once_and_read_by_all(count: int) -> None:
    def work(rank: int) -> tuple[list[str], list[int]]:
        done: list[int] = []

        def one(value: int) -> str:
            done.append(value)
            return f"{value}"

        return list(distributed.shared_stream(one, range(count), at_once=2)), done

    (first, own), (second, others) = run_distributed(work, 2)
    assert first == second == [str(value) for value in range(count)]
    assert sorted(own + others) == list(range(count))
    assert work(0) == (first, list(range(count)))


def test_a_fault_in_a_shared_stream_is_raised_in_every_process() -> None:
    def one(value: int) -> int:
        if value == 3:
            raise UserError("three")
        return value

    def work(rank: int) -> str:
        try:
            return str(list(distributed.shared_stream(one, range(8), at_once=2)))
        except UserError as error:
            return str(error)

    assert run_distributed(work, 2) == ["three", "three"]
