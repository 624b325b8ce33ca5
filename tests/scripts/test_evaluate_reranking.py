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


def test_agreement_with_another_engine_and_scores_that_are_all_equal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_tiny(tmp_path / "data")
    before = _run(tmp_path / "before.jsonl", {"q1": [("plain", 3.0, "bm25"), (SALES, 2.0, "bm25")]})
    scores = [((0.75, 0.25), (0.6, 0.5)), ((0.25, 0.75), (0.4, 0.5)), ((0.5, 0.5), (0.5, 0.5))]
    runs = [
        _run(
            tmp_path / f"{number}.jsonl",
            {
                query_id: [(SALES, left, "rerank"), ("plain", right, "rerank")]
                for query_id, (left, right) in {"q1": one, "q2": two}.items()
            },
        )
        for number, (one, two) in enumerate(scores)
    ]
    common = (PROGRAM, f"--data={folder}", "--split=train", f"--before={before}")
    found = call(*common, f"--run={runs[0]}", f"--reference={runs[0]}", capsys=capsys)["agreement"]
    assert found == {"queries": 2, "pairs": 4, "difference": 0, "kendall": 1, "same_first": 1}
    found = call(*common, f"--run={runs[0]}", f"--reference={runs[1]}", capsys=capsys)["agreement"]
    assert found["kendall"] == -1 and found["same_first"] == 0 and found["difference"] == pytest.approx(0.5)
    found = call(*common, f"--run={runs[2]}", f"--reference={runs[0]}", capsys=capsys)
    assert found["agreement"]["kendall"] is None and found["pairs"] == 4
    told = refuse(*common, f"--run={runs[0]}", f"--reference={before}", capsys=capsys)
    assert "no reranked candidate" in told
