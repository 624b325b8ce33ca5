"""How fast a retriever trains, beside the trainer of sentence-transformers on the same weights and texts."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tabrag.data.batches import RetrieverBatches
from tabrag.data.config import TrainingDataConfig
from tabrag.errors import UserError
from tabrag.inference.encode import encode
from tabrag.models.config import EmbedderConfig, RetrieverConfig
from tabrag.models.retriever import Retriever
from tabrag.representations import RepresentationConfig, build
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import DevConfig, LossConfig, TrainConfig
from tabrag.training.retriever_task import RetrieverTask
from tabrag.training.step import step
from tabrag.training.task import decay_groups
from tabrag.types import Entry

TEMPERATURE = 0.05
Clock = tuple[float, float]
"""Wall clock and process time (all threads), in seconds."""


def make_task(
    folder: Path,
    *,
    backbone: str,
    batch_size: int,
    chunk_size: int,
    lengths: tuple[int, int],
) -> RetrieverTask:
    """Two towers over the questions and header texts of a data set folder, the same for the same arguments.

    Args:
        folder: Data set folder.
        backbone: A text backbone, for both towers.
        batch_size: Pairs in a batch.
        chunk_size: See :class:`tabrag.data.config.TrainingDataConfig`.
        lengths: Most tokens of a question, and of a header text.

    Raises:
        UserError: The folder is none to train on.
    """
    torch.manual_seed(0)
    query = EmbedderConfig(backbone=backbone, max_length=lengths[0])
    item = EmbedderConfig(backbone=backbone, max_length=lengths[1])
    representation = RepresentationConfig(name="headers")
    config = RetrieverConfig(query=query, item=item, temperature=TEMPERATURE, learn_temperature=False)
    return RetrieverTask(
        Retriever.from_config(config, representation),
        data=TrainingDataConfig(folder=str(folder), representation=representation, chunk_size=chunk_size),
        loss=LossConfig(symmetric=False),
        dev=DevConfig(),
        batch_size=batch_size,
        seed=0,
        settings={},
    )


def steps(task: RetrieverTask, config: TrainConfig) -> Iterator[Clock]:
    """Train step after step, epoch after epoch, with AdamW; the clocks after each step."""
    accelerator = make_accelerator("float32")
    groups = decay_groups(task.module, lr=config.lr, weight_decay=config.weight_decay, lr_factors={})
    optimizer = torch.optim.AdamW(groups, lr=config.lr, betas=config.betas)
    module, optimizer = accelerator.prepare(task.module.to(accelerator.device), optimizer)
    module.train()
    batches = (batch for epoch in range(10**9) for batch in task.batches(epoch, 0))
    while True:
        step(task, module, optimizer, batches, accelerator, config)
        yield clock()


def clock() -> Clock:
    """Now, after all that a GPU still has to do."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter(), time.process_time()


def compare_training(
    folder: Path,
    *,
    backbone: str = "offline:minilm",
    batch_size: int = 32,
    num_steps: int = 8,
    repeats: int = 2,
    chunk_size: int = 8,
    query_length: int = 64,
    item_length: int = 192,
) -> dict[str, Any]:
    """Train two towers with the loop's step and with SentenceTransformerTrainer, in turn.

    Both start from the same weights and take the same batches of the same questions and header texts, in
    float32 with AdamW, clipping, and the loss over in-batch negatives; making the batches counts. Our side
    runs twice: padded to one length as the other is, and in the chunks of like lengths that
    ``data.chunk_size`` makes, which give the same loss. Each round's first step is left out.

    Args:
        folder: Data set folder with training questions.
        backbone: A text backbone, for both towers.
        batch_size: Pairs in a step.
        num_steps: Measured steps a round.
        repeats: Rounds of each; the best one counts.
        chunk_size: Of our side's second run.
        query_length: Most tokens of a question.
        item_length: Most tokens of a header text.

    Returns:
        ``examples_per_s`` and ``cpu_s`` a step of each; ratios to sentence-transformers (above 1: ours is
        faster or needs less); ``max_difference`` of the untrained vectors of a batch; and the setting.

    Raises:
        UserError: sentence-transformers is not installed, or the folder is too small.
    """
    try:
        import sentence_transformers
    except ImportError as error:
        raise UserError("the comparison needs the package 'sentence-transformers': pip install it") from error
    lengths = (query_length, item_length)
    whole, chunked = (
        make_task(folder, backbone=backbone, batch_size=batch_size, chunk_size=size, lengths=lengths)
        for size in (0, chunk_size)
    )
    texts = _texts(whole, repeats * (num_steps + 1))
    config = TrainConfig(batch_size=batch_size, lr=2e-5)
    ours = {"tabrag": steps(whole, config), "tabrag_chunked": steps(chunked, config)}
    best: dict[str, np.ndarray] = {}
    with tempfile.TemporaryDirectory() as temporary:
        peer = _Peer(whole.retriever, temporary)
        difference = peer.difference(whole.retriever.eval(), texts[0])
        for start in range(0, len(texts), num_steps + 1):
            own_texts = texts[start : start + num_steps + 1]
            rounds = {name: [next(side) for _ in own_texts] for name, side in ours.items()}
            rounds["sentence_transformers"] = peer.train(own_texts, config)
            for name, clocks in rounds.items():
                spent = np.subtract(clocks[-1], clocks[0])
                best[name] = np.minimum(best.get(name, spent), spent)
    wall, cpu = ({name: float(spent[place]) for name, spent in best.items()} for place in (0, 1))
    other = "sentence_transformers"
    return {
        "examples_per_s": {n: round(batch_size * num_steps / seconds, 2) for n, seconds in wall.items()},
        "cpu_s": {name: round(seconds / num_steps, 3) for name, seconds in cpu.items()},
        "speed_ratio": {name: round(wall[other] / wall[name], 3) for name in ours},
        "cpu_ratio": {name: round(cpu[other] / cpu[name], 3) for name in ours},
        "max_difference": difference,
        "batch_size": batch_size,
        "chunk_size": chunk_size,
        "steps": num_steps,
        "repeats": repeats,
        "lengths": lengths,
        "threads": torch.get_num_threads(),
        "device": "cuda" if torch.cuda.is_available() else "cpu",
        "dtype": "float32",
        "sentence_transformers": sentence_transformers.__version__,
    }


