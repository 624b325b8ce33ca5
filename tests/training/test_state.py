"""States: complete or passed over, in numeric order, without pickles."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import torch
from toy import ToyModule, damage

from tabrag.errors import UserError
from tabrag.training.state import load_state, newest_complete, save_state


def _module_and_optimizer() -> tuple[ToyModule, torch.optim.Optimizer]:
    module = ToyModule(0.5)
    return module, torch.optim.AdamW(module.parameters(), lr=0.1)


def _save(root: Path, step: int, *, keep: int = 9) -> tuple[ToyModule, torch.optim.Optimizer]:
    torch.manual_seed(step)
    module, optimizer = _module_and_optimizer()
    module.query(torch.randn(3, 6)).sum().backward()
    optimizer.step()
    save_state(root, step=step, module=module, optimizer=optimizer, progress={"epoch": step}, keep=keep)
    return module, optimizer


def test_what_is_saved_is_what_is_restored(tmp_path: Path) -> None:
    module, optimizer = _save(tmp_path, 7)
    drawn = torch.rand(3)
    other, fresh = _module_and_optimizer()
    assert not torch.equal(module.query.weight, other.query.weight)
    progress = load_state(tmp_path / "step-00000007", module=other, optimizer=fresh)
    assert torch.equal(torch.rand(3), drawn)
    assert progress["step"] == 7 and progress["epoch"] == 7
    assert torch.equal(module.query.weight, other.query.weight)
    saved, restored = optimizer.state_dict(), fresh.state_dict()
    assert saved["state"][0]["exp_avg"].abs().sum() > 0
    for index, values in saved["state"].items():
        for name, value in values.items():
            assert torch.equal(value, restored["state"][index][name])
    assert saved["param_groups"] == restored["param_groups"]


def test_the_scale_of_losses_goes_on(tmp_path: Path) -> None:
    module, optimizer = _module_and_optimizer()
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**7, growth_interval=5)
    for factor in (1.0, float("inf"), 1.0):  # halves once, then stands at one sound step of five
        scaler.scale(factor * module.query(torch.randn(3, 6)).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    save_state(tmp_path, step=1, module=module, optimizer=optimizer, progress={}, scaler=scaler)
    other, fresh = _module_and_optimizer()
    restored = torch.amp.GradScaler("cpu", init_scale=2.0**7, growth_interval=5)
    load_state(tmp_path / "step-00000001", module=other, optimizer=fresh, scaler=restored)
    assert restored.state_dict() == scaler.state_dict()
    assert scaler.get_scale() == 2.0**6 and scaler.state_dict()["_growth_tracker"] == 1


def test_auto_resume_takes_the_newest_complete_state(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for step in (9, 10, 20):
        _save(tmp_path, step)
    cut = tmp_path / "step-00000020" / "model.safetensors"
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    (tmp_path / "step-00000030").mkdir()
    (tmp_path / "step-100").mkdir()  # numeric order, not the order of the names
    with caplog.at_level(logging.WARNING):
        assert newest_complete(tmp_path) == tmp_path / "step-00000010"
    for name in ("step-00000020", "step-00000030", "step-100"):
        assert name in caplog.text


def test_nothing_saved_yet(tmp_path: Path) -> None:
    assert newest_complete(tmp_path / "state") is None


def test_old_states_go(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        _save(tmp_path, step, keep=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00000002", "step-00000003"]


def test_files_are_safetensors_and_json(tmp_path: Path) -> None:
    _save(tmp_path, 1)
    assert {path.suffix for path in (tmp_path / "step-00000001").iterdir()} == {".safetensors", ".json"}


def test_a_shared_tower_is_restored_tied(tmp_path: Path) -> None:
    def tied() -> ToyModule:
        module = ToyModule(0.0)
        module.item = module.query
        return module

    module = tied()
    optimizer = torch.optim.AdamW(module.parameters())
    save_state(tmp_path, step=1, module=module, optimizer=optimizer, progress={})
    other = tied()
    load_state(tmp_path / "step-00000001", module=other, optimizer=torch.optim.AdamW(other.parameters()))
    assert other.item is other.query and torch.equal(other.query.weight, module.query.weight)


def test_going_back_to_an_earlier_state_drops_the_later_ones(tmp_path: Path) -> None:
    for step in (2, 4, 6, 8, 3):
        _save(tmp_path, step)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00000002", "step-00000003"]


@pytest.mark.parametrize("processes", ["1", "3"])
def test_other_number_of_processes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: str
) -> None:
    monkeypatch.setattr("tabrag.distributed.gather_objects", lambda values: [*values, {}])
    module, optimizer = _save(tmp_path, 1)
    monkeypatch.setenv("WORLD_SIZE", processes)
    with pytest.raises(UserError, match=f"by 2 processes, now {processes} run"):
        load_state(tmp_path / "step-00000001", module=module, optimizer=optimizer)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"step": "7"}, "'step' is '7', expected a whole number"),
        ({"processes": 1.0}, r"'processes' is 1\.0, expected a whole number"),
        ({"groups": {}}, "'groups' is {}, expected a list"),
        ({"groups": [{"lr": {}}]}, r"'groups\[0\]\.lr' is {}"),
        ({"scaler": {"scale": "x"}}, r"'scaler\.scale' is 'x', expected a finite number"),
        ({}, "'groups' is missing"),
    ],
)
def test_values_of_another_kind_are_named_with_file_and_key(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    module, optimizer = _save(tmp_path, 7)
    damage(tmp_path / "step-00000007", change, without="" if change else "groups")
    with pytest.raises(UserError, match=rf"step-00000007/progress\.json: {said}"):
        load_state(tmp_path / "step-00000007", module=module, optimizer=optimizer)
    (tmp_path / "step-00000007/complete.json").write_text("[]")
    assert newest_complete(tmp_path) is None


def test_a_broken_state_or_one_of_another_model_is_an_error_that_names_it(tmp_path: Path) -> None:
    module, optimizer = _save(tmp_path, 1)
    _save(tmp_path, 2)
    cut = tmp_path / "step-00000001" / "optimizer.safetensors"
    cut.write_bytes(cut.read_bytes()[:100])
    with pytest.raises(UserError, match="step-00000001: not a complete state .*optimizer"):
        load_state(tmp_path / "step-00000001", module=module, optimizer=optimizer)
    module.item = torch.nn.Linear(6, 5)
    with pytest.raises(UserError, match="step-00000002: the state of another model"):
        load_state(tmp_path / "step-00000002", module=module, optimizer=optimizer)
