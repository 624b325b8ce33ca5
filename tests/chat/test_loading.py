"""Processors that older folders hold in part, and pictures whose tokens processor and model count alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from noise import noise
from tiny_chat import PICTURE_TEMPLATE, save_llava
from tiny_pictures import save_idefics3, save_llava_next

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Message, Picture, Text
from tabrag.errors import UserError

FIELDS = ("patch_size", "vision_feature_select_strategy", "num_additional_image_tokens")


def open_chat(folder: Path) -> LocalChat:
    return LocalChat(LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=4000))


def picture_file(path: Path, width: int, height: int) -> str:
    noise((width, height), 200).convert("RGB").save(path)
    return str(path)


@pytest.mark.parametrize("kept", [(), FIELDS[:1], FIELDS[:2], "wrong"])
@pytest.mark.parametrize("make", [save_llava, save_llava_next])
def test_what_a_processor_lacks_or_has_wrong_comes_from_the_model(
    make: Any, kept: tuple[str, ...] | str, tmp_path: Path
) -> None:
    folder = make(tmp_path / "model")
    messages = [Message("user", (Picture(picture_file(tmp_path / "a.png", 60, 40)), Text("why?")))]
    expected = open_chat(folder).score(messages, ["True", "False"])
    path = folder / "processor_config.json"
    values = json.loads(path.read_text())
    lacks = [name for name in FIELDS if name not in kept]
    changed = {name: value for name, value in values.items() if name not in lacks}
    if kept == "wrong":
        changed |= {"patch_size": 7, "vision_feature_select_strategy": "full"}
    path.write_text(json.dumps(changed))
    chat = open_chat(folder)
    assert chat.score(messages, ["True", "False"]) == pytest.approx(expected, abs=1e-6)
    chat._loaded[2].save_pretrained(tmp_path / "again")
    saved = json.loads((tmp_path / "again/processor_config.json").read_text())
    assert {name: saved[name] for name in FIELDS} == {name: values[name] for name in FIELDS}


def _model(folder: Path, *, strategy: str, tower: str, tiles: bool) -> Path:
    """A tiny LLaVA or LLaVA-NeXT over a tower with a class token (CLIP) or without one (SigLIP)."""
    import transformers

    source = save_llava_next(folder / "source") if tiles else save_llava(folder / "source")
    model = transformers.AutoModelForImageTextToText.from_pretrained(source)
    config = model.config
    layers = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    if tower == "siglip":
        config.vision_config = transformers.SiglipVisionConfig(image_size=28, patch_size=14, **layers)
    config.vision_feature_select_strategy = strategy
    torch.manual_seed(0)
    type(model)(config).save_pretrained(folder / "model")
    processor = transformers.AutoProcessor.from_pretrained(source)
    processor.patch_size = None
    processor.chat_template = PICTURE_TEMPLATE
    processor.save_pretrained(folder / "model")
    return folder / "model"


@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize(("tower", "strategy"), [("clip", "default"), ("clip", "full"), ("siglip", "full")])
def test_processor_and_model_count_a_pictures_tokens_alike(
    tmp_path: Path, tower: str, strategy: str, tiles: bool
) -> None:
    chat = open_chat(_model(tmp_path, strategy=strategy, tower=tower, tiles=tiles))
    if tiles and (tower, strategy) == ("clip", "full"):
        with pytest.raises(UserError, match="keeps the class token of each tile"):
            _ = chat.reads_pictures
        return
    _count_alike(chat, tmp_path)


def test_idefics3_counts_alike(tmp_path: Path) -> None:
    _count_alike(open_chat(save_idefics3(tmp_path / "model")), tmp_path)


def _count_alike(chat: LocalChat, folder: Path) -> None:
    model, tokenizer, processor = chat._loaded
    for width, height in ((400, 900), (900, 400), (950, 1256), (1257, 951)):
        path = picture_file(folder / f"{width}.png", width, height)
        messages = [Message("user", (Picture(path), Text("why?")))]
        inputs = chat._encoder.encode_prompt(chat._encoder.prompt(messages, reserve=4))
        image = tokenizer.convert_tokens_to_ids("<image>")
        placeholders = int((inputs["input_ids"] == image).sum())
        with torch.no_grad():
            features = model.model.get_image_features(
                **{name: value for name, value in inputs.items() if name in _PICTURE_ARGUMENTS}
            ).pooler_output
        rows = [one.reshape(-1, one.shape[-1]) for one in features]
        assert placeholders == sum(map(len, rows)) > 0, (width, height)
        assert len(chat.score(messages, ["True", "False"])) == 2  # the model itself checks the count too


_PICTURE_ARGUMENTS = ("pixel_values", "image_sizes", "pixel_attention_mask")
