"""Which queries go into which batch: a pure function of (seed, epoch), the same whoever asks and whenever."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Mapping, Sequence

from tabrag.errors import UserError


def epoch_batches(
    items: Sequence[int],
    *,
    batch_size: int,
    num_processes: int,
    seed: int,
    epoch: int,
    queries_per_item: int = 1,
    neighbours: Mapping[int, Sequence[int]] | None = None,
    num_neighbours: int = 0,
) -> list[list[int]]:
    """Plan one epoch: batches of query numbers, dealt to the processes in turn.

    A *global* batch (the batches of all processes in one step) holds at most ``queries_per_item`` queries on
    one item where that is possible; the others wait for a later batch. With neighbours, an item that enters a
    batch brings items that are easily taken for it: each is then a hard negative of the other's queries at no
    further cost. No query is lost but those of the last, incomplete global batch, which is dropped on all
    processes alike.

    Args:
        items: For each query the number of its positive item.
        batch_size: Queries a process and step.
        num_processes: Number of processes that train together.
        seed: Seed of the run.
        epoch: 0-based; each epoch has an order of its own.
        queries_per_item: Most queries on one item in a global batch. Encoding an item costs more than
            encoding a query, so several queries an item are cheap; one gives the most negatives.
        neighbours: Item -> items that resemble it, best first.
        num_neighbours: How many neighbours, drawn anew each epoch, an item brings along.

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
    random_numbers = random.Random(f"{seed}/{epoch}")
    order = list(range(len(items)))
    random_numbers.shuffle(order)
    remaining: dict[int, list[int]] = {}
    for query in order:
        remaining.setdefault(items[query], []).append(query)
    queue = deque(remaining)

    groups: list[list[int]] = []
    while len(groups) < len(items) // size:
        group: list[int] = []
        taken: Counter[int] = Counter()
        later: list[int] = []
        limit = queries_per_item
        while len(group) < size:
            if not queue:  # what is left are items at their limit: better a repeated item than a lost query
                limit = size
                queue, later = deque(later), []
            item = queue.popleft()
            if not remaining[item]:  # a neighbour has brought it along already
                continue
            companions = list((neighbours or {}).get(item, ()))
            chosen = random_numbers.sample(companions, min(num_neighbours, len(companions)))
            for member in [item, *chosen]:
                count = min(limit - taken[member], size - len(group), len(remaining.get(member, ())))
                for _ in range(count):
                    group.append(remaining[member].pop())
                    taken[member] += 1
            if remaining[item]:
                later.append(item)
        queue.extend(later)
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
