"""Train a reranker: whether a table holds what a question asks for.

python train/reranker.py --config=configs/reranker/small_cross.yaml --data.folder=DIR --out=RUN
accelerate launch --config_file configs/launch/gpu_8.yaml train/reranker.py --config ...
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabrag.config import main, to_dict
from tabrag.data.config import RankingDataConfig
from tabrag.models.config import CrossEncoderConfig
from tabrag.training.config import RankingLossConfig, TrackingConfig, TrainConfig


@dataclass(kw_only=True)
class Config:
    """Settings of a reranker's training.

    Attributes:
        out: Run folder.
        data: Training data.
        cross_encoder: The model.
        loss: The loss.
        train: The loop.
        tracking: Trackers.
        resume: ``none``, ``auto`` (newest complete state) or a state folder.
    """

    out: str
    data: RankingDataConfig
    cross_encoder: CrossEncoderConfig
    loss: RankingLossConfig = field(default_factory=RankingLossConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    tracking: TrackingConfig = field(default_factory=TrackingConfig)
    resume: str = "none"


def run(config: Config) -> dict[str, Any]:
    """Build the parts, train, and return the figures of the exported checkpoint."""
    import torch

    from tabrag.models.cross_encoder import CrossEncoder
    from tabrag.training.accelerator import make_accelerator
    from tabrag.training.cross_task import CrossTask
    from tabrag.training.loop import train

    accelerator = make_accelerator(config.train.precision)
    torch.manual_seed(config.train.seed)
    settings = to_dict(config)
    model = CrossEncoder.from_config(config.cross_encoder)
    task = CrossTask(
        model.to(accelerator.device),
        data=config.data,
        loss=config.loss,
        batch_size=config.train.batch_size,
        seed=config.train.seed,
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
