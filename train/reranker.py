"""Train a reranker: whether a table holds what a question asks for.

python train/reranker.py --config=configs/reranker/small_cross.yaml --data.folder=DIR --out=RUN
accelerate launch --config_file configs/launch/gpu_8.yaml train/reranker.py --config ...
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabrag.config import main, to_dict
from tabrag.data.config import RankingDataConfig, RankingTasksConfig
from tabrag.errors import UserError
from tabrag.models.config import ChatRerankerConfig, CrossEncoderConfig, WordRerankerConfig
from tabrag.training.config import RankingLossConfig, TrackingConfig, TrainConfig


@dataclass(kw_only=True)
class Config:
    """Settings of a reranker's training.

    Attributes:
        out: Run folder.
        data: Training data.
        cross_encoder: The model, if it is a cross-encoder.
        words: The model, if it goes by words alone.
        loss: The loss of either.
        chat: The model, if it is a language model, which learns to answer as well.
        tasks: What a language model learns.
        train: The loop.
        tracking: Trackers.
        resume: ``none``, ``auto`` (newest complete state) or a state folder.
    """

    out: str
    data: RankingDataConfig
    cross_encoder: CrossEncoderConfig | None = None
    words: WordRerankerConfig | None = None
    loss: RankingLossConfig | None = None
    chat: ChatRerankerConfig | None = None
    tasks: RankingTasksConfig | None = None
    train: TrainConfig = field(default_factory=TrainConfig)
    tracking: TrackingConfig = field(default_factory=TrackingConfig)
    resume: str = "none"

    def __post_init__(self) -> None:
        if sum(model is not None for model in (self.cross_encoder, self.words, self.chat)) != 1:
            raise UserError("give the settings of one model: either cross_encoder, words or chat")
        if self.chat is not None and self.loss is not None:
            raise UserError(
                "loss belongs to a cross_encoder or words: a language model learns its replies; see tasks"
            )
        if self.chat is None and self.tasks is not None:
            raise UserError(
                "tasks belong to a language model (chat): a cross_encoder or words only rank; see loss"
            )


def run(config: Config) -> dict[str, Any]:
    """Build the parts, train, and return the figures of the exported checkpoint."""
    import torch

    from tabrag.training.accelerator import make_accelerator
    from tabrag.training.loop import train
    from tabrag.training.rerankers import make_task

    accelerator = make_accelerator(config.train.precision)
    torch.manual_seed(config.train.seed)
    settings = to_dict(config)
    task = make_task(
        config.cross_encoder or config.words or config.chat,
        data=config.data,
        loss=config.loss or RankingLossConfig(),
        tasks=config.tasks or RankingTasksConfig(),
        train=config.train,
        accelerator=accelerator,
        settings=settings,
    )
    return train(
        task,
        config.train,
        accelerator=accelerator,
        out=Path(config.out),
        settings=settings,
        resume=config.resume,
        tracking=config.tracking,
    )


if __name__ == "__main__":
    main(run, Config, description="Train a reranker: whether a table holds what a question asks for.")
