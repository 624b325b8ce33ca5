"""The task of the reranker that settings describe."""

from __future__ import annotations

from typing import Any

from tabrag.data.config import RankingDataConfig, RankingTasksConfig
from tabrag.errors import UserError
from tabrag.models.config import ChatRerankerConfig, CrossEncoderConfig, WordRerankerConfig
from tabrag.training.accelerator import is_partitioned
from tabrag.training.config import RankingLossConfig, TrainConfig
from tabrag.training.task import Task


def make_task(
    model: CrossEncoderConfig | WordRerankerConfig | ChatRerankerConfig | None,
    *,
    data: RankingDataConfig,
    loss: RankingLossConfig,
    tasks: RankingTasksConfig,
    train: TrainConfig,
    accelerator: Any,
    settings: dict[str, Any],
) -> Task:
    """Build model and task.

    Args:
        model: A cross-encoder, a word reranker or a language model.
        data: Training data.
        loss: The loss of a cross-encoder or word reranker.
        tasks: What a language model learns.
        train: The loop's settings.
        accelerator: ``accelerate.Accelerator``.
        settings: The whole resolved configuration, for the records.

    Raises:
        UserError: The model cannot be trained so.
    """
    shared: dict[str, Any] = {
        "data": data,
        "batch_size": train.batch_size,
        "seed": train.seed,
        "settings": settings,
    }
    assert model is not None
    if not isinstance(model, ChatRerankerConfig):
        from tabrag.models.cross_encoder import CrossEncoder
        from tabrag.models.pair_model import PairModel
        from tabrag.models.word_reranker import WordReranker
        from tabrag.training.pair_task import PairTask

        pairs: PairModel
        if isinstance(model, CrossEncoderConfig):
            pairs = CrossEncoder.from_config(model)
        else:
            pairs = WordReranker(model)
        return PairTask(pairs.to(accelerator.device), loss=loss, **shared)
    if is_partitioned(accelerator) and model.four_bit:
        raise UserError("4-bit weights cannot be split by DeepSpeed: launch with configs/launch/gpu_8.yaml")
    from tabrag.models.chat_reranker import ChatReranker
    from tabrag.training.chat_reranker_task import ChatRerankerTask

    reranker = ChatReranker.from_config(model, device=accelerator.device)
    return ChatRerankerTask(reranker, tasks=tasks, **shared)
