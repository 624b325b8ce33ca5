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
    sets: Sequence[int] | None = None,
    mix_temperature: float = 1.0,
    one_set_a_batch: bool = False,
) -> list[list[int]]:
    """Plan one epoch: batches of query numbers, dealt to the processes in turn.

    A *global* batch (the batches of all processes in one step) holds at most ``queries_per_item`` queries on
    one item where that is possible; the others wait for a later batch. With neighbours, an item that enters a
    batch brings items that are easily taken for it: each is then a hard negative of the other's queries at no
    further cost. Without mixing, no query is lost but those of the last, incomplete global batch, which is
    dropped on all processes alike.

    Several data sets are mixed as :func:`set_shares` says, in as many batches an epoch as without mixing. A
    set that gets more than its size repeats its queries, one that gets less is drawn from anew each epoch.

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
        sets: For each query the number of its data set, from 0 up; None for one set.
        mix_temperature: See :func:`set_shares`; 1 takes each query once.
        one_set_a_batch: Whether a global batch holds queries of one set only; the sets' batches come in a
            random order. Each set has at least one, so a set may repeat or lose up to about a batch of
            queries.

    Returns:
        Step after step the batches of process 0, 1, ...: batch ``step * num_processes + rank``.

    Raises:
        UserError: There are fewer queries than one global batch, or one set has fewer where it must fill
            batches alone.
    """
    size = batch_size * num_processes
    if len(items) < size:
        raise UserError(
            f"{len(items)} training queries do not fill one batch of {batch_size} x {num_processes} "
            "processes: lower train.batch_size or add data"
        )
    random_numbers = random.Random(f"{seed}/{epoch}")
    pools = [(list(range(len(items))), len(items) // size)]
    mixing = sets is not None and len(set(sets)) > 1 and (one_set_a_batch or mix_temperature != 1)
    if mixing:
        pools = _pools(sets or (), size, mix_temperature, one_set_a_batch, random_numbers)
    groups: list[list[int]] = []
    for pool, count in pools:
        companions: Mapping[int, Sequence[int]] = neighbours or {}
        if mixing:  # those of another set, or not drawn this epoch, are not to be had
            present = {items[query] for query in pool}
            companions = {
                item: [other for other in companions.get(item, ()) if other in present] for item in present
            }
        groups += _groups(
            items,
            pool,
            count=count,
            size=size,
            random_numbers=random_numbers,
            queries_per_item=queries_per_item,
            neighbours=companions,
            num_neighbours=num_neighbours,
        )
    if len(pools) > 1:
        random_numbers.shuffle(groups)
    return [
        group[rank * batch_size : (rank + 1) * batch_size]
        for group in groups
        for rank in range(num_processes)
    ]


def set_shares(sizes: Sequence[int], *, temperature: float) -> list[float]:
    """The share of the training queries that each data set gets: ``size ** (1 / temperature)``, normalised.

    Temperature-scaled mixing of Raffel et al., "Exploring the Limits of Transfer Learning with a Unified
    Text-to-Text Transformer", JMLR 2020, section 3.5.2 (without its limit on sizes), after multilingual BERT.
    1 keeps the sizes' own proportions; the larger the temperature, the more equal the shares.

    Args:
        sizes: Queries of each set, each at least 1.
        temperature: Greater than 0.

    Returns:
        Numbers > 0 that sum to 1.
    """
    weights = [(size / max(sizes)) ** (1 / temperature) for size in sizes]
    return [weight / sum(weights) for weight in weights]


def choose_negatives(
    candidates: Sequence[int], *, count: int, seed: int, epoch: int, query: int
) -> list[int]:
    """Draw ``count`` hard negatives (all, where there are fewer), anew each epoch."""
    if len(candidates) <= count:
        return list(candidates)
    return random.Random(f"{seed}/{epoch}/{query}").sample(list(candidates), count)


def _pools(
    sets: Sequence[int], size: int, temperature: float, one_set_a_batch: bool, random_numbers: random.Random
) -> list[tuple[list[int], int]]:
    """The queries of this epoch, some of them several times, and how many global batches they fill: all
    together, or those of each set for itself.
    """
    members: dict[int, list[int]] = {}
    for query, set_ in enumerate(sets):
        members.setdefault(set_, []).append(query)
    sizes = [len(queries) for queries in members.values()]
    shares = set_shares(sizes, temperature=temperature)
    if not one_set_a_batch:
        parts = whole_parts(shares, len(sets))
        drawn = [
            _drawn(queries, part, random_numbers)
            for queries, part in zip(members.values(), parts, strict=True)
        ]
        return [([query for queries in drawn for query in queries], len(sets) // size)]
    if min(sizes) < size:
        raise UserError(
            f"data.one_set_a_batch: a data set of {min(sizes)} training queries does not fill one batch of "
            f"{size} (all processes): lower train.batch_size or mix the sets within the batches"
        )
    parts = whole_parts(shares, len(sets) // size, least=1)
    return [
        (_drawn(queries, part * size, random_numbers), part)
        for queries, part in zip(members.values(), parts, strict=True)
    ]


def _groups(
    items: Sequence[int],
    pool: Sequence[int],
    *,
    count: int,
    size: int,
    random_numbers: random.Random,
    queries_per_item: int,
    neighbours: Mapping[int, Sequence[int]],
    num_neighbours: int,
) -> list[list[int]]:
    """``count`` global batches of ``size`` queries out of ``pool``, which may name a query several times."""
    order = list(pool)
    random_numbers.shuffle(order)
    remaining: dict[int, list[int]] = {}
    for query in order:
        remaining.setdefault(items[query], []).append(query)
    queue = deque(remaining)

    groups: list[list[int]] = []
    while len(groups) < count:
        group: list[int] = []
        taken: Counter[int] = Counter()
        later: list[int] = []
        held: set[int] = set()
        limit, is_lifted = queries_per_item, False
        while len(group) < size:
            if not queue:  # what is left are items at their limit: better a repeated item than a lost query
                limit, is_lifted = size, True
                queue, later = deque(later), []
            item = queue.popleft()
            if not remaining[item]:  # a neighbour has brought it along already
                continue
            companions = list(neighbours.get(item, ()))
            chosen = random_numbers.sample(companions, min(num_neighbours, len(companions)))
            for member in [item, *chosen]:
                room = min(limit - taken[member], size - len(group))
                new = _pop(remaining.get(member, []), room, set() if is_lifted else held)
                group += new
                held.update(new)
                taken[member] += len(new)
            if remaining[item]:
                later.append(item)
        queue.extend(later)
        groups.append(group)
    return groups


def _pop(queries: list[int], count: int, held: set[int]) -> list[int]:
    """Take up to ``count`` different queries off the end of ``queries``, none of those in ``held``."""
    chosen: list[int] = []
    for place in range(len(queries) - 1, -1, -1):
        if len(chosen) >= count:
            break
        if queries[place] not in held and queries[place] not in chosen:
            chosen.append(queries.pop(place))
    return chosen


def _drawn(queries: Sequence[int], count: int, random_numbers: random.Random) -> list[int]:
    """``count`` of the queries: all as often as they fit in, then a random choice for the rest."""
    whole, rest = divmod(count, len(queries))
    return [*queries] * whole + random_numbers.sample(queries, rest)


def whole_parts(shares: Sequence[float], total: int, *, least: int = 0) -> list[int]:
    """``total`` in whole parts near ``shares``, by largest remainder, each part at least ``least``."""
    exact = [share * total for share in shares]
    parts = [max(int(value), least) for value in exact]
    while (missing := total - sum(parts)) != 0:
        step = 1 if missing > 0 else -1
        open_ = [place for place in range(len(parts)) if step > 0 or parts[place] > least]
        place = max(open_, key=lambda place: (step * (exact[place] - parts[place]), -place))
        parts[place] += step
    return parts


def shuffled_batches(
    count: int, *, batch_size: int, num_processes: int, rank: int, key: str
) -> list[list[int]]:
    """This process's batches of one epoch over ``count`` examples, each at most once; whole batches only.

    Args:
        count: How many examples there are.
        batch_size: Examples a process and batch.
        num_processes: How many share a global batch.
        rank: Which of them this is: it takes every n-th example of a global batch.
        key: What the order is a function of.
    """
    order = list(range(count))
    random.Random(key).shuffle(order)
    step = batch_size * num_processes
    return [order[first + rank : first + step : num_processes] for first in range(0, count - step + 1, step)]
