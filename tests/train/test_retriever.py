"""The training program as a person starts it: python, torchrun, accelerate launch, killed and resumed."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from entry_points import call, refuse
from processes import forget_accelerator

from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
BIN = Path(sys.executable).parent
PROGRAM = str(ROOT / "train" / "retriever.py")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "data"
    prepare(make(num_tables=24, seed=0), folder, render=False)
    return folder


def _arguments(data: Path, out: Path, *extra: str) -> list[str]:
    config = ROOT / "configs/retriever/tiny.yaml"
    return [PROGRAM, f"--config={config}", f"--data.folder={data}", f"--out={out}", *extra]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "ACCELERATE_USE_CPU": "true"}, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _losses(out: Path) -> list[float]:
    rows = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    return [row["loss"] for row in rows if "loss" in row]


def _weights(out: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(next((out / "export").rglob("model.safetensors")))


def test_launchers_agree_on_losses_and_candidates(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    launchers = {
        "torchrun": [str(BIN / "torchrun"), "--nproc_per_node=2", "--standalone"],
        "accelerate": [
            str(BIN / "accelerate"),
            "launch",
            f"--config_file={ROOT / 'configs/launch/cpu_2.yaml'}",
            f"--main_process_port={_free_port()}",
        ],
    }
    with caplog.at_level(logging.INFO):
        figures = {"python": call(*_arguments(data, tmp_path / "python"), capsys=capsys)}
    said = {"python": caplog.messages}
    for name, launcher in launchers.items():
        done = _run(launcher + _arguments(data, tmp_path / name, "--train.batch_size=2"))
        figures[name] = json.loads(done.stdout.strip().splitlines()[-1])
        said[name] = done.stderr.splitlines()
    losses = {name: _losses(tmp_path / name) for name in figures}
    lines = {
        name: next(line for line in all_ if "candidates per query" in line) for name, all_ in said.items()
    }
    assert all(one["steps"] == 4 and 0 <= one["MRR@10"] <= 1 for one in figures.values())
    assert len(losses["python"]) == 4 and losses["python"][0] > 0.1
    for name in ("torchrun", "accelerate"):
        assert losses[name] == pytest.approx(losses["python"], rel=1e-4)
        assert "processes: 2;" in lines[name] and "processes: 1;" in lines["python"]
        assert (
            lines[name].split("candidates per query: ")[1].split(";")[0]
            == "4 (in batch) + 0 (hard negatives)"
        )
    record = yaml.safe_load((tmp_path / "python" / "run.yaml").read_text())
    assert record["settings"]["train"]["lr"] == 1e-5 and record["environment"]["versions"]["torch"]


def test_killed_and_resumed_gives_the_same_weights(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    settings = ("--train.max_steps=6", "--train.save_every=2", "--data.num_workers=2")
    call(*_arguments(data, tmp_path / "whole", *settings), capsys=capsys)
    forget_accelerator()
    killed = tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, *_arguments(data, killed, *settings, "--resume=auto")], stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 240
    while not list((killed / "state").glob("step-*/complete.json")) and time.monotonic() < deadline:
        assert process.poll() is None or process.returncode == 0
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    call(*_arguments(data, killed, *settings, "--resume=auto"), capsys=capsys)
    whole, resumed = _weights(tmp_path / "whole"), _weights(killed)
    assert whole.keys() == resumed.keys() and len(whole) > 10
    for name, tensor in whole.items():
        assert torch.equal(tensor, resumed[name]), name
    assert _losses(killed) == _losses(tmp_path / "whole")


def test_mistakes_end_with_status_2_and_leave_the_run_alone(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    call(*_arguments(data, out, "--train.epochs=0", "--train.max_steps=0"), capsys=capsys)
    before = (out / "run.yaml").read_text()
    assert (out / "export" / "retriever.json").exists()
    call(PROGRAM, f"--config={out / 'run.yaml'}", f"--out={tmp_path / 'repeated'}", capsys=capsys)
    assert (tmp_path / "repeated" / "metrics.json").read_text() == (out / "metrics.json").read_text()
    again = refuse(*_arguments(data, out), capsys=capsys)
    assert "--resume auto" in again and (out / "run.yaml").read_text() == before
    key = refuse(*_arguments(data, out, "--train.lrr=1"), capsys=capsys)
    assert "train.lrr" in key and "tiny.yaml" in key
    assert "nowhere" in refuse(*_arguments(tmp_path / "nowhere", tmp_path / "x"), capsys=capsys)
