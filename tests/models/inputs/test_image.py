"""Pictures alone: ViT, DINOv2 and CLIP towers through one inputs class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from tabrag.errors import UserError
from tabrag.models import tiny
from tabrag.models.config import EmbedderConfig
from tabrag.models.embedder import Embedder
from tabrag.types import Entry

SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "image_size": 32,
    "patch_size": 8,
}


def _dinov2(folder: Path) -> None:
    from transformers import BitImageProcessorPil, Dinov2Config, Dinov2Model

    config = Dinov2Config(**{k: v for k, v in SIZES.items() if k != "intermediate_size"})
    Dinov2Model(config).save_pretrained(folder)
    BitImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}).save_pretrained(
        folder
    )


def _clip(folder: Path) -> None:
    from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel

    text = {k: v for k, v in SIZES.items() if k not in ("image_size", "patch_size")} | {"vocab_size": 50}
    CLIPModel(CLIPConfig(text_config=text, vision_config=SIZES, projection_dim=16)).save_pretrained(folder)
    CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}).save_pretrained(
        folder
    )


@pytest.fixture()
def entries(tmp_path: Path) -> list[Entry]:
    result = []
    for number, size in enumerate(((40, 40), (33, 70))):
        noise = np.random.default_rng(number).integers(0, 256, (*size, 3), dtype=np.uint8)
        Image.fromarray(noise).save(tmp_path / f"{number}.png")
        result.append(Entry(id=str(number), item_id=str(number), image=str(tmp_path / f"{number}.png")))
    return result


@pytest.mark.parametrize("make", [tiny.vit, _dinov2, _clip], ids=["vit", "dinov2", "clip"])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_vision_backbones(make: Any, pooling: Any, entries: list[Entry], tmp_path: Path) -> None:
    folder = tmp_path / "backbone"
    folder.mkdir()
    make(folder)
    config = EmbedderConfig(backbone=str(folder), inputs="image", pooling=pooling, projection_dim=8)
    embedder = Embedder.from_config(config)
    vectors = embedder(**embedder.inputs(entries))
    assert vectors.shape == (2, 8) and vectors.isfinite().all()
    assert not torch.allclose(vectors[0], vectors[1], atol=1e-4)
    vectors.sum().backward()
    without = [n for n, p in embedder.named_parameters() if p.requires_grad and p.grad is None]
    assert not without, "data-parallel training stops at parameters without a gradient"
    embedder.save_pretrained(tmp_path / "saved")
    again = Embedder.from_pretrained(tmp_path / "saved")
    assert torch.allclose(
        again(**again.inputs(entries)), embedder.eval()(**embedder.inputs(entries)), atol=1e-6
    )
    assert again.fingerprint() == embedder.fingerprint()


def test_text_backbone_does_not_fit(tmp_path: Path) -> None:
    tiny.bert(tmp_path)
    with pytest.raises(UserError, match="image processor|image"):
        Embedder.from_config(EmbedderConfig(backbone=str(tmp_path), inputs="image"))
