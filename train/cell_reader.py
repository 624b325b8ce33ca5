"""Train a cell reader: the operator and the cells of a table that answer a question.

python train/cell_reader.py --config configs/cell_reader/small.yaml --data.folder=DIR --out=RUN
accelerate launch --config_file configs/launch/gpu_8.yaml train/cell_reader.py --config ...
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tabrag.config import main, to_dict
from tabrag.data.config import CellDataConfig
from tabrag.models.config import CellReaderConfig
from tabrag.training.config import TrackingConfig, TrainConfig


@dataclass(kw_only=True)
class Config:
    """Settings of a cell reader's training.

    Attributes:
        out: Run folder.
        data: Training data.
        model: The reader.
        train: The loop.
        tracking: Trackers.
        resume: ``none``, ``auto`` (newest complete state) or a state folder.
    """

    out: str
    data: CellDataConfig
    model: CellReaderConfig
    train: TrainConfig = field(default_factory=TrainConfig)
    tracking: TrackingConfig = field(default_factory=TrackingConfig)
    resume: str = "none"


def run(config: Config) -> dict[str, Any]:
    """Build the parts, train, and return the figures of the exported checkpoint."""
    import torch

    from tabrag.models.cell_reader import CellReader
    from tabrag.training.accelerator import make_accelerator
    from tabrag.training.cell_reader_task import CellReaderTask
    from tabrag.training.loop import train

    accelerator = make_accelerator(config.train.precision)
    torch.manual_seed(config.train.seed)
    settings = to_dict(config)
    model = CellReader.from_config(config.model)
    task = CellReaderTask(
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
    main(
        run,
        Config,
        description="Train a reader that answers questions from cells of their table, computed where needed.",
    )
