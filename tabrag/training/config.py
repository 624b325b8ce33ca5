"""Settings of training, apart from the code that imports torch: ``--help`` and mistakes answer at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tabrag.errors import UserError


@dataclass(kw_only=True)
class TrainConfig:
    """How a model is trained.

    Attributes:
        batch_size: Queries a process and micro-batch; in-batch negatives come from all processes of a
            micro-batch.
        accumulate: Micro-batches an optimizer step.
        gradcache: Encode a batch chunk by chunk, twice, and keep the graph of one chunk only (Gao et al.,
            2021): the gradients of the whole batch in about the memory of ``data.chunk_size`` queries and
            items, for about a third more time. Needs ``data.chunk_size``; not for DeepSpeed or FSDP.
        epochs: Passes over the training queries; 0 exports the untrained model.
        max_steps: Stop after this many optimizer steps; 0 goes by ``epochs``.
        lr: Peak learning rate.
        lr_factors: Part of a parameter's name -> its learning rate relative to ``lr``, for new weights.
        weight_decay: AdamW's, on matrices only.
        betas: AdamW's.
        warmup: Share of the steps with a rising learning rate; a cosine to zero follows.
        clip: Largest gradient norm; 0 does not clip.
        dropout: Probability of every dropout of the model that drops at all; its own settings hold where this
            is empty. At 0 no masks are drawn, in bfloat16 on a CPU a third of a step.
        precision: ``auto`` is bfloat16 on a GPU that has it, else float32.
        seed: Seed of the order of the data, hard negatives, new weights and dropout.
        log_every: Steps between log lines.
        eval_every: Steps between evaluations on the dev split; 0 evaluates at the end only.
        save_every: Steps between saved states; 0 saves at evaluations and at the end only.
        patience: Stop after this many evaluations without a better figure; 0 never stops early.
        estimate: Tell before the first step how long the run will take, by a trial of a part of its batch
            (a second or two) that changes nothing of the run.
    """

    batch_size: int = 32
    accumulate: int = 1
    gradcache: bool = False
    epochs: int = 1
    max_steps: int = 0
    lr: float = 2e-5
    lr_factors: dict[str, float] = field(default_factory=dict)
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.98)
    warmup: float = 0.05
    clip: float = 1.0
    dropout: float | None = None
    precision: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    seed: int = 0
    log_every: int = 10
    eval_every: int = 0
    save_every: int = 0
    patience: int = 0
    estimate: bool = True

    def __post_init__(self) -> None:
        for name in ("batch_size", "accumulate", "log_every"):
            _at_least(1, name, getattr(self, name))
        for name in ("epochs", "max_steps", "eval_every", "save_every", "patience"):
            _at_least(0, name, getattr(self, name))
        for name in ("lr", "weight_decay", "clip"):
            _at_least(0, name, getattr(self, name))
        if self.dropout is not None and not 0 <= self.dropout < 1:
            raise UserError(f"dropout {self.dropout} does not lie in 0..1 (1 excluded)")
        if not 0 <= self.warmup <= 1:
            raise UserError(f"warmup is a share of the steps, 0..1, found {self.warmup}")
        if not all(0 <= beta < 1 for beta in self.betas):
            raise UserError(f"betas lie in 0..1 (1 excluded), found {list(self.betas)}")


@dataclass(kw_only=True)
class LossConfig:
    """The contrastive loss.

    Attributes:
        symmetric: Add the item-to-query side.
    """

    symmetric: bool = True


@dataclass(kw_only=True)
class RankingLossConfig:
    """The loss of a cross-encoder or word reranker: listwise over the candidates of a query, plus pointwise.

    Attributes:
        pointwise: Weight of the binary cross-entropy beside the softmax over the candidates; it is what gives
            the scores a zero.
    """

    pointwise: float = 0.2

    def __post_init__(self) -> None:
        _at_least(0, "pointwise", self.pointwise)


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

    def __post_init__(self) -> None:
        _at_least(0, "max_queries", self.max_queries)
        _at_least(1, "depth", self.depth)


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


def _at_least(lowest: int, name: str, value: float) -> None:
    if not lowest <= value < float("inf"):
        raise UserError(f"{name} must be {lowest} or more, found {value}")
