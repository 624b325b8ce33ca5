"""Settings out of range are told before anything is loaded."""

from __future__ import annotations

from typing import Any

import pytest

from tabrag.data.config import TrainingDataConfig
from tabrag.errors import UserError
from tabrag.index.config import FusionConfig
from tabrag.models.config import EmbedderConfig
from tabrag.training.config import DevConfig, TrainConfig


@pytest.mark.parametrize(
    ("config", "values"),
    [
        (TrainConfig, {"batch_size": 0}),
        (TrainConfig, {"accumulate": 0}),
        (TrainConfig, {"log_every": 0}),
        (TrainConfig, {"epochs": -1}),
        (TrainConfig, {"patience": -1}),
        (TrainConfig, {"lr": -1e-5}),
        (TrainConfig, {"lr": float("nan")}),
        (TrainConfig, {"clip": float("inf")}),
        (TrainConfig, {"warmup": 2.0}),
        (TrainConfig, {"betas": (0.9, 1.0)}),
        (DevConfig, {"depth": 0}),
        (DevConfig, {"max_queries": -1}),
        (TrainingDataConfig, {"folder": "x", "chunk_size": -1}),
        (TrainingDataConfig, {"folder": "x", "num_negatives": -1}),
        (TrainingDataConfig, {"folder": "x", "queries_per_item": 0}),
        (FusionConfig, {"depth": 0}),
        (EmbedderConfig, {"backbone": "x", "projection_dim": 0}),
    ],
)
def test_a_value_out_of_range_is_named(config: Any, values: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=list(values)[-1]):
        config(**values)


def test_the_limits_themselves_are_fine() -> None:
    assert TrainConfig(epochs=0, lr=0.0, clip=0.0, warmup=0.0, batch_size=1).log_every == 10
    assert TrainConfig(warmup=1.0, betas=(0.0, 0.0)).warmup == 1.0
    assert FusionConfig(depth=1).depth == 1 and FusionConfig().depth is None
