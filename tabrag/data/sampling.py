"""Which queries go into which batch: a pure function of (seed, epoch), the same whoever asks and whenever."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tabrag.errors import UserError


def epoch_batches(
    items: Sequence[int], *, batch_size: int, num_processes: int, seed: int, epoch: int
) -> list[list[int]]:
    """Plan one epoch: batches of query numbers, dealt to the processes in turn.

    Within a *global* batch (the batches of all processes in one step) each item occurs once where that is
    possible: two queries on one table would leave fewer negatives. A query that does not fit waits for the
        next batch, so no
    query is lost; only the last, incomplete global batch is dropped, on all processes alike.

    Args:
        items: For each query the number of its positive item.
        batch_size: Queries a process and step.
        num_processes: Number of processes that train together.
        seed: Seed of the run.
        epoch: 0-based; each epoch has an order of its own.

    Returns:
        Step after step the batches of process 0, 1, ...: batch ``step * num_processes + rank``.

    Raises:
        UserError: There are fewer queries than one global batch.
    """
    size = batch_size * num_processes
    if len(items) < size:
        raise UserError(
            f"{len(items)} training queries do not fill one batch of {batch_size} x {num_processes} "
            "processes: lower train.batch_size or add data"
        )
    order = list(range(len(items)))
    random.Random(f"{seed}/{epoch}").shuffle(order)

    groups: list[list[int]] = []
    waiting: list[int] = []
    position = 0
    while len(groups) < len(items) // size:
        group: list[int] = []
        seen: set[int] = set()
        still_waiting: list[int] = []
        for query in waiting:
            if len(group) < size and items[query] not in seen:
                group.append(query)
                seen.add(items[query])
            else:
                still_waiting.append(query)
        waiting = still_waiting
        while len(group) < size and position < len(order):
            query = order[position]
            position += 1
            if items[query] in seen:
                waiting.append(query)
            else:
                group.append(query)
                seen.add(items[query])
        # Only queries on items already in the batch are left: better a repeated item than a lost query.
        while len(group) < size:
            group.append(waiting.pop(0))
        groups.append(group)
    return [
        group[rank * batch_size : (rank + 1) * batch_size]
        for group in groups
        for rank in range(num_processes)
    ]


def choose_negatives(
    candidates: Sequence[int], *, count: int, seed: int, epoch: int, query: int
) -> list[int]:
    """Draw ``count`` hard negatives (all, where there are fewer), anew each epoch."""
    if len(candidates) <= count:
        return list(candidates)
    return random.Random(f"{seed}/{epoch}/{query}").sample(list(candidates), count)
