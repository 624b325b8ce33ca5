"""Training batches of a retriever: queries, their tables, hard negatives, and who is relevant to whom."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from tabrag.data.config import TrainingDataConfig
from tabrag.data.pairs import TrainingPairs
from tabrag.data.sampling import choose_negatives, epoch_batches
from tabrag.representations import build, entries_of
from tabrag.types import Entry, GoldHeaders

if TYPE_CHECKING:
    from tabrag.models.inputs import Inputs


class RetrieverBatches(torch.utils.data.Dataset[dict[str, Any]]):
    """This process's batches of one epoch; element ``i`` is the whole batch of step ``i``.

    A batch holds ``query`` and ``item`` (chunks of tensors for the two encoders), ``target`` (int64
    Tensor[B], each query's positive among the items), ``items`` (int64 Tensor[N], the number of each item's
    content, which tables of the same content share), ``positives`` (int64 Tensor[B, P], such numbers, padded
    with -1), ``query_ids`` and ``cut_tokens`` (int64 Tensor[2], the items' tokens that were left out, and all
    of them). An item that several queries share is encoded once. Of an item with several windows or chunks
    one is encoded, see :meth:`_entry`.
    """

    def __init__(
        self,
        pairs: TrainingPairs,
        *,
        config: TrainingDataConfig,
        query_inputs: Inputs,
        item_inputs: Inputs,
        batch_size: int,
        num_processes: int,
        rank: int,
        seed: int,
        epoch: int,
    ) -> None:
        self.pairs = pairs
        self.config = config
        self.query_inputs = query_inputs
        self.item_inputs = item_inputs
        self.representation = build(config.representation, measure=item_inputs)
        # Read here: else each worker of each epoch would.
        self.gold = pairs.folder.gold_headers if config.representation.parts_items() else {}
        self.seed = seed
        self.epoch = epoch
        first = [
            choose_negatives(p, count=1, seed=seed, epoch=epoch, query=n)[0]
            for n, p in enumerate(pairs.positives)
        ]
        self.first_positive = first
        plan = epoch_batches(
            first,
            batch_size=batch_size,
            num_processes=num_processes,
            seed=seed,
            epoch=epoch,
            queries_per_item=config.queries_per_item,
            neighbours=pairs.neighbours,
            num_neighbours=config.num_neighbours,
            sets=pairs.sets,
            mix_temperature=config.mix_temperature,
            one_set_a_batch=config.one_set_a_batch,
        )
        self.plan = plan[rank::num_processes]

    def __len__(self) -> int:
        return len(self.plan)

    def __getitem__(self, step: int) -> dict[str, Any]:
        pairs, rows = self.pairs, self.plan[step]
        place: dict[int, int] = {}
        for row in rows:
            place.setdefault(self.first_positive[row], len(place))
        for row in rows:
            chosen = choose_negatives(
                pairs.negatives[row],
                count=self.config.num_negatives,
                seed=self.seed,
                epoch=self.epoch,
                query=row,
            )
            for item in chosen:
                place.setdefault(item, len(place))
        queries = [
            Entry(id=pairs.query_ids[r], item_id=pairs.query_ids[r], text=pairs.texts[r]) for r in rows
        ]
        items = list(place)
        query, query_order = self._chunks(self.query_inputs, queries)
        entries = [self._entry(item, rows) for item in items]
        cut, seen = self.item_inputs.num_cut, self.item_inputs.num_tokens
        item, item_order = self._chunks(self.item_inputs, entries)
        cut, seen = self.item_inputs.num_cut - cut, self.item_inputs.num_tokens - seen
        rows, items = [rows[n] for n in query_order], [items[n] for n in item_order]
        place = {item: column for column, item in enumerate(items)}
        positives = torch.full((len(rows), pairs.max_relevant), -1)
        for line, row in enumerate(rows):
            relevant = list(map(pairs.content_number, pairs.relevant[row]))
            positives[line, : len(relevant)] = torch.tensor(relevant)
        return {
            "query": query,
            "item": item,
            "target": torch.tensor([place[self.first_positive[row]] for row in rows]),
            "items": torch.tensor(list(map(pairs.content_number, items))),
            "positives": positives,
            "query_ids": [pairs.query_ids[row] for row in rows],
            "cut_tokens": torch.tensor([cut, seen]),
        }

    def _chunks(self, inputs: Inputs, entries: Sequence[Entry]) -> tuple[list[dict[str, Any]], list[int]]:
        """The entries in chunks, and the order in which they stand there: shortest first, where there are
        several.
        """
        features = inputs.features(entries)
        size = self.config.chunk_size or len(entries)
        order = list(range(len(entries)))
        if size < len(entries):
            order.sort(key=lambda number: len(features[number]))
        parts = [order[start : start + size] for start in range(0, len(order), size)]
        return [inputs.collate([features[number] for number in part]) for part in parts], order

    def _entry(self, item: int, rows: Sequence[int]) -> Entry:
        """The item's entry; of several windows one, drawn by (seed, epoch, item).

        For the batch's queries that the item is relevant to, only the windows that hold most of their gold
        headers and answer cells take part, where the folder knows these.
        """
        folder, item_id = self.pairs.folder, self.pairs.item_ids[item]
        entries = entries_of(self.representation, folder.items[item_id], folder=folder.path)
        if len(entries) == 1:
            return entries[0]
        asking = {self.pairs.query_ids[row] for row in rows if self.first_positive[row] == item}
        gold = [one for query_id in asking for one in self.gold.get(query_id, ())]
        best = gold_windows(entries, gold)
        return random.Random(f"{self.seed}/{self.epoch}/window/{item}").choice(best)


def gold_windows(entries: Sequence[Entry], gold: Iterable[GoldHeaders]) -> list[Entry]:
    """The windows of a table that hold most of the gold headers and answer cells; all where none is known.

    Args:
        entries: The windows of one table, at least one.
        gold: What is known of it and of other tables.
    """
    known = [{*one.top, *one.left, *one.answer_cells} for one in gold if one.table_id == entries[0].item_id]
    held = [
        sum(
            len(cells if entry.cells is None else cells & entry.cells) / len(cells)
            for cells in known
            if cells
        )
        for entry in entries
    ]
    return [entry for entry, share in zip(entries, held, strict=True) if share == max(held)]


def loader(
    batches: torch.utils.data.Dataset[dict[str, Any]], *, start: int, num_workers: int
) -> torch.utils.data.DataLoader[Any]:
    """A loader over the batches from step ``start`` on: a resumed epoch never makes the batches it skips."""
    steps: Sequence[int] = range(start, len(batches))  # type: ignore[arg-type]
    return torch.utils.data.DataLoader(
        batches,
        sampler=steps,  # type: ignore[arg-type]
        batch_size=None,
        num_workers=num_workers,
        pin_memory=torch.cuda.is_available(),
        prefetch_factor=4 if num_workers else None,
        # Drawing the workers' seed from the global generator would shift dropout after a resume.
        generator=torch.Generator(),
    )
