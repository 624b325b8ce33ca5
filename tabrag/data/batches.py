"""Training batches of a retriever: queries, their tables, hard negatives, and who is relevant to whom."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tabrag.data.config import TrainingDataConfig
from tabrag.data.folder import DataFolder
from tabrag.data.sampling import choose_negatives, epoch_batches
from tabrag.errors import UserError
from tabrag.evaluation.ranking import check_qrels
from tabrag.evaluation.runs import read_run
from tabrag.files import sha256_json
from tabrag.representations import build
from tabrag.types import Entry

if TYPE_CHECKING:
    from tabrag.models.inputs import Inputs

logger = logging.getLogger(__name__)


class TrainingPairs:
    """The training queries of a folder with item numbers instead of ids.

    Queries without a relevant item are left out, and counted in the log.
    """

    def __init__(self, config: TrainingDataConfig) -> None:
        self.config = config
        self.folder = DataFolder(config.folder)
        self.item_ids: list[str] = list(self.folder.tables.ids)
        number = {item_id: row for row, item_id in enumerate(self.item_ids)}
        queries = self.folder.queries
        self.query_ids: list[str] = []
        self.texts: list[str] = []
        self.positives: list[list[int]] = []
        qrels = self.folder.qrels(config.split)
        for split in filter(None, (config.split, config.dev_split)):
            check_qrels(self.folder.qrels(split), query_ids=queries, item_ids=number)
            if not any(
                grade > 0 for grades in self.folder.qrels(split).values() for grade in grades.values()
            ):
                raise UserError(f"{config.folder}: split '{split}' has no query with a relevant item")
        for query_id, grades in qrels.items():
            relevant = [number[item_id] for item_id, grade in grades.items() if grade > 0]
            if relevant:
                self.query_ids.append(query_id)
                self.texts.append(queries[query_id].text)
                self.positives.append(relevant)
        if without_text := [query_id for query_id in self.query_ids if not queries[query_id].text.strip()]:
            raise UserError(
                f"{config.folder}: {len(without_text)} training queries have no text, the first is "
                f"'{without_text[0]}': remove them"
            )
        self.max_positives = max(map(len, self.positives))
        self.negatives: list[list[int]] = [[] for _ in self.query_ids]
        if config.negatives:
            self._read_negatives(Path(config.negatives), number)
        elif config.num_negatives or config.num_neighbours:
            raise UserError("data.num_negatives and data.num_neighbours need a run in data.negatives")
        self.neighbours = self._neighbours() if config.num_neighbours else {}

    def __len__(self) -> int:
        return len(self.query_ids)

    def digest(self) -> str:
        """12 hex digits that change with the queries, what is relevant to them, and their candidates."""
        return sha256_json([self.item_ids, self.query_ids, self.texts, self.positives, self.negatives])[:12]

    def _read_negatives(self, path: Path, number: dict[str, int]) -> None:
        row_of = {query_id: row for row, query_id in enumerate(self.query_ids)}
        for query_id, candidates in read_run(path).items():
            row = row_of.get(query_id)
            if row is None:
                continue
            known = set(self.positives[row])
            found = []
            for item_id in dict.fromkeys(candidate.item_id for candidate in candidates):
                item = number.get(item_id)
                if item is None:
                    raise UserError(
                        f"{path}: candidate '{item_id}' of query '{query_id}' is not an item of "
                        f"{self.config.folder}; make the run over this corpus"
                    )
                if item not in known:
                    found.append(item)
            self.negatives[row] = found[: self.config.negative_depth]
        without = sum(not negatives for negatives in self.negatives)
        if without == len(self):
            raise UserError(f"{path}: no candidates for any training query of split '{self.config.split}'")
        if without:
            logger.warning("%d of %d training queries have no hard negative in %s", without, len(self), path)

    def _neighbours(self) -> dict[int, list[int]]:
        """Item -> items with training queries that its queries' candidates name, by summed reciprocal
        rank.
        """
        scores: dict[int, dict[int, float]] = {}
        for relevant, candidates in zip(self.positives, self.negatives, strict=True):
            for item in relevant:
                line = scores.setdefault(item, {})
                for rank, candidate in enumerate(candidates, start=1):
                    line[candidate] = line.get(candidate, 0.0) + 1.0 / rank
        return {
            item: sorted(line.keys() & scores.keys(), key=lambda other: (-line[other], other))[
                : self.config.negative_depth
            ]
            for item, line in scores.items()
        }


class RetrieverBatches(torch.utils.data.Dataset[dict[str, Any]]):
    """This process's batches of one epoch; element ``i`` is the whole batch of step ``i``.

    A batch holds ``query`` and ``item`` (chunks of tensors for the two encoders), ``target`` (int64
    Tensor[B], each query's positive among the items), ``items`` (int64 Tensor[N], item numbers),
    ``positives`` (int64 Tensor[B, P], padded with
    -1) and ``query_ids``. An item that several queries share is encoded once.
    """

    def __init__(
        self,
        pairs: TrainingPairs,
        *,
        query_inputs: Inputs,
        item_inputs: Inputs,
        batch_size: int,
        num_processes: int,
        rank: int,
        seed: int,
        epoch: int,
    ) -> None:
        self.pairs = pairs
        self.query_inputs = query_inputs
        self.item_inputs = item_inputs
        self.representation = build(pairs.config.representation)
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
            queries_per_item=pairs.config.queries_per_item,
            neighbours=pairs.neighbours,
            num_neighbours=pairs.config.num_neighbours,
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
                count=pairs.config.num_negatives,
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
        item, item_order = self._chunks(self.item_inputs, [self._entry(item) for item in items])
        rows, items = [rows[n] for n in query_order], [items[n] for n in item_order]
        place = {item: column for column, item in enumerate(items)}
        positives = torch.full((len(rows), pairs.max_positives), -1)
        for line, row in enumerate(rows):
            positives[line, : len(pairs.positives[row])] = torch.tensor(pairs.positives[row])
        return {
            "query": query,
            "item": item,
            "target": torch.tensor([place[self.first_positive[row]] for row in rows]),
            "items": torch.tensor(items),
            "positives": positives,
            "query_ids": [pairs.query_ids[row] for row in rows],
        }

    def _chunks(self, inputs: Inputs, entries: Sequence[Entry]) -> tuple[list[dict[str, Any]], list[int]]:
        """The entries in chunks, and the order in which they stand there: shortest first, where there are
        several.
        """
        features = inputs.features(entries)
        size = self.pairs.config.chunk_size or len(entries)
        order = list(range(len(entries)))
        if size < len(entries):
            order.sort(key=lambda number: len(features[number]))
        parts = [order[start : start + size] for start in range(0, len(order), size)]
        return [inputs.collate([features[number] for number in part]) for part in parts], order

    def _entry(self, item: int) -> Entry:
        folder = self.pairs.folder
        table = folder.tables[self.pairs.item_ids[item]]
        return self.representation(table, folder=folder.path)[0]


def loader(batches: RetrieverBatches, *, start: int, num_workers: int) -> torch.utils.data.DataLoader[Any]:
    """A loader over the batches from step ``start`` on: a resumed epoch never makes the batches it skips."""
    steps: Sequence[int] = range(start, len(batches))
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
