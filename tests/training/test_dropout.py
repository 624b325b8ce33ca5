"""Dropout by ``train.dropout``: modules and the numbers that attention keeps, for all backbones alike."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from transformers import (
    BartConfig,
    BartModel,
    BertConfig,
    BertModel,
    Dinov2Config,
    LlamaConfig,
    LlamaModel,
    PreTrainedModel,
)
from transformers.models.dinov2 import Dinov2Model

from tabrag.errors import UserError
from tabrag.training.config import TrainConfig
from tabrag.training.dropout import set_dropout

_SIZE = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}


def _models() -> dict[str, tuple[PreTrainedModel, dict[str, Tensor]]]:
    torch.manual_seed(0)
    tokens = {"input_ids": torch.randint(5, 90, (2, 7))}
    bert = BertConfig(**_SIZE, intermediate_size=32, vocab_size=99)
    llama = LlamaConfig(**_SIZE, intermediate_size=32, vocab_size=99, attention_dropout=0.4)
    dino = Dinov2Config(
        **_SIZE,
        mlp_ratio=2,
        image_size=14,
        patch_size=7,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.4,
    )
    bart = BartConfig(
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        vocab_size=99,
        activation_dropout=0.4,
    )
    return {
        "bart": (BartModel(bart), tokens),
        "bert": (BertModel(bert), tokens),
        "llama": (LlamaModel(llama), tokens),
        "dinov2": (Dinov2Model(dino), {"pixel_values": torch.randn(2, 3, 14, 14)}),
    }


@pytest.mark.parametrize("name", ["bart", "bert", "llama", "dinov2"])
def test_without_dropout_two_passes_of_a_training_model_agree(name: str) -> None:
    model, inputs = _models()[name]
    model.train()
    passes = [model(**inputs).last_hidden_state for _ in range(2)]
    assert not torch.equal(*passes)
    set_dropout(model, 0.0)
    assert torch.equal(*[model(**inputs).last_hidden_state for _ in range(2)])


def test_only_what_drops_already_is_set() -> None:
    module = nn.Sequential(nn.Dropout(0.1), nn.Dropout(0.0), nn.Linear(2, 2))
    set_dropout(module, 0.3)
    assert [module[0].p, module[1].p] == [0.3, 0.0]


@pytest.mark.parametrize("rate", [-0.1, 1.0])
def test_a_rate_outside_its_range_is_an_error(rate: float) -> None:
    with pytest.raises(UserError, match="dropout"):
        TrainConfig(dropout=rate)
