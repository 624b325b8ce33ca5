"""The parts of image-text models: their names are those that transformers builds."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tabrag.errors import UserError
from tabrag.models.towers import FAMILIES, Towers, is_read, linear_layers, towers_of, within

_LAYERS = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}


def build(kind: str) -> Any:
    """A model of the family without memory, of two layers."""
    import transformers

    config = transformers.AutoConfig.for_model(kind)
    text = config.get_text_config()
    text.num_hidden_layers = 2
    if getattr(text, "layer_types", None):
        text.layer_types = text.layer_types[:2]
    vision = config.vision_config
    for name in ("num_hidden_layers", "depth"):
        if hasattr(vision, name):
            setattr(vision, name, 4)
    if hasattr(vision, "deepstack_visual_indexes"):
        vision.deepstack_visual_indexes = [1, 2]
    with torch.device("meta"):
        return transformers.AutoModelForImageTextToText.from_config(config)


@pytest.mark.parametrize("kind", sorted(FAMILIES))
def test_the_parts_cover_the_model(kind: str) -> None:
    model = build(kind)
    towers = towers_of(model.config, pictures=True)
    names = [name for name, _ in model.named_parameters()]
    for part in (*towers.vision, *towers.projector[:1], towers.language[0]):
        assert any(within(name, (part,)) for name in names), part
    rest = [n for n in names if not within(n, (*towers.language, *towers.vision, *towers.projector))]
    assert not rest
    language = linear_layers(model, towers.language)
    vision = linear_layers(model, towers.vision, without=towers.projector)
    assert len(language) == 14 and "lm_head" not in language
    assert len(vision) >= 4 * 4 and not any(within(name, towers.projector) for name in vision)
    assert not set(language) & set(vision)


def test_layers_behind_the_one_that_is_taken_are_not_read() -> None:
    model = build("llava")
    assert model.config.vision_feature_layer == -2
    names = [n for n, _ in model.named_parameters() if ".vision_tower." in n]
    unread = {name for name in names if not is_read(name, model.config)}
    assert unread and all(".layers.3." in name or "post_layernorm" in name for name in unread)
    model.config.vision_feature_layer = [-2, -1]
    assert all("post_layernorm" in name for name in names if not is_read(name, model.config))


def test_text_models_and_unknown_families() -> None:
    class Config:
        model_type = "other"

    assert towers_of(Config(), pictures=False) == Towers(language=("",))
    assert within("model.layers.0.weight", ("",))
    with pytest.raises(UserError, match="of the kind other is not supported; there are llava"):
        towers_of(Config(), pictures=True)
