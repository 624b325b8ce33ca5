"""Training batches of a reranker: each query with a relevant table and hard negatives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from tabrag.data.batches import gold_windows
from tabrag.data.config import RankingDataConfig
from tabrag.data.pairs import TrainingPairs
from tabrag.data.sampling import choose_negatives, shuffled_batches

if TYPE_CHECKING:
    from tabrag.models.pair_model import PairInput, PairMaker


class RankingBatches(torch.utils.data.Dataset[dict[str, Any]]):
    """This process's batches of one epoch; element ``i`` is the whole batch of step ``i``.

    A batch holds ``chunks`` (inputs of like length, see
    :meth:`tabrag.models.pair_model.PairMaker.collate`), ``group`` (int64 Tensor[P], each pair's query in
    the batch, in the order of the chunks), ``positive`` (bool Tensor[P], one pair a query) and ``query_ids``.
    The order of the queries is a function of (seed, epoch), and so are the negatives. Of a table in several
    windows the one is shown that fits the question best; of the relevant table one of those with most of the
    gold headers and answer cells.
    """

    def __init__(
        self,
        pairs: TrainingPairs,
        *,
        config: RankingDataConfig,
        inputs: PairMaker,
        batch_size: int,
        num_processes: int,
        rank: int,
        seed: int,
        epoch: int,
    ) -> None:
        self.pairs = pairs
        self.config = config
        self.inputs = inputs
        self.seed = seed
        self.epoch = epoch
        self.plan = shuffled_batches(
            len(pairs),
            batch_size=batch_size,
            num_processes=num_processes,
            rank=rank,
            key=f"{seed}/{epoch}/ranking",
        )

    def __len__(self) -> int:
        return len(self.plan)

    def __getitem__(self, step: int) -> dict[str, Any]:
        found: list[tuple[PairInput, int, bool]] = []
        for group, row in enumerate(self.plan[step]):
            positive = choose_negatives(
                self.pairs.positives[row], count=1, seed=self.seed, epoch=self.epoch, query=row
            )[0]
            negatives = choose_negatives(
                self.pairs.negatives[row],
                count=self.config.num_negatives,
                seed=self.seed,
                epoch=self.epoch,
                query=row,
            )
            for item in (positive, *negatives):
                found.append((self._pair(row, item, is_positive=item == positive), group, item == positive))
        found.sort(key=lambda one: len(one[0]))
        size = self.config.chunk_size or len(found)
        return {
            "chunks": [
                self.inputs.collate([pair for pair, *_ in found[first : first + size]])
                for first in range(0, len(found), size)
            ],
            "group": torch.tensor([group for _, group, _ in found]),
            "positive": torch.tensor([is_positive for *_, is_positive in found]),
            "query_ids": [self.pairs.query_ids[row] for row in self.plan[step]],
        }

    def _pair(self, row: int, item: int, *, is_positive: bool) -> PairInput:
        folder = self.pairs.folder
        gold = folder.gold_headers.get(self.pairs.query_ids[row], ()) if is_positive else ()
        return self.inputs.pair(
            self.pairs.texts[row],
            folder.items[self.pairs.item_ids[item]],
            narrow=partial(gold_windows, gold=gold) if gold else None,
        )
