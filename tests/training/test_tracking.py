"""Trackers never end a run."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

import pytest

from tabrag.training.config import TrackingConfig
from tabrag.training.tracking import Tracker


def _lines(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_local_lines_and_resume_without_doubles(tmp_path: Path) -> None:
    tracker = Tracker(TrackingConfig(), tmp_path, settings={}, step=0)
    for step in (1, 2, 3):
        tracker.log({"loss": step / 2}, step=step)
    tracker.close()
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "lo')  # torn by a kill
    tracker = Tracker(TrackingConfig(), tmp_path, settings={}, step=2)
    tracker.log({"loss": 9.0}, step=3)
    tracker.close()
    assert [(row["step"], row["loss"]) for row in _lines(tmp_path)] == [(1, 0.5), (2, 1.0), (3, 9.0)]


@pytest.mark.parametrize("fault", ["missing", "init", "log"])
def test_a_broken_wandb_costs_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise ConnectionError("no route")

    if fault == "missing":
        monkeypatch.setitem(sys.modules, "wandb", None)
    else:
        good = types.SimpleNamespace(log=fail, finish=fail)
        fake = types.SimpleNamespace(init=fail if fault == "init" else lambda **settings: good)
        monkeypatch.setitem(sys.modules, "wandb", fake)
    tracker = Tracker(TrackingConfig(wandb="online"), tmp_path, settings={"a": 1}, step=0)
    tracker.log({"loss": 1.0}, step=1)
    tracker.log({"loss": 2.0}, step=2)
    tracker.close()
    assert [row["loss"] for row in _lines(tmp_path)] == [1.0, 2.0]
    assert "wandb" in caplog.text


def test_a_resumed_run_keeps_its_wandb_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    run = types.SimpleNamespace(log=lambda *a, **k: None, finish=lambda: None)
    fake = types.SimpleNamespace(init=lambda **settings: started.append(settings) or run)
    monkeypatch.setitem(sys.modules, "wandb", fake)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    for folder in ("one", "one", "two"):
        (tmp_path / folder).mkdir(exist_ok=True)
        Tracker(TrackingConfig(wandb="offline"), tmp_path / folder, settings={}, step=0).close()
    first, again, other = started
    assert first["id"] == again["id"] != other["id"] and len(first["id"]) >= 8
    assert first["mode"] == again["mode"] == "offline"


def test_the_variable_of_wandb_outdoes_the_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    fake = types.SimpleNamespace(init=lambda **settings: started.append(settings))
    monkeypatch.setitem(sys.modules, "wandb", fake)
    monkeypatch.setenv("WANDB_MODE", "offline")
    Tracker(TrackingConfig(wandb="online"), tmp_path, settings={}, step=0).close()
    assert started[0]["mode"] == "offline"


def test_two_processes_leave_one_offline_run_of_wandb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    for rank in ("1", "0"):
        monkeypatch.setenv("RANK", rank)
        tracker = Tracker(TrackingConfig(wandb="offline"), tmp_path, settings={"a": 1}, step=0)
        tracker.log({"loss": 1.0}, step=1)
        tracker.close()
    assert not caplog.records
    (run,) = (tmp_path / "wandb").glob("offline-run-*")
    assert run.name.endswith(json.loads((tmp_path / "wandb.json").read_text())["id"])
    assert any(path.stat().st_size for path in run.glob("*.wandb"))


def test_only_the_main_process_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    tracker = Tracker(TrackingConfig(wandb="online"), tmp_path, settings={}, step=0)
    tracker.log({"loss": 1.0}, step=1)
    tracker.close()
    assert list(tmp_path.iterdir()) == []
