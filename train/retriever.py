"""Train a retriever.

python train/retriever.py --config configs/retriever/small.yaml --data.folder=DIR --out=RUN
torchrun --nproc_per_node 8 train/retriever.py --config ...
accelerate launch --config_file configs/launch/gpu_8.yaml train/retriever.py --config ...
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabrag.config import main, to_dict
from tabrag.data.config import TrainingDataConfig
from tabrag.errors import UserError
from tabrag.models.config import RetrieverConfig
from tabrag.training.config import DevConfig, LossConfig, TrackingConfig, TrainConfig


@dataclass(kw_only=True)
class Config:
    """Settings of a retriever training.

    Attributes:
        out: Run folder.
        data: Training data.
        model: The two encoders.
        loss: Contrastive loss.
        train: The loop.
        dev: Evaluation while training.
        tracking: Trackers.
        resume: ``none``, ``auto`` (newest complete state) or a state folder.
    """

    out: str
    data: TrainingDataConfig
    model: RetrieverConfig
    loss: LossConfig = field(default_factory=LossConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    dev: DevConfig = field(default_factory=DevConfig)
    tracking: TrackingConfig = field(default_factory=TrackingConfig)
    resume: str = "none"

    def __post_init__(self) -> None:
        if self.train.gradcache and not self.data.chunk_size:
            raise UserError(
                "train.gradcache encodes a batch in chunks of data.chunk_size entries, which is 0: set it, "
                "for example --data.chunk_size=32"
            )


def run(config: Config) -> dict[str, Any]:
    """Build the parts, train, and return the figures of the exported checkpoint."""
    import torch

    from tabrag.models.retriever import Retriever
    from tabrag.training.accelerator import make_accelerator
    from tabrag.training.loop import train
    from tabrag.training.retriever_task import RetrieverTask

    accelerator = make_accelerator(config.train.precision)
    torch.manual_seed(config.train.seed)
    settings = to_dict(config)
    retriever = Retriever.from_config(config.model, config.data.representation)
    task = RetrieverTask(
        retriever.to(accelerator.device),
        data=config.data,
        loss=config.loss,
        dev=config.dev,
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
    main(run, Config, description="Train a retriever over tables, table images or headers.")
