"""Each recipe of a retriever parses, and its twin with random backbones of some thousand weights trains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from entry_points import ROOT, call

from tabrag.data.prepare import prepare
from tabrag.data.synthetic import make
from tabrag.files import read_json

pytestmark = pytest.mark.slow

RECIPES = sorted((ROOT / "configs/retriever").glob("*.yaml"))
TWINS = {"text": "offline:tiny-bert", "layoutlmv3": "offline:tiny-layoutlmv3", "image": "offline:tiny-vit"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "data"
    prepare(make(num_tables=20, seed=0), folder, render=True, style="ruled", num_workers=1)
    return folder


def _tower(tower: dict[str, Any], name: str) -> list[str]:
    kind = tower.get("inputs", "text")
    short = [f"--model.{name}.backbone={TWINS[kind]}"]
    if tower.get("max_length"):
        # The tiny models cut words into letters: in shorter inputs a picture would have dozens of windows.
        most = 256 if kind == "layoutlmv3" else 48
        short.append(f"--model.{name}.max_length={min(tower['max_length'], most)}")
    return short


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_tiny_twin_of_a_recipe_trains_and_exports(
    path: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = yaml.safe_load(path.read_text())
    overrides = [
        f"--data.folder={data}",
        "--data.num_workers=0",
        "--train.batch_size=4",
        "--train.max_steps=2",
    ]
    if recipe["data"].get("negatives"):
        run = tmp_path / "bm25.jsonl"
        call("infer/index.py", f"--data={data}", "--kind=bm25", f"--out={tmp_path / 'bm25'}", capsys=capsys)
        call(
            "infer/retrieve.py",
            f"--indexes=[{tmp_path / 'bm25'}]",
            f"--data={data}",
            "--split=train",
            "--k=10",
            f"--out={run}",
            capsys=capsys,
        )
        overrides.append(f"--data.negatives={run}")
    factors = [] if not recipe["train"].get("lr_factors") else ["--train.lr_factors={}"]
    if recipe["data"]["representation"].get("options", {}).get("chunk"):
        overrides.append("--data.representation.options={chunk: 32}")
    for name in ("query", "item"):
        overrides += _tower(recipe["model"][name], name)
    figures = call(
        "train/retriever.py",
        f"--config={path}",
        f"--out={tmp_path / 'run'}",
        *overrides,
        *factors,
        capsys=capsys,
    )
    assert figures["steps"] == 2 and 0 <= figures["MRR@10"] <= 1
    exported = read_json(tmp_path / "run/export/retriever.json")
    assert exported["share_towers"] == recipe["model"].get("share_towers", False)
    assert (tmp_path / "run/export/query/model.safetensors").is_file()
