"""The program as a person starts it: trained, resumed, its recipes, its mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from entry_points import call, refuse
from processes import forget_accelerator

from tabrag.data.prepare import prepare
from tabrag.data.synthetic import corpus

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
CONFIGS = ROOT / "configs/header_classifier"
PROGRAM = "train/header_classifier.py"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "data"
    prepare(corpus.make(num_tables=20, seed=0), folder)
    return folder


def _arguments(data: Path, out: Path, name: str = "tiny") -> list[str]:
    return [f"--config={CONFIGS / name}.yaml", f"--data.folder={data}", f"--out={out}"]


def test_train_and_resume(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = call(PROGRAM, *_arguments(data, tmp_path / "whole"), capsys=capsys)
    assert whole["steps"] == 4 and 0 <= whole["kept@75"] <= 1
    rows = [json.loads(line) for line in (tmp_path / "whole/metrics.jsonl").read_text().splitlines()]
    assert any(row["step"] == 4 and row.get("loss", 0) > 0 for row in rows)
    forget_accelerator()
    again = call(PROGRAM, *_arguments(data, tmp_path / "whole"), "--resume=auto", capsys=capsys)
    assert again == whole
    assert (tmp_path / "whole/export/header_classifier.json").is_file()


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_each_recipe_has_a_twin_that_runs(
    path: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = yaml.safe_load(path.read_text())["model"]
    twin = [
        "--model.backbone=offline:tiny-bert",
        "--train.batch_size=4",
        "--train.max_steps=2",
        "--data.max_dev=8",
    ]
    twin += ["--model.num_layers=1"] if model.get("num_layers") else []
    found = call(PROGRAM, *_arguments(data, tmp_path / "run", path.stem), *twin, capsys=capsys)
    assert found["steps"] == 2
    written = json.loads((tmp_path / "run/export/header_classifier.json").read_text())
    assert all(written[key] == value for key, value in model.items() if key not in ("backbone", "num_layers"))


def test_mistakes(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = _arguments(data, tmp_path / "run")
    assert "kept" in refuse(PROGRAM, *arguments, "--model.kept=1", capsys=capsys)
    assert "no split 'later'" in refuse(PROGRAM, *arguments, "--data.split=later", capsys=capsys)
    (data / "headers.jsonl").rename(data / "gone")
    try:
        assert "gold headers" in refuse(PROGRAM, *arguments, capsys=capsys)
    finally:
        (data / "gone").rename(data / "headers.jsonl")
