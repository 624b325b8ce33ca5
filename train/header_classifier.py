"""Train a header classifier: which rows and columns of a table a question needs.

python train/header_classifier.py --config configs/header_classifier/small.yaml --data.folder=DIR --out=RUN
accelerate launch --config_file configs/launch/gpu_8.yaml train/header_classifier.py --config ...
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabrag.config import main, to_dict
from tabrag.data.config import HeaderDataConfig
from tabrag.models.config import HeaderClassifierConfig
from tabrag.training.config import TrackingConfig, TrainConfig


@dataclass(kw_only=True)
class Config:
    """Settings of a header classifier's training.

    Attributes:
        out: Run folder.
        data: Training data.
        model: The classifier.
        train: The loop.
        tracking: Trackers.
        resume: ``none``, ``auto`` (newest complete state) or a state folder.
    """

    out: str
    data: HeaderDataConfig
    model: HeaderClassifierConfig
    train: TrainConfig = field(default_factory=TrainConfig)
    tracking: TrackingConfig = field(default_factory=TrackingConfig)
    resume: str = "none"


def run(config: Config) -> dict[str, Any]:
    """Build the parts, train, and return the figures of the exported checkpoint."""
    import torch

    from tabrag.models.header_classifier import HeaderClassifier
    from tabrag.training.accelerator import make_accelerator
    from tabrag.training.header_task import HeaderTask
    from tabrag.training.loop import train

    accelerator = make_accelerator(config.train.precision)
    torch.manual_seed(config.train.seed)
    settings = to_dict(config)
    model = HeaderClassifier.from_config(config.model)
    task = HeaderTask(
        model.to(accelerator.device),
        data=config.data,
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
    main(run, Config, description="Train a classifier of the rows and columns that a question needs.")
