"""Qwen-VL models as they are read, scored and trained; skipped where their processors cannot be had."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from noise import noise
from tiny_qwen import save_qwen

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.prompts import Shown, rank_prompt
from tabrag.models.chat_reranker import ChatReranker
from tabrag.models.config import ChatRerankerConfig, LoraConfig

pytest.importorskip("torchvision", reason="Qwen's processors need torchvision")
LABELS = ["True", "False"]


@pytest.mark.parametrize("kind", ["qwen2_5_vl", "qwen3_vl"])
def test_pictures_of_all_shapes_are_scored_and_all_that_is_trained_learns(tmp_path: Path, kind: str) -> None:
    folder = save_qwen(tmp_path / "base", kind)
    chat = LocalChat(LocalChatConfig(model=str(folder), device="cpu", dtype="float32", max_length=2000))
    prompts = []
    for number, size in enumerate([(64, 48), (300, 90), (1, 1), (5000, 1), (3, 900)]):
        path = tmp_path / f"{number}.png"
        noise(size, 200).convert("RGB").save(path)
        shown = Shown("t", "Fruit", "a | b\n1 | 2", str(path))
        prompts.append(rank_prompt("why <|image_pad|>?" * (number + 1), [shown]))
    singles = [chat.score(prompt, LABELS) for prompt in prompts]
    assert len({round(true - false, 3) for true, false in singles}) == len(prompts)
    batched = torch.tensor(chat.score_batch(prompts, LABELS))
    torch.testing.assert_close(batched, torch.tensor(singles), atol=1e-4, rtol=0)
    assert chat.generate_batch(prompts[:1], max_new_tokens=3)[0].probability is not None

    lora = LoraConfig(rank=2, alpha=4)
    made = ChatReranker.from_config(
        ChatRerankerConfig(model=str(folder), show="both", vision="lora", lora=lora, max_pixels=96 * 96)
    )
    batch = made.inputs.collate([made.inputs.features(prompts[1], "True")])
    del batch["num_reply"]
    made.model(**batch, use_cache=False).loss.backward()
    without = [name for name, tensor in made.trained().items() if tensor.grad is None]
    assert without == [] and any("merger" in name for name in made.trained())
    with torch.no_grad():
        for tensor in made.trained().values():
            tensor.add_(torch.randn_like(tensor) * 0.05)
    made.save_pretrained(tmp_path / "trained")
    trained, merged = (LocalChatConfig(model=str(tmp_path / n), device="cpu") for n in ("trained", "merged"))
    expected = LocalChat(trained).score(prompts[1], LABELS)
    ChatReranker.from_pretrained(tmp_path / "trained").save_merged(tmp_path / "merged")
    assert LocalChat(merged).score(prompts[1], LABELS) == pytest.approx(expected, abs=1e-4)
    assert abs(expected[0] - singles[1][0]) > 1e-3
