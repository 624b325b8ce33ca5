"""The program as a person starts it: trained, resumed, its recipes, its mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from entry_points import ROOT, call, refuse
from processes import forget_accelerator
from rerank_data import as_documents, write_data

from tabrag.chat.config import LocalChatConfig
from tabrag.chat.local import LocalChat
from tabrag.inference.chat_scorer import ChatPairScorer

pytestmark = pytest.mark.slow

CONFIGS = ROOT / "configs/reranker"
PROGRAM = "train/reranker.py"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("work"), render=True)


def _arguments(work: Path, out: Path, name: str) -> list[str]:
    return [
        f"--config={CONFIGS / name}.yaml",
        f"--data.folder={work / 'data'}",
        f"--data.negatives={work / 'train.jsonl'}",
        f"--data.dev_run={work / 'dev.jsonl'}",
        "--data.max_dev=6",
        "--data.num_workers=0",
        f"--out={out}",
    ]


def test_train_resume_and_use(work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*_arguments(work, tmp_path / "run", "tiny_text"), "--data.num_negatives=2"]
    whole = call(PROGRAM, *arguments, capsys=capsys)
    assert whole["steps"] == 4 and 0 <= whole["MRR"] <= 1 and whole["loss"] > 0
    rows = [json.loads(line) for line in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    assert any(row["step"] == 4 and row.get("loss", 0) > 0 for row in rows)
    forget_accelerator()
    assert call(PROGRAM, *arguments, "--resume=auto", capsys=capsys) == whole
    export = tmp_path / "run/export"
    assert "Licences" in (export / "README.md").read_text()
    chat = LocalChat(LocalChatConfig(model=str(export), device="cpu"))
    scorer = ChatPairScorer.from_pretrained(export, chat=chat)
    merged = call("scripts/merge.py", f"--checkpoint={export}", f"--out={tmp_path / 'alone'}", capsys=capsys)
    assert merged["changed_weights"] > 5
    alone = ChatPairScorer.from_pretrained(tmp_path / "alone", local=LocalChatConfig(device="cpu"))
    from tabrag.data.folder import DataFolder

    folder = DataFolder(work / "data")
    pairs = [("What is the total?", folder.tables[item_id]) for item_id in list(folder.tables.ids)[:4]]
    scores = scorer(pairs)
    assert alone(pairs) == pytest.approx(scores, abs=1e-4)
    assert len({round(score, 4) for score in scores}) > 2 and scorer.blend == alone.blend


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_each_recipe_has_a_twin_that_runs(
    path: Path, work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = yaml.safe_load(path.read_text())
    twin = [
        "--train.batch_size=2",
        "--train.accumulate=1",
        "--train.max_steps=2",
        "--train.precision=float32",
    ]
    if "chat" in recipe:
        pictures = recipe["chat"].get("show", "text") != "text"
        twin += [
            f"--chat.model=offline:{'tiny-llava' if pictures else 'tiny-llama'}",
            "--chat.four_bit=false",
            "--chat.dtype=float32",
        ]
        twin += ["--chat.max_pixels=null", "--chat.context.max_tokens=60", "--chat.max_length=2048"]
        if pictures and recipe["train"].get("lr_factors"):
            twin += ["--train.lr_factors={projector: 0.2}"]
        file, given = "chat_reranker.json", recipe["chat"]
    elif "words" in recipe:
        file, given = "word_reranker.json", recipe["words"]
    else:
        twin += ["--cross_encoder.backbone=offline:tiny-bert"]
        twin += ["--cross_encoder.num_layers=1"] if recipe["cross_encoder"].get("num_layers") else []
        file, given = "cross_encoder.json", recipe["cross_encoder"]
        if given["representation"]["name"] == "document":
            work = as_documents(work, tmp_path / "documents")
    found = call(PROGRAM, *_arguments(work, tmp_path / "run", path.stem), *twin, capsys=capsys)
    assert found["steps"] == 2 and 0 <= found["MRR"] <= 1
    written: dict[str, Any] = json.loads((tmp_path / "run/export" / file).read_text())
    written = written.get("config", written)
    same = ("language", "vision", "projector", "show", "marks", "matches", "named_cells", "question_length")
    same += ("hidden",)
    assert all(written[key] == given[key] for key in same if key in given)
    assert any(key in given for key in same)


def test_mistakes(work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = _arguments(work, tmp_path / "run", "tiny_text")
    assert "either cross_encoder, words or chat" in refuse(
        PROGRAM, *arguments, "--cross_encoder.backbone=offline:tiny-bert", capsys=capsys
    )
    assert "either cross_encoder, words or chat" in refuse(
        PROGRAM, f"--data.folder={work / 'data'}", f"--out={tmp_path / 'run'}", capsys=capsys
    )
    assert "loss belongs to" in refuse(PROGRAM, *arguments, "--loss.pointwise=1", capsys=capsys)
    assert "tasks belong to" in refuse(
        PROGRAM,
        f"--data.folder={work / 'data'}",
        f"--out={tmp_path / 'run'}",
        "--cross_encoder.backbone=offline:tiny-bert",
        "--tasks.judge=1",
        capsys=capsys,
    )
    assert "juge" in refuse(PROGRAM, *arguments, "--tasks.juge=1", capsys=capsys)
    assert "four_bit needs a GPU" in refuse(PROGRAM, *arguments, "--chat.four_bit=true", capsys=capsys)
    assert "no chat model" in refuse(PROGRAM, *arguments, "--chat.model=offline:tiny-bert", capsys=capsys)
    assert "reads no pictures" in refuse(PROGRAM, *arguments, "--chat.show=image", capsys=capsys)
    assert "tasks.read reads pictures" in refuse(PROGRAM, *arguments, "--tasks.read=1", capsys=capsys)
