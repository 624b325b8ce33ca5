"""What pictures give: the figures by hand, and controls that change pictures alone."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from entry_points import call, refuse
from rerank_data import write_data

from tabrag.benchmark.pictures import judged, read_figures
from tabrag.models.chat_reranker import ChatReranker
from tabrag.models.config import ChatRerankerConfig

PROGRAM = "scripts/evaluate_pictures.py"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_data(tmp_path_factory.mktemp("work"), render=True)
    for show, base in (("image", "tiny-llava"), ("text", "tiny-llama")):
        config = ChatRerankerConfig(model=f"offline:{base}", show=show, max_length=2048)  # type: ignore[arg-type]
        model = ChatReranker.from_config(config)
        for parameter in model.trained().values():  # far from nothing, so that pictures count
            parameter.data.normal_()
        model.save_pretrained(path / show)
    return path


def test_judged_by_hand() -> None:
    figures = judged([[2.0, 1.0, 0.0], [0.5, 0.5, 3.0]])
    assert figures["AUC"] == (3 + 1.5) / 8
    assert figures["Hit@1"] == 0.5 and figures["chance"] == pytest.approx(1 / 3)
    losses = [math.log1p(math.exp(odds)) for odds in (-2.0, -0.5, 1.0, 0.0, 0.5, 3.0)]
    assert figures["log_loss"] == pytest.approx(sum(losses) / 6)
    assert (figures["questions"], figures["pairs"]) == (2, 6)
    assert judged([[1.0, 1.0]])["Hit@1"] == judged([[1.0, 1.0]])["AUC"] == 0.5


def test_read_figures_by_hand() -> None:
    figures = read_figures([[(-1.0, True), (-3.0, True)], [(-5.0, False)]])
    assert figures == {"exact": 0.5, "tokens": pytest.approx(2 / 3), "loss": 3.5, "replies": 2}


def test_controls_change_pictures_alone(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [f"--checkpoint={work / 'image'}", f"--data={work / 'data'}", "--device=cpu"]
    figures = call(
        PROGRAM,
        *arguments,
        f"--run={work / 'dev.jsonl'}",
        "--candidates=3",
        "--max_queries=4",
        "--max_readings=5",
        capsys=capsys,
    )
    judge, read = figures["judge"], figures["read"]
    assert all(one["questions"] == 4 and one["pairs"] == 12 for one in judge.values())
    assert len({one["log_loss"] for one in judge.values()}) == 3
    assert all(0 <= one["AUC"] <= 1 and one["chance"] == pytest.approx(1 / 3) for one in judge.values())
    assert list(read) == ["own", "blank", "other"] and len({one["loss"] for one in read.values()}) == 3
    assert all(one["loss"] > 0 and 0 <= one["tokens"] <= 1 for one in read.values())
    assert list(call(PROGRAM, *arguments, "--max_readings=2", capsys=capsys)) == ["read"]


def test_mistakes(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = f"--data={work / 'data'}"
    assert "sees tables as text" in refuse(PROGRAM, f"--checkpoint={work / 'text'}", data, capsys=capsys)
    assert "ask for fewer candidates" in refuse(
        PROGRAM,
        f"--checkpoint={work / 'image'}",
        data,
        f"--run={work / 'dev.jsonl'}",
        "--candidates=9",
        "--max_readings=2",
        "--device=cpu",
        capsys=capsys,
    )
    assert "2 or more" in refuse(PROGRAM, "--checkpoint=x", data, "--candidates=1", capsys=capsys)
