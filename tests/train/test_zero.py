"""ZeRO-2 and ZeRO-3 over gloo with the shipped launch files: two processes that hold parts of the model."""

from __future__ import annotations

import importlib
import json
import os
import runpy
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tabrag import distributed
from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make
from tabrag.errors import UserError
from tabrag.training import zero
from tabrag.training.accelerator import make_accelerator, wrap
from tabrag.training.config import TrainConfig
from tests.entry_points import ROOT
from tests.processes import forget_accelerator, run_distributed
from tests.rerank_data import write_data

pytestmark = pytest.mark.slow

pytest.importorskip("deepspeed")
SETTINGS = (
    f"--config={ROOT / 'configs/retriever/tiny.yaml'}",
    "--train.batch_size=2",
    "--train.accumulate=2",
    "--train.clip=0.5",  # the norms are above 1
    "--train.lr=1e-3",
    '--train.lr_factors={"log_scale": 5}',
    "--train.eval_every=2",
    "--train.precision=float32",
)


def _environment(number: int, **changes: Any) -> dict[str, str]:
    """What accelerate tells the processes that it starts with the launch file, ``changes`` made to ZeRO's
    settings.
    """
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser
    from accelerate.utils.launch import prepare_deepspeed_cmd_env

    file = ROOT / f"configs/launch/zero{number}.yaml"
    arguments = [f"--config_file={file}", "--num_processes=2", "--main_process_port=0", "program.py"]
    parsed, *_ = _validate_launch_command(launch_command_parser().parse_args(arguments))
    parsed.deepspeed_fields_from_accelerate_config = ""
    assert parsed.use_deepspeed and parsed.num_processes == 2
    environment = prepare_deepspeed_cmd_env(parsed)[1]
    told = {name: value for name, value in environment.items() if name.startswith("ACCELERATE_")}
    settings = json.loads(told["ACCELERATE_DEEPSPEED_CONFIG_FILE"])
    assert settings["zero_optimization"]["stage"] == number
    settings["zero_optimization"] |= changes
    return {**told, "ACCELERATE_DEEPSPEED_CONFIG_FILE": json.dumps(settings)}


def _as_launched(environment: dict[str, str], function: Callable[[], Any]) -> Any:
    """Call ``function`` in a world of accelerate's own, as a new program would."""
    for name in [name for name in os.environ if name.startswith("ACCELERATE_")]:
        del os.environ[name]
    os.environ.update(environment)
    forget_accelerator()
    return function()


def _rows(out: Path) -> list[dict[str, float]]:
    rows = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in row.items() if key != "steps_per_second"} for row in rows]


def _differences(one: Path, other: Path) -> dict[str, float]:
    """Safetensors file of ``one`` -> largest difference of a tensor from that in ``other``."""
    from safetensors.torch import load_file

    found = {}
    for path in sorted(one.rglob("*.safetensors")):
        a, b = load_file(path), load_file(other / path.relative_to(one))
        assert {n: (t.shape, t.dtype) for n, t in a.items()} == {n: (t.shape, t.dtype) for n, t in b.items()}
        found[str(path.relative_to(one))] = max(float((a[n].double() - b[n].double()).abs().max()) for n in a)
    return found


@pytest.fixture(scope="module", autouse=True)
def _imports() -> None:
    """Load once, before processes are forked, what each of them would load."""
    for module in ("runtime.zero.stage3", "runtime.zero.stage_1_and_2", "runtime.zero.muon.muon_optimizer"):
        importlib.import_module(f"deepspeed.{module}")
    for module in ("transformers.models.bert.modeling_bert", "transformers.integrations", "torch._dynamo"):
        importlib.import_module(module)


def test_stages_equal_data_parallel_training_and_resume(tmp_path: Path) -> None:
    prepare(make(num_tables=24, seed=0), tmp_path / "data", render=False)
    # Every weight but scalars is split, also those that the launch file keeps whole for speed.
    strict = _environment(3, stage3_param_persistence_threshold=0)
    runs = {"plain": {"ACCELERATE_USE_CPU": "true"}, "zero2": _environment(2), "zero3": strict}

    def train(name: str, environment: dict[str, str], *extra: str) -> None:
        arguments = [*SETTINGS, f"--data.folder={tmp_path / 'data'}", f"--out={tmp_path / name}", *extra]
        sys.argv = ["train/retriever.py", *arguments]  # of a forked process
        _as_launched(environment, lambda: runpy.run_path(str(ROOT / sys.argv[0]), run_name="__main__"))

    def work(rank: int) -> None:
        for name, environment in runs.items():
            train(name, environment)
        if rank == 0:
            for name, source in (("zero3 resumed", "zero3"), ("zero2 from plain", "plain")):
                shutil.copytree(tmp_path / source, tmp_path / name)
                shutil.rmtree(tmp_path / name / "state" / "step-00000004")
                shutil.rmtree(tmp_path / name / "export")
        distributed.barrier()
        train("zero3 resumed", strict, "--resume=auto")
        train("zero2 from plain", runs["zero2"], "--resume=auto")

    run_distributed(work, 2)
    plain = _rows(tmp_path / "plain")
    losses = [row["loss"] for row in plain if "loss" in row]
    assert len(losses) == 4 and max(losses) - min(losses) > 0.05  # the weights moved
    assert sum("MRR@10" in row for row in plain) == 2
    for name in ("zero2", "zero3", "zero2 from plain", "zero3 resumed"):
        rows = _rows(tmp_path / name)
        assert len(rows) == len(plain)
        for row, expected in zip(rows, plain, strict=True):
            assert row == pytest.approx(expected, rel=1e-4), name
        differences = _differences(tmp_path / "plain", tmp_path / name)
        assert len(differences) == 7 and max(differences.values()) < 1e-5, (name, differences)
    assert _rows(tmp_path / "zero3 resumed") == _rows(tmp_path / "zero3")
    assert max(_differences(tmp_path / "zero3", tmp_path / "zero3 resumed").values()) == 0


