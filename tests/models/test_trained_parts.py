"""Sizes of pictures, 4-bit weights where they cannot be, and what a base is recognised by."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from noise import noise
from safetensors.torch import load_file, save_file
from tiny_chat import TEMPLATE, save

from tabrag.errors import UserError
from tabrag.models.chat_files import base_digest
from tabrag.models.four_bit import four_bit_settings
from tabrag.models.trained_parts import limit_pixels, read_tensors


def test_a_limit_of_pixels_makes_large_pictures_smaller() -> None:
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    processor = SimpleNamespace(image_processor=Qwen2VLImageProcessorPil())
    picture = noise((800, 600), 200).convert("RGB")

    def patches() -> int:
        return int(processor.image_processor(picture, return_tensors="pt")["image_grid_thw"].prod())

    before = patches()
    limit_pixels(processor, 200 * 200)
    pixels = patches() * processor.image_processor.patch_size**2
    assert 20_000 < pixels <= 40_000 < before * processor.image_processor.patch_size**2
    with pytest.raises(UserError, match="sizes of their own"):
        limit_pixels(None, 100)


def test_four_bits_need_a_gpu_and_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="four_bit needs a GPU with CUDA, this is cpu"):
        four_bit_settings(torch.device("cpu"), without=())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"'bitsandbytes'.*tabrag\[four-bit\]"):
        four_bit_settings(torch.device("cuda"), without=())


def test_a_base_is_recognised_by_its_weights(tmp_path: Path) -> None:
    base = save(tmp_path / "base", "qwen", template=TEMPLATE)
    digest = base_digest(base)
    shutil.copytree(base, tmp_path / "copy")
    tensors = load_file(base / "model.safetensors")
    names = sorted(tensors)
    shutil.copy(base / "model.safetensors", tmp_path / "copy/model.safetensors")
    assert base_digest(tmp_path / "copy") == digest
    (tmp_path / "copy/model.safetensors").unlink()
    for number, part in enumerate((names[:5], names[5:])):  # other files, the same weights
        save_file({n: tensors[n] for n in part}, tmp_path / f"copy/model-{number}.safetensors")
    assert base_digest(tmp_path / "copy") == digest
    changed = tensors[names[-1]].clone()
    changed.view(-1)[0] += 1
    part = {n: tensors[n] for n in names[5:]} | {names[-1]: changed}
    save_file(part, tmp_path / "copy/model-1.safetensors")
    assert base_digest(tmp_path / "copy") != digest
    (tmp_path / "copy/model-1.safetensors").write_bytes(b"nothing")
    with pytest.raises(UserError, match="not a safetensors file"):
        base_digest(tmp_path / "copy")
    with pytest.raises(UserError, match="no weights in it"):
        base_digest(tmp_path)
    torch.save(tensors, tmp_path / "pytorch_model.bin")
    first = base_digest(tmp_path)
    torch.save({**tensors, names[0]: tensors[names[0]] + 1}, tmp_path / "pytorch_model.bin")
    assert base_digest(tmp_path) != first
    with pytest.raises(UserError, match="the checkpoint is not whole"):
        read_tensors(tmp_path / "adapter_model.safetensors")
