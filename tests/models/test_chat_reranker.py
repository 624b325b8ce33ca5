"""The checkpoint of a trained chat model: everything in it, nothing silently lost, the right base."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from noise import noise
from safetensors.torch import load_file, save_file
from tiny_chat import LLAMA_TEMPLATE, TEMPLATE, save, save_llava
from torch import Tensor

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.chat.prompts import RANK_LABELS, Shown, rank_prompt
from tabrag.errors import UserError
from tabrag.models.chat_files import BASE, FILE, base_digest, is_trained_on_base
from tabrag.models.chat_reranker import ChatReranker
from tabrag.models.config import ChatRerankerConfig, LoraConfig

LORA = LoraConfig(rank=4, alpha=8, dropout=0.0)


@pytest.fixture(scope="module")
def bases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("bases")
    return {
        "qwen": save(root / "qwen", "qwen", template=TEMPLATE, positions=1024),
        "llama": save(root / "llama", "llama", template=LLAMA_TEMPLATE, positions=1024),
        "llava": save_llava(root / "llava"),
    }


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("picture") / "table.png"
    noise((60, 40), 200).convert("RGB").save(path)
    return str(path)


def changed(config: ChatRerankerConfig) -> ChatReranker:
    """A model all of whose trained tensors are other than at the start."""
    torch.manual_seed(0)
    made = ChatReranker.from_config(config)
    with torch.no_grad():
        for tensor in made.trained().values():
            tensor.add_(torch.randn_like(tensor) * 0.05)
    made.model.eval()
    return made


def logits(model: Any, picture: str | None = None, *, files: ChatReranker | None = None) -> Tensor:
    """Predictions for two pairs."""
    inputs = (files or model).inputs
    model = model.model if isinstance(model, ChatReranker) else model
    found = []
    for question in ("What is the total?", "How many rows?"):
        messages = rank_prompt(question, [Shown("t", "Fruit", "a | b\n1 | 2", picture)])
        tensors = inputs.features(messages, "True").tensors
        with torch.no_grad():
            found.append(model(**tensors).logits[0, -4:])
    return torch.stack(found)


def test_all_that_was_trained_is_restored(bases: dict[str, Path], picture: str, tmp_path: Path) -> None:
    config = ChatRerankerConfig(model=str(bases["llava"]), show="both", vision="lora", lora=LORA)
    before = logits(ChatReranker.from_config(config), picture)
    made = changed(config)
    names = set(made.trained())
    assert {
        "model.multi_modal_projector.linear_1.weight",
        "model.multi_modal_projector.linear_2.bias",
    } <= names
    for tower in ("vision_tower", "language_model"):
        assert any(tower in name and "lora_B" in name for name in names), tower
    made.save_pretrained(tmp_path / "out")
    after = logits(made, picture)
    assert (after - before).abs().max() > 0.01
    again = ChatReranker.from_pretrained(tmp_path / "out")
    assert (logits(again, picture) - after).abs().max() < 1e-5
    assert again.fingerprint() == made.fingerprint() != ChatReranker.from_config(config).fingerprint()
    without = {"model.multi_modal_projector.linear_1.weight", "model.multi_modal_projector.linear_1.bias"}
    for file in ("trained.safetensors", "adapter_model.safetensors"):
        shutil.copytree(tmp_path / "out", tmp_path / file)
        (tmp_path / file / file).unlink()
        with pytest.raises(UserError, match=f"{file}: file not found"):
            ChatReranker.from_pretrained(tmp_path / file)
    tensors = load_file(tmp_path / "out/trained.safetensors")
    assert without <= tensors.keys()
    save_file({n: t for n, t in tensors.items() if n not in without}, tmp_path / "out/trained.safetensors")
    with pytest.raises(UserError, match=r"2 missing: .*linear_1\.bias"):
        ChatReranker.from_pretrained(tmp_path / "out")


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod."])
def test_adapters_under_other_names_are_refused(bases: dict[str, Path], tmp_path: Path, prefix: str) -> None:
    changed(ChatRerankerConfig(model=str(bases["qwen"]), lora=LORA)).save_pretrained(tmp_path / "out")
    path = tmp_path / "out/adapter_model.safetensors"
    tensors = load_file(path)
    save_file({prefix + name: tensor for name, tensor in tensors.items()}, path)
    with pytest.raises(UserError) as caught:
        ChatReranker.from_pretrained(tmp_path / "out")
    assert f"{len(tensors)} missing" in str(caught.value) and str(caught.value).count(prefix) == 3
    save_file({name: tensor[:1] for name, tensor in tensors.items()}, path)
    with pytest.raises(UserError, match=r"of another shape: .*\(1, "):
        ChatReranker.from_pretrained(tmp_path / "out")


@pytest.mark.parametrize("kind", ["qwen", "llava"])
def test_merged_equals_base_with_adapters_and_opens_alone(
    bases: dict[str, Path], picture: str, tmp_path: Path, kind: str
) -> None:
    shown = {"show": "both", "vision": "lora"} if kind == "llava" else {}
    config = ChatRerankerConfig(model=str(bases[kind]), lora=LORA, **shown)  # type: ignore[arg-type]
    sight = picture if shown else None
    base = logits(ChatReranker.from_config(config), sight)
    made = changed(config)
    made.save_pretrained(tmp_path / "out")
    whole = logits(made, sight)
    loaded = ChatReranker.from_pretrained(tmp_path / "out")
    assert loaded.save_merged(tmp_path / "merged") == sum(".lora_A." in name for name in made.trained()) > 5
    assert not is_trained_on_base(tmp_path / "merged") and is_trained_on_base(tmp_path / "out")
    chat = LocalChat(LocalChatConfig(model=str(tmp_path / "merged"), device="cpu", dtype="float32"))
    alone = logits(chat._loaded[0], sight, files=made)
    assert (alone - whole).abs().max() < 1e-4 and (alone - base).abs().max() > 0.01
    with pytest.raises(UserError, match="open it as a plain chat model"):
        ChatReranker.from_pretrained(tmp_path / "merged")
    assert "base_layer" not in str(load_file(tmp_path / "merged/model.safetensors").keys())
    with pytest.raises(UserError, match="merge it first"):
        ChatReranker.from_config(ChatRerankerConfig(model=str(tmp_path / "out")))


def test_peft_reads_the_adapters(bases: dict[str, Path], tmp_path: Path) -> None:
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    made = changed(ChatRerankerConfig(model=str(bases["qwen"]), lora=LORA))
    made.save_pretrained(tmp_path / "out")
    plain = AutoModelForCausalLM.from_pretrained(bases["qwen"]).eval()
    before = logits(plain, files=made)
    model = PeftModel.from_pretrained(plain, str(tmp_path / "out"))
    assert (logits(model.get_base_model(), files=made) - logits(made)).abs().max() < 1e-5
    assert (before - logits(made)).abs().max() > 0.01


def test_another_base_is_refused_before_any_work(
    bases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(ChatRerankerConfig(model=str(bases["qwen"]), lora=LORA)).save_pretrained(tmp_path / "out")
    other = tmp_path / "other"
    shutil.copytree(bases["qwen"], other)
    tensors = load_file(other / "model.safetensors")
    save_file({name: tensor + 1e-3 for name, tensor in tensors.items()}, other / "model.safetensors")
    assert base_digest(other) != base_digest(bases["qwen"])
    values = json.loads((tmp_path / "out" / FILE).read_text())
    (tmp_path / "out" / FILE).write_text(
        json.dumps({**values, "config": {**values["config"], "model": str(other)}})
    )
    with monkeypatch.context() as patch:
        patch.setattr("tabrag.models.chat_reranker.open_model", lambda *_, **__: pytest.fail("was loaded"))
        with pytest.raises(UserError, match="was trained on another model than"):
            LocalChat(LocalChatConfig(model=str(tmp_path / "out"))).num_tokens("a")
    gone = {**values, "config": {**values["config"], "model": str(tmp_path / "gone")}}
    (tmp_path / "out" / FILE).write_text(json.dumps(gone))
    with pytest.raises(UserError, match=r"its base model is not there: folder not found.*/base"):
        ChatReranker.from_pretrained(tmp_path / "out")
    shutil.copytree(bases["qwen"], tmp_path / "out" / BASE)
    assert ChatReranker.from_pretrained(tmp_path / "out").label_ids == values["label_ids"]


def test_one_folder_is_reranker_and_reader(bases: dict[str, Path], tmp_path: Path) -> None:
    made = changed(ChatRerankerConfig(model=str(bases["llama"]), lora=LORA))
    made.save_pretrained(tmp_path / "out")
    prompt = rank_prompt("What is the total?", [Shown("t", "Fruit", "a | b\n1 | 2")])
    settings = {"device": "cpu", "dtype": "float32"}
    chat = LocalChat(LocalChatConfig(model=str(tmp_path / "out"), **settings))  # type: ignore[arg-type]
    base = LocalChat(LocalChatConfig(model=str(bases["llama"]), **settings))  # type: ignore[arg-type]
    live = LocalChat(LocalChatConfig(), opened=(made.model, made.tokenizer, made.processor))
    scores = chat.score(prompt, RANK_LABELS)
    assert scores == pytest.approx(live.score(prompt, RANK_LABELS), abs=1e-5)
    assert abs(scores[0] - base.score(prompt, RANK_LABELS)[0]) > 0.01
    assert chat._engine is not None  # adapters do not keep tables from being run once
    assert chat.generate(prompt, max_new_tokens=4) == live.generate(prompt, max_new_tokens=4)


@pytest.mark.parametrize("kind", ["qwen", "llama"])
def test_label_tokens_are_those_that_follow_the_prompt(bases: dict[str, Path], kind: str) -> None:
    made = ChatReranker.from_config(ChatRerankerConfig(model=str(bases[kind]), lora=LORA))
    messages = rank_prompt("Why?", [Shown("t", "Fruit", "a | b")])
    for label in RANK_LABELS:
        tokens = made.inputs.features(messages, label)
        reply = tokens.tensors["input_ids"][0, -tokens.num_reply :].tolist()
        assert reply[:-1] == made.label_ids[label] and reply[-1] == made.tokenizer.eos_token_id
    assert made.label_ids["True"][0] != made.label_ids["False"][0]


def test_the_checkpoint_says_all_that_scores_depend_on(bases: dict[str, Path], tmp_path: Path) -> None:
    made = changed(ChatRerankerConfig(model=str(bases["llava"]), lora=LORA, show="image", max_length=500))
    made.mix = {"judge": 2.0}
    made.save_pretrained(tmp_path / "out")
    values = json.loads((tmp_path / "out" / FILE).read_text())
    assert values["config"]["show"] == "image" and values["config"]["max_length"] == 500
    assert values["label_ids"] == made.label_ids and values["mix"] == {"judge": 2.0}
    assert values["dtype"] == "float32" and values["prompt_version"] == 2
    processor = json.loads((tmp_path / "out/processor_config.json").read_text())
    assert processor["patch_size"] == 14 and processor["image_processor"]["crop_size"]
    (tmp_path / "out" / FILE).write_text(json.dumps({**values, "prompt_version": 1}))
    with pytest.raises(UserError, match="version 1 of the prompts"):
        ChatReranker.from_pretrained(tmp_path / "out")
    (tmp_path / "out" / FILE).write_text(json.dumps({**values, "label_ids": {"True": [5], "False": [6]}}))
    with pytest.raises(UserError, match="the tokenizer is another one"):
        ChatReranker.from_pretrained(tmp_path / "out")


def test_a_partitioned_tensor_is_not_saved_and_the_old_checkpoint_stays(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    made = changed(ChatRerankerConfig(model=str(bases["qwen"]), lora=LORA))
    made.save_pretrained(tmp_path / "out")
    old = (tmp_path / "out/adapter_model.safetensors").read_bytes()
    next(iter(made.trained().values())).data = torch.zeros(0)
    with pytest.raises(UserError, match="empty tensors"):
        made.save_pretrained(tmp_path / "out")
    assert (tmp_path / "out/adapter_model.safetensors").read_bytes() == old


def test_what_is_trained_follows_the_settings(bases: dict[str, Path]) -> None:
    def names(**settings: Any) -> set[str]:
        return set(ChatReranker.from_config(ChatRerankerConfig(lora=LORA, **settings)).trained())

    llava = {"model": str(bases["llava"]), "show": "image"}
    assert not any("vision_tower" in name for name in names(**llava))
    assert all("projector" in name for name in names(**llava, language="frozen"))
    assert not any("projector" in name for name in names(**llava, projector="frozen"))
    assert not any("projector" in name for name in names(**{**llava, "show": "text"}))
    full = names(**llava, vision="full", language="full", projector="frozen")
    assert "lm_head.weight" in full and any("vision_tower" in name for name in full)
    assert not any("post_layernorm" in name or "lora" in name for name in full)
    assert len(names(model=str(bases["qwen"]), language="full")) > 20
    with pytest.raises(UserError, match="nothing is trained"):
        names(model=str(bases["qwen"]), language="frozen")
    with pytest.raises(UserError, match="reads no pictures"):
        names(model=str(bases["qwen"]), show="image")
    with pytest.raises(UserError, match="sees nothing"):
        names(model=str(bases["llava"]), vision="lora")
    with pytest.raises(UserError, match="four_bit needs a GPU"):
        names(model=str(bases["qwen"]), four_bit=True)
    with pytest.raises(UserError, match="max_pixels: this model's pictures have sizes of their own"):
        names(**llava, max_pixels=1000)


def test_half_precision_bases_learn_in_float32_and_load_in_their_own(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    made = changed(ChatRerankerConfig(model=str(bases["qwen"]), lora=LORA, dtype="bfloat16"))
    kinds = {p.dtype for n, p in made.model.named_parameters() if n not in made.trained()}
    assert kinds == {torch.bfloat16} and {p.dtype for p in made.trained().values()} == {torch.float32}
    made.save_pretrained(tmp_path / "out")
    again = ChatReranker.from_pretrained(tmp_path / "out", dtype=torch.bfloat16)
    assert {p.dtype for p in again.model.parameters()} == {torch.bfloat16}