def _texts(task: RetrieverTask, num_batches: int) -> list[list[tuple[str, str]]]:
    """Question and header text of each pair of the task's first batches, epoch after epoch."""
    represent = build(task.data.representation)
    folder = task.pairs.folder
    found: list[list[tuple[str, str]]] = []
    for epoch in range(num_batches):
        batches = RetrieverBatches(
            task.pairs,
            config=task.data,
            query_inputs=task.retriever.query.inputs,
            item_inputs=task.retriever.item.inputs,
            batch_size=task.batch_size,
            num_processes=1,
            rank=0,
            seed=task.seed,
            epoch=epoch,
        )
        for rows in batches.plan:
            tables = (folder.tables[task.pairs.item_ids[batches.first_positive[row]]] for row in rows)
            items = [represent(table, folder=folder.path)[0].text for table in tables]
            found.append(list(zip((task.pairs.texts[row] for row in rows), items, strict=True)))
        if len(found) >= num_batches:
            break
    return found[:num_batches]


class _Peer:
    """sentence-transformers' trainer on a copy of a task's towers."""

    def __init__(self, retriever: Retriever, folder: str) -> None:
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Router

        retriever.save_pretrained(Path(folder) / "model")
        query, document = (
            list(SentenceTransformer(str(Path(folder) / "model" / side)).children())
            for side in ("query", "item")
        )
        self.folder = folder
        self.model = SentenceTransformer(modules=[Router.for_query_document(query, document)])

    def difference(self, retriever: Retriever, pairs: Sequence[tuple[str, str]]) -> float:
        """Largest difference between both sides' vectors of some pairs."""
        queries, items = (list(texts) for texts in zip(*pairs, strict=True))
        theirs = (
            self.model.encode_query(queries, show_progress_bar=False),
            self.model.encode_document(items, show_progress_bar=False),
        )
        entries = [[Entry(id=t, item_id=t, text=t) for t in texts] for texts in (queries, items)]
        towers = (retriever.query, retriever.item)
        ours = [
            encode(tower, rows, progress=False, dtype="float32")
            for tower, rows in zip(towers, entries, strict=True)
        ]
        return max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True))

    def train(self, batches: Sequence[Sequence[tuple[str, str]]], config: TrainConfig) -> list[Clock]:
        """One step a batch; the clocks after each."""
        from datasets import Dataset
        from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
        from sentence_transformers.base.sampler import DefaultBatchSampler
        from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
        from torch.utils.data import SequentialSampler
        from transformers import TrainerCallback

        clocks: list[Clock] = []

        class Watch(TrainerCallback):
            def on_step_end(self, *_: Any, **__: Any) -> None:
                clocks.append(clock())

        rows = [{"query": query, "item": item} for batch in batches for query, item in batch]
        settings = SentenceTransformerTrainingArguments(
            output_dir=self.folder,
            max_steps=len(batches),
            per_device_train_batch_size=config.batch_size,
            batch_sampler=lambda data, **options: DefaultBatchSampler(SequentialSampler(data), **options),
            router_mapping={"query": "query", "item": "document"},
            learning_rate=config.lr,
            lr_scheduler_type="constant",
            weight_decay=config.weight_decay,
            adam_beta1=config.betas[0],
            adam_beta2=config.betas[1],
            max_grad_norm=config.clip,
            optim="adamw_torch",
            report_to="none",
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
        )
        trainer = SentenceTransformerTrainer(
            model=self.model,
            args=settings,
            train_dataset=Dataset.from_list(rows),
            loss=MultipleNegativesRankingLoss(self.model, scale=1 / TEMPERATURE),
            callbacks=[Watch()],
        )
        trainer.train()
        return clocks
