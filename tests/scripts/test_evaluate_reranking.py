"""The reranking report: figures by hand, the plot, its mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from entry_points import call, refuse
from PIL import Image
from run_files import write_run
from tiny_tables import write_tiny

from tabrag.types import Candidate

PROGRAM = "scripts/evaluate_reranking.py"
SALES = "csv/200-csv/0.csv"


def _run(path: Path, lists: dict[str, list[tuple[str, float, str]]]) -> str:
    run = {
        query_id: [Candidate(item_id=item, score=score, stage=stage) for item, score, stage in some]
        for query_id, some in lists.items()
    }
    return str(write_run(path, run))


def test_figures_and_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_tiny(tmp_path / "data")  # train: q1 -> sales, q2 -> plain
    before = _run(
        tmp_path / "before.jsonl",
        {q: [("plain", 3.0, "bm25"), (SALES, 2.0, "bm25")] for q in ("q1", "q2")},
    )
    after = _run(
        tmp_path / "after.jsonl",
        {"q1": [(SALES, 0.75, "rerank"), ("plain", 0.25, "rerank")], "q2": [("plain", 0.95, "rerank")]},
    )
    figures = call(
        PROGRAM,
        f"--data={folder}",
        "--split=train",
        f"--before={before}",
        f"--run={after}",
        f"--plot={tmp_path / 'plot.png'}",
        capsys=capsys,
    )
    assert figures["queries"] == 2 and figures["unscored"] == 0
    assert figures["before"]["Hit@1"] == 0.5 and figures["before"]["MRR"] == 0.75
    assert figures["after"]["Hit@1"] == 1.0 and figures["ceiling"] == 1.0
    assert figures["pairs"] == 3 and figures["relevant"] == pytest.approx(2 / 3)
    assert figures["ECE"] == pytest.approx((0.25 + 0.25 + 0.05) / 3)
    assert Image.open(tmp_path / "plot.png").size > (500, 500)
    assert "no candidate of the stage" in refuse(
        PROGRAM, f"--data={folder}", "--split=train", f"--before={before}", f"--run={before}", capsys=capsys
    )
