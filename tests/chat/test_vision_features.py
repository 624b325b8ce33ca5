"""Stored outputs of vision towers: the tower does not run, and scores are those with it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from noise import noise
from safetensors.torch import load_file, save_file
from tiny_chat import TEMPLATE, save, save_llava
from tiny_pictures import save_idefics3, save_llava_next
from tiny_qwen import make_qwen, save_qwen
from torch import Tensor

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.protocol import Conversation, Message, Picture, Text
from tabrag.chat.vision_features import (
    VisionFeatures,
    compute_features,
    digests_of,
    folder_of,
    identity_of,
    take,
)
from tabrag.errors import UserError
from tabrag.inference.vision_job import store_features
from tabrag.models.chat_reranker import ChatReranker
from tabrag.models.config import ChatRerankerConfig, LoraConfig

LABELS = ["True", "False"]


def settings(folder: Path, **more: Any) -> LocalChatConfig:
    return LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=4000, **more)


def count_runs(chat: LocalChat) -> list[int]:
    """Grows by one with each run of the model's vision tower."""
    inner = chat._loaded[0].model
    names = ("vision_tower", "vision_model", "visual")
    tower = next(getattr(inner, name) for name in names if hasattr(inner, name))
    runs: list[int] = []
    tower.register_forward_hook(lambda *_: runs.append(1))
    return runs


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("pictures")
    for number, size in enumerate([(28, 28), (60, 40), (90, 30)]):
        noise(size, 200, seed=number).convert("RGB").save(folder / f"{number}.png")
    return [str(folder / f"{number}.png") for number in range(3)]


