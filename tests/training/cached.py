"""A small contrastive task, and the gradients of one of its steps with and without the gradient cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from tabrag.data.config import TrainingDataConfig
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make
from tabrag.files import write_jsonl
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import DevConfig, LossConfig, TrainConfig
from tabrag.training.retriever_task import RetrieverTask
from tabrag.training.step import step

TEXT = EmbedderConfig(backbone="offline:tiny-bert", max_length=32)
LAYOUT = EmbedderConfig(backbone="offline:tiny-layoutlmv3", inputs="layoutlmv3", max_length=32)


def write_data(folder: Path) -> Path:
    """A data set folder of twenty tables."""
    prepare(make(20, 0), folder)
    return folder


def make_task(
    data: Path,
    *,
    batch_size: int = 8,
    chunk_size: int = 3,
    dropout: float = 0.0,
    item: EmbedderConfig = TEXT,
    symmetric: bool = True,
    negatives: Path | None = None,
    share_towers: bool = False,
) -> RetrieverTask:
    """A tiny retriever's task over ``data``, with the same weights each time."""
    torch.manual_seed(0)
    representation = RepresentationConfig(name="headers" if item is TEXT else "image")
    model = RetrieverConfig(query=TEXT, item=item, share_towers=share_towers)
    hard = {"negatives": str(negatives), "num_negatives": 2} if negatives else {}
    task = RetrieverTask(
        Retriever.from_config(model, representation),
        data=TrainingDataConfig(
            folder=str(data), representation=representation, chunk_size=chunk_size, **hard
        ),
        loss=LossConfig(symmetric=symmetric),
        dev=DevConfig(pool="judged", max_queries=3),
        batch_size=batch_size,
        seed=0,
        settings={"train": {"seed": 0}},
    )
    for part in task.module.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = dropout
    return task


def write_negatives(data: Path) -> Path:
    """A run: each query's candidates are the items after its own; the last query has none."""
    pairs, path = make_task(data).pairs, data.parent / "run.jsonl"
    rows = []
    for query_id, relevant in zip(pairs.query_ids[:-1], pairs.positives[:-1], strict=True):
        order = [(relevant[0] + n) % len(pairs.item_ids) for n in range(4)]
        candidates = [{"item_id": pairs.item_ids[n], "score": 1.0} for n in order]
        rows.append({"query_id": query_id, "candidates": candidates})
    write_jsonl(path, rows)
    return path


def gradients(
    task: RetrieverTask,
    *,
    batches: list[Any] | None = None,
    cached: bool,
    precision: str = "float32",
    seed: int = 0,
    accumulate: int = 1,
) -> dict[str, Tensor]:
    """What the optimizer gets in one step, by parameter."""
    config = TrainConfig(gradcache=cached, clip=0.0, accumulate=accumulate)
    accelerator = make_accelerator(precision)
    names = [name for name, parameter in task.module.named_parameters() if parameter.requires_grad]
    parameters = [parameter for parameter in task.module.parameters() if parameter.requires_grad]
    module, optimizer = accelerator.prepare(task.module, torch.optim.SGD(parameters, lr=0.1))
    found: dict[str, Tensor] = {}

    def look(*_: Any) -> None:
        found.update(
            {n: p.grad.clone() for n, p in zip(names, parameters, strict=True) if p.grad is not None}
        )

    optimizer.optimizer.register_step_pre_hook(look)
    task.module.train()
    torch.manual_seed(seed)
    step(task, module, optimizer, iter(batches or task.batches(0, 0)), accelerator, config)
    return found


def distance(found: dict[str, Tensor], expected: dict[str, Tensor]) -> float:
    """How far gradients lie from the expected ones, over the length of these."""
    assert found.keys() == expected.keys()
    a, b = (torch.cat([value.flatten() for value in side.values()]) for side in (found, expected))
    assert b.norm() > 0.01
    return float((a - b).norm() / b.norm())
