"""A task small enough to train in milliseconds: two linear encoders with dropout over random vectors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.data.sampling import epoch_batches
from tabrag.files import read_json, write_json
from tabrag.losses.info_nce import false_negatives, info_nce


def damage(folder: Path, change: dict[str, Any], *, without: str = "") -> None:
    """Change what a state's ``progress.json`` says, and the size that is noted of it, so that only its values
    are at fault.
    """
    path = folder / "progress.json"
    values = {**read_json(path), **change}
    values.pop(without, None)
    write_json(path, values)
    sizes = folder / "complete.json"
    write_json(sizes, {**read_json(sizes), path.name: path.stat().st_size})


class ToyModule(nn.Module):
    """Encoders of queries and items; the loss of a batch of index pairs."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query = nn.Linear(6, 4)
        self.item = nn.Linear(6, 4)
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: dict[str, Any]) -> Tensor:
        q_AE, first = distributed.gather(self.query(self.dropout(batch["query"])))
        i_NE, first_item = distributed.gather(self.item(self.dropout(batch["item"])))
        target, _ = distributed.gather(batch["target"] + first_item)
        items, _ = distributed.gather(batch["items"])
        return info_nce(
            q_AE,
            i_NE,
            target_A=target,
            relevant_AN=false_negatives(items, items[:, None]),
            scale=5.0,
            local=slice(first, first + len(batch["query"])),
        )


class ToyTask:
    """Implements the task protocol; ``seen`` records the ids of every batch."""

    def __init__(self, *, num_queries: int = 16, batch_size: int = 4, dropout: float = 0.5) -> None:
        generator = torch.Generator().manual_seed(7)
        torch.manual_seed(0)
        self.module = ToyModule(dropout)
        self.x = torch.randn(num_queries, 6, generator=generator)
        self.y = self.x + 0.1 * torch.randn(num_queries, 6, generator=generator)
        self.batch_size = batch_size
        self.dev_figures: list[float] | None = None
        self.seen: list[list[str]] = []

    def describe(self) -> dict[str, Any]:
        return {"candidates per query": self.batch_size * distributed.world_size()}

    def num_batches(self) -> int:
        return len(self.x) // (self.batch_size * distributed.world_size())

    def batches(self, epoch: int, start: int) -> Iterable[dict[str, Any]]:
        size = distributed.world_size()
        plan = epoch_batches(
            range(len(self.x)), batch_size=self.batch_size, num_processes=size, seed=0, epoch=epoch
        )[distributed.rank() :: size]
        for rows in plan[start:]:
            self.seen.append([str(row) for row in rows])
            index = torch.tensor(rows)
            yield {
                "query": self.x[index],
                "item": self.y[index],
                "target": torch.arange(len(rows)),
                "items": index,
                "query_ids": [str(row) for row in rows],
            }

    def metrics(self) -> dict[str, float]:
        return {}

    def batch_ids(self, batch: dict[str, Any]) -> list[str]:
        return batch["query_ids"]

    def evaluate(self) -> dict[str, float]:
        if self.dev_figures is not None:
            return {"score": self.dev_figures.pop(0)}
        return {
            "score": -float((self.module.query(self.x) - self.module.item(self.y)).detach().pow(2).mean())
        }

    def selection_metric(self) -> str:
        return "score"

    def export(self, folder: Path, *, metrics: dict[str, float]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "weights.txt").write_text(str(self.module.query.weight.tolist()))
