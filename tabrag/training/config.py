"""Settings of training, apart from the code that imports torch: ``--help`` and mistakes answer at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(kw_only=True)
class TrainConfig:
    """How a model is trained.

    Attributes:
        batch_size: Queries a process and micro-batch; in-batch negatives come from all processes of a
            micro-batch.
        accumulate: Micro-batches an optimizer step.
        epochs: Passes over the training queries; 0 exports the untrained model.
        max_steps: Stop after this many optimizer steps; 0 goes by ``epochs``.
        lr: Peak learning rate.
        lr_factors: Part of a parameter's name -> its learning rate relative to ``lr``, for new weights.
        weight_decay: AdamW's, on matrices only.
        betas: AdamW's.
        warmup: Share of the steps with a rising learning rate; a cosine to zero follows.
        clip: Largest gradient norm; 0 does not clip.
        precision: ``auto`` is bfloat16 on a GPU that has it, else float32.
        seed: Seed of the order of the data, hard negatives, new weights and dropout.
        log_every: Steps between log lines.
        eval_every: Steps between evaluations on the dev split; 0 evaluates at the end only.
        save_every: Steps between saved states; 0 saves at evaluations and at the end only.
        patience: Stop after this many evaluations without a better figure; 0 never stops early.
    """

    batch_size: int = 32
    accumulate: int = 1
    epochs: int = 1
    max_steps: int = 0
    lr: float = 2e-5
    lr_factors: dict[str, float] = field(default_factory=dict)
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.98)
    warmup: float = 0.05
    clip: float = 1.0
    precision: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    seed: int = 0
    log_every: int = 10
    eval_every: int = 0
    save_every: int = 0
    patience: int = 0


@dataclass(kw_only=True)
class LossConfig:
    """The contrastive loss.

    Attributes:
        symmetric: Add the item-to-query side.
    """

    symmetric: bool = True


@dataclass(kw_only=True)
class DevConfig:
    """How the retriever is judged while it trains.

    Attributes:
        pool: ``all`` items of the corpus, or only those ``judged`` relevant to a dev query (quicker, easier).
        max_queries: Judge on every n-th query so that about this many are used; 0 uses all.
        depth: Ranks kept for the figures.
    """

    pool: Literal["all", "judged"] = "all"
    max_queries: int = 0
    depth: int = 50


@dataclass(kw_only=True)
class TrackingConfig:
    """Where figures go beside ``metrics.jsonl``.

    Attributes:
        wandb: ``online``, ``offline`` (a local run folder to sync later) or ``off``.
        project: Weights & Biases project.
        name: Run name; the run folder's name where empty.
    """

    wandb: Literal["off", "offline", "online"] = "off"
    project: str = "tabrag"
    name: str = ""