@pytest.fixture(scope="module")
def llava(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_llava(tmp_path_factory.mktemp("llava"))


def ask(*paths: str, text: str = "why?") -> Conversation:
    return [Message("user", (*(Picture(path) for path in paths), Text(text)))]


@pytest.mark.parametrize("cache", [0, 64])
@pytest.mark.parametrize("make", [save_llava, save_llava_next, save_idefics3, "qwen3_vl"])
def test_scores_are_those_with_the_tower_which_does_not_run(
    make: Callable[[Path], Path] | str, cache: int, pictures: list[str], tmp_path: Path
) -> None:
    if isinstance(make, str):
        pytest.importorskip("torchvision", reason="Qwen's processors need torchvision")
    folder = save_qwen(tmp_path / "m", make) if isinstance(make, str) else make(tmp_path / "m")
    prompts = [ask(pictures[0]), ask(pictures[1]), ask(pictures[1], pictures[2], pictures[0])]
    prompts += [ask(pictures[0], text="how many?")]
    plain = LocalChat(settings(folder, prefix_cache_mb=cache))
    runs = count_runs(plain)
    expected = plain.score_batch(prompts, LABELS)
    assert len(runs) >= 3
    assert len({round(true, 3) for true, _ in expected}) == len(prompts)  # pictures and texts matter
    figures = store_features(settings(folder), tmp_path / "index", pictures)
    assert figures == {"pictures": 3, "new_pictures": 3, "failed": 0}
    stored = LocalChat(settings(folder, prefix_cache_mb=cache, vision_features=str(tmp_path / "index")))
    runs = count_runs(stored)
    assert torch.tensor(stored.score_batch(prompts, LABELS)).allclose(torch.tensor(expected), atol=1e-5)
    replies = [reply.text for reply in stored.generate_batch(prompts, max_new_tokens=3)]
    assert runs == []
    assert replies == [reply.text for reply in plain.generate_batch(prompts, max_new_tokens=3)]


@pytest.mark.parametrize("kind", ["qwen2_5_vl", "qwen3_vl"])
def test_qwen_takes_the_features_of_all_its_layers(kind: str, tmp_path: Path) -> None:
    model, tokenizer = make_qwen(kind)
    vision = model.config.vision_config
    width = 3 * vision.temporal_patch_size * vision.patch_size**2
    draw = torch.Generator().manual_seed(0)
    pixels = torch.randn(24, width, generator=draw)
    grid = torch.tensor([[1, 4, 4], [1, 2, 4]])  # of 2 x 2 patches a token
    image = tokenizer.convert_tokens_to_ids("<|image_pad|>")
    ids = torch.tensor([[20, *[image] * 4, 21, *[image] * 2, 22, 23]])

    def logits(patches: Tensor) -> Tensor:
        with torch.no_grad():
            return model(
                input_ids=ids,
                pixel_values=patches,
                image_grid_thw=grid,
                mm_token_type_ids=(ids == image).int(),
                use_cache=False,
            ).logits

    expected = logits(pixels)
    assert (logits(pixels.flip(0)) - expected).abs().max() > 1e-2
    features = VisionFeatures.begin(tmp_path / "index", identity_of(model, "m"))
    for part, shape in zip(pixels.split([16, 8]), grid.split(1), strict=True):
        made = compute_features(model, {"pixel_values": part, "image_grid_thw": shape})
        features.add(made)
        assert [len(some) for some in made.values()] == [2 if kind == "qwen3_vl" else 1]
    take(model, tmp_path / "index", name="m")
    runs: list[int] = []
    model.model.visual.register_forward_hook(lambda *_: runs.append(1))
    torch.testing.assert_close(logits(pixels), expected, atol=1e-5, rtol=1e-5)
    assert runs == []


def test_the_features_decide_and_an_unknown_picture_is_computed(
    llava: Path, pictures: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected = [LocalChat(settings(llava)).score(ask(path), LABELS) for path in pictures]
    store_features(settings(llava), tmp_path / "index", pictures[:2])
    (file,) = folder_of(tmp_path / "index").glob("*.safetensors")
    save_file({name: -tensor for name, tensor in load_file(file).items()}, file)
    chat = LocalChat(settings(llava, vision_features=str(tmp_path / "index")))
    runs = count_runs(chat)
    with caplog.at_level(logging.WARNING):
        found = [chat.score(ask(path), LABELS) for path in (*pictures, pictures[2])]
    assert abs(found[0][0] - expected[0][0]) > 1e-2  # what is stored is what is seen
    assert found[2] == found[3] == pytest.approx(expected[2], abs=1e-5)
    assert len(runs) == 1  # the beginning of the prompt is kept
    assert sum("the vision tower runs" in record.message for record in caplog.records) == 1
    assert chat.score(ask(pictures[0], pictures[2]), LABELS) and len(runs) == 2


def test_another_model_or_number_format_is_refused(llava: Path, pictures: list[str], tmp_path: Path) -> None:
    index = str(tmp_path / "index")
    with pytest.raises(UserError, match="no vision features beside it"):
        LocalChat(settings(llava, vision_features=index)).num_tokens("a")
    store_features(settings(llava), index, pictures[:1])
    half = LocalChatConfig(model=str(llava), device="cpu", dtype="bfloat16", vision_features=index)
    with pytest.raises(UserError, match="llava in float32, this one is llava in bfloat16"):
        LocalChat(half).num_tokens("a")
    model, _, processor = LocalChat(settings(llava))._loaded
    model.model.multi_modal_projector.linear_2.bias.data[0] += 1e-3
    model.save_pretrained(tmp_path / "other")
    processor.save_pretrained(tmp_path / "other")
    with pytest.raises(UserError, match="made by another vision tower or projector"):
        LocalChat(settings(tmp_path / "other", vision_features=index)).num_tokens("a")
    text = save(tmp_path / "text", "qwen", template=TEMPLATE)
    with pytest.raises(UserError, match="a model of the kind qwen2 cannot be stored"):
        LocalChat(settings(text, vision_features=index)).num_tokens("a")
    with pytest.raises(UserError, match="cannot be stored"):
        store_features(settings(text), tmp_path / "new", pictures)
    assert settings(llava, vision_features=index).identity() == settings(llava).identity()


def test_adapters_count_where_they_stand_on_the_tower(
    llava: Path, pictures: list[str], tmp_path: Path
) -> None:
    index = tmp_path / "index"
    store_features(settings(llava), index, pictures)
    for part, is_same in (("frozen", True), ("lora", False)):
        lora = LoraConfig(rank=2, alpha=4)
        config = ChatRerankerConfig(
            model=str(llava), show="image", vision=part, projector="frozen", lora=lora
        )
        made = ChatReranker.from_config(config)
        with torch.no_grad():
            for tensor in made.trained().values():
                tensor.add_(torch.randn_like(tensor) * 0.05)
        made.save_pretrained(tmp_path / part)
        if is_same:  # the base's features serve, also once the adapters are merged
            ChatReranker.from_pretrained(tmp_path / part).save_merged(tmp_path / "merged")
            for name in (part, "merged"):
                expected = LocalChat(settings(tmp_path / name)).score(ask(pictures[1]), LABELS)
                chat = LocalChat(settings(tmp_path / name, vision_features=str(index)))
                runs = count_runs(chat)
                assert chat.score(ask(pictures[1]), LABELS) == pytest.approx(expected, abs=1e-5)
                assert runs == []
            continue
        with pytest.raises(UserError, match="another vision tower"):
            LocalChat(settings(tmp_path / part, vision_features=str(index))).num_tokens("a")
        before = identity_of(made.model, "a")
        for module in made.model.model.vision_tower.modules():
            if hasattr(module, "lora_A"):
                module.scaling["default"] *= 2
        assert identity_of(made.model, "a") != before


def test_a_broken_file_is_named(llava: Path, pictures: list[str], tmp_path: Path) -> None:
    store_features(settings(llava), tmp_path / "index", pictures)
    (file,) = folder_of(tmp_path / "index").glob("*.safetensors")
    whole = file.read_bytes()
    file.write_bytes(whole[:50])
    with pytest.raises(UserError, match=file.name):
        LocalChat(settings(llava, vision_features=str(tmp_path / "index"))).num_tokens("a")
    file.write_bytes(whole)
    features = VisionFeatures(file.parent)
    digest = next(iter(features._places))
    assert [tensor.shape for tensor in features[digest]] == [(4, 32)]
    file.unlink()
    with pytest.raises(UserError, match=file.name):
        _ = features[digest]
    (file.parent / "manifest.json").write_text('{"format_version": 0}')
    with pytest.raises(UserError, match="format version 0"):
        LocalChat(settings(llava, vision_features=str(tmp_path / "index"))).num_tokens("a")


def test_a_picture_has_one_digest_alone_and_among_others() -> None:
    draw = torch.Generator().manual_seed(0)
    first, second = (torch.randn(n, 3, 4, 4, generator=draw) for n in (2, 3))
    sizes = torch.tensor([[4, 8], [8, 8]])
    both = torch.zeros(2, 3, 3, 4, 4)
    both[0, :2], both[1] = first, second
    together = digests_of({"pixel_values": both, "image_sizes": sizes})
    alone = digests_of({"pixel_values": first.unsqueeze(0), "image_sizes": sizes[:1]})
    assert together[0] == alone[0] and together[0] != together[1]
    turned = digests_of({"pixel_values": first.unsqueeze(0), "image_sizes": sizes[:1].flip(1)})
    assert turned != alone
    tiles = digests_of({"pixel_values": both})  # of two prompts; the empty tile is none
    assert [len(row) for row in tiles] == [2, 3]
    patches = torch.randn(20, 6, generator=draw)
    grid = torch.tensor([[1, 2, 4], [1, 4, 3]])
    rows = digests_of({"pixel_values": patches, "image_grid_thw": grid})
    assert rows[1:] == digests_of({"pixel_values": patches[8:], "image_grid_thw": grid[1:]})
    assert rows[1:] != digests_of({"pixel_values": patches[8:], "image_grid_thw": torch.tensor([[1, 3, 4]])})
