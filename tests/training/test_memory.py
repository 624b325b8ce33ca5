"""Memory of a training: the bound is what torch holds, and running out of it names the settings."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import torch
from toy import ToyTask

from tabrag.errors import UserError
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import TrainConfig
from tabrag.training.loop import train
from tabrag.training.memory import explain_out_of_memory, lower_bound, peak, resident


def _bytes(tensors: Any) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def test_the_bound_is_what_a_step_leaves() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.BatchNorm1d(7), torch.nn.Linear(7, 3))
    module[0].bias.requires_grad_(False)
    optimizer = torch.optim.AdamW([p for p in module.parameters() if p.requires_grad])
    module(torch.randn(4, 5)).sum().backward()
    optimizer.step()
    held = [value for state in optimizer.state.values() for value in state.values()]
    assert lower_bound(module, processes=1) == {
        "weights": _bytes(module.state_dict().values()),
        "gradients": _bytes(p.grad for p in module.parameters() if p.grad is not None),
        "optimizer": _bytes(held),
        "reduction": 0,
    }
    assert len(held) > 3
    two = lower_bound(module, processes=2)
    assert two["reduction"] == two["gradients"] > 0


def test_a_run_tells_memory_and_time(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        config = TrainConfig(batch_size=4, max_steps=5)
        train(ToyTask(), config, accelerator=make_accelerator("float32"), out=tmp_path / "run", settings={})
    lines = [line for line in caplog.messages if "memory" in line]
    assert len(lines) == 2
    assert lines[0].startswith("memory: at least 0.00 GiB (weights 0.00 GiB, gradients")
    assert "about 0 h 00 min for the 3 steps left" in lines[1]


def test_peak_memory_grows_with_what_is_held() -> None:
    device = torch.device("cpu")
    before = peak(device)
    held = [torch.ones((before - resident() + 2**26) // 4)]  # 64 MiB more than were ever resident
    for _ in range(16):  # the kernel may have taken back pages meanwhile
        if peak(device) >= before + 2**25:
            break
        held.append(torch.ones(2**24))
    assert peak(device) >= before + 2**25 and all(bool(one[-1]) for one in held)


def test_out_of_memory_names_the_settings(tmp_path: Path) -> None:
    task = ToyTask()
    task.module.register_forward_hook(lambda *_: torch.empty(2**55))
    with pytest.raises(UserError, match="out of memory with train.batch_size=4") as caught:
        config = TrainConfig(batch_size=4, max_steps=1)
        train(task, config, accelerator=make_accelerator("float32"), out=tmp_path / "run", settings={})
    message = str(caught.value)
    for setting in ("data.chunk_size", "train.gradcache=true", "model.item.max_length", "train.precision"):
        assert setting in message
    assert "\n" not in message and isinstance(caught.value.__cause__, RuntimeError)


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory. Tried"), MemoryError()])
def test_every_kind_of_out_of_memory_is_told(error: Exception) -> None:
    with pytest.raises(UserError, match=r"batch_size=4.*lower data\.chunk_size") as caught:
        with explain_out_of_memory(TrainConfig(batch_size=4, gradcache=True)):
            raise error
    assert "gradcache" not in str(caught.value)


def test_other_errors_pass() -> None:
    with pytest.raises(RuntimeError, match="shapes"), explain_out_of_memory(TrainConfig()):
        raise RuntimeError("shapes do not agree")