def test_adapters_of_a_language_model_equal_data_parallel_training(tmp_path: Path) -> None:
    write_data(tmp_path)
    settings = (
        f"--config={ROOT / 'configs/reranker/tiny_text.yaml'}",
        f"--data.folder={tmp_path / 'data'}",
        f"--data.negatives={tmp_path / 'train.jsonl'}",
        "--data.num_negatives=1",
        f"--data.dev_run={tmp_path / 'dev.jsonl'}",
        "--data.max_dev=4",
        "--chat.context.max_tokens=40",
        "--train.batch_size=2",
        "--train.eval_every=2",
    )
    strict = _environment(3, stage3_param_persistence_threshold=0)
    runs = {"plain": {"ACCELERATE_USE_CPU": "true"}, "zero2": _environment(2), "zero3": strict}

    def work(rank: int) -> None:
        for name, environment in runs.items():
            sys.argv = ["train/reranker.py", *settings, f"--out={tmp_path / name}"]
            _as_launched(environment, lambda: runpy.run_path(str(ROOT / sys.argv[0]), run_name="__main__"))

    run_distributed(work, 2)
    plain = _rows(tmp_path / "plain")
    assert sum("MRR" in row for row in plain) == 2
    for name in ("zero2", "zero3"):
        for row, expected in zip(_rows(tmp_path / name), plain, strict=True):
            assert row == pytest.approx(expected, rel=1e-4, abs=1e-4), name
        differences = _differences(tmp_path / "plain/export", tmp_path / name / "export")
        assert differences.keys() == {"adapter_model.safetensors"}  # the adapters, whole, and nothing else
        assert differences["adapter_model.safetensors"] < 1e-5
        state = max((tmp_path / name / "state").iterdir()) / "model.safetensors"
        assert state.stat().st_size < 40_000  # no frozen weights


class _Bounded(nn.Module):
    """A scalar that forward keeps at 1 at most and whose gradient pushes it up; ``frozen`` is in the way."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(0.9))
        self.layer = nn.Linear(5, 3)
        self.frozen = nn.Linear(3, 3).requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            self.scale.clamp_(max=1.0)
        return (self.frozen(self.layer(x)) ** 2).mean() - 4 * self.scale.sum()


def test_bounds_hold_and_all_weights_are_there_for_evaluation() -> None:
    def train(precision: str) -> tuple[list[float], dict[str, Tensor], torch.dtype]:
        torch.manual_seed(0)
        module = _Bounded()
        start = {name: value.clone() for name, value in module.state_dict().items()}
        accelerator = make_accelerator(precision)
        optimizer = torch.optim.AdamW([p for p in module.parameters() if p.requires_grad], lr=0.3)
        config = TrainConfig(batch_size=1, clip=0)
        wrapped, optimizer = wrap(module, optimizer, accelerator, config)
        with zero.whole(wrapped):
            for name, value in module.state_dict().items():
                assert value.equal(start[name]), name
        dtype = module.layer.weight.dtype
        scales = []
        for number in range(4):
            loss = wrapped(torch.full((2, 5), number + distributed.rank() + 1.0, dtype=dtype))
            if zero.is_zero(wrapped):
                zero.backward(wrapped, loss)
            else:
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            with zero.whole(wrapped), torch.no_grad():
                scales.append(module.scale.item())
                for _ in range(1 + distributed.rank()):  # one process has more to do
                    assert module.layer(torch.ones(1, 5)).dtype == torch.float32
        with zero.whole(wrapped):
            return scales, {name: value.clone() for name, value in module.state_dict().items()}, dtype

    stages = (_environment(2), _environment(3, stage3_param_persistence_threshold=0))

    def work(rank: int) -> Any:
        plain = _as_launched({"ACCELERATE_USE_CPU": "true"}, lambda: train("float32"))
        return plain, {
            precision: [_as_launched(environment, partial(train, precision)) for environment in stages]
            for precision in ("float32", "bfloat16")
        }

    for (scales, weights, _), runs in run_distributed(work, 2):
        assert 1.2 < scales[-1] < 1.31  # the bound acts between the steps
        for precision, found in runs.items():
            for others, all_weights, dtype in found:
                assert str(dtype) == f"torch.{precision}"
                assert others == pytest.approx(scales, rel=1e-5)
                assert all_weights.keys() == weights.keys()
                assert all_weights["frozen.weight"].equal(weights["frozen.weight"])
                tolerance = 1e-5 if precision == "float32" else 0.05
                assert all_weights["layer.weight"].allclose(weights["layer.weight"], atol=tolerance)


def test_what_is_not_supported_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in _environment(2, stage=1).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UserError, match="stage 1: the launch file must ask for stage 2 or 3"):
        make_accelerator("float32")
    offload = _environment(3, offload_optimizer={"device": "cpu"})["ACCELERATE_DEEPSPEED_CONFIG_FILE"]
    monkeypatch.setenv("ACCELERATE_DEEPSPEED_CONFIG_FILE", offload)
    with pytest.raises(UserError, match="offload_optimizer"):
        make_accelerator("float32")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"tabrag\[deepspeed\]"):
        make_accelerator("float32")
