"""The time of a step, told before the first one: near the truth, and without a trace in the run."""

from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from accelerate.utils import DistributedType
from processes import run_distributed
from torch import Tensor, nn
from toy import ToyTask

from tabrag.files import read_json
from tabrag.training import rehearsal
from tabrag.training.accelerator import make_accelerator
from tabrag.training.config import TrainConfig
from tabrag.training.loop import train
from tabrag.training.rehearsal import describe, step_seconds


class _Clock:
    """Stands still but where it is told that work was done."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def perf_counter(self) -> float:
        return self.seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    """The clock that the rehearsal looks at."""
    made = _Clock()
    monkeypatch.setattr(rehearsal, "time", made)
    return made


class _Slow(nn.Module):
    """Two encoders whose time is known: the clock goes on for each position, as a GPU would work."""

    def __init__(self, clock: _Clock) -> None:
        super().__init__()
        self.clock = clock
        self.weight = nn.Parameter(torch.ones(3))
        self.scale = nn.Parameter(torch.tensor(7.0))
        self.norm = nn.BatchNorm1d(3)
        self.passes: list[tuple[str, int, bool]] = []

    def embed(self, batch: Any) -> dict[str, Tensor]:
        with torch.no_grad():
            self.scale.clamp_(max=5.0)
        found = {"scale": self.scale}
        for side, seconds in (("query", 2e-4), ("item", 1e-3)):
            for chunk in batch[side]:
                rows, width = chunk["input_ids"].shape
                self.passes.append((side, rows, torch.is_grad_enabled()))
                self.clock.seconds += rows * width * seconds
                found[side] = self.norm(self.weight * torch.rand(rows, 3).clamp_(0.1))
        return found

    def compare(self, found: Any, batch: Any) -> Tensor:
        return (found["query"].sum() + found["item"].sum()) * found["scale"]

    def forward(self, batch: Any, gradients: Any = None) -> Tensor:
        return self.compare(self.embed(batch), batch)


def _batch(*, query: list[tuple[int, int]], item: list[tuple[int, int]]) -> dict[str, Any]:
    sides = {"query": query, "item": item}
    return {
        side: [{"input_ids": torch.zeros(shape, dtype=torch.int64)} for shape in shapes]
        for side, shapes in sides.items()
    }


@pytest.mark.parametrize(("gradcache", "passes"), [(False, 1), (True, 2)])
def test_the_estimate_is_that_of_all_positions(clock: _Clock, gradcache: bool, passes: int) -> None:
    module = _Slow(clock)
    batch = _batch(query=[(40, 10)], item=[(8, 5), (8, 20), (8, 10), (4, 20)])
    config = TrainConfig(accumulate=2, gradcache=gradcache)
    found = step_seconds(module, batch, make_accelerator("float32"), config)
    assert clock.seconds < 4.0 * passes
    assert found == pytest.approx(2 * passes * (400 * 2e-4 + (40 + 160 + 80 + 80) * 1e-3))
    assert {with_graph for _, _, with_graph in module.passes} == {True, not gradcache}
    assert max(rows for side, rows, _ in module.passes if side == "query") == 40


def test_a_long_input_is_tried_on_few_rows(clock: _Clock) -> None:
    module = _Slow(clock)
    batch = _batch(query=[(2, 2)], item=[(64, 250)])
    found = step_seconds(module, batch, make_accelerator("float32"), TrainConfig())
    assert found == pytest.approx(16 + 4 * 2e-4)
    assert max(rows for side, rows, _ in module.passes if side == "item") == 2


@pytest.mark.parametrize("precision", ["no", "bf16"])
def test_of_a_model_that_is_split_only_the_forward_pass_is_tried(clock: _Clock, precision: str) -> None:
    module = _Slow(clock)
    accelerator = SimpleNamespace(
        device=torch.device("cpu"), mixed_precision=precision, distributed_type=DistributedType.DEEPSPEED
    )
    found = step_seconds(module, _batch(query=[(2, 2)], item=[(4, 50)]), accelerator, TrainConfig())
    assert module.passes and not any(with_graph for _, _, with_graph in module.passes)
    assert found == pytest.approx(3 * (4 * 50 * 1e-3 + 4 * 2e-4))


def test_nothing_of_the_module_changes(clock: _Clock) -> None:
    module = _Slow(clock).eval()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    random = torch.get_rng_state()
    step_seconds(module, _batch(query=[(2, 2)], item=[(3, 2)]), make_accelerator("float32"), TrainConfig())
    assert module.passes and not module.training
    for name, value in module.state_dict().items():
        assert torch.equal(value, before[name]), name
    assert torch.equal(random, torch.get_rng_state())
    assert all(parameter.grad is None for parameter in module.parameters())


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted((folder / "state").rglob("*"))
        if path.is_file()
    }


def _train(out: Path, *, task: ToyTask | None = None, resume: str = "none", **changes: Any) -> ToyTask:
    task = task or ToyTask()
    values = {"batch_size": 4, "lr": 0.1, "log_every": 1, "save_every": 1, "accumulate": 2, **changes}
    accelerator = make_accelerator("float32")
    train(task, TrainConfig(**values), accelerator=accelerator, out=out, settings={}, resume=resume)
    return task


def test_runs_with_and_without_are_the_same_bit_for_bit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = {}
    for name, estimate in (("with", True), ("without", False)):
        with caplog.at_level(logging.INFO):
            tasks[name] = _train(tmp_path / name, max_steps=2, estimate=estimate)
        told = [line for line in caplog.messages if line.startswith("time: ")]
        assert len(told) == estimate and all("0 h 00 min for 2 steps" in line for line in told)
        caplog.clear()
        torch.manual_seed(99)
        _train(tmp_path / name, max_steps=4, estimate=estimate, resume="auto")
    assert tasks["with"].seen == tasks["without"].seen
    files = _files(tmp_path / "with")
    assert files == _files(tmp_path / "without")
    assert len([name for name in files if name.endswith("random.safetensors")]) == 2
    figures = [read_json(tmp_path / name / "metrics.json") for name in ("with", "without")]
    assert figures[0] == figures[1]


def test_every_process_tells_the_same(clock: _Clock) -> None:
    def work(rank: int) -> float:
        module = _Slow(clock)
        batch = _batch(query=[(2, 2)], item=[(10 * (rank + 1), 10)])
        return step_seconds(module, batch, make_accelerator("float32"), TrainConfig())

    first, second = run_distributed(work, 2)
    assert first == second == pytest.approx(20 * 10 * 1e-3 + 4 * 2e-4)


def test_a_line_for_people() -> None:
    assert "about 1.50 s a step, 1 h 15 min for 3000 steps" in describe(1.5, steps=3000)
